//! Fuzzes jaq 3.1.2. A sentence is valid if it compiles and runs without an error.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/jq.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::jq::new::outcome, text)
});
