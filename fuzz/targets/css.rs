//! Fuzzes lightningcss. A sentence is valid if lightningcss parses, minifies and prints it.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/css.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::css::outcome, text)
});
