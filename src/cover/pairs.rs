//! Which alternatives were used in which context: context-dependent rule coverage, CDRC (Lämmel, *Grammar Testing*, FASE 2001).
//!
//! A pair is a place of a nonterminal in an alternative, and an alternative of that nonterminal. Repetitions, tokens and names
//! between the two are passed over; layout has no place.

use crate::derivation::Derivation;
use crate::grammar::{Grammar, Kind, SymbolId};

/// Which pairs were used.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// For each of the grammar's children, by its index, the nonterminal it leads to and where its pairs begin in `used`.
    places: Vec<Option<(SymbolId, usize)>>,
    used: Vec<bool>,
    /// The place above each node of the derivation at hand.
    above: Vec<u32>,
}

/// One pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The nonterminal that the place is in.
    pub parent: SymbolId,
    /// Which of its alternatives, as written, from 0.
    pub alternative: u32,
    /// Which symbol of that alternative, from 0.
    pub position: u32,
    /// The nonterminal at that place.
    pub child: SymbolId,
    /// Which of its alternatives, as written, from 0.
    pub choice: u32,
    /// Whether that was used there.
    pub used: bool,
}

/// Above the root and above layout.
const NOWHERE: u32 = u32::MAX;

impl Pairs {
    /// The coverage of no sentences.
    pub fn new(grammar: &Grammar) -> Pairs {
        let mut size = 0;
        let places = grammar.children.iter().map(|child| {
            let nonterminal = leads_to(grammar, child.symbol)?;
            let first = size;
            size += grammar.alternatives(nonterminal).len();
            Some((nonterminal, first))
        });
        let places = places.collect();
        Pairs { places, used: vec![false; size], above: Vec::new() }
    }

    /// Adds what a sentence uses.
    pub fn add(&mut self, grammar: &Grammar, derivation: &Derivation) {
        let nodes = derivation.nodes();
        self.above.clear();
        self.above.resize(nodes.len(), NOWHERE);
        for (at, node) in nodes.iter().enumerate() {
            let place = self.above[at];
            match &grammar[node.symbol].kind {
                Kind::Nonterminal { alternatives, .. } => {
                    if let Some((_, first)) = self.places.get(place as usize).copied().flatten() {
                        self.used[first + node.choice as usize] = true;
                    }
                    let children = &grammar.alternatives[(alternatives.start + node.choice) as usize].children;
                    for (child, place) in derivation.children(at).zip(children.clone()) {
                        self.above[child] = place;
                    }
                }
                Kind::Repeat { .. } | Kind::Identifier { .. } => {
                    derivation.children(at).for_each(|child| self.above[child] = place);
                }
                Kind::Lexeme { .. } => {
                    derivation.children(at).skip(node.pieces() as usize).for_each(|child| self.above[child] = place);
                }
                _ => {}
            }
        }
    }

    /// All pairs between alternatives that somebody wrote.
    pub fn pairs<'a>(&'a self, grammar: &'a Grammar) -> impl Iterator<Item = Pair> + 'a {
        let parents = (0..grammar.symbols().len() as u32).map(SymbolId);
        let alternatives = parents.flat_map(|parent| grammar.alternatives(parent).iter().map(move |written| (parent, written)));
        alternatives.flat_map(move |(parent, written)| {
            let alternative = written.source.into_iter();
            let places = alternative.flat_map(|alternative| written.children.clone().zip(0..).map(move |at| (alternative, at)));
            places.flat_map(move |(alternative, (place, position))| {
                self.places[place as usize].into_iter().flat_map(move |(child, first)| {
                    let choices = grammar.alternatives(child).iter().zip(first..);
                    choices.filter_map(move |(chosen, at)| {
                        let used = self.used[at];
                        chosen.source.map(|choice| Pair { parent, alternative, position, child, choice, used })
                    })
                })
            })
        })
    }
}

/// The nonterminal at a place, if it is one.
fn leads_to(grammar: &Grammar, symbol: SymbolId) -> Option<SymbolId> {
    match &grammar[symbol].kind {
        Kind::Nonterminal { .. } => Some(symbol),
        Kind::Repeat { element, .. } => leads_to(grammar, element.symbol),
        Kind::Lexeme { body, .. } => leads_to(grammar, *body),
        Kind::Identifier { escape, .. } => leads_to(grammar, *escape),
        _ => None,
    }
}
