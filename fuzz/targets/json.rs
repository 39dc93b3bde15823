//! serde_json; valid is what parses and comes back equal.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/json.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::json::run, text)
});
