//! The parts of a grammar that can be the cause of a rejection: alternatives and repetitions. A part
//! is identified by its span in the source.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use zester::derivation::Derivation;
use zester::grammar::{Grammar, Kind, SymbolId};

/// Stands for no part.
pub const NONE: u32 = u32::MAX;

/// What a part of a grammar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    /// An alternative of a rule or of a group.
    Alternative,
    /// A repetition. A sentence uses it if it has more than one element and more than the minimum,
    /// or if the maximum is 1 and it has an element.
    Repetition,
}

/// A part of a grammar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// Its span in the source, in bytes.
    pub start: usize,
    pub end: usize,
    pub kind: PartKind,
}

impl Part {
    /// Returns its span in the source.
    pub fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The parts that a sentence uses.
#[derive(Clone, Debug, Default)]
pub struct UsedParts {
    /// The numbers of the parts, sorted.
    pub parts: Vec<u32>,
    /// The pairs of a part and of a part directly inside it, sorted.
    pub pairs: Vec<(u32, u32)>,
}

/// All parts of a grammar, numbered by their spans.
pub struct Parts<'g> {
    grammar: &'g Grammar,
    all: Vec<Part>,
    /// By part: the rule that it is in, and the number of symbols of an alternative.
    rules: Vec<(String, usize)>,
    /// By symbol: the part of each alternative, or the part of the repetition.
    of_symbol: Vec<Vec<u32>>,
}

impl<'g> Parts<'g> {
    /// Finds the parts of a grammar.
    pub fn new(grammar: &'g Grammar) -> Parts<'g> {
        let mut found: BTreeMap<Part, (String, usize)> = BTreeMap::new();
        let symbols = || (0..grammar.symbols().len() as u32).map(SymbolId);
        let parts_of = |symbol: SymbolId| -> Vec<Option<Part>> {
            match &grammar.symbols()[symbol.0 as usize].kind {
                Kind::Nonterminal { .. } => {
                    let count = grammar.alternatives(symbol).len() as u32;
                    let span = |choice| grammar.alternative_span(symbol, choice);
                    let part = |span: Range<u32>| Part {
                        start: span.start as usize,
                        end: span.end as usize,
                        kind: PartKind::Alternative,
                    };
                    (0..count).map(|choice| span(choice).map(part)).collect()
                }
                Kind::Repeat {
                    at_least, at_most, ..
                } if at_most > at_least => {
                    let span = grammar.span_of(symbol);
                    vec![Some(Part {
                        start: span.start as usize,
                        end: span.end as usize,
                        kind: PartKind::Repetition,
                    })]
                }
                _ => Vec::new(),
            }
        };
        for symbol in symbols() {
            let rule = grammar.label(symbol);
            let rule = rule.split(['/', '<']).next().unwrap_or(rule).to_string();
            let sizes: Vec<usize> = grammar
                .alternatives(symbol)
                .iter()
                .map(|alternative| grammar.children(alternative).len())
                .collect();
            for (at, part) in parts_of(symbol).into_iter().enumerate() {
                if let Some(part) = part {
                    let size = sizes.get(at).copied().unwrap_or(1);
                    let (_, known) = found.entry(part).or_insert_with(|| (rule.clone(), size));
                    *known = size.max(*known);
                }
            }
        }
        let number: BTreeMap<&Part, u32> = found.keys().zip(0..).collect();
        let numbers = |symbol| {
            let number = |part: Option<Part>| part.map_or(NONE, |part| number[&part]);
            parts_of(symbol).into_iter().map(number).collect()
        };
        let of_symbol = symbols().map(numbers).collect();
        let (all, rules) = found.into_iter().unzip();
        Parts {
            grammar,
            all,
            rules,
            of_symbol,
        }
    }

    /// Returns the part with this number.
    pub fn get(&self, part: u32) -> &Part {
        &self.all[part as usize]
    }

    /// Returns the number of parts.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn rule(&self, part: u32) -> &str {
        &self.rules[part as usize].0
    }

    /// Returns the number of symbols of an alternative; 1 for a repetition.
    pub fn symbols(&self, part: u32) -> usize {
        self.rules[part as usize].1
    }

