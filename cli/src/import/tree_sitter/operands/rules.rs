//! The alternatives of the rules of a grammar, and the limits of their operands.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::first_tokens::{self, FirstTokens};
use super::super::json::Json;
use super::super::precedence::{Precedences, RulePrecedence};
use super::nodes::{can_be_empty, edge, elements, flatten, is_wrapper, type_of};

/// The maximum number of pairs of an operation and an alternative of its operand.
const MAX_PAIRS: usize = 2_000_000;

/// Alternatives, each as the index of its rule and its index in the rule.
pub type AlternativeSet = BTreeSet<(usize, usize)>;

/// For each alternative of each rule, the tokens with which the parser goes on instead of completing it.
pub type TakenTokens = Vec<Vec<HashSet<String>>>;

/// An operand within a sequence: the indices of its rule, of its alternative and of its part.
pub type InnerPosition = (usize, usize, usize);

pub struct RuleAlternative {
    pub node: Json,
    pub precedence: RulePrecedence,
    /// The rules that can be at its beginning, with more parts after them.
    pub first: Vec<usize>,
    /// The rules that can be at its end, with more parts before them, and whether they are optional.
    pub last: Vec<(usize, bool)>,
    /// The rule, if the alternative is only the name of a rule.
    pub unit: Option<usize>,
    /// The tokens that can follow its first part; none if the other parts can be empty.
    pub next: HashSet<String>,
    /// The tokens that begin the optional parts at its end.
    pub tail: HashSet<String>,
    /// The rules at the ends of its parts, each with the index of the part and the tokens that follow it.
    pub inner: Vec<(usize, usize, HashSet<String>)>,
}

/// The rules of a grammar by their indices.
pub struct OperandRules<'a> {
    pub names: &'a [&'a str],
    pub rules: Vec<Vec<RuleAlternative>>,
    /// For each rule, the rule itself and the rules that it derives alone, as `a` in `b = a | …`.
    pub units: Vec<BTreeSet<usize>>,
    /// For each rule, the results of `operations_of`.
    operations: Vec<Vec<(usize, usize)>>,
    pub precedences: Precedences<'a>,
}

