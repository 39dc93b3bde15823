//! Tests `fuzz_target!` in a file whose items have names that the macro might use, too. The body states the type of its result.

#![cfg(feature = "libfuzzer")]

static TARGET: &str = "target";
static SOURCE: &str = "source";
static EARLY: &str = "early";

fn body(text: &str) -> bool {
    text.len() > TARGET.len() + SOURCE.len() + EARLY.len()
}

zester::fuzz_target!(grammar: "../grammars/expr.ebnf", |text: &str| -> Result<bool, std::num::ParseIntError> {
    text.parse::<u64>()?;
    Ok(body(text))
});

#[test]
fn the_body_calls_the_function_of_the_file() {
    assert!(body("longer than the three names"));
    assert!(!body(""));
}
