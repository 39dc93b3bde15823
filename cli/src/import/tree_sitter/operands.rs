//! Limits left operands by the precedences of rules.
//!
//! The generator of tree-sitter resolves a conflict by precedence and associativity when it makes the
//! parser: after `- a`, the parser goes on with `.b`, so `- a` is never the left operand of `.b`. Where
//! only an operation like `.b` is allowed, such as on the left side of an assignment, `- a.b = c` is an error. So the rule
//! of such an operation gets a left operand of another rule, which lacks what the parser would never
//! complete there.

mod nodes;
mod rules;
mod variants;

use std::collections::{HashMap, HashSet};

use self::nodes::{NewNames, choice, rename_first};
use self::rules::OperandRules;
use self::variants::Variants;
use super::json::Json;
use super::precedence::Precedences;

/// Grammars with more rules are left as they are.
const MAX_RULES: usize = 1_000;

/// The maximum length of the alternatives that are copied, as text of the source.
const MAX_COPIED: usize = 1 << 20;

/// Returns the rules with limited operands, and the rules for the operands.
pub fn limit(source: &Json) -> Vec<(String, Json)> {
    let members = source.get("rules").map(Json::members).unwrap_or_default();
    if members.len() > MAX_RULES {
        return members.to_vec();
    }
    let names: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
    let rules = OperandRules::new(&names, members, Precedences::new(source));
    let limits = rules.limits();
    let mut taken: HashSet<String> = names.iter().map(ToString::to_string).collect();
    let mut variants = Variants::new(&rules);
    // For each alternative, what replaces rules at its beginning.
    let mut replaced: HashMap<(usize, usize), NewNames> = HashMap::new();
    for (place, operand, excluded) in limits {
        if variants.copied > MAX_COPIED {
            break;
        }
        let name = variants.variant(operand, &excluded, &mut taken);
        let names = replaced.entry(place).or_default();
        names.insert(rules.names[operand].to_string(), name);
    }
    let changed = |rule: usize, at: usize| {
        let mut node = rules.rules[rule][at].node.clone();
        if let Some(names) = replaced.get(&(rule, at)) {
            rename_first(&mut node, names);
        }
        node
    };
    let mut all = Vec::new();
    for (rule, (name, body)) in members.iter().enumerate() {
        let indices = 0..rules.rules[rule].len();
        let is_changed = indices.clone().any(|at| replaced.contains_key(&(rule, at)));
        let body = match is_changed {
            true => choice(body, indices.map(|at| changed(rule, at)).collect()),
            false => body.clone(),
        };
        all.push((name.clone(), body));
        for variant in variants.new.iter().filter(|variant| variant.of == rule) {
            let mut nodes = Vec::new();
            for (at, renamed) in &variant.alternatives {
                let mut node = changed(rule, *at);
                rename_first(&mut node, renamed);
                nodes.push(node);
            }
            all.push((variant.name.clone(), choice(&members[rule].1, nodes)));
        }
    }
    all
}
