//! Checks the types of programs of the simply typed lambda calculus. The grammar has no types.
#![no_main]

#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../../tests/common/stlc.rs"]
mod stlc;

zester::fuzz_target!(grammar: "../../experiments/grammars/stlc-syntax.ebnf", |text: &str| stlc::checked(text.as_bytes()).is_some());
