//! Cedar; valid is what its validator finds no error in.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/cedar.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::cedar::run, text)
});
