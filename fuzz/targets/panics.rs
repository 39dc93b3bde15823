//! Panics at a division by the number zero: what a finding looks like, and whether fuzzing goes on after one.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/expr.ebnf", |text: &str| assert!(!text.contains("/0"), "division by zero"));
