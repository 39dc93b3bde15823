//! The syntax of a grammar as a plain context-free grammar whose terminals are tokens.
//!
//! Repetitions are nonterminals, too. A repetition has up to three productions: the minimum number
//! of elements, one element more, and two elements more.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::grammar::{Grammar, Kind, SymbolId, TerminalId};

/// A context-free grammar.
pub struct Skeleton<'g> {
    pub grammar: &'g Grammar,
    /// All symbols that the start symbol reaches. The start symbol is number 0.
    pub symbols: Vec<SkeletonSymbol>,
    /// For each terminal, the first symbol that is an occurrence of the terminal.
    pub terminals: Vec<usize>,
}

/// A nonterminal, or an occurrence of a token.
pub struct SkeletonSymbol {
    pub id: SymbolId,
    /// The productions of a nonterminal, the one with the smallest text first. Empty for a token.
    pub productions: Vec<Production>,
    /// The number of the terminal of a token.
    pub terminal: Option<usize>,
}

/// A production of a nonterminal.
pub struct Production {
    /// The choice of a node with this production.
    pub choice: u32,
    pub parts: Vec<SkeletonPart>,
}

/// A symbol in a production.
#[derive(Clone, Copy)]
pub struct SkeletonPart {
    /// The number of the symbol.
    pub symbol: usize,
    /// Whether no layout is allowed before it.
    pub is_adjacent: bool,
}

/// A step of a path: a part of a production of a nonterminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathStep {
    pub symbol: usize,
    pub production: usize,
    pub part: usize,
}

impl<'g> Skeleton<'g> {
    pub fn new(grammar: &'g Grammar) -> Skeleton<'g> {
        let start = grammar.children(&grammar.alternatives(grammar.start())[0])[0].symbol;
        let (mut symbols, mut ids, mut number_of) =
            (Vec::new(), vec![start], HashMap::from([(start, 0)]));
        let (mut terminals, mut terminal_of): (Vec<usize>, HashMap<TerminalId, usize>) =
            (Vec::new(), HashMap::new());
        while let Some(&id) = ids.get(symbols.len()) {
            let mut part = |child: &crate::grammar::Child| {
                let symbol = *number_of.entry(child.symbol).or_insert_with(|| {
                    ids.push(child.symbol);
                    ids.len() - 1
                });
                SkeletonPart {
                    symbol,
                    is_adjacent: child.is_adjacent,
                }
            };
            let (mut productions, mut terminal) = (Vec::new(), None);
            match &grammar[id].kind {
                Kind::Nonterminal { .. } => {
                    for (choice, alternative) in (0..).zip(grammar.alternatives(id)) {
                        let parts = grammar
                            .children(alternative)
                            .iter()
                            .map(&mut part)
                            .collect();
                        productions.push(Production { choice, parts });
                    }
                }
                Kind::Repeat {
                    element,
                    at_least,
                    at_most,
                    ..
                } => {
                    let element = part(element);
                    for choice in *at_least..=(*at_most).min(at_least + 2) {
                        productions.push(Production {
                            choice,
                            parts: vec![element; choice as usize],
                        });
                    }
                }
                Kind::Lexeme { position, .. } => {
                    let of_grammar = grammar.boundaries.terminal(*position);
                    terminal = Some(*terminal_of.entry(of_grammar).or_insert_with(|| {
                        terminals.push(symbols.len());
                        terminals.len() - 1
                    }));
                }
                // Syntax rules have no other symbols.
                _ => {}
            }
            symbols.push(SkeletonSymbol {
                id,
                productions,
                terminal,
            });
        }
        Skeleton {
            grammar,
            symbols,
            terminals,
        }
    }

    /// Returns the number of each symbol.
    pub fn numbers(&self) -> HashMap<SymbolId, usize> {
        let ids = self.symbols.iter().map(|symbol| symbol.id);
        ids.zip(0..).collect()
    }

    /// Returns the first occurrence of a terminal, given any of its occurrences. Returns a
    /// nonterminal unchanged.
    pub fn same(&self, symbol: usize) -> usize {
        let terminal = self.symbols[symbol].terminal;
        terminal.map_or(symbol, |terminal| self.terminals[terminal])
    }

    /// Returns whether a symbol is the first occurrence of a terminal, or a nonterminal with a rule
    /// of its own.
    pub fn is_named(&self, symbol: usize) -> bool {
        let SkeletonSymbol { id, terminal, .. } = self.symbols[symbol];
        match terminal {
            Some(terminal) => self.terminals[terminal] == symbol,
            None => !self.grammar.label(id).contains('/'),
        }
    }

    /// Returns a readable description of a symbol.
    pub fn describe(&self, symbol: usize) -> String {
        self.grammar.describe(self.symbols[symbol].id)
    }

    /// Returns a readable description of a production, such as `stmt = "if" expr "then" stmt`.
    pub fn describe_production(&self, symbol: usize, production: usize) -> String {
        let (id, choice) = (
            self.symbols[symbol].id,
            self.symbols[symbol].productions[production].choice,
        );
        match self.grammar.alternatives(id).get(choice as usize) {
            Some(alternative) => format!(
                "{} = {}",
                self.grammar.label(id),
                self.grammar.describe_alternative(alternative)
            ),
            None => format!("{choice} elements of {}", self.describe(symbol)),
        }
    }

    /// Returns the name of the rule that contains a symbol.
    pub fn rule(&self, symbol: usize) -> &'g str {
        let label = self.grammar.label(self.symbols[symbol].id);
        label.split('/').next().unwrap_or(label)
    }

