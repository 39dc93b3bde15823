//! Rewrites rules that can derive themselves and nothing else, as in `a = b | "x" ; b = a ;`. zester refuses such
//! grammars, because their sentences have infinitely many derivations.

use std::collections::{BTreeMap, HashMap, HashSet};

use zester::grammar::{Graph, components};

use super::expression::{Expression, Finding, ForeignGrammar};
use super::fixed_point;

/// The maximum number of variants of one alternative.
const VARIANTS: usize = 64;

/// The maximum number of alternatives that the rules of a cycle have together after the change: each rule gets the
/// alternatives of all.
const MAX_ALTERNATIVES: usize = 1 << 20;

/// Changes the rules so that none derives itself alone. They derive the same texts as before, except
/// where a warning says otherwise.
///
/// # Errors
/// If so many rules derive each other that they would become too large.
pub fn remove(grammar: &mut ForeignGrammar) -> Result<(), Finding> {
    let nullable = fixed_point::rules_with(&grammar.rules, can_be_empty);
    let cycle = cycles(grammar, &nullable);
    let cyclic: Vec<usize> = cycle.keys().copied().collect();
    let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (&at, &number) in &cycle {
        members.entry(number).or_default().push(at);
    }
    for all in members.values() {
        let alternatives: usize = all
            .iter()
            .map(|&at| match &grammar.rules[at].body {
                Expression::Choice(all) => all.len(),
                _ => 1,
            })
            .sum();
        if alternatives.saturating_mul(all.len()) > MAX_ALTERNATIVES {
            let rule = &grammar.rules[all[0]];
            return Err(Finding::new(
                rule.location.clone(),
                format!("{} rules derive each other and nothing else", all.len()),
                "this is the first one; so many rules cannot be rewritten",
            ));
        }
    }
    // The alternatives of the rules in cycles that derive no rule of their cycle alone.
    let mut kept: HashMap<usize, Vec<Expression>> = HashMap::new();
    for &at in &cyclic {
        let names: HashSet<&str> = members[&cycle[&at]]
            .iter()
            .map(|&other| &*grammar.rules[other].name)
            .collect();
        let alternatives = match &grammar.rules[at].body {
            Expression::Choice(all) => all.clone(),
            one => vec![one.clone()],
        };
        let mut all = Vec::new();
        let mut is_exact = true;
        for alternative in alternatives {
            let mut alone = HashSet::new();
            units(&alternative, &nullable, &mut alone);
            if alone.is_disjoint(&names) {
                all.push(alternative);
            } else if !matches!(alternative, Expression::Name(_)) {
                let mut variants = Vec::new();
                is_exact &= expand(&alternative, &nullable, &names, &mut variants);
                all.extend(variants);
            }
        }
        if !is_exact {
            let rule = &mut grammar.rules[at];
            rule.warn(
                format!("`{}` can derive itself and nothing else", rule.name),
                "an alternative was left out",
            );
        }
        kept.insert(at, all);
    }
    for &at in &cyclic {
        let mut all = kept[&at].clone();
        for other in members[&cycle[&at]].iter().filter(|&&other| other != at) {
            all.extend(kept[other].iter().cloned());
        }
        let mut seen = HashSet::new();
        all.retain(|one| seen.insert(one.clone()));
        grammar.rules[at].body = Expression::choice(all);
    }
    Ok(())
}

/// Returns the rules that derive themselves alone, each with the number of its cycle.
fn cycles(grammar: &ForeignGrammar, nullable: &HashSet<String>) -> BTreeMap<usize, u32> {
    let rules = || (0..).zip(&grammar.rules);
    let index: HashMap<&str, u32> = rules().map(|(at, rule)| (&*rule.name, at)).collect();
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for (at, rule) in rules() {
        let mut names = HashSet::new();
        units(&rule.body, nullable, &mut names);
        let known = names.iter().filter_map(|name| index.get(*name));
        edges.extend(known.map(|&other| (at, other)));
    }
    let (component, is_cyclic) = components(&Graph::new(grammar.rules.len(), &edges));
    let all = component.into_iter().enumerate();
    all.filter(|(at, _)| is_cyclic[*at]).collect()
}

