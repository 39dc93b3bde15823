//! Leaves out rules that derive only the empty text, such as those whose actions a parser runs between symbols.

use std::collections::{HashMap, HashSet};

use super::rules::{YaccRule, YaccSymbol};

/// Leaves out the rules that derive only the empty text, and references to them. The start rule stays.
pub fn leave_out(rules: &mut Vec<YaccRule>, start: &str) {
    let empty = empty_rules(rules, start);
    rules.retain(|rule| !empty.contains(&rule.name));
    for alternative in rules.iter_mut().flat_map(|rule| &mut rule.alternatives) {
        alternative
            .symbols
            .retain(|symbol| !matches!(symbol, YaccSymbol::Name(name) if empty.contains(name)));
    }
}

/// Returns the names of the rules that derive only the empty text.
fn empty_rules(rules: &[YaccRule], start: &str) -> HashSet<String> {
    // For each rule, the number of its symbols that are not known to be empty. For each symbol, the rules that
    // use it.
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut uses: HashMap<&str, Vec<&str>> = HashMap::new();
    for rule in rules.iter().filter(|rule| rule.name != start) {
        let symbols = rule.alternatives.iter().flat_map(|one| &one.symbols);
        // A rule without alternatives derives nothing, not even the empty text.
        let count = symbols.clone().count() + usize::from(rule.alternatives.is_empty());
        *open.entry(&rule.name).or_default() += count;
        for symbol in symbols {
            if let YaccSymbol::Name(name) = symbol {
                uses.entry(name).or_default().push(&rule.name);
            }
        }
    }
    let mut empty: HashSet<String> = HashSet::new();
    let mut found: Vec<&str> = open
        .iter()
        .filter(|(_, count)| **count == 0)
        .map(|(name, _)| *name)
        .collect();
    while let Some(name) = found.pop() {
        empty.insert(name.to_string());
        for user in uses.remove(name).unwrap_or_default() {
            if let Some(count) = open.get_mut(user) {
                *count -= 1;
                if *count == 0 {
                    found.push(user);
                }
            }
        }
    }
    empty
}

#[cfg(test)]
mod tests {
    use super::super::rules::YaccAlternative;
    use super::*;

    fn rule(name: &str, alternatives: &[&[&str]]) -> YaccRule {
        let symbols = |names: &&[&str]| YaccAlternative {
            symbols: names
                .iter()
                .map(|name| YaccSymbol::Name(name.to_string()))
                .collect(),
            precedence: None,
        };
        YaccRule {
            name: name.into(),
            alternatives: alternatives.iter().map(symbols).collect(),
            ..YaccRule::default()
        }
    }

    #[test]
    fn markers_are_left_out() {
        let mut rules = vec![
            rule("a", &[&["marker", "B", "marker"], &["optional", "loop"]]),
            rule("marker", &[&["inner", "inner"], &[]]),
            rule("inner", &[&[]]),
            rule("optional", &[&[], &["B"]]),
            rule("loop", &[&["loop"]]),
            rule("never", &[]),
        ];
        leave_out(&mut rules, "a");
        let expected = [
            rule("a", &[&["B"], &["optional", "loop"]]),
            rule("optional", &[&[], &["B"]]),
            rule("loop", &[&["loop"]]),
            rule("never", &[]),
        ];
        assert_eq!(rules, expected);
        let mut start = vec![rule("inner", &[&[]])];
        leave_out(&mut start, "inner");
        assert_eq!(start.len(), 1);
    }
}
