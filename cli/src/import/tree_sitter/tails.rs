//! The tokens with which the parser continues a rule that could also end.

use std::collections::{HashMap, HashSet};

use super::first_tokens::FirstTokens;
use super::json::Json;
use super::operands::nodes::{can_be_empty, edge, elements, flatten, is_wrapper, type_of};
use super::precedence::RulePrecedence;
use super::units;

/// The limit of the steps; after it, some tokens are missing.
const MAX_STEPS: usize = 200;

/// For each rule, the tokens that begin optional parts at the ends of its sentences.
pub struct TailTokens<'a> {
    rules: HashMap<&'a str, HashSet<String>>,
    /// For each rule that is an operand, the tokens of the operations that go on with it.
    operations: HashMap<&'a str, HashSet<String>>,
    first: &'a FirstTokens<'a>,
}

impl<'a> TailTokens<'a> {
    /// Finds the tokens of all rules. For a rule in `conflicts`, of which the parser tries several derivations, these
    /// are only the tokens of the rules at its end.
    pub fn new(
        members: &'a [(String, Json)],
        first: &'a FirstTokens<'a>,
        conflicts: &HashSet<&str>,
    ) -> TailTokens<'a> {
        let names = members.iter().map(|(name, _)| (&**name, HashSet::new()));
        let mut found = TailTokens {
            rules: names.collect(),
            operations: HashMap::new(),
            first,
        };
        found.complete(members, conflicts);
        found
    }

    /// Adds the tokens with which operations go on with an operand.
    pub fn with_operations(
        mut self,
        members: &'a [(String, Json)],
        conflicts: &HashSet<&str>,
    ) -> TailTokens<'a> {
        self.operations = operations(members, self.first, conflicts);
        for (name, tokens) in &self.operations {
            let of_rule = self.rules.entry(name).or_default();
            of_rule.extend(tokens.iter().cloned());
        }
        self.complete(members, conflicts);
        self
    }

    /// Adds tokens until nothing changes, or [`MAX_STEPS`] are reached.
    fn complete(&mut self, members: &'a [(String, Json)], conflicts: &HashSet<&str>) {
        for _ in 0..MAX_STEPS {
            let mut is_complete = true;
            for (name, body) in members {
                let tokens = match conflicts.contains(&**name) {
                    true => self.of_operands(body),
                    false => self.of_node(body),
                };
                let old = self.rules.entry(name).or_default();
                let before = old.len();
                old.extend(tokens);
                is_complete &= old.len() == before;
            }
            if is_complete {
                break;
            }
        }
    }

    /// Returns the tokens with which an operation goes on with a rule.
    pub fn of_operations(&self, name: &str) -> Option<&HashSet<String>> {
        self.operations.get(name)
    }

    /// Returns the tokens of the rules that can be at the end of a node.
    pub fn of_operands(&self, node: &Json) -> HashSet<String> {
        let mut ends = Vec::new();
        edge(node, true, false, &mut ends);
        let tokens = ends.iter().filter_map(|(name, _)| self.rules.get(name));
        tokens.flatten().cloned().collect()
    }

    /// Returns the tokens that begin optional parts at the end of a node.
    pub fn of_node(&self, node: &Json) -> HashSet<String> {
        let of_content = || node.get("content").map(|content| self.of_node(content));
        match type_of(node) {
            "SYMBOL" => {
                let name = node.text_of("name").unwrap_or_default();
                self.rules.get(name).cloned().unwrap_or_default()
            }
            "CHOICE" => {
                let all = elements(node).iter();
                all.flat_map(|one| self.of_node(one)).collect()
            }
            "SEQ" => {
                let mut tokens = HashSet::new();
                for one in elements(node).iter().rev() {
                    tokens.extend(self.of_node(one));
                    if !can_be_empty(one) {
                        break;
                    }
                    tokens.extend(self.first.of_node(one));
                }
                tokens
            }
            "REPEAT" | "REPEAT1" => {
                let mut tokens = of_content().unwrap_or_default();
                tokens.extend(self.first.of_node(node));
                tokens
            }
            _ if is_wrapper(node) => of_content().unwrap_or_default(),
            _ => HashSet::new(),
        }
    }
}

/// Returns for each rule the tokens of the operations that are alternatives of the rule and whose left operand it is.
fn operations<'a>(
    members: &'a [(String, Json)],
    first: &FirstTokens,
    conflicts: &HashSet<&str>,
) -> HashMap<&'a str, HashSet<String>> {
    let mut alternatives: HashMap<&str, Vec<&Json>> = HashMap::new();
    for (name, body) in members {
        let mut found = Vec::new();
        flatten(body, RulePrecedence::default(), &mut found);
        alternatives.insert(name, found.into_iter().map(|(node, _)| node).collect());
    }
    let mut all_units = units::of(members);
    for (name, units) in &mut all_units {
        units.insert(name);
    }
    let mut operations: HashMap<&str, HashSet<String>> = HashMap::new();
    for (name, units) in &all_units {
        for unit in units.iter().filter(|unit| !conflicts.contains(**unit)) {
            for node in alternatives.get(unit).into_iter().flatten() {
                let [operand, rest @ ..] = elements(node) else {
                    continue;
                };
                let mut symbols = Vec::new();
                edge(operand, false, false, &mut symbols);
                let is_left = |(symbol, _): &(&str, bool)| {
                    let mut within = all_units.get(symbol).into_iter().flatten();
                    symbol == name || within.any(|one| units.contains(one))
                };
                if type_of(node) == "SEQ" && symbols.iter().any(is_left) {
                    let tokens = operations.entry(name).or_default();
                    tokens.extend(first.of_rest(rest).unwrap_or_default());
                }
            }
        }
    }
    operations
}

#[cfg(test)]
mod tests {
    use super::super::first_tokens;
    use super::super::testing::rules;
    use super::*;

    #[test]
    fn what_is_optional_at_the_end_and_operations_go_on() {
        let members = rules(&[
            ("item", "( let expression [ where | ? ] )"),
            ("where", "( W x * )"),
            ("expression", "[ method | x ]"),
            ("method", "( expression # m )"),
        ]);
        let first = first_tokens::of(&members);
        let none = HashSet::new();
        let sorted = |tokens: HashSet<String>| {
            let mut tokens: Vec<String> = tokens.into_iter().collect();
            tokens.sort();
            tokens
        };
        let tails = TailTokens::new(&members, &first, &none);
        assert_eq!(sorted(tails.of_node(&members[0].1)), ["W", "x"]);
        assert!(tails.of_operations("expression").is_none());
        let tails = tails.with_operations(&members, &none);
        assert_eq!(sorted(tails.of_node(&members[0].1)), ["#", "W", "x"]);
        assert!(tails.of_operations("expression").unwrap().contains("#"));
        assert!(tails.of_operations("item").is_none());
    }

    #[test]
    fn rules_in_conflicts_go_on_only_with_their_operands() {
        let members = rules(&[
            ("sum", "( x + yield [ y | ? ] )"),
            ("product", "( x . yield )"),
            ("yield", "( yield [ x | ? ] )"),
        ]);
        let first = first_tokens::of(&members);
        let tails = TailTokens::new(&members, &first, &HashSet::from(["sum", "product"]));
        let of = |at: usize| tails.of_node(&named_rule(&members[at]));
        assert_eq!(of(0), HashSet::from(["x".to_string()]));
        assert_eq!(of(1), of(0));
    }

    fn named_rule((name, body): &(String, Json)) -> Json {
        super::super::build::named(body, name)
    }
}
