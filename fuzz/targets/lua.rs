//! Fuzzes PUC-Rio's Lua 5.4.8, in C. A sentence is valid if it runs without an error.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/lua.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::lua::outcome, text)
});
