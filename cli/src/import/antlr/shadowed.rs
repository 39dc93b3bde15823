//! Tokens that a lexer never returns, because an earlier rule always takes their texts.

use std::collections::{HashMap, HashSet};

use crate::import::expression::{Expression, Finding, ForeignKind, ForeignRule, by_name};
use crate::import::names;
use crate::import::regular::Automaton;

/// Leaves out the tokens whose texts earlier tokens of their mode take, and the literals that an earlier token
/// takes. A token that is left out becomes a fragment, so that other tokens can still use it. The tokens in
/// `conditional` take no texts. Returns a warning for each token that is left out.
pub fn leave_out(
    rules: &mut Vec<ForeignRule>,
    modes: &HashMap<String, u32>,
    conditional: &HashSet<String>,
) -> Vec<Finding> {
    let mut warnings = Vec::new();
    let mut cut: HashMap<String, Expression> = HashMap::new();
    let copies = rules.to_vec();
    let by_name = by_name(&copies);
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
            let Ok(automaton) = Automaton::new(&rule.body, &by_name) else {
                continue;
            };
            let before: Vec<_> = earlier
                .iter()
                .filter(|(of, _, other)| *of == mode && automaton.overlaps(other))
                .collect();
            let others: Vec<&Automaton> = before.iter().map(|(_, _, other)| other).collect();
            if !others.is_empty() && automaton.is_within(&others) {
                warnings.push(Finding::new(
                    rule.location.clone(),
                    format!("earlier rules take all texts of `{}`", rule.name),
                    "a lexer never reads this token; what needs it was left out",
                ));
                rule.kind = ForeignKind::Fragment;
            } else if !excludes(&rule.body, &by_name) && !conditional.contains(&rule.name) {
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
            rule.warn(
                format!("the earlier rule `{name}` takes texts of `{}`", rule.name),
                "a lexer never reads them as this token; they were left out",
            );
            if kept.is_empty() {
                warnings.append(&mut rule.warnings);
                rule.kind = ForeignKind::Fragment;
            } else {
                let whole = std::mem::replace(&mut rule.body, Expression::choice(kept));
                cut.insert(rule.name.clone(), whole);
            }
        }
    }
    keep_parts(rules, cut);
    warnings
}

/// If other rules use tokens that lost texts, adds fragments with all of their texts, which these rules use
/// instead.
fn keep_parts(rules: &mut Vec<ForeignRule>, cut: HashMap<String, Expression>) {
    let mut taken: HashSet<String> = rules.iter().map(|rule| rule.name.clone()).collect();
    let mut wholes: Vec<ForeignRule> = Vec::new();
    let mut names: HashMap<String, String> = HashMap::new();
    for rule in rules.iter_mut() {
        rule.body.visit_mut(&mut |part| {
            let Expression::Name(name) = part else { return };
            let Some(body) = cut.get(name) else { return };
            let whole = names.entry(name.clone()).or_insert_with(|| {
                let whole = names::take(&format!("{name}_text"), &mut taken);
                let kind = ForeignKind::Fragment;
                wholes.push(ForeignRule::new(whole.clone(), kind, body.clone()));
                whole
            });
            name.clone_from(whole);
        });
    }
    rules.append(&mut wholes);
}

/// Whether an expression or a rule that it uses has an exclusion, which automata ignore.
fn excludes(body: &Expression, rules: &HashMap<&str, &Expression>) -> bool {
    let mut open = vec![body];
    let mut seen = HashSet::new();
    let mut found = false;
    while let Some(body) = open.pop() {
        body.visit(&mut |part| match part {
            Expression::Difference(..) => found = true,
            Expression::Name(name) if seen.insert(name.clone()) => {
                open.extend(rules.get(&**name).copied());
            }
            _ => {}
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::class::CharacterClass;

    #[test]
    fn texts_of_earlier_tokens_are_left_out() {
        let digits = || Expression::Class(CharacterClass::of("0123456789"));
        let rule = |name: &str, body| ForeignRule::new(name, ForeignKind::Token(0), body);
        let mut rules = vec![
            rule("number", digits().repeat(1, None)),
            rule("digit", digits()),
            rule("one", Expression::literal("1")),
            rule("x", Expression::literal("x")),
        ];
        let warnings = leave_out(&mut rules, &HashMap::new(), &HashSet::new());
        assert_eq!(warnings.len(), 2);
        let left_out = |at: usize| rules[at].kind == ForeignKind::Fragment;
        assert!(!left_out(0) && left_out(1) && left_out(2) && !left_out(3));
    }
}