    /// Returns the number of the part that a node uses, or [`NONE`].
    fn of_node(&self, symbol: SymbolId, choice: u32) -> u32 {
        let parts = &self.of_symbol[symbol.0 as usize];
        match self.grammar.symbols()[symbol.0 as usize].kind {
            Kind::Repeat {
                at_least, at_most, ..
            } if choice <= at_least.max(at_most.saturating_sub(1).min(1)) => NONE,
            Kind::Repeat { .. } => parts.first().copied().unwrap_or(NONE),
            _ => parts.get(choice as usize).copied().unwrap_or(NONE),
        }
    }

    /// Returns for each node the innermost part that it uses or that is around it. Layout has
    /// [`NONE`].
    pub fn innermost(&self, derivation: &Derivation) -> Vec<u32> {
        let nodes = derivation.nodes();
        let mut parts = vec![NONE; nodes.len()];
        let mut around = vec![NONE; nodes.len()];
        let mut skip = 0;
        for (at, node) in nodes.iter().enumerate() {
            if at < skip {
                continue;
            }
            let own = self.of_node(node.symbol, node.choice);
            parts[at] = if own == NONE { around[at] } else { own };
            let is_lexeme = matches!(
                self.grammar.symbols()[node.symbol.0 as usize].kind,
                Kind::Lexeme { .. }
            );
            let layout = if is_lexeme {
                node.layout_tokens() as usize
            } else {
                0
            };
            for (index, child) in derivation.children(at).enumerate() {
                around[child] = parts[at];
                if index < layout {
                    skip = child + nodes[child].size as usize;
                }
            }
        }
        parts
    }

    /// Returns the parts that a sentence uses.
    pub fn used(&self, derivation: &Derivation) -> UsedParts {
        let innermost = self.innermost(derivation);
        let mut used = UsedParts::default();
        for (at, node) in derivation.nodes().iter().enumerate() {
            let own = self.of_node(node.symbol, node.choice);
            if own != NONE && innermost[at] == own {
                used.parts.push(own);
            }
            for child in derivation.children(at) {
                let (outer, inner) = (innermost[at], innermost[child]);
                if outer != inner && outer != NONE && inner != NONE {
                    used.pairs.push((outer, inner));
                }
            }
        }
        used.parts.sort_unstable();
        used.parts.dedup();
        used.pairs.sort_unstable();
        used.pairs.dedup();
        used
    }

    /// Returns the pairs of an outer and an inner part: the first use of the inner one in a sentence is
    /// inside a use of the outer one. Only parts that `is_of_interest` accepts count.
    pub fn nested(
        &self,
        derivation: &Derivation,
        is_of_interest: &dyn Fn(u32) -> bool,
    ) -> BTreeSet<(u32, u32)> {
        let (mut pairs, mut known) = (BTreeSet::new(), BTreeSet::new());
        // The parts around the current node. Before each part stands the index of the first node that
        // is no longer inside it.
        let mut around: Vec<(usize, u32)> = Vec::new();
        for (at, node) in derivation.nodes().iter().enumerate() {
            while around.last().is_some_and(|&(end, _)| end <= at) {
                around.pop();
            }
            let part = self.of_node(node.symbol, node.choice);
            if part == NONE || !is_of_interest(part) {
                continue;
            }
            if known.insert(part) {
                pairs.extend(around.iter().map(|&(_, outer)| (outer, part)));
            }
            around.push((at + node.size as usize, part));
        }
        pairs
    }

    /// Returns the parts around a node, the innermost first, at most `count`.
    pub fn around(&self, derivation: &Derivation, node: usize, count: usize) -> Vec<u32> {
        let (mut path, mut at) = (Vec::new(), 0);
        loop {
            let own = derivation.nodes()[at];
            let part = self.of_node(own.symbol, own.choice);
            if part != NONE {
                path.push(part);
            }
            let inner = derivation.children(at).find(|&child| {
                (child..child + derivation.nodes()[child].size as usize).contains(&node)
            });
            match inner {
                Some(child) if at != node => at = child,
                _ => break,
            }
        }
        path.reverse();
        path.truncate(count);
        path
    }

