//! Limits an alternative that begins like another one of a higher precedence.
//!
//! The parser decides between two rules with the same text by their precedences. So in JavaScript, the `{}` at the
//! beginning of a statement is a block, and `{}.a;` is an error, although `{}` is an object elsewhere. Such a statement
//! begins with another token.

use std::collections::{HashMap, HashSet};

use super::build::any;
use super::first_limits::FirstLimits;
use super::first_tokens;
use super::json::Json;
use super::operands::nodes::{can_be_empty, edge, elements, flatten, is_wrapper, type_of};
use super::precedence::{Precedences, RulePrecedence};

/// Returns `members` with limited alternatives, and the rules that these need. The precedences are those of `rules`, from
/// which `members` were made.
pub fn limit(
    source: &Json,
    rules: &[(String, Json)],
    members: Vec<(String, Json)>,
) -> Vec<(String, Json)> {
    let rules = BeginningRules::new(source, rules);
    let first = first_tokens::of(&members);
    let mut taken: HashSet<String> = members.iter().map(|(name, _)| name.clone()).collect();
    let (mut changed, mut new) = (Vec::new(), Vec::new());
    for (rule, tokens) in rules.limits() {
        let mut places = members.iter().map(|(name, _)| name);
        let Some(at) = places.position(|name| *name == rules.names[rule]) else {
            continue;
        };
        let mut limits = FirstLimits::new(&members, &first, &tokens);
        let body = &members[at].1;
        let limited = limits.limited(body, &mut taken);
        changed.push((at, limited.unwrap_or_else(|| any(body, Vec::new()))));
        new.extend(limits.rules(&mut taken));
    }
    let mut members = members;
    for (at, body) in changed {
        members[at].1 = body;
    }
    members.extend(new);
    members
}

/// An alternative of a rule.
struct RuleBeginning<'a> {
    node: &'a Json,
    precedence: RulePrecedence,
    /// The rules that can stand at its beginning, or be all of it.
    first: Vec<usize>,
    /// The texts that it begins with itself, after what is optional.
    texts: HashSet<&'a str>,
}

struct BeginningRules<'a> {
    names: Vec<&'a str>,
    rules: Vec<Vec<RuleBeginning<'a>>>,
    precedences: Precedences<'a>,
}

impl<'a> BeginningRules<'a> {
    fn new(source: &'a Json, members: &'a [(String, Json)]) -> BeginningRules<'a> {
        let names: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
        let index: HashMap<&str, usize> =
            names.iter().enumerate().map(|(at, n)| (*n, at)).collect();
        let alternatives = |body: &'a Json| {
            let mut found = Vec::new();
            flatten(body, RulePrecedence::default(), &mut found);
            let of = |(node, precedence): (&'a Json, RulePrecedence)| {
                let mut symbols = Vec::new();
                edge(node, false, false, &mut symbols);
                let first = symbols
                    .iter()
                    .filter_map(|(name, _)| index.get(name).copied());
                let mut texts = HashSet::new();
                add_texts(node, &mut texts);
                RuleBeginning {
                    node,
                    precedence,
                    first: first.collect(),
                    texts,
                }
            };
            found.into_iter().map(of).collect()
        };
        BeginningRules {
            rules: members.iter().map(|(_, body)| alternatives(body)).collect(),
            names,
            precedences: Precedences::new(source),
        }
    }

    /// Returns the rules to limit, each with the tokens that it must not begin with.
    fn limits(&self) -> Vec<(usize, HashSet<String>)> {
        let mut found: Vec<(usize, HashSet<String>)> = Vec::new();
        for rule in 0..self.rules.len() {
            let units = self.units(rule);
            let begin: Vec<usize> = units
                .iter()
                .copied()
                .filter(|unit| self.rules[*unit].iter().any(|one| !one.texts.is_empty()))
                .collect();
            for &other in units.iter().filter(|other| self.is_sequence(**other)) {
                let within = self.beginnings(other);
                let mut tokens = HashSet::new();
                for &first in begin.iter().filter(|first| !within.contains(first)) {
                    self.add_common(first, &within, &mut tokens);
                }
                match found.iter_mut().find(|(rule, _)| *rule == other) {
                    Some((_, old)) => old.extend(tokens),
                    None if !tokens.is_empty() => found.push((other, tokens)),
                    None => {}
                }
            }
        }
        found
    }

    /// Adds the texts with which a rule and one of `within`, of a lower precedence, begin.
    fn add_common(&self, first: usize, within: &HashSet<usize>, tokens: &mut HashSet<String>) {
        for one in &self.rules[first] {
            for &lower in within {
                for other in &self.rules[lower] {
                    let is_higher = || {
                        let one = (&one.precedence, self.names[first]);
                        let other = (&other.precedence, self.names[lower]);
                        self.precedences.is_higher(one, other)
                    };
                    let mut common = one.texts.intersection(&other.texts).peekable();
                    if common.peek().is_some() && ends_equal(one.node, other.node) && is_higher() {
                        tokens.extend(common.map(ToString::to_string));
                    }
                }
            }
        }
    }

    /// The rules that can be all of a rule, and the rule itself.
    fn units(&self, rule: usize) -> Vec<usize> {
        let is_unit = |one: &&RuleBeginning| type_of(one.node) == "SYMBOL";
        self.closure(rule, &|at| {
            let units = self.rules[at].iter().filter(is_unit);
            units.flat_map(|one| one.first.iter().copied()).collect()
        })
    }

    /// The rules at the beginning of a rule, and the rule itself.
    fn beginnings(&self, rule: usize) -> HashSet<usize> {
        let found = self.closure(rule, &|at| {
            let all = self.rules[at].iter();
            all.flat_map(|one| one.first.iter().copied()).collect()
        });
        found.into_iter().collect()
    }

    fn closure(&self, rule: usize, next: &dyn Fn(usize) -> Vec<usize>) -> Vec<usize> {
        let mut found = vec![rule];
        let mut at = 0;
        while at < found.len() {
            for one in next(found[at]) {
                if !found.contains(&one) {
                    found.push(one);
                }
            }
            at += 1;
        }
        found
    }

    /// Whether a rule is a sequence that begins with another rule.
    fn is_sequence(&self, rule: usize) -> bool {
        let [one] = &self.rules[rule][..] else {
            return false;
        };
        type_of(one.node) == "SEQ" && one.texts.is_empty() && !one.first.is_empty()
    }
}

