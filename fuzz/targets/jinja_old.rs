//! Fuzzes MiniJinja 2.12.0. A sentence is valid if it renders.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/jinja.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::jinja::old::outcome, text)
});
