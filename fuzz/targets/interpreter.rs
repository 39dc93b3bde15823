//! Compares a small interpreter with one in which 20 mutants are planted.
//!
//! The mutants change results and never crash. `ZESTER_MUTANTS=N,…` switches on only mutants N, ….
//! `scripts/measure mutants` counts how many of them fuzzing finds, and whether triage tells them apart.
#![no_main]

#[path = "interpreter/evaluation.rs"]
mod evaluation;
#[path = "interpreter/syntax.rs"]
mod syntax;

use std::sync::OnceLock;

use evaluation::{Mutants, Value, run};

/// Returns the planted mutants that are on.
fn mutants() -> Mutants {
    static MUTANTS: OnceLock<Mutants> = OnceLock::new();
    *MUTANTS.get_or_init(|| match std::env::var("ZESTER_MUTANTS") {
        Ok(list) => Mutants::of(&list),
        Err(_) => Mutants::ALL,
    })
}

zester::fuzz_target!(grammar: "interpreter.ebnf", |text: &str| {
    let original = |text: &str| run(text, Mutants::NONE);
    let mutated = |text: &str| run(text, mutants());
    zester::oracle::agree(text, original, mutated).map(|values: Vec<Value>| values.len())
});
