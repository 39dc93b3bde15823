//! Limits left operands by the precedences of rules.
//!
//! The generator of tree-sitter resolves a conflict by precedence and associativity when it makes the
//! parser: after `- a`, the parser goes on with `.b`, so `- a` is never the left operand of `.b`. Where
//! only an operation like `.b` is allowed, such as on the left side of an assignment, `- a.b = c` is an error. So the rule
//! of such an operation gets a left operand of another rule, which lacks what the parser would never
//! complete there.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::names;
use super::first_tokens::{self, FirstTokens};
use super::json::{Json, JsonValue};
use super::precedence::{Precedences, RulePrecedence};

/// Grammars with more rules are left as they are.
const MAX_RULES: usize = 1_000;

/// The maximum number of pairs of an operation and an alternative of its operand.
const MAX_PAIRS: usize = 2_000_000;

/// The maximum length of the alternatives that are copied, as text of the source.
const MAX_COPIED: usize = 1 << 20;

/// Alternatives, each as the index of its rule and its index in the rule.
type AlternativeSet = BTreeSet<(usize, usize)>;

/// The new names of rules; a rule without one is left out where there is a choice.
type NewNames = HashMap<String, Option<String>>;

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
    /// The tokens that can follow what is at its beginning; none if it can end there.
    next: HashSet<String>,
    /// The tokens that begin what is optional at its end.
    tail: HashSet<String>,
}

/// The rules of a grammar by their indices.
struct OperandRules<'a> {
    names: &'a [&'a str],
    rules: Vec<Vec<RuleAlternative>>,
    /// For each rule, the rules that are all of a sentence of it, and the rule itself.
    units: Vec<BTreeSet<usize>>,
    /// For each rule, the rules that can stand at its end, and the rule itself.
    ends: Vec<BTreeSet<usize>>,
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
            rename_edge(&mut node, false, names);
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
                rename_edge(&mut node, true, renamed);
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
        let first_tokens = first_tokens::of(members);
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
                    next: HashSet::new(),
                    tail: HashSet::new(),
                    node,
                };
                if let ("SEQ", [first, rest @ ..]) =
                    (type_of(&alternative.node), elements(&alternative.node))
                {
                    let mut found = Vec::new();
                    edge(first, false, false, &mut found);
                    let first = found
                        .iter()
                        .filter_map(|(name, _)| index.get(name).copied());
                    alternative.first = first.collect();
                    alternative.next = first_tokens.of_rest(rest).unwrap_or_default();
                    alternative.tail = tail(&alternative.node, &first_tokens);
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
            ends: Vec::new(),
            rules,
            precedences,
        };
        let all = 0..names.len();
        result.units = all
            .clone()
            .map(|rule| result.reached(rule, false))
            .collect();
        result.ends = all.map(|rule| result.reached(rule, true)).collect();
        result
    }

    /// The rules that are all of a sentence of a rule, or that can stand at its end.
    fn reached(&self, rule: usize, at_end: bool) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([rule]);
        let mut open = vec![rule];
        while let Some(rule) = open.pop() {
            for alternative in &self.rules[rule] {
                let last = alternative.last.iter().filter(|_| at_end);
                let more = last.map(|(last, _)| *last).chain(alternative.unit);
                open.extend(more.filter(|rule| found.insert(*rule)));
            }
        }
        found
    }

    /// Returns the alternatives whose left operand is limited, with the rule of the operand and what
    /// must not be at the end of the operand.
    fn limits(&self) -> Vec<((usize, usize), usize, AlternativeSet)> {
        let taken = self.taken();
        let mut limits = Vec::new();
        let mut pairs = 0;
        for (rule, alternatives) in self.rules.iter().enumerate() {
            for (at, outer) in alternatives.iter().enumerate() {
                // If `outer` ends with an operand, too, the other derivation of the text is nearly always
                // allowed where this one is.
                let mut last = outer.last.iter();
                if outer.next.is_empty() || last.any(|(last, _)| self.units[*last].contains(&rule))
                {
                    continue;
                }
                for &operand in &outer.first {
                    let mut excluded = AlternativeSet::new();
                    pairs += self.ends[operand].len();
                    for &end in &self.ends[operand] {
                        for (at, inner) in self.rules[end].iter().enumerate() {
                            let never = &taken[end][at];
                            let is_never = match type_of(&inner.node) {
                                "STRING" => !outer.next.is_disjoint(never),
                                _ => outer.next.is_subset(never),
                            };
                            if is_never {
                                excluded.insert((end, at));
                            }
                        }
                    }
                    if !excluded.is_empty() {
                        limits.push(((rule, at), operand, excluded));
                    }
                }
                if pairs > MAX_PAIRS {
                    return limits;
                }
            }
        }
        limits
    }

    /// Returns for each alternative the tokens with which the parser goes on instead of completing it.
    fn taken(&self) -> Vec<Vec<HashSet<String>>> {
        let mut pairs = 0;
        let mut taken = Vec::new();
        let beginnings = self.beginnings();
        for (rule, alternatives) in self.rules.iter().enumerate() {
            let mut of_rule = Vec::new();
            for inner in alternatives {
                let mut tokens = HashSet::new();
                if inner.precedence.is_right() {
                    tokens.extend(inner.tail.iter().cloned());
                }
                let key = (&inner.precedence, self.names[rule]);
                let mut more = |outer: &RuleAlternative, of: usize| {
                    pairs += 1;
                    let is_open = pairs < MAX_PAIRS && !outer.next.is_empty();
                    if is_open
                        && self
                            .precedences
                            .goes_on(key, (&outer.precedence, self.names[of]))
                    {
                        tokens.extend(outer.next.iter().cloned());
                    }
                };
                for &(last, _) in &inner.last {
                    for &unit in &self.units[last] {
                        let is_left = |outer: &&RuleAlternative| {
                            let mut first = outer.first.iter();
                            first.any(|&first| self.units[first].contains(&unit))
                        };
                        let outer = self.rules[unit].iter().filter(is_left);
                        outer.for_each(|outer| more(outer, unit));
                    }
                }
                // The token that is all of this alternative can also begin another one.
                let all = inner
                    .node
                    .text_of("value")
                    .filter(|_| type_of(&inner.node) == "STRING");
                for &(of, at) in all
                    .and_then(|all| beginnings.get(all))
                    .into_iter()
                    .flatten()
                {
                    more(&self.rules[of][at], of);
                }
                of_rule.push(tokens);
            }
            taken.push(of_rule);
        }
        taken
    }

    /// Returns the alternatives that begin with a literal, by its text.
    fn beginnings(&self) -> HashMap<&str, Vec<(usize, usize)>> {
        let mut found: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        for (rule, alternatives) in self.rules.iter().enumerate() {
            for (at, alternative) in alternatives.iter().enumerate() {
                let first = elements(&alternative.node).first();
                let literal = first.filter(|first| type_of(first) == "STRING");
                if let Some(text) = literal.and_then(|literal| literal.text_of("value")) {
                    found.entry(text).or_default().push((rule, at));
                }
            }
        }
        found
    }
}

