//! Fuzzes the evaluation of expressions that a function draws at random, with a planted fault.
#![no_main]

#[path = "drawn/calculator.rs"]
mod calculator;

use calculator::Expr;
use rand::RngExt;
use zester::generator::ParameterRng;

/// Draws an expression. Most have a type error.
fn expression(rng: &mut ParameterRng, depth: u32) -> Expr {
    match rng.random_range(0..if depth == 0 { 2 } else { 6_u32 }) {
        0 => Expr::Number(rng.random_range(0..10)),
        1 => Expr::Truth(rng.random_range(0..2_u32) == 1),
        2 => Expr::Add([0; 2].map(|_| expression(rng, depth - 1).into())),
        3 => Expr::Less([0; 2].map(|_| expression(rng, depth - 1).into())),
        4 => Expr::Not(expression(rng, depth - 1).into()),
        _ => Expr::If([0; 3].map(|_| expression(rng, depth - 1).into())),
    }
}

zester::fuzz_target!(rng: |rng| expression(rng, 5), |expr: Expr| calculator::checked(&expr).map(drop));
