//! Decodes and does nothing: what zester itself costs, and whether its own code counts as coverage.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/json.ebnf", |_text: &str| ());
