//! Gives comments that run to the end of the line their line feed.

use std::collections::HashMap;

use crate::import::expression::{Expression, Finding, ForeignKind, ForeignRule, bodies};
use crate::import::regular::Automaton;

/// How deep names are followed.
const DEPTH: usize = 12;

/// Adds a line feed to each layout rule that runs to the end of the line, if a line feed is layout,
/// too. If it is not, the rule is left out.
pub fn close(rules: &mut [ForeignRule]) {
    let bodies = bodies(rules);
    let by_name: HashMap<&str, &Expression> =
        bodies.iter().map(|(name, body)| (&**name, body)).collect();
    let is_layout = |rule: &ForeignRule| matches!(rule.kind, ForeignKind::Layout(_));
    let has_line_feed = rules.iter().filter(|rule| is_layout(rule)).any(|rule| {
        Automaton::new(&rule.body, &by_name).is_ok_and(|automaton| automaton.accepts("\n"))
    });
    for rule in rules.iter_mut().filter(|rule| is_layout(rule)) {
        if !is_open(&rule.body, &by_name, 0) {
            continue;
        }
        if let Some(body) = required(&rule.body) {
            rule.body = body;
        } else if has_line_feed {
            let body = std::mem::replace(&mut rule.body, Expression::empty());
            rule.body = Expression::sequence([body, Expression::literal("\n")]);
        } else {
            rule.body = Expression::never();
            rule.kind = ForeignKind::Fragment;
            rule.warnings.push(Finding {
                place: rule.place.clone(),
                message: format!("`{}` runs to the end of the line", rule.name),
                label: "it was left out, because the line feed after it is no layout".into(),
            });
        }
    }
}

/// Makes an optional line feed at the end a required one.
fn required(body: &Expression) -> Option<Expression> {
    let Expression::Sequence(parts) = body else {
        return None;
    };
    let (
        Expression::Repeat {
            element,
            at_least: 0,
            ..
        },
        rest,
    ) = parts.split_last()?
    else {
        return None;
    };
    let is_line_feed = match &**element {
        Expression::Literal { text, .. } => text.ends_with('\n'),
        Expression::Class(class) => class.contains('\n'),
        _ => false,
    };
    let end = Expression::literal("\n");
    is_line_feed.then(|| Expression::sequence(rest.iter().cloned().chain([end])))
}

/// Whether a text of the expression may go on with the same line.
fn is_open(expression: &Expression, rules: &HashMap<&str, &Expression>, depth: usize) -> bool {
    if depth > DEPTH {
        return false;
    }
    match expression {
        Expression::Literal { .. } | Expression::Class(_) => false,
        Expression::Name(name) => rules
            .get(&**name)
            .is_some_and(|body| is_open(body, rules, depth + 1)),
        Expression::Sequence(parts) => {
            for part in parts.iter().rev() {
                if is_open(part, rules, depth) {
                    return true;
                }
                if !matches!(part, Expression::Repeat { at_least: 0, .. }) {
                    return false;
                }
            }
            false
        }
        Expression::Choice(parts) => parts.iter().any(|part| is_open(part, rules, depth)),
        Expression::Repeat {
            element, at_most, ..
        } => match &**element {
            Expression::Class(class) if *at_most != Some(1) => {
                class.contains('a') && class.contains('"') && !class.contains('\n')
            }
            Expression::Name(name) if *at_most != Some(1) => rules.get(&**name).is_some_and(
                |body| matches!(body, Expression::Class(class) if class.contains('a') && class.contains('"') && !class.contains('\n')),
            ),
            inner => is_open(inner, rules, depth),
        },
        Expression::Adjacent(part) | Expression::Difference(part, _) => {
            is_open(part, rules, depth)
        }
        Expression::Indent | Expression::Dedent => false,
    }
}
