//! What samples choose, in words.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::file::{Names, name, shown};
use super::question::{Aspect, Question, Spelled, aspect, class, universe};
use super::{Probabilities, Weights};
use crate::grammar::{Grammar, Kind, SymbolId, parts};

/// Words of samples that are told.
const WORDS: usize = 5;

/// What is asked of a symbol, and what is answered.
#[derive(Clone, Debug)]
pub struct Table {
    /// The symbol, and what it is asked unless that is its alternative.
    pub name: String,
    /// Whether it is of the grammar's rules: alternatives and names.
    pub is_syntax: bool,
    /// Whether the answers are a rule's alternatives.
    pub is_rule: bool,
    /// How often samples were asked.
    pub times: f64,
    /// The answers, the most probable first.
    pub chosen: Vec<Chosen>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// What it is; characters and names are quoted.
    pub name: String,
    /// How often samples gave it; 0 if it is forbidden.
    pub count: f64,
    /// How probable it is.
    pub probability: f64,
}

impl Probabilities {
    /// All that is asked, whatever is around.
    pub fn explain(&self, grammar: &Grammar, weights: &Weights) -> Vec<Table> {
        let names = Names::new(grammar);
        let nothing = BTreeMap::new();
        let exclusions = Exclusions::new(grammar);
        let mut tables = Vec::new();
        for symbol in (0..grammar.symbols().len() as u32).map(SymbolId) {
            if exclusions.parts.contains(&symbol) {
                // Where there is no choice, nothing was counted.
                if exclusions.tokens.contains(&symbol) && grammar.alternatives(symbol).len() > 1 {
                    tables.push(exclusions.table(grammar, weights, symbol));
                }
                continue;
            }
            let asked = [aspect(&grammar[symbol].kind), class(grammar, symbol).map(|_| Aspect::Member)];
            let is_both = asked[0] == Some(Aspect::Count) && asked[1].is_some();
            for aspect in asked.into_iter().flatten().take(if is_both { 2 } else { 1 }) {
                let question = Question { symbol, aspect, context: [].into() };
                let outcomes = weights.seen(&question).unwrap_or(&nothing);
                let said = |name: String| match aspect {
                    Aspect::Member | Aspect::Name => format!("{name:?}"),
                    _ => name,
                };
                let chosen = |outcome: u32| Chosen {
                    name: name(grammar, symbol, aspect, outcome)
                        .map_or_else(|| others(grammar, weights, (symbol, outcome)), said),
                    count: outcomes.get(&outcome).map_or(0.0, |weight| weight.max(0.0)),
                    probability: self.probability(symbol, aspect, outcome),
                };
                let mut chosen: Vec<Chosen> = universe(grammar, symbol, aspect, outcomes).into_iter().map(chosen).collect();
                // What differs by rounding alone stays in the grammar's order.
                chosen.sort_by_key(|chosen| Reverse((1e12 * chosen.probability).round() as u64));
                let of = match (aspect, &grammar[symbol].kind) {
                    (Aspect::Alternative | Aspect::Name, _) => "".into(),
                    (Aspect::Count, Kind::Repeat { at_least: least @ 1.., .. } | Kind::Run { at_least: least @ 1.., .. }) => {
                        format!(": how many beyond {least}")
                    }
                    (Aspect::Count, _) => ": how many".into(),
                    (Aspect::Member, _) => ": which character".into(),
                    (Aspect::Case, _) => ": in which case".into(),
                    (Aspect::Layout, _) => ": pieces of layout before".into(),
                };
                tables.push(Table {
                    name: format!("{}{of}", names.of(symbol)),
                    is_syntax: of.is_empty(),
                    is_rule: aspect == Aspect::Alternative,
                    times: chosen.iter().map(|chosen| chosen.count).sum(),
                    chosen,
                });
            }
        }
        tables
    }
}

/// The symbols that stand for the automata of exclusions, which nobody wrote: each exclusion is shown as one token.
struct Exclusions {
    /// The states, and the characters that lead from one to the next.
    parts: BTreeSet<SymbolId>,
    /// The states that other symbols begin with.
    tokens: BTreeSet<SymbolId>,
}

