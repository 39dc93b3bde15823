//! cel-interpreter 0.9.1; valid is what evaluates.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/cel.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::cel::old::run, text)
});
