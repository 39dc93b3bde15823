//! Fuzzes Cedar. A sentence is valid if Cedar's validator finds no error in it.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/cedar.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::cedar::outcome, text)
});
