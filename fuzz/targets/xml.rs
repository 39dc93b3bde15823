//! roxmltree; valid is what parses.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/xml.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::xml::run, text)
});
