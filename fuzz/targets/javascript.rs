//! Fuzzes Boa 0.22.0. A sentence is valid if it parses and throws nothing.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/javascript.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::javascript::outcome, text)
});
