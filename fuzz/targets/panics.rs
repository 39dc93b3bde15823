//! Panics at a division by the number zero: shows what a crash looks like, and whether fuzzing
//! continues after one.
#![no_main]

zester::fuzz_target!(grammar: "../../grammars/expr.ebnf", |text: &str| assert!(!text.contains("/0"), "division by zero"));
