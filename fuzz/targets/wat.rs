//! Fuzzes wast and wasmparser's validator. A sentence is valid if it validates.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/wat.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::wat::run, text)
});