impl<'a> OperandRules<'a> {
    pub fn new(
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
                    inner: Vec::new(),
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
                    for (at, part) in rest.iter().enumerate() {
                        let next = first_tokens.of_rest(&rest[at + 1..]).unwrap_or_default();
                        let mut ends = Vec::new();
                        edge(part, true, false, &mut ends);
                        let ends = ends.iter().filter_map(|(name, _)| index.get(name));
                        for &symbol in ends.filter(|_| !next.is_empty()) {
                            alternative.inner.push((at + 1, symbol, next.clone()));
                        }
                    }
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
            operations: Vec::new(),
            rules,
            precedences,
        };
        let all = 0..names.len();
        result.units = all.clone().map(|rule| result.units_of(rule)).collect();
        result.operations = all.map(|rule| result.operations_of(rule)).collect();
        result
    }

    /// The alternatives of the units of a rule that begin with the rule, or with a rule that shares a unit with it.
    fn operations_of(&self, rule: usize) -> Vec<(usize, usize)> {
        let own = &self.units[rule];
        let mut shared: HashMap<usize, bool> = HashMap::new();
        let mut operations = Vec::new();
        for &unit in own {
            for (at, alternative) in self.rules[unit].iter().enumerate() {
                let is_left = alternative.first.iter().any(|first| {
                    let is_shared = || !self.units[*first].is_disjoint(own);
                    *shared.entry(*first).or_insert_with(is_shared)
                });
                if is_left {
                    operations.push((unit, at));
                }
            }
        }
        operations
    }

    /// Returns the rule itself and the rules that it derives alone, as `a` in `b = a | …`.
    fn units_of(&self, rule: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([rule]);
        let mut open = vec![rule];
        while let Some(rule) = open.pop() {
            let units = self.rules[rule].iter().filter_map(|one| one.unit);
            open.extend(units.filter(|unit| found.insert(*unit)));
        }
        found
    }

    /// Returns the alternatives whose left operand is limited, each with the rule of the operand and the alternatives
    /// that the operand must not end with.
    pub fn limits(&self, taken: &TakenTokens) -> Vec<((usize, usize), usize, AlternativeSet)> {
        let mut limits = Vec::new();
        let mut pairs = 0;
        for (rule, alternatives) in self.rules.iter().enumerate() {
            for (at, outer) in alternatives.iter().enumerate() {
                if outer.next.is_empty() {
                    continue;
                }
                // If `outer` ends with an operand, too, the other derivation of the text is an operation of
                // the rule of its left operand. It is allowed where this one is, unless a rule has only this one.
                let mut last = outer.last.iter();
                let has_other = last.any(|(last, _)| self.units[*last].contains(&rule));
                let is_other = |end: usize| has_other && !self.has_only(rule, end);
                for &operand in &outer.first {
                    let mut excluded = AlternativeSet::new();
                    pairs += self.units[operand].len();
                    let ends = self.units[operand].iter();
                    for &end in ends.filter(|end| !is_other(**end)) {
                        for (at, inner) in self.rules[end].iter().enumerate() {
                            let never = &taken[end][at];
                            let is_never = match literal(&inner.node) {
                                Some(_) => !outer.next.is_disjoint(never),
                                None => outer.next.is_subset(never),
                            };
                            if is_never {
                                excluded.insert((end, at));
                            }
                        }
                    }
                    excluded.extend(self.operands_of_others(rule, outer, operand));
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

    /// Returns the alternatives of an operand with whose text the parser goes on as an operation of another rule. So in
    /// Python, `a |` is an operation of expressions, and not of types: `a | *b` is an error, although `*a | b` is a type.
    fn operands_of_others(
        &self,
        rule: usize,
        outer: &RuleAlternative,
        operand: usize,
    ) -> AlternativeSet {
        let mut excluded = AlternativeSet::new();
        let units = &self.units[operand];
        if !units.contains(&rule) {
            return excluded;
        }
        for &end in units {
            for (at, inner) in self.rules[end].iter().enumerate() {
                let other = inner.unit.filter(|unit| !self.units[*unit].contains(&rule));
                let key = (&inner.precedence, self.names[end]);
                if other.is_some_and(|other| self.goes_on_with(key, other, outer)) {
                    excluded.insert((end, at));
                }
            }
        }
        if excluded.is_empty() {
            return excluded;
        }
        // The parser also goes on after alternatives that end with such an operand.
        let ends: BTreeSet<usize> = excluded.iter().map(|(end, _)| *end).collect();
        for &end in units {
            for (at, inner) in self.rules[end].iter().enumerate() {
                let mut last = inner.last.iter();
                if last.any(|(last, _)| !self.units[*last].is_disjoint(&ends)) {
                    excluded.insert((end, at));
                }
            }
        }
        excluded
    }

    /// Whether the parser goes on with an operation of the rule `other` before all tokens that follow the operand of
    /// `outer`.
    fn goes_on_with(
        &self,
        key: (&RulePrecedence, &str),
        other: usize,
        outer: &RuleAlternative,
    ) -> bool {
        let mut open: HashSet<&String> = outer.next.iter().collect();
        for &(unit, at) in &self.operations[other] {
            let operation = &self.rules[unit][at];
            let of_operation = (&operation.precedence, self.names[unit]);
            let mut next = operation.next.iter();
            if next.any(|token| open.contains(token)) && self.precedences.goes_on(key, of_operation)
            {
                open.retain(|token| !operation.next.contains(*token));
            }
        }
        open.is_empty()
    }

    /// Returns the operands within sequences that are limited, each with its rule and the alternatives that it must not
    /// end with. So in Go, `- a` cannot stand before the `.(type)` of a `switch`, as the parser goes on with `a` before
    /// `.`. An operation with the token that follows is left out, too: in JavaScript, `a in b` before the `in` of a
    /// loop.
    pub fn inner_limits(&self, taken: &TakenTokens) -> Vec<(InnerPosition, usize, AlternativeSet)> {
        let mut limits = Vec::new();
        for (rule, alternatives) in self.rules.iter().enumerate() {
            for (at, outer) in alternatives.iter().enumerate() {
                for (part, operand, next) in &outer.inner {
                    let mut excluded = AlternativeSet::new();
                    for end in self.ends(*operand) {
                        for (at, inner) in self.rules[end].iter().enumerate() {
                            let is_taken = !next.is_disjoint(&taken[end][at]);
                            let mut first = inner.first.iter();
                            let is_operation = !inner.next.is_empty()
                                && inner.next.is_subset(next)
                                && first.any(|first| self.units[*first].contains(&end))
                                && !inner.last.is_empty();
                            if literal(&inner.node).is_none() && (is_taken || is_operation) {
                                excluded.insert((end, at));
                            }
                        }
                    }
                    if !excluded.is_empty() {
                        limits.push(((rule, at, *part), *operand, excluded));
                    }
                }
            }
        }
        limits
    }

    /// Returns the units of a rule. If the rule has one alternative, such as the initializer `= a`, returns those of
    /// the operand at its end, too.
    fn ends(&self, rule: usize) -> BTreeSet<usize> {
        let mut ends = self.units[rule].clone();
        if let [
            RuleAlternative {
                unit: None, last, ..
            },
        ] = &self.rules[rule][..]
        {
            ends.extend(last.iter().flat_map(|(last, _)| &self.units[*last]));
        }
        ends
    }

    /// Returns the alternatives whose right operand is limited, each with the rule of the operand and the alternatives
    /// that the operand must not begin with. So in C#, `- a as b` is the operation `as` of `- a`, and no statement.
    pub fn right_limits(&self) -> Vec<((usize, usize), usize, AlternativeSet)> {
        let mut limits = Vec::new();
        for (rule, alternatives) in self.rules.iter().enumerate() {
            let prefixes = alternatives.iter().enumerate();
            for (at, outer) in prefixes.filter(|(_, outer)| outer.first.is_empty()) {
                let key = (&outer.precedence, self.names[rule]);
                for &(operand, is_optional) in &outer.last {
                    let mut excluded = AlternativeSet::new();
                    let ends = self.units[operand].iter();
                    for &end in ends.filter(|end| !is_optional && self.has_only(rule, **end)) {
                        for (at, inner) in self.rules[end].iter().enumerate() {
                            let mut first = inner.first.iter();
                            let is_left = first.any(|first| self.units[*first].contains(&rule));
                            let of_inner = (&inner.precedence, self.names[end]);
                            if is_left && self.precedences.completes(key, of_inner) {
                                excluded.insert((end, at));
                            }
                        }
                    }
                    if !excluded.is_empty() {
                        limits.push(((rule, at), operand, excluded));
                    }
                }
            }
        }
        limits
    }

    /// Whether some other rule derives `rule` alone, but does not derive `end` alone.
    fn has_only(&self, rule: usize, end: usize) -> bool {
        let units = self.units.iter().enumerate();
        let mut others = units.filter(|(other, _)| *other != rule);
        others.any(|(_, units)| units.contains(&rule) && !units.contains(&end))
    }

    /// Returns for each alternative the tokens with which the parser goes on instead of completing it.
    pub fn taken(&self) -> TakenTokens {
        let mut pairs = 0;
        let mut taken = Vec::new();
        let beginnings = self.beginnings();
        let mut within: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
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
                    let within = within.entry(last).or_insert_with(|| self.within(last));
                    for &(of, at) in within.iter() {
                        more(&self.rules[of][at], of);
                    }
                    for &unit in &self.units[last] {
                        let is_left = |outer: &&RuleAlternative| {
                            let mut first = outer.first.iter();
                            first.any(|&first| self.units[first].contains(&unit))
                        };
                        let outer = self.rules[unit].iter().filter(is_left);
                        outer.for_each(|outer| more(outer, unit));
                    }
                }
                // If this alternative is one token, the token can also begin another one.
                let all = literal(&inner.node);
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

    /// Returns the operations whose left operand can be the rule alone, and that are only at the beginning of larger
    /// operations of the rule. So in JavaScript, `...a` is a pattern, and after `a`, the parser goes on with `= b`, as
    /// an assignment can be the beginning of `a = b . c`.
    fn within(&self, rule: usize) -> Vec<(usize, usize)> {
        let mut seen = self.units[rule].clone();
        let mut open: Vec<usize> = seen.iter().copied().collect();
        let mut found = Vec::new();
        while let Some(one) = open.pop() {
            for (at, alternative) in self.rules[one].iter().enumerate() {
                let mut first = alternative.first.iter();
                let is_left = |first: &usize| !self.units[*first].is_disjoint(&self.units[rule]);
                if !self.units[rule].contains(&one) && first.any(is_left) {
                    found.push((one, at));
                }
                let next = alternative.first.iter().chain(&alternative.unit);
                open.extend(next.filter(|next| seen.insert(**next)));
            }
        }
        found
    }

    /// Returns the alternatives that begin with a literal, by its text.
    fn beginnings(&self) -> HashMap<&str, Vec<(usize, usize)>> {
        let mut found: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        for (rule, alternatives) in self.rules.iter().enumerate() {
            for (at, alternative) in alternatives.iter().enumerate() {
                let mut open: Vec<&Json> =
                    elements(&alternative.node).first().into_iter().collect();
                while let Some(node) = open.pop() {
                    match node.text_of("value").filter(|_| type_of(node) == "STRING") {
                        Some(text) => found.entry(text).or_default().push((rule, at)),
                        None if type_of(node) == "CHOICE" => open.extend(elements(node)),
                        None if is_wrapper(node) => open.extend(node.get("content")),
                        None => {}
                    }
                }
            }
        }
        found
    }
}

/// The text of a node that is a literal.
fn literal(node: &Json) -> Option<&str> {
    let node = match type_of(node) {
        "TOKEN" => node.get("content")?,
        _ => node,
    };
    node.text_of("value").filter(|_| type_of(node) == "STRING")
}

/// Returns the tokens that begin the optional parts at the end of a sequence.
fn tail(node: &Json, tokens: &FirstTokens) -> HashSet<String> {
    let optional = elements(node)
        .iter()
        .rev()
        .take_while(|one| can_be_empty(one));
    optional.flat_map(|one| tokens.of_node(one)).collect()
}
