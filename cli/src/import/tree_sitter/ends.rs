//! Leaves out ends of operands that the parser never reads.
//!
//! Where a token can follow an operand, the parser completes the operand instead of going on with it in two cases:
//!
//! * The external scanner reads the text as another token. So in Kotlin, the `;` after `while (x)` ends the statement,
//!   and is not the body of the loop.
//! * The alternative that goes on has a negative precedence. So in Python, the `:` after `lambda x` ends the
//!   parameters, and no type of `x` follows.

use std::collections::{HashMap, HashSet};

use super::super::expression::Expression;
use super::super::names;
use super::build::{any, named, optional, sequence, with_content};
use super::externals;
use super::first_limits::FirstLimits;
use super::first_tokens::{self, FirstTokens};
use super::json::{Json, JsonValue};
use super::operands::nodes::{
    can_be_empty, children, children_mut, elements, flatten, is_wrapper, type_of,
};
use super::precedence::RulePrecedence;
use super::units;

/// The maximum number of rules that are added.
const MAX_RULES: usize = 300;

/// Returns the rules with limited operands, and the rules that these need.
pub fn limit(members: &[(String, Json)], conflicts: &HashSet<&str>) -> Vec<(String, Json)> {
    let first = first_tokens::of(members);
    let mut limits = EndLimits {
        members,
        bodies: members.iter().map(|(name, body)| (&**name, body)).collect(),
        first: &first,
        units: units::of(members),
        weak: weak(members, &first),
        conflicts,
        beginnings: beginnings(members),
        taken: members.iter().map(|(name, _)| name.clone()).collect(),
        names: HashMap::new(),
        open: Vec::new(),
    };
    let mut all = Vec::new();
    for (name, body) in members {
        all.push((name.clone(), limits.operands(body)));
    }
    while let Some((name, key)) = limits.open.pop() {
        let body = limits.bodies[&*name];
        let limited = limits.limited(body, &name, &key, true);
        let limited = limited.unwrap_or_else(|| any(body, Vec::new()));
        let limited = limits.operands(&limited);
        let new = limits.names[&(name, key)].clone();
        all.push((new, limited));
    }
    all
}

/// The tokens that can follow an operand.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Followers {
    tokens: Vec<String>,
    /// Whether the external scanner reads these tokens; otherwise only precedences decide.
    is_external: bool,
    /// Whether the tokens can also follow the rule at the beginning of the operand.
    is_at_once: bool,
}

impl Followers {
    fn set(&self) -> HashSet<String> {
        self.tokens.iter().cloned().collect()
    }
}

fn leading(parts: &[Json]) -> usize {
    let empty = parts.iter().take_while(|part| can_be_empty(part)).count();
    parts.len().min(empty + 1)
}

/// The sequences that begin with a text, by this text.
fn beginnings(members: &[(String, Json)]) -> HashMap<&str, Vec<&[Json]>> {
    let mut found: HashMap<&str, Vec<&[Json]>> = HashMap::new();
    for (_, body) in members {
        let mut alternatives = Vec::new();
        flatten(body, RulePrecedence::default(), &mut alternatives);
        for (node, _) in alternatives {
            let parts = elements(node);
            let first = parts.first().filter(|_| type_of(node) == "SEQ");
            let text = first.and_then(|first| first.text_of("value"));
            if let Some(text) = text.filter(|_| parts.len() > 1) {
                found.entry(text).or_default().push(parts);
            }
        }
    }
    found
}

struct EndLimits<'a> {
    members: &'a [(String, Json)],
    bodies: HashMap<&'a str, &'a Json>,
    first: &'a FirstTokens<'a>,
    /// For each rule, the rules that can be all of it.
    units: HashMap<&'a str, HashSet<&'a str>>,
    /// The tokens with which an alternative of a negative precedence goes on.
    weak: HashSet<String>,
    conflicts: &'a HashSet<&'a str>,
    beginnings: HashMap<&'a str, Vec<&'a [Json]>>,
    taken: HashSet<String>,
    /// The new names of rules.
    names: HashMap<(String, Followers), String>,
    /// The rules whose new bodies are not made yet.
    open: Vec<(String, Followers)>,
}

