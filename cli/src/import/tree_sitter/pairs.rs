//! Limits the tokens after a part of a sequence, if the end of the part is optional.
//!
//! The parser reads whatever the optional end can begin with as that end. So in Rust, `'a: { }` after `where` is a
//! bound of the lifetime `'a`, never the block of the function. So either other tokens follow such a part, or its
//! optional end is present.

use std::collections::{HashMap, HashSet};

use super::build::{any, optional, sequence};
use super::closed_ends::ClosedEnds;
use super::first_limits::FirstLimits;
use super::first_tokens::{self, FirstTokens};
use super::json::Json;
use super::operands::nodes::{can_be_empty, children, children_mut, elements, type_of};
use super::tails::TailTokens;

/// The maximum number of pairs that are limited.
const MAX_PAIRS: usize = 40;

/// The number of rules after which new rules are no longer limited.
const MAX_RULES: usize = 4_000;

/// Returns the rules with limited sequences, and the rules that these need.
pub fn limit(members: Vec<(String, Json)>, conflicts: &HashSet<&str>) -> Vec<(String, Json)> {
    let first = first_tokens::of(&members);
    let tails = TailTokens::new(&members, &first, conflicts);
    // The limits for each set of tokens.
    let sets = pairs(&members, &first, &tails);
    let mut parts: HashMap<Vec<String>, PairLimits> = HashMap::new();
    for set in &sets {
        let mut key: Vec<String> = set.iter().cloned().collect();
        key.sort();
        let limits = PairLimits {
            closed: ClosedEnds::new(&members, &first, &tails, set),
            after: FirstLimits::new(&members, &first, set),
        };
        parts.insert(key, limits);
    }
    let mut pass = PairPass {
        first: &first,
        tails: &tails,
        parts,
        taken: members.iter().map(|(name, _)| name.clone()).collect(),
    };
    let mut all = Vec::new();
    for (name, body) in &members {
        all.push((name.clone(), pass.node(body)));
    }
    // The new rules have pairs, too, and these need more rules.
    loop {
        let new = pass.new_rules();
        if new.is_empty() || all.len() > MAX_RULES {
            all.extend(new);
            break;
        }
        for (name, body) in new {
            let body = pass.node(&body);
            all.push((name, body));
        }
    }
    all
}

/// The limits for a set of tokens.
struct PairLimits<'a> {
    closed: ClosedEnds<'a>,
    after: FirstLimits<'a>,
}

struct PairPass<'a> {
    first: &'a FirstTokens<'a>,
    tails: &'a TailTokens<'a>,
    parts: HashMap<Vec<String>, PairLimits<'a>>,
    taken: HashSet<String>,
}

/// The tokens that can follow a part, and with which a rule at its end can also go on. Optional parts of the sequence
/// itself do not count: in `( x ( , x ) * [ , | ? ] )`, the parser completes no rule before a comma.
fn common(part: &Json, rest: &[Json], first: &FirstTokens, tails: &TailTokens) -> HashSet<String> {
    let of_part = tails.of_operands(part);
    let mut found = HashSet::new();
    for one in rest {
        found.extend(first.of_node(one).intersection(&of_part).cloned());
        if !can_be_empty(one) {
            break;
        }
    }
    found
}

/// Returns the different results of [`common`] for all parts of sequences, at most [`MAX_PAIRS`].
fn pairs(
    members: &[(String, Json)],
    first: &FirstTokens,
    tails: &TailTokens,
) -> Vec<HashSet<String>> {
    let mut open: Vec<&Json> = members.iter().rev().map(|(_, body)| body).collect();
    let mut found: Vec<HashSet<String>> = Vec::new();
    while let Some(node) = open.pop() {
        let parts = elements(node);
        if type_of(node) == "SEQ" {
            for (at, part) in parts.iter().enumerate() {
                let tokens = common(part, &parts[at + 1..], first, tails);
                if !tokens.is_empty() && !found.contains(&tokens) && found.len() < MAX_PAIRS {
                    found.push(tokens);
                }
            }
        }
        if !type_of(node).ends_with("TOKEN") {
            open.extend(children(node));
        }
    }
    found
}

