//! Fuzzes naga 0.14.0 with WGSL. A sentence is valid if it validates.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/wgsl.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::wgsl::old::run, text)
});
