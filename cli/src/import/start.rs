//! The start rule of grammars that name none.

use std::collections::{HashMap, HashSet};

use super::expression::{Expression, Finding, ForeignGrammar, ForeignRule};
use super::productive;

/// The maximum number of rules that are compared.
const CANDIDATES: usize = 200;

/// Makes the start rule the one of those that no rule uses from which the most rules are reached. Without such
/// rules, the first rule stays the start rule. Adds a warning that names the others.
pub fn choose(grammar: &mut ForeignGrammar) {
    let mut used: HashSet<&str> = HashSet::new();
    for rule in &grammar.rules {
        used.extend(names(rule).filter(|name| *name != rule.name));
    }
    let index: HashMap<&str, &ForeignRule> = grammar
        .rules
        .iter()
        .map(|rule| (&*rule.name, rule))
        .collect();
    let unused: Vec<&ForeignRule> = grammar
        .rules
        .iter()
        .filter(|rule| !used.contains(&*rule.name))
        .collect();
    let count = |rule: &ForeignRule| {
        let mut seen: HashSet<&str> = HashSet::from([&*rule.name]);
        let mut open: Vec<&str> = vec![&rule.name];
        while let Some(rule) = open.pop().and_then(|name| index.get(name)) {
            open.extend(names(rule).filter(|name| index.contains_key(name) && seen.insert(name)));
        }
        seen.len()
    };
    // Of several rules with the same number, the first one.
    let compared = unused.iter().take(CANDIDATES).rev();
    let Some(start) = compared.max_by_key(|rule| count(rule)) else {
        return;
    };
    let name = start.name.clone();
    let others: Vec<String> = unused
        .iter()
        .filter(|rule| rule.name != name)
        .map(|rule| rule.name.clone())
        .collect();
    let place = start.place.clone();
    if !others.is_empty() {
        grammar.warnings.push(Finding {
            place,
            message: format!("{} rules are used by no rule", unused.len()),
            label: format!(
                "the start rule is `{name}`; `--start` takes another one: {}",
                productive::listed(&others)
            ),
        });
    }
    grammar.start = Some(name);
}

/// The names in the body of a rule.
fn names(rule: &ForeignRule) -> impl Iterator<Item = &str> {
    let mut names: Vec<&str> = Vec::new();
    rule.body.visit(&mut |part| {
        if let Expression::Name(name) = part {
            names.push(name);
        }
    });
    names.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::expression::ForeignKind;

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
