//! Rules that are missing, that derive nothing, or that no sentence uses.

use std::collections::{HashMap, HashSet};

use super::expression::{Expression, Finding, ForeignGrammar, ForeignKind, ForeignRule};

/// Adds a rule for each name without one: a token whose text is the name, to be filled in.
pub fn define(grammar: &mut ForeignGrammar) {
    let known: HashSet<String> = grammar.rules.iter().map(|rule| rule.name.clone()).collect();
    let mut missing: Vec<ForeignRule> = Vec::new();
    for rule in &grammar.rules {
        rule.body.visit(&mut |part| {
            let Expression::Name(name) = part else {
                return;
            };
            if known.contains(name) || missing.iter().any(|rule| rule.name == *name) {
                return;
            }
            let warning = Finding {
                place: rule.place.clone(),
                message: format!("no rule derives `{name}`"),
                label: format!(
                    "the grammar does not say what it is; --tokens gives its texts, or write them into the rule `{name}`"
                ),
            };
            missing.push(ForeignRule {
                name: name.clone(),
                kind: ForeignKind::Token(0),
                comments: Vec::new(),
                place: rule.place.clone(),
                body: Expression::literal(name.clone()),
                warnings: vec![warning],
            });
        });
    }
    grammar.rules.append(&mut missing);
}

/// Leaves out alternatives that derive nothing, and rules that have no others.
pub fn prune(grammar: &mut ForeignGrammar) {
    let mut productive: HashSet<String> = HashSet::new();
    loop {
        let before = productive.len();
        for rule in &grammar.rules {
            if !productive.contains(&rule.name) && derives(&rule.body, &productive) {
                productive.insert(rule.name.clone());
            }
        }
        if productive.len() == before {
            break;
        }
    }
    grammar.rules.retain(|rule| productive.contains(&rule.name));
    for rule in &mut grammar.rules {
        rule.body.visit_mut(&mut |part| match part {
            Expression::Choice(all) => {
                all.retain(|one| derives(one, &productive));
                if all.len() == 1 {
                    *part = all.remove(0);
                }
            }
            // A repetition of nothing is empty.
            Expression::Repeat {
                element,
                at_least: 0,
                ..
            } if !derives(element, &productive) => *part = Expression::empty(),
            Expression::Difference(from, without) if !derives(without, &productive) => {
                *part = (**from).clone();
            }
            _ => {}
        });
    }
}

/// Whether an expression derives a text, if the rules in `productive` do.
fn derives(expression: &Expression, productive: &HashSet<String>) -> bool {
    match expression {
        Expression::Literal { .. } | Expression::Indent | Expression::Dedent => true,
        Expression::Class(class) => !class.is_empty(),
        Expression::Name(name) => productive.contains(name),
        Expression::Sequence(parts) => parts.iter().all(|part| derives(part, productive)),
        Expression::Choice(parts) => parts.iter().any(|part| derives(part, productive)),
        Expression::Repeat {
            element, at_least, ..
        } => *at_least == 0 || derives(element, productive),
        Expression::Adjacent(part) | Expression::Difference(part, _) => derives(part, productive),
    }
}

/// Leaves out the rules that no sentence uses. Returns their names.
pub fn unused(grammar: &mut ForeignGrammar, start: &str) -> Vec<String> {
    let index: HashMap<&str, &ForeignRule> = grammar
        .rules
        .iter()
        .map(|rule| (&*rule.name, rule))
        .collect();
    let is_root = |rule: &&ForeignRule| {
        rule.name == start || matches!(rule.kind, ForeignKind::Layout(_) | ForeignKind::Line)
    };
    let mut open: Vec<&ForeignRule> = grammar.rules.iter().filter(is_root).collect();
    let mut used: HashSet<String> = open.iter().map(|rule| rule.name.clone()).collect();
    while let Some(rule) = open.pop() {
        rule.body.visit(&mut |part| {
            if let Expression::Name(name) = part {
                if let (Some(rule), false) = (index.get(&**name), used.contains(name)) {
                    used.insert(name.clone());
                    open.push(rule);
                }
            }
        });
    }
    let mut left_out = Vec::new();
    grammar.rules.retain(|rule| {
        let is_used = used.contains(&rule.name);
        if !is_used {
            left_out.push(rule.name.clone());
        }
        is_used
    });
    left_out
}
