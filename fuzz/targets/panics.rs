//! Panics at a division by the number zero, to show what a crash looks like.
//!
//! Tests also whether fuzzing continues after a crash. With the variable `DEEP`, a remainder overflows
//! the stack.
#![no_main]

/// Calls itself without end.
#[allow(unconditional_recursion)]
fn recursion(depth: u64) -> u64 {
    1 + recursion(std::hint::black_box(depth + 1))
}

zester::fuzz_target!(grammar: "../../grammars/expr.ebnf", |text: &str| {
    assert!(!text.contains("/0"), "division by zero");
    if text.contains('%') && std::env::var_os("DEEP").is_some() {
        recursion(0);
    }
});
