//! Limits left operands by the precedences of rules.
//!
//! The generator of tree-sitter resolves a conflict by precedence and associativity when it makes the
//! parser: after `- a`, the parser goes on with `.b`, so `- a` is never the left operand of `.b`. Where
//! only an operation like `.b` is allowed, such as on the left side of an assignment, `- a.b = c` is an error. So the rule
//! of such an operation gets a left operand of another rule, which lacks what the parser would never
//! complete there.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::names;
use super::json::{Json, JsonValue};
use super::precedence::{Precedences, RulePrecedence};

/// Grammars with more rules are left as they are.
const MAX_RULES: usize = 2_000;

/// The maximum number of pairs of an operation and an alternative of its operand.
const MAX_PAIRS: usize = 2_000_000;

/// The maximum length of the alternatives that are copied, as text of the source.
const MAX_COPIED: usize = 1 << 20;

/// Alternatives, each as the index of its rule and its index in the rule.
type AlternativeSet = BTreeSet<(usize, usize)>;

/// An alternative of a rule.
struct RuleAlternative {
    node: Json,
    precedence: RulePrecedence,
    /// The rules that can stand at its beginning and that are not all of it.
    first: Vec<usize>,
    /// The rules that can stand at its end and that are not all of it, each with whether it is optional.
    last: Vec<(usize, bool)>,
    /// The rule that is all of it.
    unit: Option<usize>,
}

/// The rules of a grammar by their indices.
struct OperandRules<'a> {
    names: &'a [&'a str],
    rules: Vec<Vec<RuleAlternative>>,
    /// For each rule, the rules that are all of a sentence of it, and the rule itself.
    units: Vec<BTreeSet<usize>>,
    precedences: Precedences<'a>,
}

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
    let mut variants = Variants {
        rules: &rules,
        names: HashMap::new(),
        new: Vec::new(),
        copied: 0,
    };
    // For each alternative, the names that replace rules at its beginning.
    let mut replaced: HashMap<(usize, usize), HashMap<String, String>> = HashMap::new();
    for (place, operand, excluded) in limits {
        if let Some(name) = variants.variant(operand, &excluded, &mut taken) {
            let names = replaced.entry(place).or_default();
            names.insert(rules.names[operand].to_string(), name);
        }
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
            for (at, unit) in &variant.alternatives {
                let mut node = changed(rule, *at);
                if let Some(name) = unit {
                    let old = rules.rules[rule][*at].unit.map(|unit| rules.names[unit]);
                    let names = HashMap::from([(old.unwrap_or_default().into(), name.clone())]);
                    rename_first(&mut node, &names);
                }
                nodes.push(node);
            }
            all.push((variant.name.clone(), choice(&members[rule].1, nodes)));
        }
    }
    all
}

