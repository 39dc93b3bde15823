//! The texts that begin with none of some characters and literals, without an exclusion.

use std::collections::BTreeMap;

use crate::import::class::CharacterClass;
use crate::import::expression::Expression;

/// The maximum number of characters of a literal. Each is a group.
const MAX_LENGTH: usize = 20;

/// Returns the texts that begin with none of the characters and literals that are the alternatives of an expression.
/// Returns [`None`] if it has other alternatives.
pub fn refused_of(expression: &Expression) -> Option<Expression> {
    let alternatives = match expression {
        Expression::Choice(parts) => &parts[..],
        one => std::slice::from_ref(one),
    };
    let (mut classes, mut literals) = (Vec::new(), Vec::new());
    for one in alternatives {
        match one {
            Expression::Class(class) => classes.push(class.clone()),
            Expression::Literal {
                text,
                insensitive: false,
            } => literals.push(text.chars().collect()),
            _ => return None,
        }
    }
    refused(CharacterClass::union_of(&classes), &literals)
}

/// Returns the texts that begin with no character of a class and with no literal. Returns [`None`] if all texts begin
/// with one of the literals, or if a literal is too long.
pub fn refused(class: CharacterClass, literals: &[Vec<char>]) -> Option<Expression> {
    let is_there = |literal: &Vec<char>| !literal.is_empty() && literal.len() <= MAX_LENGTH;
    if !literals.iter().all(is_there) {
        return None;
    }
    let mut rests: BTreeMap<char, Vec<Vec<char>>> = BTreeMap::new();
    for literal in literals
        .iter()
        .filter(|literal| !class.contains(literal[0]))
    {
        rests
            .entry(literal[0])
            .or_default()
            .push(literal[1..].to_vec());
    }
    let firsts: String = rests.keys().collect();
    let other = class.union(&CharacterClass::of(&firsts)).complement();
    let any = Expression::Class(CharacterClass::any()).repeat(0, None);
    let mut all = vec![
        Expression::empty(),
        Expression::sequence([Expression::Class(other), any]),
    ];
    for (first, rests) in rests {
        if let Some(rest) = refused(CharacterClass::of(""), &rests) {
            all.push(Expression::sequence([Expression::literal(first), rest]));
        }
    }
    Some(Expression::choice(all))
}