impl EndLimits<'_> {
    /// Limits the operands in a node that something follows.
    fn operands(&mut self, node: &Json) -> Json {
        let mut node = node.clone();
        if type_of(&node) == "SEQ" {
            let parts = elements(&node).to_vec();
            let mut new = Vec::new();
            for (at, part) in parts.iter().enumerate() {
                let mut part = self.operands(part);
                for followers in self.followers(&parts[at + 1..]) {
                    if self.is_affected(&part, &followers) {
                        part = self.in_operand(&part, &followers);
                    }
                }
                new.push(part);
            }
            let text = parts.first().and_then(|first| first.text_of("value"));
            if let Some(followers) = text.and_then(|text| self.followers_after(text)) {
                for part in &mut new[1..=leading(&parts[1..])] {
                    if self.is_affected(part, &followers) {
                        *part = self.at_beginning(part, &followers);
                    }
                }
            }
            return sequence(&node, new);
        }
        if type_of(&node).ends_with("TOKEN") {
            return node;
        }
        let is_list = type_of(&node).starts_with("REPEAT");
        for one in children_mut(&mut node) {
            let mut new = self.operands(one);
            if is_list {
                let next = self.followers(std::slice::from_ref(one)).into_iter();
                for followers in next.filter(|one| !one.is_external) {
                    if self.is_affected(&new, &followers) {
                        new = self.in_operand(&new, &followers);
                    }
                }
            }
            *one = new;
        }
        node
    }

    /// The tokens that can follow an operand before the parts `rest`.
    fn followers(&self, rest: &[Json]) -> Vec<Followers> {
        let mut possible = HashSet::new();
        for one in rest {
            possible.extend(self.first.of_node(one));
            if !can_be_empty(one) {
                break;
            }
        }
        let plain = possible.intersection(&self.weak).cloned().collect();
        let tokens = self.first.of_rest(rest).unwrap_or_default();
        let text = |name: &String| match externals::meaning(name) {
            Some(Expression::Literal { text, .. }) if !self.bodies.contains_key(&**name) => {
                Some(text)
            }
            _ => None,
        };
        let of = |tokens: HashSet<String>, is_external: bool| {
            let mut tokens: Vec<String> = tokens.into_iter().collect();
            tokens.sort();
            Followers {
                tokens,
                is_external,
                is_at_once: false,
            }
        };
        let external = of(tokens.iter().filter_map(text).collect(), true);
        let all = [external, of(plain, false)].into_iter();
        all.filter(|one| !one.tokens.is_empty()).collect()
    }

    /// Returns the tokens that can follow an operand directly after a text, in all sequences that begin with the text:
    /// the parser has one state for them. So in Go, the `{` after `switch a` begins the cases, and `switch a{}.(type)`
    /// is an error.
    fn followers_after(&self, text: &str) -> Option<Followers> {
        let mut tokens = Vec::new();
        for parts in self.beginnings.get(text)? {
            for at in 1..=leading(&parts[1..]) {
                let followers = self.followers(&parts[at + 1..]).into_iter();
                let plain = followers.filter(|one| !one.is_external);
                tokens.extend(plain.flat_map(|one| one.tokens));
            }
        }
        tokens.sort();
        tokens.dedup();
        let is_external = false;
        (!tokens.is_empty()).then_some(Followers {
            tokens,
            is_external,
            is_at_once: true,
        })
    }

    /// Limits the ends of an operand, which may be optional.
    fn in_operand(&mut self, node: &Json, followers: &Followers) -> Json {
        let limited = self.limited(node, "", followers, false);
        match limited {
            Some(limited) if can_be_empty(node) => optional(limited),
            Some(limited) => limited,
            None => node.clone(),
        }
    }

    /// Returns a node for the texts that are not empty and have limited ends. Returns [`None`] if nothing is left.
    fn limited(
        &mut self,
        node: &Json,
        rule: &str,
        followers: &Followers,
        is_first: bool,
    ) -> Option<Json> {
        let content = node.get("content");
        match type_of(node) {
            "BLANK" => None,
            "SYMBOL" => Some(self.symbol(node, followers)),
            "CHOICE" => {
                let mut left = Vec::new();
                for one in elements(node) {
                    left.extend(self.limited(one, rule, followers, is_first));
                }
                (!left.is_empty()).then(|| any(node, left))
            }
            "SEQ" => {
                let is_first = is_first
                    && (followers.is_at_once || self.begins_with_operand(rule, elements(node)));
                Some(self.in_sequence(node, followers, is_first))
            }
            "PREC" | "PREC_LEFT" | "PREC_RIGHT"
                if !followers.is_external && self.is_never(node, rule, followers) =>
            {
                None
            }
            "REPEAT" | "REPEAT1" => {
                let limited = self.limited(content?, rule, followers, false)?;
                let mut node = with_content(node, limited);
                if let JsonValue::Object(members) = &mut node.value {
                    members[0].1.value = JsonValue::Text("REPEAT1".into());
                }
                Some(node)
            }
            _ if is_wrapper(node) => {
                let limited = self.limited(content?, rule, followers, is_first)?;
                Some(with_content(node, limited))
            }
            _ => Some(node.clone()),
        }
    }

    /// Limits the parts of a sequence that can be at its end, and the one at its beginning.
    fn in_sequence(&mut self, node: &Json, followers: &Followers, is_first: bool) -> Json {
        let mut parts = elements(node).to_vec();
        let tokens = followers.set();
        for at in (0..parts.len()).rev() {
            let part = parts[at].clone();
            let is_open = can_be_empty(&part);
            let mut new = Some(part.clone());
            let begins = || !self.first.of_node(&part).is_disjoint(&tokens);
            if is_open && at > 0 && followers.is_external && begins() {
                let mut limits = FirstLimits::new(self.members, self.first, &tokens);
                // The alternatives are literals, so no other rule is needed.
                new = match part.get("content").filter(|_| type_of(&part) == "REPEAT") {
                    Some(content) => limits
                        .limited(content, &mut self.taken.clone())
                        .map(|content| with_content(&part, content)),
                    None => limits.limited(&part, &mut self.taken.clone()),
                };
                if !limits.rules(&mut self.taken.clone()).is_empty() {
                    new = Some(part.clone());
                }
            }
            let new = new.and_then(|new| self.limited(&new, "", followers, false));
            match new {
                Some(new) if is_open => parts[at] = optional(new),
                Some(new) => parts[at] = new,
                None if is_open => drop(parts.remove(at)),
                None => {}
            }
            if !is_open {
                break;
            }
        }
        if is_first && !followers.is_external {
            let count = leading(&parts);
            for one in &mut parts[..count] {
                *one = self.at_beginning(one, followers);
            }
        }
        sequence(node, parts)
    }

    /// Limits the rules at the beginning of a node.
    fn at_beginning(&mut self, node: &Json, followers: &Followers) -> Json {
        let parts = || elements(node).iter();
        match type_of(node) {
            "SYMBOL" => self.symbol(node, followers),
            "CHOICE" => {
                let all = parts().map(|one| self.at_beginning(one, followers));
                any(node, all.collect())
            }
            "SEQ" => {
                let count = leading(elements(node));
                let first = parts().take(count);
                let first: Vec<Json> = first.map(|one| self.at_beginning(one, followers)).collect();
                let rest = parts().skip(count).cloned();
                sequence(node, first.into_iter().chain(rest).collect())
            }
            _ => match node.get("content").filter(|_| is_wrapper(node)) {
                Some(content) => with_content(node, self.at_beginning(content, followers)),
                None => node.clone(),
            },
        }
    }

    /// Whether the sequence of a rule begins with something that can replace the rule. Only then can what
    /// follows the rule also follow the beginning: after the expression at the beginning of a statement with a line feed at
    /// its end, no other statement begins.
    fn begins_with_operand(&self, rule: &str, parts: &[Json]) -> bool {
        let mut first: HashSet<&str> = HashSet::new();
        let mut open: Vec<&Json> = parts[..leading(parts)].iter().collect();
        while let Some(node) = open.pop() {
            match type_of(node) {
                "SYMBOL" => {
                    let name = node.text_of("name").unwrap_or_default();
                    let body = self.bodies.get(name).copied();
                    open.extend(body.filter(|_| first.insert(name)));
                }
                "SEQ" => {
                    let is_needed = |part: &&Json| !can_be_empty(part);
                    if elements(node).iter().filter(is_needed).count() < 2 {
                        open.extend(elements(node).iter().find(is_needed));
                    }
                }
                kind if !kind.ends_with("TOKEN") => open.extend(children(node)),
                _ => {}
            }
        }
        self.units.iter().any(|(name, units)| {
            let has = |one: &str| *name == one || units.contains(one);
            has(rule) && first.iter().any(|one| has(one))
        })
    }

    fn symbol(&mut self, node: &Json, followers: &Followers) -> Json {
        let name = node.text_of("name").unwrap_or_default();
        let key = (name.to_string(), followers.clone());
        if let Some(new) = self.names.get(&key) {
            return named(node, new);
        }
        let is_rule = self.bodies.contains_key(name);
        if !is_rule || self.names.len() >= MAX_RULES || !self.is_affected(node, followers) {
            return node.clone();
        }
        let new = names::take(&format!("{name}_before"), &mut self.taken);
        self.names.insert(key.clone(), new.clone());
        self.open.push(key);
        named(node, &new)
    }

    /// Whether a limit leaves something out of a node, or of the rules at its ends.
    fn is_affected(&self, node: &Json, followers: &Followers) -> bool {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut open: Vec<(&Json, &str)> = vec![(node, "")];
        let tokens = followers.set();
        while let Some((node, rule)) = open.pop() {
            match type_of(node) {
                "SYMBOL" => {
                    let name = node.text_of("name").unwrap_or_default();
                    if let Some((name, body)) = self.bodies.get_key_value(name)
                        && seen.insert(name)
                    {
                        open.push((body, name));
                    }
                }
                "SEQ" => {
                    let parts = elements(node);
                    let is_at_once = followers.is_at_once || self.begins_with_operand(rule, parts);
                    if !followers.is_external && is_at_once {
                        let first = parts.iter().take(leading(parts));
                        open.extend(first.map(|part| (part, "")));
                    }
                    for (at, part) in parts.iter().enumerate().rev() {
                        open.push((part, ""));
                        if !can_be_empty(part) {
                            break;
                        }
                        let first = self.first.of_node(part);
                        if followers.is_external && at > 0 && !first.is_disjoint(&tokens) {
                            return true;
                        }
                    }
                }
                kind => {
                    if kind.starts_with("PREC")
                        && !followers.is_external
                        && self.is_never(node, rule, followers)
                    {
                        return true;
                    }
                    if !kind.ends_with("TOKEN") {
                        let all = children(node);
                        open.extend(all.map(|one| (one, rule)));
                    }
                }
            }
        }
        false
    }

    /// Whether an alternative goes on with one of the tokens although its precedence is negative, or is completed before one
    /// of them although the operand at its end goes on with a higher precedence.
    fn is_never(&self, node: &Json, rule: &str, followers: &Followers) -> bool {
        let Some(parts) = weak_parts(node) else {
            return false;
        };
        if !self.conflicts.contains(rule) && self.goes_on(node, parts, followers) {
            return true;
        }
        // The operand at the beginning could also end here.
        let mut operands = HashSet::new();
        if let Some(first) = parts.first().filter(|first| !can_be_empty(first)) {
            units::add(first, &mut operands);
            let within = operands.iter().filter_map(|one| self.units.get(one));
            let within: Vec<&str> = within.flatten().copied().collect();
            operands.extend(within);
        }
        let is_other = |units: &&HashSet<&str>| {
            let mut of_operand = operands.iter();
            units.contains(rule) && of_operand.any(|one| *one != rule && units.contains(one))
        };
        if self.conflicts.contains(rule) || !self.units.values().any(|units| is_other(&units)) {
            return false;
        }
        let next = self.first.of_rest(&parts[1..]);
        next.is_some_and(|next| !next.is_disjoint(&followers.set()))
    }

    /// Whether the operand at the end of a sequence goes on with one of the tokens. So in Python, the `if` after
    /// `lambda: x` belongs to `x`.
    fn goes_on(&self, node: &Json, parts: &[Json], followers: &Followers) -> bool {
        let (Some(last), false) = (parts.last(), parts.first().and_then(symbol_of).is_some())
        else {
            return false;
        };
        let mut within = HashSet::new();
        units::add(last, &mut within);
        let more: Vec<&str> = within
            .iter()
            .filter_map(|one| self.units.get(one))
            .flatten()
            .copied()
            .collect();
        within.extend(more);
        let tokens = followers.set();
        within
            .iter()
            .filter_map(|one| self.bodies.get(one))
            .any(|body| {
                let Some([operand, rest @ ..]) = weak_parts(body) else {
                    return false;
                };
                let mut operands = HashSet::new();
                units::add(operand, &mut operands);
                let next = self.first.of_rest(rest).unwrap_or_default();
                number(body) > number(node)
                    && !operands.is_disjoint(&within)
                    && !next.is_disjoint(&tokens)
            })
    }
}