    /// Returns the nodes of tokens whose text, without layout, is `text`.
    pub fn tokens(&self, derivation: &Derivation, text: &[u8]) -> Vec<usize> {
        let is_it = |&at: &usize| {
            derivation
                .token_range(self.grammar, at)
                .is_some_and(|range| derivation.text()[range] == *text)
        };
        (0..derivation.nodes().len()).filter(is_it).collect()
    }

    /// Returns the node of the token at an offset of the text, or of the next one.
    pub fn token_at(&self, derivation: &Derivation, offset: usize) -> Option<usize> {
        (0..derivation.nodes().len()).find(|&at| {
            derivation
                .token_range(self.grammar, at)
                .is_some_and(|range| offset < range.end)
        })
    }
}

#[cfg(test)]
mod tests {
    use zester::bounds::Caps;
    use zester::notation;

    use super::*;

    const SOURCE: &str =
        r#"@skip blank = " " ; s = "a" | "(" s* ")" | "let" name ; @token name = [x-z]+ ;"#;

    fn grammar() -> Grammar {
        notation::read("g", SOURCE.as_bytes(), &Caps::default())
            .unwrap()
            .0
    }

    /// Returns the source of parts.
    fn sources<'a>(
        parts: &Parts<'_>,
        numbers: impl IntoIterator<Item = &'a u32>,
    ) -> Vec<&'static str> {
        numbers
            .into_iter()
            .map(|&part| SOURCE[parts.get(part).span()].trim())
            .collect()
    }

    #[test]
    fn parts_are_the_alternatives_and_repetitions_that_a_sentence_uses() {
        let grammar = grammar();
        let parts = Parts::new(&grammar);
        let used = |text: &str| {
            let used = parts.used(&grammar.parse(text.as_bytes()).unwrap());
            sources(&parts, &used.parts)
        };
        assert_eq!(used("a"), [r#""a""#]);
        assert_eq!(used("()"), [r#""(" s* ")""#]);
        assert_eq!(used("(a)"), [r#""a""#, r#""(" s* ")""#]);
        assert_eq!(used("(a a)"), [r#""a""#, r#""(" s* ")""#, "s*"]);
        let pairs = parts.used(&grammar.parse(b"(a let x)").unwrap()).pairs;
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| sources(&parts, [a, b])).collect();
        assert!(pairs.contains(&vec!["s*", r#""let" name"#]), "{pairs:?}");
    }

    #[test]
    fn a_part_is_nested_in_another_by_its_first_use() {
        let grammar = grammar();
        let parts = Parts::new(&grammar);
        let nested = |text: &[u8]| {
            let pairs = parts.nested(&grammar.parse(text).unwrap(), &|part| {
                parts.rule(part) == "s"
            });
            let pairs = pairs.iter().map(|(a, b)| sources(&parts, [a, b]));
            pairs.collect::<BTreeSet<_>>()
        };
        let (list, letter, repetition) = (r#""(" s* ")""#, r#""a""#, "s*");
        assert_eq!(nested(b"a"), BTreeSet::new());
        assert_eq!(nested(b"(a)"), BTreeSet::from([vec![list, letter]]));
        let all = [
            vec![list, letter],
            vec![list, repetition],
            vec![repetition, letter],
        ];
        // The second list is not the first use of its alternative.
        assert_eq!(nested(b"(a (a))"), BTreeSet::from(all));
    }

    #[test]
    fn a_token_is_found_by_its_text_and_by_its_offset() {
        let grammar = grammar();
        let parts = Parts::new(&grammar);
        let derivation = grammar.parse(b"( let xx a)").unwrap();
        let tokens = parts.tokens(&derivation, b"xx");
        assert_eq!(tokens.len(), 1);
        assert_eq!(parts.token_at(&derivation, 6), Some(tokens[0]));
        let around = parts.around(&derivation, tokens[0], 3);
        assert_eq!(
            sources(&parts, &around),
            [r#""let" name"#, "s*", r#""(" s* ")""#]
        );
        assert_eq!(parts.rule(around[0]), "s");
        assert_eq!(parts.symbols(around[0]), 2);
    }
}
