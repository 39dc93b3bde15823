//! Decodes the sentence and does nothing.
//!
//! Measures zester's own cost, and shows whether zester's code counts as coverage.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/json.ebnf", |_text: &str| ());
