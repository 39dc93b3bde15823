//! Coverage of alternatives in context: context-dependent rule coverage, CDRC (Lämmel, *Grammar
//! Testing*, FASE 2001).
//!
//! A pair is an occurrence of a nonterminal in an alternative, and an alternative of that
//! nonterminal. Repetitions, tokens and names between the two are ignored. Pairs inside a layout
//! rule count, too. The layout rule itself occurs in no alternative, so it is not the child of a
//! pair.

use crate::derivation::Derivation;
use crate::grammar::{Grammar, Kind, SymbolId};

/// The coverage of the pairs of a grammar.
///
/// # Examples
///
/// ```
/// use zester::{Grammar, cover::Pairs, parameters};
///
/// let source = br#"s = item "," item ; item = "x" | "y" ;"#;
/// let grammar = Grammar::read("x.ebnf", source).unwrap();
/// let mut pairs = Pairs::new(&grammar);
/// pairs.add(&grammar, &parameters::sentence(&grammar, &Default::default(), &[0, 1]));
/// let used = pairs.pairs(&grammar).filter(|pair| pair.used && grammar.label(pair.child) == "item");
/// let used: Vec<(u32, u32)> = used.map(|pair| (pair.position, pair.choice)).collect();
/// // The first item is the first alternative, the second item the second.
/// assert_eq!(used, [(0, 0), (2, 1)]);
/// ```
#[derive(Clone, Debug)]
pub struct Pairs {
    /// For each child of the grammar: the nonterminal at this position, and the index of its first
    /// pair in `used`. [`None`] if there is no nonterminal at this position.
    positions: Vec<Option<(SymbolId, usize)>>,
    /// For each pair, whether a sentence used it.
    used: Vec<bool>,
    /// For each node of the current derivation: its position, as an index into the children of the
    /// grammar.
    position_of: Vec<u32>,
}

/// A pair: an occurrence of a nonterminal in an alternative, and an alternative of that
/// nonterminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The nonterminal whose alternative contains the occurrence.
    pub parent: SymbolId,
    /// The index of this alternative in the order of the grammar file, from 0.
    pub alternative: u32,
    /// The index of the symbol in this alternative, from 0.
    pub position: u32,
    /// The nonterminal that occurs there.
    pub child: SymbolId,
    /// The index of the alternative of `child` in the order of the grammar file, from 0.
    pub choice: u32,
    /// Whether a sentence used this alternative at this occurrence.
    pub used: bool,
}

/// Stands for no position. The root and layout tokens have no position.
const NO_POSITION: u32 = u32::MAX;

impl Pairs {
    /// Returns the coverage of no sentences.
    pub fn new(grammar: &Grammar) -> Pairs {
        let mut size = 0;
        let positions = grammar.children.iter().map(|child| {
            let nonterminal = nonterminal_of(grammar, child.symbol)?;
            let first = size;
            size += grammar.alternatives(nonterminal).len();
            Some((nonterminal, first))
        });
        let positions = positions.collect();
        Pairs {
            positions,
            used: vec![false; size],
            position_of: Vec::new(),
        }
    }

    /// Adds the pairs that a sentence uses.
    pub fn add(&mut self, grammar: &Grammar, derivation: &Derivation) {
        let nodes = derivation.nodes();
        self.position_of.clear();
        self.position_of.resize(nodes.len(), NO_POSITION);
        for (at, node) in nodes.iter().enumerate() {
            let position = self.position_of[at];
            match &grammar[node.symbol].kind {
                Kind::Nonterminal { alternatives, .. } => {
                    if let Some((_, first)) =
                        self.positions.get(position as usize).copied().flatten()
                    {
                        self.used[first + node.choice as usize] = true;
                    }
                    let children =
                        &grammar.alternatives[(alternatives.start + node.choice) as usize].children;
                    for (child, position) in derivation.children(at).zip(children.clone()) {
                        self.position_of[child] = position;
                    }
                }
                Kind::Repeat { .. } | Kind::Identifier { .. } => {
                    derivation
                        .children(at)
                        .for_each(|child| self.position_of[child] = position);
                }
                Kind::Lexeme { .. } => {
                    derivation
                        .children(at)
                        .skip(node.layout_tokens() as usize)
                        .for_each(|child| self.position_of[child] = position);
                }
                _ => {}
            }
        }
    }

    /// Returns all pairs of alternatives that are written in the grammar and that types allow. The
    /// copy of an alternative for undeclared names counts as the original alternative.
    pub fn pairs<'a>(&'a self, grammar: &'a Grammar) -> impl Iterator<Item = Pair> + 'a {
        let parents = (0..grammar.symbols().len() as u32).map(SymbolId);
        let alternatives = parents.flat_map(|parent| {
            grammar
                .listed(parent)
                .map(move |(_, written)| (parent, written))
        });
        alternatives.flat_map(move |(parent, written)| {
            let alternative = written.source.into_iter();
            let positions = alternative.flat_map(|alternative| {
                written
                    .children
                    .clone()
                    .zip(0..)
                    .map(move |at| (alternative, at))
            });
            positions.flat_map(move |(alternative, (child, position))| {
                self.positions[child as usize]
                    .into_iter()
                    .flat_map(move |(child, first)| {
                        grammar.listed(child).filter_map(move |(index, chosen)| {
                            let is_used = |index: u32| self.used[first + index as usize];
                            let used =
                                is_used(index) || grammar.copy(child, index).is_some_and(is_used);
                            chosen.source.map(|choice| Pair {
                                parent,
                                alternative,
                                position,
                                child,
                                choice,
                                used,
                            })
                        })
                    })
            })
        })
    }
}

/// Returns the nonterminal that a symbol is or contains, if there is exactly one.
fn nonterminal_of(grammar: &Grammar, symbol: SymbolId) -> Option<SymbolId> {
    match &grammar[symbol].kind {
        Kind::Nonterminal { .. } => Some(symbol),
        Kind::Repeat { element, .. } => nonterminal_of(grammar, element.symbol),
        Kind::Lexeme { body, .. } => nonterminal_of(grammar, *body),
        Kind::Identifier { escape, .. } => nonterminal_of(grammar, *escape),
        _ => None,
    }
}
