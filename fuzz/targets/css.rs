//! lightningcss; valid is what it reads, minifies and writes.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/css.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::css::run, text)
});