/// The name of the rule that a node is, perhaps optional.
fn symbol_of(node: &Json) -> Option<&str> {
    match type_of(node) {
        "SYMBOL" => node.text_of("name"),
        "CHOICE" => match elements(node) {
            [one, other] if type_of(other) == "BLANK" => symbol_of(one),
            _ => None,
        },
        _ if is_wrapper(node) => symbol_of(node.get("content")?),
        _ => None,
    }
}

/// The precedence of a node, if it is a number.
fn number(node: &Json) -> Option<f64> {
    match node.get("value").map(|value| &value.value) {
        Some(JsonValue::Number(number)) => Some(*number),
        _ => None,
    }
}

/// The parts of a node that is a sequence with a negative precedence.
fn weak_parts(node: &Json) -> Option<&[Json]> {
    let is_negative = number(node).is_some_and(|number| number < 0.0);
    let content = node.get("content").filter(|one| type_of(one) == "SEQ");
    let is_static = matches!(type_of(node), "PREC" | "PREC_LEFT" | "PREC_RIGHT");
    content.map(elements).filter(|_| is_negative && is_static)
}

/// Returns the tokens with which alternatives of a negative precedence go on.
fn weak(members: &[(String, Json)], first: &FirstTokens) -> HashSet<String> {
    let mut open: Vec<&Json> = members.iter().map(|(_, body)| body).collect();
    let mut found = HashSet::new();
    while let Some(node) = open.pop() {
        let next = weak_parts(node).and_then(|parts| first.of_rest(&parts[1..]));
        found.extend(next.unwrap_or_default());
        open.extend(children(node));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::{rules, shown};
    use super::*;

    fn limited(all: &[(&str, &str)]) -> Vec<String> {
        let limited = limit(&rules(all), &HashSet::new()).into_iter();
        let lines = limited.map(|(name, body)| format!("{name} = {}", shown(&body)));
        lines.collect()
    }

    #[test]
    fn a_text_is_a_token_of_the_scanner() {
        let found = limited(&[
            ("file", "( statement _semi ) *"),
            ("statement", "[ loop | x ]"),
            ("loop", "( while [ statement | ; | ? ] )"),
        ]);
        assert_eq!(found[0], "file = (statement_before _semi)*");
        assert_eq!(found[3], "statement_before = (loop_before|x)");
        assert!(
            found[4].starts_with("loop_before = (while ("),
            "{}",
            found[4]
        );
        assert!(!found[4].contains(';'), "{}", found[4]);
    }

    #[test]
    fn a_negative_precedence_does_not_go_on() {
        let found = limited(&[
            ("lambda", "( lambda parameters : x )"),
            ("parameters", "( parameter ( , parameter ) * )"),
            ("parameter", "[ word | typed ]"),
            ("typed", "- ( word : type )"),
            ("word", "[ a | b ]"),
            ("type", "( t )"),
        ]);
        assert_eq!(found[0], "lambda = (lambda parameters_before : x)");
        let parameter = "parameter_before = (word|typed_before)".to_string();
        assert!(found.contains(&parameter), "{found:?}");
        assert!(
            found.contains(&"typed_before = ()".to_string()),
            "{found:?}"
        );
    }

    #[test]
    fn a_negative_precedence_does_not_go_on_before_another_element() {
        let found = limited(&[
            ("list", "( `[ for a clause * `] )"),
            ("clause", "( if value )"),
            ("value", "[ choice | word ]"),
            ("word", "[ a | b ]"),
            ("choice", "- ( value if value else value )"),
        ]);
        assert!(found[0].contains("clause_before"), "{}", found[0]);
        let value = "value_before = (choice_before|word)".to_string();
        assert!(found.contains(&value), "{found:?}");
    }

    #[test]
    fn an_operand_that_goes_on_with_a_higher_precedence_is_not_the_end() {
        let found = limited(&[
            ("clause", "( if value if value )"),
            ("value", "[ choice | function | word ]"),
            ("word", "[ a | b ]"),
            ("choice", "- ( value if value else value )"),
            ("function", "-- ( lambda : value )"),
        ]);
        assert!(found[0].contains("value_before"), "{}", found[0]);
        let lambda = "function_before = ()".to_string();
        assert!(found.contains(&lambda), "{found:?}");
    }

    #[test]
    fn what_begins_a_statement_stays_before_another_statement() {
        let found = limited(&[
            ("file", "statement *"),
            ("statement", "[ plain | condition ]"),
            ("plain", "( value end )"),
            ("condition", "( if value : )"),
            ("value", "[ choice | word ]"),
            ("word", "[ a | b ]"),
            ("choice", "- ( value if value else value )"),
        ]);
        assert_eq!(found[0], "file = statement*");
    }

    #[test]
    fn what_follows_a_keyword_is_limited_in_all_sequences_with_it() {
        let found = limited(&[
            ("cases", "( switch value { } )"),
            ("types", "( switch value . type )"),
            ("value", "[ object | word ]"),
            ("word", "[ a | b ]"),
            ("object", "- ( type { } )"),
            ("type", "[ word ]"),
        ]);
        assert_eq!(found[0], "cases = (switch value_before { })");
        assert_eq!(found[1], "types = (switch value_before_2 . type)");
    }
}
