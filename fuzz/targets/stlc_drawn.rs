//! Fuzzes a type checker of the simply typed lambda calculus with terms that a function draws at random.
//!
//! Only terms without type errors reach the planted fault.
#![no_main]

use std::fmt::{Display, Formatter, Result};

use rand::RngExt;
use zester::generator::ParameterRng;

#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../../tests/common/stlc.rs"]
mod stlc;

#[derive(Debug)]
enum Term {
    /// A constant or the name of a variable.
    Word(&'static str),
    If([Box<Term>; 3]),
    Binary(&'static str, [Box<Term>; 2]),
    Apply([Box<Term>; 2]),
    /// The variable, its type, and the body.
    Fun(&'static str, String, Box<Term>),
}

/// Draws a term. Most have a type error or a variable that is not bound.
fn term(rng: &mut ParameterRng, depth: u32) -> Term {
    let part = |rng: &mut ParameterRng| Box::new(term(rng, depth - 1));
    match rng.random_range(0..if depth == 0 { 1 } else { 5_u32 }) {
        0 => Term::Word(["0", "true", "a", "b", "c"][rng.random_range(0..5_usize)]),
        1 => Term::If([0; 3].map(|_| part(rng))),
        2 => Term::Binary(
            ["+", "<"][rng.random_range(0..2_usize)],
            [0; 2].map(|_| part(rng)),
        ),
        3 => Term::Apply([0; 2].map(|_| part(rng))),
        _ => Term::Fun(
            ["a", "b", "c"][rng.random_range(0..3_usize)],
            of_type(rng, 2),
            part(rng),
        ),
    }
}

fn of_type(rng: &mut ParameterRng, depth: u32) -> String {
    match rng.random_range(0..if depth == 0 { 2 } else { 3_u32 }) {
        0 => "int".into(),
        1 => "bool".into(),
        _ => format!(
            "({} -> {})",
            of_type(rng, depth - 1),
            of_type(rng, depth - 1)
        ),
    }
}

impl Display for Term {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Term::Word(word) => out.write_str(word),
            Term::If([condition, one, other]) => {
                write!(out, "if {condition} then {one} else {other}")
            }
            Term::Binary(operator, [left, right]) => write!(out, "({left} {operator} {right})"),
            Term::Apply([function, argument]) => write!(out, "({function} {argument})"),
            Term::Fun(name, of, body) => write!(out, "(fun {name} : {of} . {body})"),
        }
    }
}

impl Term {
    /// Fails if a function is applied to a function. That is the planted fault.
    fn check_calls(&self) {
        match self {
            Term::Word(_) => {}
            Term::If(parts) => parts.iter().for_each(|part| part.check_calls()),
            Term::Binary(_, parts) => parts.iter().for_each(|part| part.check_calls()),
            Term::Fun(_, _, body) => body.check_calls(),
            Term::Apply(parts) => {
                if let [Term::Fun(..), Term::Fun(..)] = parts.each_ref().map(|part| &**part) {
                    panic!("the planted fault");
                }
                parts.iter().for_each(|part| part.check_calls());
            }
        }
    }
}

zester::fuzz_target!(rng: |rng| term(rng, 5), |term: Term| {
    let checked = stlc::checked(term.to_string().as_bytes());
    checked.inspect(|_| term.check_calls()).is_some()
});
