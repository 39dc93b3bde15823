//! Properties of rules that follow from the same property of the rules that they use, such as deriving the
//! empty text.

use std::collections::{HashMap, HashSet};

use super::expression::{Expression, ForeignRule};

/// Returns the names of the rules that have a property. `has` returns whether an expression has it, if the
/// rules in the set have it. `has` must be monotone: it stays true for larger sets.
///
/// A rule is examined again only after rules that it uses were added, so that long chains of rules take
/// linear time in any order.
pub fn rules_with(
    rules: &[ForeignRule],
    has: impl Fn(&Expression, &HashSet<String>) -> bool,
) -> HashSet<String> {
    let mut users: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, rule) in rules.iter().enumerate() {
        for name in rule.body.names() {
            let users = users.entry(name).or_default();
            if users.last() != Some(&at) {
                users.push(at);
            }
        }
    }
    let mut found: HashSet<String> = HashSet::new();
    let mut open: Vec<usize> = (0..rules.len()).collect();
    while !open.is_empty() {
        let mut next: Vec<usize> = Vec::new();
        for at in open {
            let rule = &rules[at];
            if !found.contains(&rule.name) && has(&rule.body, &found) {
                found.insert(rule.name.clone());
                next.extend(users.get(&*rule.name).into_iter().flatten());
            }
        }
        next.sort_unstable();
        next.dedup();
        open = next;
    }
    found
}
