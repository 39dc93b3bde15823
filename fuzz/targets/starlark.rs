//! Fuzzes starlark 0.14.3. A sentence is valid if it evaluates without an error.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/starlark.ebnf", |text: &str| {
    zester_subjects::known::run(zester_subjects::starlark::outcome, text)
});