/// Adds variants of a sequence in which a further part is not empty, so that none of them derives a
/// member of the cycle alone. Returns whether they derive all other texts of the sequence.
fn expand(
    alternative: &Expression,
    nullable: &HashSet<String>,
    members: &HashSet<&str>,
    variants: &mut Vec<Expression>,
) -> bool {
    let Expression::Sequence(parts) = alternative else {
        return false;
    };
    let mut is_exact = true;
    // In the variant `at`, the optional parts before `at` are empty, and the part `at` is not.
    for at in 0..parts.len() {
        let Expression::Repeat {
            element,
            at_least: 0,
            at_most,
        } = &parts[at]
        else {
            is_exact &= !can_be_empty(&parts[at], nullable)
                || matches!(&parts[at], Expression::Name(name) if members.contains(&**name));
            continue;
        };
        if can_be_empty(element, nullable) || variants.len() >= VARIANTS {
            is_exact = false;
            continue;
        }
        let before = parts[..at]
            .iter()
            .filter(|part| !matches!(part, Expression::Repeat { at_least: 0, .. }));
        let here = match at_most {
            Some(1) => (**element).clone(),
            _ => element.clone().repeat(1, *at_most),
        };
        let all = before
            .cloned()
            .chain([here])
            .chain(parts[at + 1..].iter().cloned());
        let variant = Expression::sequence(all);
        let mut alone = HashSet::new();
        units(&variant, nullable, &mut alone);
        match alone.is_disjoint(members) {
            true => variants.push(variant),
            false => is_exact = false,
        }
    }
    is_exact
}

/// Adds the names of the rules that an expression can derive alone, with everything else empty.
fn units<'a>(expression: &'a Expression, nullable: &HashSet<String>, names: &mut HashSet<&'a str>) {
    match expression {
        Expression::Name(name) => {
            names.insert(name);
        }
        Expression::Sequence(parts) => {
            let filled = parts
                .iter()
                .filter(|part| !can_be_empty(part, nullable))
                .count();
            for part in parts {
                let others = filled - usize::from(!can_be_empty(part, nullable));
                if others == 0 {
                    units(part, nullable, names);
                }
            }
        }
        Expression::Choice(parts) => parts.iter().for_each(|part| units(part, nullable, names)),
        Expression::Repeat {
            element, at_least, ..
        } => {
            if *at_least <= 1 || can_be_empty(element, nullable) {
                units(element, nullable, names);
            }
        }
        Expression::Adjacent(part) | Expression::Capture(_, part) => units(part, nullable, names),
        Expression::Literal { .. }
        | Expression::Class(_)
        | Expression::Difference(..)
        | Expression::Indent
        | Expression::Dedent
        | Expression::Same(_) => {}
    }
}

fn can_be_empty(expression: &Expression, nullable: &HashSet<String>) -> bool {
    match expression {
        Expression::Literal { text, .. } => text.is_empty(),
        Expression::Class(_) => false,
        Expression::Name(name) => nullable.contains(name),
        Expression::Sequence(parts) => parts.iter().all(|part| can_be_empty(part, nullable)),
        Expression::Choice(parts) => parts.iter().any(|part| can_be_empty(part, nullable)),
        Expression::Repeat {
            element, at_least, ..
        } => *at_least == 0 || can_be_empty(element, nullable),
        Expression::Adjacent(part)
        | Expression::Difference(part, _)
        | Expression::Capture(_, part) => can_be_empty(part, nullable),
        Expression::Indent | Expression::Dedent | Expression::Same(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::expression::{ForeignKind, ForeignRule};

    fn rule(name: &str, body: Expression) -> ForeignRule {
        ForeignRule::new(name, ForeignKind::Syntax, body)
    }

    #[test]
    fn rules_do_not_derive_themselves_alone() {
        let name = Expression::name;
        let x = || Expression::literal("x");
        let mut grammar = ForeignGrammar {
            rules: vec![
                rule("a", Expression::choice([name("b"), x(), name("a")])),
                rule(
                    "b",
                    Expression::choice([name("a"), Expression::literal("y")]),
                ),
                rule(
                    "c",
                    Expression::choice([
                        Expression::sequence([
                            x().optional(),
                            name("c"),
                            name("b").repeat(0, None),
                        ]),
                        x(),
                    ]),
                ),
            ],
            ..Default::default()
        };
        remove(&mut grammar).unwrap();
        let bodies: Vec<&Expression> = grammar.rules.iter().map(|rule| &rule.body).collect();
        assert_eq!(
            *bodies[0],
            Expression::choice([x(), Expression::literal("y")])
        );
        assert_eq!(
            *bodies[1],
            Expression::choice([Expression::literal("y"), x()])
        );
        assert_eq!(
            *bodies[2],
            Expression::choice([
                Expression::sequence([x(), name("c"), name("b").repeat(0, None)]),
                Expression::sequence([name("c"), name("b").repeat(1, None)]),
                x(),
            ])
        );
        assert!(grammar.rules.iter().all(|rule| rule.warnings.is_empty()));
    }
}
