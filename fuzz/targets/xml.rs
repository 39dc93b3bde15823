//! Fuzzes roxmltree. A sentence is valid if it parses.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/xml.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::xml::run, text)
});
