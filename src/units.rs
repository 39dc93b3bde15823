//! Unit chains: how a symbol derives another one and no other text.
//!
//! `sum = product ("+" product)*` derives a `product` alone, and through it whatever `product` derives alone. So what is inside
//! of a subtree can take its place although it is not of the same symbol.

use crate::derivation::Derivation;
use crate::derive::{Choice, Workspace};
use crate::grammar::{Grammar, Kind, SymbolId};
use crate::parameters::{self, Settings};

/// What symbols derive, other text left out.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// Whose.
    fingerprint: Option<u64>,
    /// Of every symbol.
    steps: Vec<Vec<Step>>,
    /// In a search: from which symbol a symbol was reached first, and how.
    reached: Vec<Option<(SymbolId, Step)>>,
    queue: Vec<SymbolId>,
    chain: Vec<(SymbolId, Step)>,
    workspace: Workspace,
    derivation: Derivation,
}

/// One of the children of an alternative, or the only element of a repetition.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The alternative, or 1.
    choice: u32,
    /// Which child.
    child: u32,
    symbol: SymbolId,
}

impl Units {
    /// Looks at all symbols of a grammar.
    pub fn new(grammar: &Grammar) -> Units {
        let steps = grammar.symbols().iter().enumerate().map(|(at, symbol)| match &symbol.kind {
            Kind::Nonterminal { .. } => {
                let mut steps = Vec::new();
                for (choice, alternative) in (0..).zip(grammar.alternatives(SymbolId(at as u32))) {
                    let children = grammar.children(alternative);
                    for (child, own) in (0..).zip(children) {
                        if grammar[own.symbol].shortest == alternative.shortest {
                            steps.push(Step { choice, child, symbol: own.symbol });
                        }
                    }
                }
                steps
            }
            Kind::Repeat { element, at_least: 0 | 1, .. } => vec![Step { choice: 1, child: 0, symbol: element.symbol }],
            _ => Vec::new(),
        });
        Units { fingerprint: Some(grammar.fingerprint()), steps: steps.collect(), ..Units::default() }
    }

    /// Whether it is this grammar that was looked at.
    pub fn is_of(&self, grammar: &Grammar) -> bool {
        self.fingerprint == Some(grammar.fingerprint())
    }

    /// Appends parameters of `outer`, a subtree of `inner` with the parameters `part` and no other text; whether there is a way.
    /// It is the shortest one.
    pub fn wrap(
        &mut self,
        grammar: &Grammar,
        settings: &Settings,
        outer: SymbolId,
        inner: SymbolId,
        part: &[u8],
        bytes: &mut Vec<u8>,
    ) -> bool {
        if !self.find(outer, inner) {
            return false;
        }
        self.open(grammar, settings, 0, part, bytes);
        true
    }

    /// Finds the chain.
    fn find(&mut self, outer: SymbolId, inner: SymbolId) -> bool {
        self.reached.clear();
        self.reached.resize(self.steps.len(), None);
        self.queue.clear();
        self.queue.push(outer);
        let mut next = 0;
        while outer != inner && self.reached[inner.0 as usize].is_none() {
            let Some(&from) = self.queue.get(next) else { return false };
            next += 1;
            for &step in &self.steps[from.0 as usize] {
                let reached = &mut self.reached[step.symbol.0 as usize];
                if reached.is_none() && step.symbol != outer {
                    *reached = Some((from, step));
                    self.queue.push(step.symbol);
                }
            }
        }
        self.chain.clear();
        let mut at = inner;
        while at != outer {
            let Some((from, step)) = self.reached[at.0 as usize] else { return false };
            self.chain.push((from, step));
            at = from;
        }
        self.chain.reverse();
        true
    }

    /// Writes the chain from one of its links on.
    fn open(&mut self, grammar: &Grammar, settings: &Settings, link: usize, part: &[u8], bytes: &mut Vec<u8>) {
        let Some(&(symbol, Step { choice, child, .. })) = self.chain.get(link) else {
            bytes.extend_from_slice(part);
            return;
        };
        match &grammar[symbol].kind {
            Kind::Nonterminal { .. } => {
                let alternatives = grammar.alternatives(symbol);
                if alternatives.len() > 1 {
                    parameters::write_choice(Choice::Alternative { options: alternatives.len() as u32 }, choice, bytes);
                }
                for (at, own) in (0..).zip(grammar.children(&alternatives[choice as usize])) {
                    if at == child {
                        self.open(grammar, settings, link + 1, part, bytes);
                    } else {
                        let Units { workspace, derivation, .. } = self;
                        parameters::write_simplest(grammar, own.symbol, settings, workspace, derivation, bytes);
                    }
                }
            }
            &Kind::Repeat { at_least, at_most, .. } => {
                if at_most > at_least {
                    parameters::write_choice(Choice::Count { at_least }, 1, bytes);
                }
                self.open(grammar, settings, link + 1, part, bytes);
            }
            _ => (),
        }
    }
}