/// A rule without some alternatives.
struct Variant {
    name: String,
    /// The rule that it is made of.
    of: usize,
    /// The alternatives that it keeps, with the new names of rules at their ends.
    alternatives: Vec<(usize, NewNames)>,
}

struct Variants<'a> {
    rules: &'a OperandRules<'a>,
    /// The names of the variants, by what they lack.
    names: HashMap<(usize, AlternativeSet), String>,
    new: Vec<Variant>,
    /// The length of what has been copied.
    copied: usize,
}

impl Variants<'_> {
    /// Returns the name of a rule without some alternatives, unless nothing is left.
    fn variant(
        &mut self,
        rule: usize,
        excluded: &AlternativeSet,
        taken: &mut HashSet<String>,
    ) -> Option<String> {
        let OperandRules {
            rules, names, ends, ..
        } = self.rules;
        let lacks = |rule: usize| -> AlternativeSet {
            let within = excluded.iter().filter(|(of, _)| ends[rule].contains(of));
            within.copied().collect()
        };
        let left = self.left(rule, excluded);
        if !left.contains(&rule) {
            return None;
        }
        let mut open = vec![rule];
        while let Some(one) = open.pop() {
            let key = (one, lacks(one));
            if self.names.contains_key(&key) {
                continue;
            }
            let length: usize = rules[one].iter().map(|one| one.node.span.len()).sum();
            self.copied = self.copied.saturating_add(length);
            let name = names::unused(&format!("{}_operand", names[one]), taken);
            taken.insert(name.clone());
            self.names.insert(key, name.clone());
            self.new.push(Variant {
                name,
                of: one,
                alternatives: Vec::new(),
            });
            let kept =
                |at: &usize| !excluded.contains(&(one, *at)) && rules[one][*at].is_left(&left);
            let all = (0..rules[one].len()).filter(kept);
            for end in all.flat_map(|at| rules[one][at].ends()) {
                if left.contains(&end) && !lacks(end).is_empty() {
                    open.push(end);
                }
            }
        }
        for variant in self
            .new
            .iter_mut()
            .filter(|variant| variant.alternatives.is_empty())
        {
            for (at, alternative) in rules[variant.of].iter().enumerate() {
                if excluded.contains(&(variant.of, at)) || !alternative.is_left(&left) {
                    continue;
                }
                let mut renamed = HashMap::new();
                for end in alternative.ends() {
                    if let Some(name) = self.names.get(&(end, lacks(end))) {
                        renamed.insert(names[end].to_string(), Some(name.clone()));
                    }
                }
                variant.alternatives.push((at, renamed));
            }
        }
        self.names.get(&(rule, lacks(rule))).cloned()
    }

    /// Returns the rules at the end of a rule that have alternatives left.
    fn left(&self, rule: usize, excluded: &AlternativeSet) -> HashSet<usize> {
        let mut left = HashSet::new();
        loop {
            let has_alternative = |one: &&usize| {
                let mut all = self.rules.rules[**one].iter().enumerate();
                all.any(|(at, alternative)| {
                    !excluded.contains(&(**one, at)) && alternative.is_left(&left)
                })
            };
            let ends = self.rules.ends[rule].iter();
            let new = ends
                .filter(|one| !left.contains(*one))
                .filter(has_alternative);
            let new: Vec<usize> = new.copied().collect();
            if new.is_empty() {
                return left;
            }
            left.extend(new);
        }
    }
}

