//! Fuzzes naga's WGSL front end, validator and writers. A sentence is valid if it validates.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/wgsl.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::wgsl::new::outcome, text)
});
