//! Fuzzes cel 0.15.0. A sentence is valid if it evaluates without an error.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/cel.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::cel::new::outcome, text)
});