impl RuleAlternative {
    /// The rules that can stand at its end.
    fn ends(&self) -> impl Iterator<Item = usize> + '_ {
        self.last.iter().map(|(last, _)| *last).chain(self.unit)
    }

    /// Whether it can end with one of the rules in `left`, or with no rule.
    fn is_left(&self, left: &HashSet<usize>) -> bool {
        let is_free = self.unit.is_none() && self.last.iter().all(|(_, is_optional)| *is_optional);
        is_free || self.ends().any(|end| left.contains(&end))
    }
}

/// Returns the tokens that begin what is optional at the end of a sequence.
fn tail(node: &Json, tokens: &FirstTokens) -> HashSet<String> {
    let optional = elements(node)
        .iter()
        .rev()
        .take_while(|one| can_be_empty(one));
    optional.flat_map(|one| tokens.of_node(one)).collect()
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

/// Renames the rules at the end of a node, or at its beginning.
fn rename_edge(node: &mut Json, at_end: bool, names: &NewNames) {
    let kind = type_of(node).to_string();
    if kind.ends_with("TOKEN") {
        return;
    }
    let JsonValue::Object(members) = &mut node.value else {
        return;
    };
    for (member, value) in members {
        match (&**member, &mut value.value) {
            ("name", JsonValue::Text(name)) if kind == "SYMBOL" => {
                if let Some(Some(new)) = names.get(name) {
                    name.clone_from(new);
                }
            }
            // Other elements than the last one keep their names.
            ("content", _) if !kind.starts_with("REPEAT") => rename_edge(value, at_end, names),
            ("members", JsonValue::List(list)) if kind == "SEQ" => {
                let count = list.len();
                for at in 0..count {
                    let one = &mut list[if at_end { count - 1 - at } else { at }];
                    let is_last = !can_be_empty(one);
                    rename_edge(one, at_end, names);
                    if is_last || !at_end {
                        break;
                    }
                }
            }
            ("members", JsonValue::List(list)) => {
                let is_left = |one: &Json| {
                    one.text_of("name")
                        .is_none_or(|name| names.get(name) != Some(&None))
                };
                if list.iter().any(is_left) {
                    list.retain(is_left);
                }
                list.iter_mut()
                    .for_each(|one| rename_edge(one, at_end, names));
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
