//! Fuzzes turso 0.3.2. A sentence is valid if it parses and all its statements run to their end.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/sql.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::sql::outcome, text)
});
