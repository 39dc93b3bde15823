//! Fuzzes apollo-compiler. A sentence is valid if it validates.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/graphql.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::graphql::outcome, text)
});
