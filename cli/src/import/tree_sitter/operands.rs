//! Operands that may be missing, as after `yield` or `..`. A parser reads what follows as the operand
//! wherever it can, so an expression without one is often no left operand. Sentences have them all.

use std::collections::{HashMap, HashSet};

use super::super::expression::{Expression, Finding, ForeignGrammar, ForeignKind};

/// Makes operands necessary that end an expression which can be a left operand.
pub fn require(grammar: &mut ForeignGrammar) {
    let mut units: HashMap<&str, HashSet<&str>> = HashMap::new();
    for rule in &grammar.rules {
        let mut names = HashSet::new();
        alone(&rule.body, &mut names);
        units.insert(&rule.name, names);
    }
    let left = left_operands(grammar);
    // For each rule, the expressions that it is an alternative of.
    let mut roots: HashMap<String, HashSet<String>> = HashMap::new();
    for root in left {
        let mut open = vec![&*root];
        let mut seen = HashSet::new();
        while let Some(name) = open.pop() {
            if seen.insert(name) {
                open.extend(units.get(name).into_iter().flatten());
                let of = roots.entry(name.into()).or_default();
                of.insert(root.clone());
            }
        }
    }
    let is_syntax = |kind| kind == ForeignKind::Syntax;
    for rule in grammar.rules.iter_mut().filter(|rule| is_syntax(rule.kind)) {
        let Some(roots) = roots.get(&rule.name) else {
            continue;
        };
        let before = rule.body.clone();
        require_in(&mut rule.body, roots);
        if rule.body != before {
            rule.warnings.push(Finding {
                place: rule.place.clone(),
                message: "the last operand is optional".into(),
                label: "sentences always have it, because the parser takes what follows for it"
                    .into(),
            });
        }
    }
}

/// The names of rules that an alternative with more than this symbol begins with.
fn left_operands(grammar: &ForeignGrammar) -> HashSet<String> {
    let mut left = HashSet::new();
    for rule in grammar
        .rules
        .iter()
        .filter(|rule| rule.kind == ForeignKind::Syntax)
    {
        let alternatives = match &rule.body {
            Expression::Choice(all) => all.iter().collect(),
            one => vec![one],
        };
        for alternative in alternatives {
            if let Expression::Sequence(parts) = alternative {
                let mut names = HashSet::new();
                parts
                    .iter()
                    .take(1)
                    .for_each(|part| alone(part, &mut names));
                left.extend(names.into_iter().map(str::to_string));
            }
        }
    }
    left
}

/// Adds the names that an expression may consist of alone.
fn alone<'a>(expression: &'a Expression, names: &mut HashSet<&'a str>) {
    match expression {
        Expression::Name(name) => {
            names.insert(name);
        }
        Expression::Choice(parts) => parts.iter().for_each(|part| alone(part, names)),
        Expression::Repeat {
            element,
            at_most: Some(1),
            ..
        } => alone(element, names),
        _ => {}
    }
}

fn require_in(body: &mut Expression, roots: &HashSet<String>) {
    let is_operand = |part: &Expression| {
        let mut names = HashSet::new();
        alone(part, &mut names);
        names.iter().any(|name| roots.contains(*name))
    };
    match body {
        Expression::Choice(all) => {
            all.iter_mut().for_each(|one| require_in(one, roots));
            // `a ".."` is left out if there is `a ".." a`.
            let parts = |one: &Expression| match one {
                Expression::Sequence(parts) => parts.clone(),
                one => vec![one.clone()],
            };
            let longer: Vec<Vec<Expression>> = all
                .iter()
                .map(parts)
                .filter(|parts| parts.len() > 1 && parts.last().is_some_and(is_operand))
                .collect();
            let meets = |one: &Expression, other: &Expression| {
                one == other || matches!(other, Expression::Choice(all) if all.contains(one))
            };
            all.retain(|one| {
                let short = parts(one);
                !longer.iter().any(|long| {
                    long.len() == short.len() + 1
                        && short.iter().zip(long).all(|(one, other)| meets(one, other))
                })
            });
        }
        Expression::Sequence(parts) if parts.len() > 1 => {
            let last = parts.last_mut().expect("there are parts");
            if let Expression::Repeat {
                element,
                at_least: 0,
                at_most: Some(1),
            } = last
            {
                if is_operand(element) {
                    *last = (**element).clone();
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::expression::{ForeignRule, Place};
    use super::*;

    #[test]
    fn left_operands_have_their_last_operand() {
        let rule = |name: &str, body| ForeignRule {
            name: name.into(),
            kind: ForeignKind::Syntax,
            comments: Vec::new(),
            place: Place::default(),
            body,
            warnings: Vec::new(),
        };
        let e = || Expression::name("e");
        let yields = [Expression::literal("yield"), e().optional()];
        let short = Expression::sequence([e(), Expression::literal("..")]);
        let long = Expression::sequence([e(), Expression::literal(".."), e()]);
        let mut grammar = ForeignGrammar {
            rules: vec![
                rule(
                    "s",
                    Expression::sequence([Expression::literal("return"), e().optional()]),
                ),
                rule(
                    "e",
                    Expression::choice(["yield", "range"].map(Expression::name)),
                ),
                rule("yield", Expression::sequence(yields)),
                rule("range", Expression::choice([short, long.clone()])),
            ],
            ..ForeignGrammar::default()
        };
        let first = grammar.rules[0].body.clone();
        require(&mut grammar);
        assert_eq!(grammar.rules[0].body, first);
        assert_eq!(
            grammar.rules[2].body,
            Expression::sequence([Expression::literal("yield"), e()])
        );
        assert_eq!(grammar.rules[3].body, Expression::choice([long]));
        assert_eq!(grammar.rules[3].warnings.len(), 1);
    }
}
