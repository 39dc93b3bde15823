//! Fuzzes a parser with a planted slow path.
//!
//! The time is quadratic in the number of statements, or with `SLOW=nested` in the environment,
//! exponential in the depth of nested negated parentheses. Panics at a sentence that takes many steps.
//! Coverage does not lead there, because the same code runs for each level.
#![no_main]

use std::cell::Cell;
use std::sync::LazyLock;

zester::fuzz_target!(grammar: "../../grammars/expr.ebnf", |text: &str| {
    let steps = Cell::new(0);
    if *IS_NESTED {
        nest(text.as_bytes(), &steps);
        assert!(steps.get() < MANY, "exponential time");
    } else {
        compare(text, &steps);
        assert!(steps.get() < MANY / 64, "quadratic time");
    }
    true
});

static IS_NESTED: LazyLock<bool> =
    LazyLock::new(|| std::env::var_os("SLOW").is_some_and(|path| path == "nested"));

const MANY: u32 = 1 << 24;

fn step(steps: &Cell<u32>) -> bool {
    steps.set(steps.get() + 1);
    steps.get() < MANY
}

/// Reads nested negated parentheses twice at each level, as a parser does that tries two
/// alternatives and remembers nothing.
fn nest(text: &[u8], steps: &Cell<u32>) {
    if let (Some(inner), true) = (text.strip_prefix(b"-("), step(steps)) {
        nest(inner, steps);
        nest(inner, steps);
    } else if let [_, rest @ ..] = text {
        // Only the first construct counts.
        if let Some(at) = rest
            .windows(2)
            .position(|pair| pair == b"-(")
            .filter(|_| steps.get() == 0)
        {
            nest(&rest[at..], steps);
        }
    }
}

/// Compares each statement with all earlier ones.
fn compare(text: &str, steps: &Cell<u32>) -> usize {
    let statements: Vec<&str> = text.split(';').collect();
    let mut equal = 0;
    for (at, one) in statements.iter().enumerate() {
        for other in &statements[..at] {
            equal += usize::from(one == other);
            if !step(steps) {
                return equal;
            }
        }
    }
    equal
}
