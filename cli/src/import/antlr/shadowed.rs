//! Tokens that a lexer never returns, because an earlier rule always takes their texts.

use std::collections::HashMap;

use crate::import::expression::{Expression, Finding, ForeignKind, ForeignRule};
use crate::import::regular::Automaton;

/// Leaves out the literals of tokens that an earlier token of their mode takes.
pub fn leave_out(rules: &mut [ForeignRule], modes: &HashMap<String, u32>) {
    let bodies: Vec<(String, Expression)> = rules
        .iter()
        .map(|rule| (rule.name.clone(), rule.body.clone()))
        .collect();
    let by_name: HashMap<&str, &Expression> =
        bodies.iter().map(|(name, body)| (&**name, body)).collect();
    let mut earlier: Vec<(u32, String, Automaton)> = Vec::new();
    for rule in rules.iter_mut() {
        if !matches!(rule.kind, ForeignKind::Token(_) | ForeignKind::Layout(_)) {
            continue;
        }
        let mode = modes.get(&rule.name).copied().unwrap_or_default();
        let texts = match &rule.body {
            Expression::Choice(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let is_literal = |one: &Expression| matches!(one, Expression::Literal { .. });
        if !texts.iter().all(is_literal) {
            if let Ok(automaton) = Automaton::new(&rule.body, &by_name) {
                earlier.push((mode, rule.name.clone(), automaton));
            }
            continue;
        }
        let mut taken_by = None;
        let kept: Vec<Expression> = texts
            .into_iter()
            .filter(|one| {
                let Expression::Literal { text, .. } = one else {
                    return true;
                };
                let taker = earlier
                    .iter()
                    .find(|(of, _, automaton)| *of == mode && automaton.accepts(text));
                if let Some((_, name, _)) = taker {
                    taken_by = Some(name.clone());
                }
                taker.is_none()
            })
            .collect();
        if let Some(name) = taken_by {
            rule.warnings.push(Finding {
                place: rule.place.clone(),
                message: format!("the earlier rule `{name}` takes texts of `{}`", rule.name),
                label: "a lexer never reads them as this token; they were left out".into(),
            });
            rule.body = Expression::choice(kept);
        }
    }
}
