//! Fuzzes Boa 0.21.0. A sentence is valid if it runs without an uncaught exception.
#![no_main]

// This target has a fuzz crate of its own, which cannot depend on the subjects: see its Cargo.toml.
#[path = "../subjects/src/known.rs"]
mod known;
#[path = "../subjects/src/javascript/machine.rs"]
mod machine;

zester::fuzz_target!(grammar: "../../grammars/javascript.ebnf", |text: &str| known::run(machine::run, text));

fn thrown(error: &boa_engine::JsError) -> String {
    error.to_string()
}