/// Adds the texts at the beginning of a node that are in it itself, after what is optional.
fn add_texts<'a>(node: &'a Json, texts: &mut HashSet<&'a str>) {
    match type_of(node) {
        "STRING" => texts.extend(node.text_of("value")),
        "CHOICE" => elements(node).iter().for_each(|one| add_texts(one, texts)),
        "SEQ" => {
            let mut parts = elements(node).iter();
            if let Some(part) = parts.find(|part| !can_be_empty(part)) {
                add_texts(part, texts);
            }
        }
        _ if is_wrapper(node) => {
            if let Some(content) = node.get("content") {
                add_texts(content, texts);
            }
        }
        _ => {}
    }
}

/// Whether two sequences end with the same literal, or with the same rule.
fn ends_equal(one: &Json, other: &Json) -> bool {
    let end = |node| {
        let last = last(node)?;
        last.text_of("value").or_else(|| last.text_of("name"))
    };
    end(one).is_some() && end(one) == end(other)
}

/// The last part of a sequence that is not optional.
fn last(node: &Json) -> Option<&Json> {
    match type_of(node) {
        "SEQ" => last(elements(node).iter().rev().find(|one| !can_be_empty(one))?),
        _ if is_wrapper(node) => last(node.get("content")?),
        _ => Some(node),
    }
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::super::testing::{rules, shown};
    use super::*;

    fn limited(precedences: &str) -> Vec<(String, String)> {
        let rules = rules(&[
            ("statement", "[ block | expression_statement ]"),
            ("block", "( { statement * } )"),
            ("expression_statement", "( expression ; )"),
            ("expression", "[ object | call | x ]"),
            ("object", "( { x * } )"),
            ("call", "( expression ! )"),
        ]);
        let entry = |name: &str| format!(r#"{{"type": "SYMBOL", "name": "{name}"}}"#);
        let order: Vec<String> = precedences.split(' ').map(entry).collect();
        let source = format!(r#"{{"precedences": [[{}]]}}"#, order.join(","));
        let source = json::parse(&source).unwrap();
        let limited = limit(&source, &rules, rules.clone()).into_iter();
        limited.map(|(name, body)| (name, shown(&body))).collect()
    }

    #[test]
    fn a_statement_begins_with_a_brace_only_if_it_is_a_block() {
        let found = limited("block object");
        assert_eq!(found[2].1, "((expression_limited ;))");
        assert_eq!(found[3].1, "(object|call|x)");
        let body = |name: &str| &*found.iter().find(|(rule, _)| rule == name).unwrap().1;
        assert_eq!(body("call_limited"), "((expression_limited !))");
        assert!(!body("expression_limited").contains("object|"));
    }

    #[test]
    fn without_the_precedence_all_stays() {
        assert_eq!(limited("object block").len(), 6);
        assert_eq!(limited("block call").len(), 6);
    }
}
