//! Gives every rule a unique name that is valid in zester's notation.

use std::collections::{HashMap, HashSet};

use super::expression::{Expression, ForeignGrammar, ForeignKind};

/// Renames rules. Of two rules with one name, the second one keeps its body and gets another name.
pub fn rename(grammar: &mut ForeignGrammar) {
    let mut taken = HashSet::new();
    let mut names: HashMap<String, String> = HashMap::new();
    for rule in &mut grammar.rules {
        let mut name: String = rule
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            name.insert(0, '_');
        }
        let name = take(&name, &mut taken);
        let old = std::mem::replace(&mut rule.name, name.clone());
        names.entry(old).or_insert(name);
    }
    let renamed = |name: &mut String| {
        if let Some(new) = names.get(name) {
            name.clone_from(new);
        }
    };
    for rule in &mut grammar.rules {
        rule.body.visit_mut(&mut |part| {
            if let Expression::Name(name) = part {
                renamed(name);
            }
        });
    }
    let modes = std::mem::take(&mut grammar.modes);
    for (mut name, mode) in modes {
        renamed(&mut name);
        grammar.modes.insert(name, mode);
    }
    let conditional = std::mem::take(&mut grammar.conditional);
    for mut name in conditional {
        renamed(&mut name);
        grammar.conditional.insert(name);
    }
    grammar.start.iter_mut().for_each(renamed);
    grammar.identifiers.iter_mut().for_each(renamed);
}

/// Returns `name`, or `name` with a number if it is taken. Adds the result to `taken`.
pub fn take(name: &str, taken: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut all = std::iter::once(name.to_string()).chain(numbered);
    all.find(|name| taken.insert(name.clone()))
        .expect("infinitely many names")
}

/// Syntax rules that tokens use become fragments, because a token cannot contain a syntax rule.
pub fn fragments(grammar: &mut ForeignGrammar) {
    let index: HashMap<String, usize> = grammar
        .rules
        .iter()
        .enumerate()
        .map(|(at, rule)| (rule.name.clone(), at))
        .collect();
    let is_token = |kind| kind != ForeignKind::Syntax;
    let mut open: Vec<usize> = (0..grammar.rules.len())
        .filter(|&at| is_token(grammar.rules[at].kind))
        .collect();
    while let Some(at) = open.pop() {
        let names = grammar.rules[at].body.names().into_iter();
        let used: Vec<usize> = names.filter_map(|name| index.get(name).copied()).collect();
        for &part in &used {
            if grammar.rules[part].kind == ForeignKind::Syntax {
                grammar.rules[part].kind = ForeignKind::Fragment;
                open.push(part);
            }
        }
    }
}
