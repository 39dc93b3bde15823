//! Fuzzes the evaluation of expressions of a strategy of proptest, with a planted fault.
#![no_main]

#[path = "drawn/calculator.rs"]
mod calculator;

use calculator::Expr;
use proptest::prelude::*;

/// Returns a strategy of expressions. Most have a type error.
fn expression() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        (0..10_u32).prop_map(Expr::Number),
        any::<bool>().prop_map(Expr::Truth)
    ];
    leaf.prop_recursive(5, 128, 2, |inner| {
        let inner = zester::region!(inner.prop_map(Box::new));
        let two = || [inner.clone(), inner.clone()];
        prop_oneof![
            two().prop_map(Expr::Add),
            two().prop_map(Expr::Less),
            inner.clone().prop_map(Expr::Not),
            [inner.clone(), inner.clone(), inner].prop_map(Expr::If),
        ]
    })
}

zester::fuzz_target!(strategy: expression(), |expr: Expr| calculator::checked(&expr).map(drop));
