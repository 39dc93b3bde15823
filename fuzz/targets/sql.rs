//! turso 0.3.2; valid is what parses, and all whose statements run to their end.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/sql.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::sql::run, text)
});
