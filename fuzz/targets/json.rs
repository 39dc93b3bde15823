//! Fuzzes serde_json. A sentence is valid if it parses.
//!
//! The value must be equal after it was written and read again.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/json.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::json::run, text)
});
