//! PUC-Rio's Lua 5.4.8, in C; valid is what runs without an error.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/lua.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::lua::run, text)
});