impl PairPass<'_> {
    /// The rules that limited nodes need and that are not made yet.
    fn new_rules(&mut self) -> Vec<(String, Json)> {
        let mut parts: Vec<(&Vec<String>, &mut PairLimits)> = self.parts.iter_mut().collect();
        parts.sort_by(|one, other| one.0.cmp(other.0));
        let mut all = Vec::new();
        for (_, limits) in parts {
            all.extend(limits.closed.rules(&mut self.taken));
            all.extend(limits.after.rules(&mut self.taken));
        }
        all
    }

    fn node(&mut self, node: &Json) -> Json {
        let mut node = node.clone();
        if type_of(&node) == "SEQ" {
            let parts = elements(&node).to_vec();
            let parts: Vec<Json> = parts.iter().map(|part| self.node(part)).collect();
            return self.sequence(&node, &parts);
        }
        if type_of(&node).ends_with("TOKEN") {
            return node;
        }
        for one in children_mut(&mut node) {
            *one = self.node(one);
        }
        node
    }

    /// Limits the parts of a sequence from its end on.
    fn sequence(&mut self, source: &Json, parts: &[Json]) -> Json {
        let mut rest: Vec<Json> = Vec::new();
        for part in parts.iter().rev() {
            let tokens = common(part, &rest, self.first, self.tails);
            let mut key: Vec<String> = tokens.into_iter().collect();
            key.sort();
            let Some(limits) = self.parts.get_mut(&key).filter(|_| !key.is_empty()) else {
                rest.insert(0, part.clone());
                continue;
            };
            let mut all = Vec::new();
            let whole = sequence(source, rest.clone());
            let is_empty = can_be_empty(part);
            let closed = limits.closed.closed_part(part, &mut self.taken);
            let closed = match closed {
                Some(closed) if is_empty => vec![optional(closed)],
                Some(closed) => vec![closed],
                None => Vec::new(),
            };
            if is_empty || !closed.is_empty() {
                all.push(sequence(
                    source,
                    closed.into_iter().chain(rest.clone()).collect(),
                ));
            }
            if let Some(after) = limits.after.limited(&whole, &mut self.taken) {
                all.push(sequence(source, vec![part.clone(), after]));
            }
            if rest.iter().all(can_be_empty) {
                all.push(part.clone());
            }
            rest = vec![any(source, all)];
        }
        match rest.len() {
            1 => rest.remove(0),
            _ => sequence(source, rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{rules, shown};
    use super::*;

    fn limited(block: &str) -> Vec<String> {
        let rules = rules(&[
            ("function", "( fn where block )"),
            ("where", "( W [ label | ? ] )"),
            ("block", block),
            ("label", "( ' x )"),
        ]);
        let limited = limit(rules, &HashSet::new()).into_iter();
        let lines = limited.map(|(name, body)| format!("{name} = {}", shown(&body)));
        lines.collect()
    }

    #[test]
    fn after_an_open_end_other_tokens_begin() {
        let found = limited("( [ label | ? ] { } )");
        let function = "function = (fn ((where_closed block)|(where ((block_limited)))))";
        assert_eq!(found[0], function);
        let block = "block_limited = (((label_limited) { })|({ }))".to_string();
        assert!(found.contains(&block), "{found:?}");
        // Nothing is left of a label.
        assert!(
            found.contains(&"label_limited = ()".to_string()),
            "{found:?}"
        );
    }

    #[test]
    fn a_comma_after_a_list_stays() {
        let list = "( x ( , x ) * [ , | ? ] )";
        let found = limit(rules(&[("list", list)]), &HashSet::new());
        assert_eq!(shown(&found[0].1), "(x (, x)* (,|?))");
    }

    #[test]
    fn other_sequences_stay() {
        assert_eq!(limited("( { } )")[0], "function = (fn where block)");
    }
}
