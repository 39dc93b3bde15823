//! The start rule of grammars that name none.

use std::collections::HashSet;

use super::expression::{Finding, ForeignGrammar, ForeignRule, SourceLocation, by_name, reached};
use super::productive;

/// The maximum number of rules that are compared.
const CANDIDATES: usize = 200;

/// Chooses the start rule: of the rules that no other rule uses, the one that reaches the most rules. If all
/// rules are used, the first rule stays the start rule. Adds a warning that names the other candidates.
pub fn choose(grammar: &mut ForeignGrammar) {
    let mut used: HashSet<&str> = HashSet::new();
    for rule in &grammar.rules {
        used.extend(
            rule.body
                .names()
                .into_iter()
                .filter(|name| *name != rule.name),
        );
    }
    let bodies = by_name(&grammar.rules);
    let unused: Vec<&ForeignRule> = grammar
        .rules
        .iter()
        .filter(|rule| !used.contains(&*rule.name))
        .collect();
    // If several rules reach the same number, the first one wins.
    let compared = unused.iter().take(CANDIDATES).rev();
    let Some(start) = compared.max_by_key(|rule| reached(&bodies, vec![&rule.name]).len()) else {
        return;
    };
    let name = start.name.clone();
    let names = unused.iter().map(|rule| rule.name.clone());
    let others: Vec<String> = names.filter(|other| *other != name).collect();
    let message = format!("{} rules are used by no rule", unused.len());
    let warning = warning(start.location.clone(), message, (&name, &others));
    grammar.warnings.extend(warning);
    grammar.start = Some(name);
}

/// Returns a warning if there are several start rules, of which the first one is taken.
pub fn other_starts(location: SourceLocation, starts: &[String]) -> Option<Finding> {
    let (start, others) = starts.split_first()?;
    let message = format!("the grammar has {} start rules", starts.len());
    warning(location, message, (start, others))
}

/// Returns a warning that names other start rules, if there are any.
fn warning(
    location: SourceLocation,
    message: String,
    (start, others): (&str, &[String]),
) -> Option<Finding> {
    let others = Some(productive::listed(others)).filter(|_| !others.is_empty())?;
    let label = format!("the start rule is `{start}`; `--start` takes another one: {others}");
    Some(Finding::new(location, message, label))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::expression::{Expression, ForeignKind};

    #[test]
    fn the_start_rule_is_one_that_no_rule_uses() {
        let rule = |name: &str, used: &[&str]| {
            let body = Expression::sequence(used.iter().copied().map(Expression::name));
            ForeignRule::new(name, ForeignKind::Syntax, body)
        };
        let chosen = |rules: Vec<ForeignRule>| {
            let mut grammar = ForeignGrammar {
                rules,
                ..Default::default()
            };
            choose(&mut grammar);
            (grammar.start, grammar.warnings)
        };
        let (start, warnings) = chosen(vec![
            rule("addr", &[]),
            rule("command", &["addr"]),
            rule("session", &["command", "session"]),
            rule("tag", &[]),
        ]);
        assert_eq!(start.as_deref(), Some("session"));
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].label.ends_with("another one: `tag`"));
        let (start, warnings) = chosen(vec![rule("a", &["b"]), rule("b", &["a"])]);
        assert!(start.is_none() && warnings.is_empty());
    }
}