impl<'a> OperandRules<'a> {
    fn new(
        names: &'a [&'a str],
        members: &[(String, Json)],
        precedences: Precedences<'a>,
    ) -> OperandRules<'a> {
        let index: HashMap<&str, usize> =
            names.iter().enumerate().map(|(at, n)| (*n, at)).collect();
        let mut rules = Vec::new();
        for (_, body) in members {
            let mut alternatives = Vec::new();
            flatten(body, RulePrecedence::default(), &mut alternatives);
            let read = |(node, precedence): (&Json, RulePrecedence)| {
                let node = node.clone();
                let unit = match type_of(&node) {
                    "SYMBOL" => index.get(node.text_of("name").unwrap_or_default()).copied(),
                    _ => None,
                };
                let mut alternative = RuleAlternative {
                    precedence,
                    first: Vec::new(),
                    last: Vec::new(),
                    unit,
                    node,
                };
                if let ("SEQ", [first, _, ..]) =
                    (type_of(&alternative.node), elements(&alternative.node))
                {
                    let mut found = Vec::new();
                    edge(first, false, false, &mut found);
                    let first = found
                        .iter()
                        .filter_map(|(name, _)| index.get(name).copied());
                    alternative.first = first.collect();
                    found = Vec::new();
                    edge(&alternative.node, true, false, &mut found);
                    let last = found
                        .iter()
                        .filter_map(|(name, optional)| Some((*index.get(name)?, *optional)));
                    alternative.last = last.collect();
                }
                alternative
            };
            rules.push(alternatives.into_iter().map(read).collect());
        }
        let mut result = OperandRules {
            names,
            units: Vec::new(),
            rules,
            precedences,
        };
        result.units = (0..names.len()).map(|rule| result.units_of(rule)).collect();
        result
    }

    fn units_of(&self, rule: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([rule]);
        let mut open = vec![rule];
        while let Some(rule) = open.pop() {
            for unit in self.rules[rule].iter().filter_map(|one| one.unit) {
                if found.insert(unit) {
                    open.push(unit);
                }
            }
        }
        found
    }

    /// Returns the alternatives whose left operand is limited, with the rule of the operand and what
    /// the operand must not be.
    fn limits(&self) -> Vec<((usize, usize), usize, AlternativeSet)> {
        let mut limits = Vec::new();
        let mut pairs = 0;
        for (rule, alternatives) in self.rules.iter().enumerate() {
            for (at, outer) in alternatives.iter().enumerate() {
                for &operand in &outer.first {
                    if !self.units[operand].contains(&rule) {
                        continue;
                    }
                    pairs += self.units[operand].len();
                    if pairs > MAX_PAIRS {
                        return limits;
                    }
                    let excluded = self.excluded(rule, outer, operand);
                    if !excluded.is_empty() {
                        limits.push(((rule, at), operand, excluded));
                    }
                }
            }
        }
        limits
    }

    /// The alternatives of an operand that the parser never completes before the rest of `outer`.
    fn excluded(&self, rule: usize, outer: &RuleAlternative, operand: usize) -> AlternativeSet {
        let is_within = |symbol: usize| self.units[symbol].contains(&rule);
        // If `outer` ends with an operand, too, the other derivation of the text is nearly always
        // allowed where this one is.
        let is_infix = outer.last.iter().any(|(last, _)| is_within(*last));
        let mut excluded = AlternativeSet::new();
        for &unit in &self.units[operand] {
            for (at, inner) in self.rules[unit].iter().enumerate() {
                let mut last = inner.last.iter();
                let is_open =
                    last.any(|&(last, is_optional)| is_within(last) && (is_optional || !is_infix));
                let inner = (&inner.precedence, self.names[unit]);
                let outer = (&outer.precedence, self.names[rule]);
                if is_open && self.precedences.goes_on(inner, outer) {
                    excluded.insert((unit, at));
                }
            }
        }
        excluded
    }
}

/// A rule without some alternatives.
struct Variant {
    name: String,
    /// The rule that it is made of.
    of: usize,
    /// The alternatives that it keeps, and the names of the variants that they consist of.
    alternatives: Vec<(usize, Option<String>)>,
}

struct Variants<'a> {
    rules: &'a OperandRules<'a>,
    /// The names of the variants, by what they lack; nothing if nothing is left.
    names: HashMap<(usize, AlternativeSet), Option<String>>,
    new: Vec<Variant>,
    /// The length of what has been copied.
    copied: usize,
}

impl Variants<'_> {
    /// Returns the name of a rule without some alternatives.
    fn variant(
        &mut self,
        rule: usize,
        excluded: &AlternativeSet,
        taken: &mut HashSet<String>,
    ) -> Option<String> {
        let units = &self.rules.units;
        let lacks = |rule: usize| -> AlternativeSet {
            let within = excluded.iter().filter(|(of, _)| units[rule].contains(of));
            within.copied().collect()
        };
        if let Some(name) = self.names.get(&(rule, lacks(rule))) {
            return name.clone();
        }
        let affected: Vec<usize> = units[rule].iter().copied().collect();
        let affected: Vec<usize> = affected
            .into_iter()
            .filter(|&one| !lacks(one).is_empty())
            .collect();
        // The rules of which something is left.
        let mut left: HashSet<usize> = units[rule].iter().copied().collect();
        left.retain(|one| !affected.contains(one));
        loop {
            let is_left = |one: &&usize| {
                let mut kept = self.rules.rules[**one].iter().enumerate();
                let is_kept = |(at, alternative): (usize, &RuleAlternative)| {
                    !excluded.contains(&(**one, at))
                        && alternative.unit.is_none_or(|unit| left.contains(&unit))
                };
                !left.contains(*one) && kept.any(is_kept)
            };
            let more: Vec<usize> = affected.iter().filter(is_left).copied().collect();
            if more.is_empty() {
                break;
            }
            left.extend(more);
        }
        for &one in &affected {
            let key = (one, lacks(one));
            if self.names.contains_key(&key) {
                continue;
            }
            let length: usize = self.rules.rules[one]
                .iter()
                .map(|one| one.node.span.len())
                .sum();
            self.copied = self.copied.saturating_add(length);
            let name = left.contains(&one).then(|| {
                let name = format!("{}_operand", self.rules.names[one]);
                names::unused(&name, taken)
            });
            taken.extend(name.clone());
            self.names.insert(key, name);
            if self.copied > MAX_COPIED {
                return None;
            }
        }
        for &one in affected.iter().filter(|one| left.contains(one)) {
            let Some(Some(name)) = self.names.get(&(one, lacks(one))).cloned() else {
                continue;
            };
            if self.new.iter().any(|variant| variant.name == name) {
                continue;
            }
            let mut alternatives = Vec::new();
            for (at, alternative) in self.rules.rules[one].iter().enumerate() {
                if excluded.contains(&(one, at)) {
                    continue;
                }
                match alternative.unit {
                    Some(unit) if !left.contains(&unit) => {}
                    Some(unit) if affected.contains(&unit) => {
                        let name = self.names.get(&(unit, lacks(unit))).cloned();
                        alternatives.push((at, name.flatten()));
                    }
                    _ => alternatives.push((at, None)),
                }
            }
            self.new.push(Variant {
                name,
                of: one,
                alternatives,
            });
        }
        self.names.get(&(rule, lacks(rule))).cloned().flatten()
    }
}