    /// Returns the cost of the smallest derivation of a symbol.
    fn cost(&self, symbol: usize) -> u64 {
        let minimum = self.grammar[self.symbols[symbol].id].minimum;
        u64::from(minimum.bytes) << 20 | u64::from(minimum.nodes)
    }

    /// Returns the cheapest path from a symbol to each other symbol, by Dijkstra's algorithm. The
    /// cost of a path is the size of the smallest text around it.
    pub fn paths_from(&self, from: usize) -> Paths {
        let mut last: Vec<Option<PathStep>> = vec![None; self.symbols.len()];
        let mut distance = vec![u64::MAX; self.symbols.len()];
        let mut open = BinaryHeap::from([(Reverse(0), from)]);
        distance[from] = 0;
        // The last step of the cheapest path of at least one step from the symbol to itself, and
        // its cost.
        let (mut around, mut cheapest) = (None, u64::MAX);
        while let Some((Reverse(reached), symbol)) = open.pop() {
            if reached > distance[symbol] {
                continue;
            }
            for (production, it) in self.symbols[symbol].productions.iter().enumerate() {
                let all = it.parts.iter().fold(1_u64, |sum, part| {
                    sum.saturating_add(self.cost(part.symbol))
                });
                for (part, child) in it.parts.iter().enumerate() {
                    let cost = reached.saturating_add(all - self.cost(child.symbol));
                    let step = PathStep {
                        symbol,
                        production,
                        part,
                    };
                    if child.symbol == from && cost < cheapest {
                        (around, cheapest) = (Some(step), cost);
                    }
                    if cost < distance[child.symbol] {
                        (distance[child.symbol], last[child.symbol]) = (cost, Some(step));
                        open.push((Reverse(cost), child.symbol));
                    }
                }
            }
        }
        Paths { from, last, around }
    }
}

/// The cheapest paths from one symbol to all others.
pub struct Paths {
    from: usize,
    /// For each symbol, the last step of the path to it. [`None`] for `from` and for symbols that
    /// cannot be reached.
    last: Vec<Option<PathStep>>,
    /// The last step of the cheapest path of at least one step from `from` to itself.
    around: Option<PathStep>,
}

impl Paths {
    /// Returns the path to a symbol, from its first step to its last. The path is empty for the
    /// symbol where all paths begin. Returns [`None`] if the symbol cannot be reached.
    pub fn to(&self, symbol: usize) -> Option<Vec<PathStep>> {
        let (mut steps, mut at) = (Vec::new(), symbol);
        while at != self.from {
            let step = self.last[at]?;
            steps.push(step);
            at = step.symbol;
        }
        steps.reverse();
        Some(steps)
    }

    /// Returns the path of at least one step to a symbol.
    pub fn down_to(&self, symbol: usize) -> Option<Vec<PathStep>> {
        if symbol != self.from {
            return self.to(symbol);
        }
        let last = self.around?;
        let mut steps = self.to(last.symbol)?;
        steps.push(last);
        Some(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_the_cheapest() {
        let source =
            r#"s = "long" a | b ; a = "x" c ; b = "y" "yyyyyyyyyyyyyyy" c ; c = "z" | "(" s ")" ;"#;
        let (grammar, _) =
            crate::notation::read("g", source.as_bytes(), &Default::default()).unwrap();
        let skeleton = Skeleton::new(&grammar);
        let number = |name: &str| {
            (0..skeleton.symbols.len())
                .find(|&at| skeleton.describe(at) == name)
                .unwrap()
        };
        let paths = skeleton.paths_from(0);
        let names = |path: Vec<PathStep>| {
            path.iter()
                .map(|step| skeleton.describe(step.symbol))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(paths.to(number("c")).unwrap()), ["s", "a"]);
        assert!(paths.to(0).unwrap().is_empty());
        assert_eq!(names(paths.down_to(0).unwrap()), ["s", "a", "c"]);
        assert!(skeleton.paths_from(number("\"z\"")).to(0).is_none());
    }

    #[test]
    fn repetitions_have_productions_for_the_minimum_number_of_elements_and_two_more() {
        for (source, choices) in [
            (r#"s = "a"* ;"#, &[0, 1, 2][..]),
            (r#"s = "a"{2} ;"#, &[2]),
            (r#"s = "a"{3,4} ;"#, &[3, 4]),
        ] {
            let (grammar, _) =
                crate::notation::read("g", source.as_bytes(), &Default::default()).unwrap();
            let skeleton = Skeleton::new(&grammar);
            let repetition = skeleton
                .symbols
                .iter()
                .find(|symbol| matches!(grammar[symbol.id].kind, Kind::Repeat { .. }));
            let found = repetition.map_or(Vec::new(), |it| {
                it.productions
                    .iter()
                    .map(|production| production.choice)
                    .collect()
            });
            assert_eq!(found, choices, "{source}");
        }
    }
}
