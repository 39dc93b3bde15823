//! naga 0.14.0's WGSL front end, validator and writers; valid is what validates.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/wgsl.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::wgsl::old::run, text)
});