fn type_of(node: &Json) -> &str {
    node.text_of("type").unwrap_or_default()
}

fn elements(node: &Json) -> &[Json] {
    node.get("members").map(Json::elements).unwrap_or_default()
}

/// Whether a node has another one as its content that derives the same texts.
fn is_wrapper(node: &Json) -> bool {
    let kind = type_of(node);
    kind.starts_with("PREC") || ["FIELD", "ALIAS", "RESERVED"].contains(&kind)
}

/// Finds the alternatives of a rule with their precedences.
fn flatten<'a>(
    node: &'a Json,
    precedence: RulePrecedence,
    found: &mut Vec<(&'a Json, RulePrecedence)>,
) {
    match type_of(node) {
        "CHOICE" => {
            for member in elements(node) {
                flatten(member, precedence.clone(), found);
            }
        }
        _ => match node.get("content").filter(|_| is_wrapper(node)) {
            Some(content) => flatten(content, precedence.within(node), found),
            None => found.push((node, precedence)),
        },
    }
}

/// Finds the names that can stand at the end of a node, or at its beginning.
fn edge<'a>(node: &'a Json, at_end: bool, is_optional: bool, found: &mut Vec<(&'a str, bool)>) {
    match type_of(node) {
        "SYMBOL" => found.push((node.text_of("name").unwrap_or_default(), is_optional)),
        "CHOICE" => {
            let is_optional = is_optional || can_be_empty(node);
            for member in elements(node) {
                edge(member, at_end, is_optional, found);
            }
        }
        "SEQ" => {
            let count = elements(node).len();
            for at in 0..count {
                let member = &elements(node)[if at_end { count - 1 - at } else { at }];
                edge(member, at_end, is_optional, found);
                if !can_be_empty(member) {
                    break;
                }
            }
        }
        kind => {
            let is_transparent = is_wrapper(node) || kind.starts_with("REPEAT");
            if let Some(content) = node.get("content").filter(|_| is_transparent) {
                edge(content, at_end, is_optional || kind == "REPEAT", found);
            }
        }
    }
}

/// Whether a node derives the empty text. Rules do not.
fn can_be_empty(node: &Json) -> bool {
    match type_of(node) {
        "BLANK" | "REPEAT" => true,
        "CHOICE" => elements(node).iter().any(can_be_empty),
        "SEQ" => elements(node).iter().all(can_be_empty),
        kind if is_wrapper(node) || kind == "REPEAT1" => {
            node.get("content").is_some_and(can_be_empty)
        }
        _ => false,
    }
}

/// Renames the rules at the beginning of a node.
fn rename_first(node: &mut Json, names: &HashMap<String, String>) {
    let kind = type_of(node).to_string();
    let is_symbol = kind == "SYMBOL";
    let JsonValue::Object(members) = &mut node.value else {
        return;
    };
    for (member, value) in members {
        match (&**member, &mut value.value) {
            ("name", JsonValue::Text(name)) if is_symbol => {
                if let Some(new) = names.get(name) {
                    name.clone_from(new);
                }
            }
            ("content", _) => rename_first(value, names),
            ("members", JsonValue::List(list)) => {
                let count = if kind == "SEQ" { 1 } else { list.len() };
                for one in list.iter_mut().take(count) {
                    rename_first(one, names);
                }
            }
            _ => {}
        }
    }
}

/// Makes a node of alternatives.
fn choice(place: &Json, mut alternatives: Vec<Json>) -> Json {
    if alternatives.len() == 1 {
        return alternatives.remove(0);
    }
    let node = |value| Json {
        span: place.span.clone(),
        value,
    };
    node(JsonValue::Object(vec![
        ("type".into(), node(JsonValue::Text("CHOICE".into()))),
        ("members".into(), node(JsonValue::List(alternatives))),
    ]))
}
