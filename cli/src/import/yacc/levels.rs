//! Converts `%nonassoc`: an operation of such a level is no operand of an operator of the same level, as in
//! `a < b < c`.
//!
//! The rule of the expressions is split at each of these levels. The operands of the operators of the level
//! become the next rule, which has the alternatives that bind tighter. `%left` and `%right` only choose
//! between derivations of one text, so they are ignored.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::names;
use super::declarations::Declarations;
use super::rules::{YaccAlternative, YaccRule, YaccSymbol};

/// Splits the rules with operators that are not associative.
pub fn split(rules: &mut Vec<YaccRule>, declarations: &Declarations) {
    let mut taken: HashSet<String> = rules.iter().map(|rule| rule.name.clone()).collect();
    let all = std::mem::take(rules);
    let endings = endings(&all);
    for rule in all {
        let of = |alternative: &YaccAlternative| level(alternative, declarations);
        let is_operation = |alternative: &&YaccAlternative| {
            alternative.symbols.len() > 1
                && (begins(alternative, &rule.name) && ends(alternative, &rule.name))
        };
        let operations = rule.alternatives.iter().filter(is_operation);
        // Numbers are doubled, so that a limit can be between two levels.
        let mut limits: BTreeSet<u64> = operations
            .filter_map(|alternative| of(alternative).filter(|level| level.1))
            .map(|level| 2 * u64::from(level.0))
            .collect();
        let all = rule.alternatives.clone();
        // If an alternative begins with all symbols of another one, as `try e catch e` with `try e`, its
        // operand before `catch` binds at least as tightly as that of the shorter one.
        let own = YaccSymbol::Name(rule.name.clone());
        let shorter: HashMap<&[YaccSymbol], &YaccAlternative> = all
            .iter()
            .filter(|one| one.symbols.len() > 1 && one.symbols.last() == Some(&own))
            .map(|one| (&*one.symbols, one))
            .collect();
        let longer = |alternative: &YaccAlternative, index: usize| {
            let is_inner = index > 0 && index + 1 < alternative.symbols.len();
            let start = &alternative.symbols[..=index];
            shorter.get(start).filter(|_| is_inner).copied()
        };
        for alternative in &all {
            for index in 0..alternative.symbols.len() {
                let level = longer(alternative, index).and_then(of);
                limits.extend(level.map(|level| (2 * u64::from(level.0)).saturating_sub(1)));
            }
        }
        if limits.is_empty() {
            // All operators are associative.
            rules.push(rule);
            continue;
        }
        let limits: Vec<u64> = limits.into_iter().collect();
        // The names of the rules: the first one has all alternatives.
        let mut names = vec![rule.name.clone()];
        for _ in &limits {
            names.push(names::take(&rule.name, &mut taken));
        }
        let mut parts: Vec<Vec<YaccAlternative>> = vec![Vec::new(); names.len()];
        let rule_of = |number: u64| {
            let at = limits.iter().filter(|&&limit| limit < number).count();
            let is_limit = limits.get(at) == Some(&number);
            (
                at,
                YaccSymbol::Name(names[at + usize::from(is_limit)].clone()),
            )
        };
        let through = ending_with(&rule.name, &endings);
        let number = |alternative: &YaccAlternative| {
            let (left, right) = (
                begins(alternative, &rule.name),
                ends(alternative, &rule.name),
            );
            let is_through = match alternative.symbols.last() {
                Some(YaccSymbol::Name(last)) => !right && through.contains(last),
                _ => false,
            };
            // Alternatives without operands at their edges are operands everywhere. If an alternative has
            // no level and an operand at its end, it binds loosest.
            match of(alternative) {
                _ if alternative.symbols.len() < 2 && !is_through => u64::MAX,
                _ if !left && !right && !is_through => u64::MAX,
                Some((number, _)) => 2 * u64::from(number),
                None if right || is_through => 0,
                None => u64::MAX,
            }
        };
        for alternative in &all {
            let (at, operand) = rule_of(number(alternative));
            let mut changed = alternative.clone();
            let length = changed.symbols.len();
            for (index, symbol) in changed.symbols.iter_mut().enumerate() {
                if *symbol != own || length < 2 {
                    continue;
                }
                if index == 0 || index + 1 == length {
                    *symbol = operand.clone();
                } else if let Some(shorter) = longer(alternative, index) {
                    *symbol = rule_of(number(shorter)).1;
                }
            }
            parts[at].push(changed);
        }
        for at in 0..names.len() {
            let mut part = rule.clone();
            part.name.clone_from(&names[at]);
            part.alternatives = std::mem::take(&mut parts[at]);
            if let Some(next) = names.get(at + 1) {
                part.alternatives.push(YaccAlternative {
                    symbols: vec![YaccSymbol::Name(next.clone())],
                    precedence: None,
                });
            }
            if at > 0 {
                part.comments = vec![format!(
                    "What binds tighter than the operators of `{}`, which are not associative.",
                    names[at - 1]
                )];
                part.warnings.clear();
            }
            rules.push(part);
        }
    }
}

