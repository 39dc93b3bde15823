//! apollo-compiler's parser, validator and writer; valid is what validates.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/graphql.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::graphql::run, text)
});