impl Exclusions {
    fn new(grammar: &Grammar) -> Exclusions {
        let symbols = || (0..grammar.symbols().len() as u32).map(SymbolId);
        let is_state = |symbol: &SymbolId| match &grammar[*symbol].kind {
            Kind::Nonterminal { .. } => grammar.alternatives(*symbol).iter().all(|alternative| alternative.source.is_none()),
            _ => false,
        };
        let states: BTreeSet<SymbolId> = symbols().filter(is_state).collect();
        let (mut parts, mut tokens) = (states.clone(), BTreeSet::new());
        for (from, to) in self::parts(grammar.tables()) {
            let (from, to) = (SymbolId(from), SymbolId(to));
            if states.contains(&from) {
                parts.insert(to);
            } else if states.contains(&to) {
                tokens.insert(to);
            }
        }
        Exclusions { parts, tokens }
    }

    /// A token with an exclusion, as a table of one line.
    fn table(&self, grammar: &Grammar, weights: &Weights, token: SymbolId) -> Table {
        let nothing = BTreeMap::new();
        let counts = |symbol: SymbolId| {
            let seen = weights.seen(&Question { symbol, aspect: Aspect::Alternative, context: [].into() });
            seen.unwrap_or(&nothing).iter().map(|(&choice, weight)| (choice, weight.max(0.0)))
        };
        let entered: f64 = counts(token).map(|(_, weight)| weight).sum();
        // The automaton may come back to its first state within the token.
        let comes_back = |state: SymbolId, choice: u32| {
            let alternative = grammar.alternatives(state).get(choice as usize);
            alternative.is_some_and(|alternative| grammar.children(alternative).iter().any(|child| child.symbol == token))
        };
        let states = self.parts.iter().filter(|symbol| matches!(grammar[**symbol].kind, Kind::Nonterminal { .. }));
        let again: f64 = states
            .flat_map(|&state| counts(state).filter(move |&(choice, _)| comes_back(state, choice)))
            .map(|(_, weight)| weight)
            .sum();
        let times = (entered - again).max(0.0);
        let label = grammar.label(token);
        Table {
            name: label.split('/').next().unwrap_or(label).into(),
            is_syntax: true,
            is_rule: false,
            times,
            chosen: vec![Chosen { name: "a text that the exclusion allows".into(), count: times, probability: 1.0 }],
        }
    }
}

/// What the answer is called that stands for all without a name of their own: of words of samples, the most common ones.
fn others(grammar: &Grammar, weights: &Weights, of: Spelled) -> String {
    let Some(words) = weights.words.get(&of) else { return "others".into() };
    let mut words: Vec<_> = words.iter().collect();
    words.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let told: Vec<String> = words.iter().take(WORDS).map(|(word, _)| format!("{:?}", shown(grammar, word))).collect();
    format!("others: {}{}", told.join(", "), if words.len() > WORDS { ", …" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::derivation::Derivation;
    use crate::notation;
    use crate::parse::Parser;
    use crate::weights::Transform;

    #[test]
    fn an_exclusion_is_one_token_with_the_name_of_its_rule() {
        let source = br#"all = key ":" word ; @token key = [a-z]+ - ( "let" | "in" ) ; @token word = ( [a-z]* "0" ) - "a0" ;"#;
        let (grammar, _) = notation::read("g", source, &Caps::default()).unwrap();
        let (mut weights, mut derivation) = (Weights::new(&grammar, 0), Derivation::default());
        for sample in ["lets:aaa0", "ab:0", "i:b0"] {
            Parser::new(&grammar).parse(sample.as_bytes(), &mut derivation).unwrap();
            weights.add(&grammar, &derivation);
        }
        let tables = Probabilities::new(&grammar, &weights, Transform::default()).unwrap().explain(&grammar, &weights);
        let tokens: Vec<(&str, f64)> = tables.iter().map(|table| (table.name.as_str(), table.times)).collect();
        for name in ["key", "word"] {
            assert!(tokens.contains(&(name, 3.0)), "{tokens:?}");
        }
        assert!(tokens.iter().all(|(name, _)| !name.contains('/')), "{tokens:?}");
    }
}