/// The names of the rules with an alternative that ends with a symbol, by the name of the symbol.
fn endings(rules: &[YaccRule]) -> HashMap<String, Vec<String>> {
    let mut endings: HashMap<String, Vec<String>> = HashMap::new();
    for rule in rules {
        for alternative in &rule.alternatives {
            if let Some(YaccSymbol::Name(last)) = alternative.symbols.last() {
                endings
                    .entry(last.clone())
                    .or_default()
                    .push(rule.name.clone());
            }
        }
    }
    endings
}

/// The rules that may end with a rule.
fn ending_with(name: &str, endings: &HashMap<String, Vec<String>>) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut open = vec![name];
    while let Some(name) = open.pop() {
        for rule in endings.get(name).into_iter().flatten() {
            if found.insert(rule.clone()) {
                open.push(rule);
            }
        }
    }
    found
}

fn begins(alternative: &YaccAlternative, name: &str) -> bool {
    matches!(alternative.symbols.first(), Some(YaccSymbol::Name(first)) if first == name)
}

fn ends(alternative: &YaccAlternative, name: &str) -> bool {
    matches!(alternative.symbols.last(), Some(YaccSymbol::Name(last)) if last == name)
}

/// The level of an alternative: that of `%prec`, or of its last token.
fn level(alternative: &YaccAlternative, declarations: &Declarations) -> Option<(u32, bool)> {
    let of = |symbol: &YaccSymbol| {
        let key = match symbol {
            YaccSymbol::Name(name) => name.clone(),
            YaccSymbol::Character(text) => format!("'{text}'"),
            YaccSymbol::Text(text) => declarations.aliases.get(text).unwrap_or(text).clone(),
        };
        declarations.levels.get(&key).copied()
    };
    let is_token = |symbol: &&YaccSymbol| match symbol {
        YaccSymbol::Name(name) => declarations.tokens.contains_key(name),
        _ => true,
    };
    match &alternative.precedence {
        Some(symbol) => of(symbol),
        None => alternative.symbols.iter().rev().find(is_token).and_then(of),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{declarations, rules, scan};
    use super::*;

    /// The rules after they were split.
    fn split_rules(text: &str) -> Vec<String> {
        let scanned = scan::scan(text, 0).unwrap();
        let (declared, at) = declarations::read(&scanned);
        let mut all = rules::read(&scanned[at..]).unwrap();
        split(&mut all, &declared);
        let symbol = |symbol: &YaccSymbol| match symbol {
            YaccSymbol::Name(text) | YaccSymbol::Character(text) | YaccSymbol::Text(text) => {
                text.clone()
            }
        };
        let alternative = |one: &YaccAlternative| {
            let symbols: Vec<String> = one.symbols.iter().map(symbol).collect();
            symbols.join(" ")
        };
        let shown = |rule: &YaccRule| {
            let all: Vec<String> = rule.alternatives.iter().map(alternative).collect();
            format!("{}: {}", rule.name, all.join(", "))
        };
        all.iter().map(shown).collect()
    }

    #[test]
    fn operators_that_are_not_associative_have_other_operands() {
        let head = "%token N\n%left '|'\n%nonassoc '<' '>'\n%left '+'\n%%\n";
        let all = split_rules(&format!(
            "{head}e: e '|' e | e '<' e | e '+' e | '(' e ')' | N ;"
        ));
        assert_eq!(
            all,
            ["e: e | e, e_2 < e_2, e_2", "e_2: e_2 + e_2, ( e ), N"]
        );
        // Operators that are associative need nothing.
        assert_eq!(
            split_rules("%left '+'\n%%\ne: e '+' e | 'a' ;"),
            ["e: e + e, a"]
        );
    }

    #[test]
    fn operands_before_longer_alternatives_bind_as_in_the_shorter_one() {
        let text = "%left '+'\n%precedence TRY\n%precedence CATCH\n%token TRY CATCH\n%%\n\
                    e: TRY e CATCH e | TRY e | e '+' e | 'a' ;";
        assert_eq!(
            split_rules(text),
            ["e: e + e, e_2", "e_2: TRY e_2 CATCH e_2, TRY e_2, a"]
        );
    }
}
