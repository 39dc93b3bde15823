//! Unit chains: sequences of steps that lead from a symbol to a symbol inside its derivation, with
//! as little other text as possible.
//!
//! For example, in `sum = product ( "+" product )*`, a `sum` may be a single `product`, and a
//! `product` may be a single factor. So a `product` or a factor can take the place of a `sum`.

use super::{SpliceBuffers, TreeView};
use crate::derive::Choice;
use crate::grammar::{Grammar, Kind, SymbolId};
use crate::parameters;

/// The steps of all unit chains of a grammar, and the chain that was searched last.
#[derive(Debug, Default)]
pub(super) struct UnitChains {
    /// The fingerprint of the grammar. [`None`] if there is no grammar yet.
    fingerprint: Option<u64>,
    /// The steps from every symbol.
    steps: Vec<Vec<UnitStep>>,
    /// In a search, for each symbol: the symbol from which it was reached first, and the step.
    reached: Vec<Option<(SymbolId, UnitStep)>>,
    /// In a search, the symbols that were reached, in order.
    queue: Vec<SymbolId>,
    /// The chain that was found last.
    chain: Vec<(SymbolId, UnitStep)>,
}

/// A step of a chain: from a nonterminal to a child of an alternative, or from a repetition to its
/// only element.
#[derive(Clone, Copy, Debug)]
struct UnitStep {
    /// The alternative of a nonterminal, or the count of a repetition, which is 1.
    choice: u32,
    /// The index of the child in the alternative.
    child: u32,
    /// The symbol of the child.
    symbol: SymbolId,
}

impl UnitChains {
    fn new(grammar: &Grammar) -> UnitChains {
        let steps = grammar
            .symbols()
            .iter()
            .enumerate()
            .map(|(at, symbol)| match &symbol.kind {
                Kind::Nonterminal { .. } => {
                    let mut steps = Vec::new();
                    for (choice, alternative) in
                        (0..).zip(grammar.alternatives(SymbolId(at as u32)))
                    {
                        let children = grammar.children(alternative);
                        for (child, own) in (0..).zip(children) {
                            if alternative.minimum.is_finite()
                                && grammar[own.symbol].min_bytes == alternative.min_bytes
                            {
                                steps.push(UnitStep {
                                    choice,
                                    child,
                                    symbol: own.symbol,
                                });
                            }
                        }
                    }
                    steps
                }
                Kind::Repeat {
                    element,
                    at_least: 0 | 1,
                    ..
                } => vec![UnitStep {
                    choice: 1,
                    child: 0,
                    symbol: element.symbol,
                }],
                _ => Vec::new(),
            });
        UnitChains {
            fingerprint: Some(grammar.fingerprint()),
            steps: steps.collect(),
            ..UnitChains::default()
        }
    }

    /// Returns the chains of a grammar. Computes them if the grammar is not that of the last call.
    pub fn of(&mut self, grammar: &Grammar) -> &mut UnitChains {
        if self.fingerprint != Some(grammar.fingerprint()) {
            *self = UnitChains::new(grammar);
        }
        self
    }

    /// Searches for the shortest chain from the symbol `outer` to the symbol `inner`. Returns
    /// whether there is one.
    pub fn find(&mut self, outer: SymbolId, inner: SymbolId) -> bool {
        self.reached.clear();
        self.reached.resize(self.steps.len(), None);
        self.queue.clear();
        self.queue.push(outer);
        let mut next = 0;
        while outer != inner && self.reached[inner.0 as usize].is_none() {
            let Some(&from) = self.queue.get(next) else {
                return false;
            };
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
            let Some((from, step)) = self.reached[at.0 as usize] else {
                return false;
            };
            self.chain.push((from, step));
            at = from;
        }
        self.chain.reverse();
        true
    }

    /// Appends the parameters of the chain that was found last, with the subtree of the node
    /// `inner` at its end. Other subtrees that the chain contains are the simplest ones of their
    /// symbols.
    pub fn write(
        &self,
        view: &TreeView<'_>,
        buffers: &mut SpliceBuffers,
        inner: usize,
        bytes: &mut Vec<u8>,
    ) {
        for &(symbol, step) in &self.chain {
            match &view.grammar[symbol].kind {
                Kind::Nonterminal { .. } => {
                    let options = view.grammar.alternatives(symbol).len() as u32;
                    if options > 1 {
                        parameters::write_choice(
                            Choice::Alternative { options },
                            step.choice,
                            bytes,
                        );
                    }
                    siblings(view, symbol, step)
                        .0
                        .for_each(|sibling| buffers.write_simplest(view, sibling, bytes));
                }
                &Kind::Repeat {
                    at_least, at_most, ..
                } if at_most > at_least => {
                    parameters::write_choice(Choice::Count { at_least }, step.choice, bytes);
                }
                _ => (),
            }
        }
        bytes.extend_from_slice(view.part(inner));
        for &(symbol, step) in self.chain.iter().rev() {
            siblings(view, symbol, step)
                .1
                .for_each(|sibling| buffers.write_simplest(view, sibling, bytes));
        }
    }
}

/// Returns the symbols of the siblings before and after the child of a step.
fn siblings<'g>(
    view: &TreeView<'g>,
    symbol: SymbolId,
    step: UnitStep,
) -> (
    impl Iterator<Item = SymbolId> + use<'g>,
    impl Iterator<Item = SymbolId> + use<'g>,
) {
    let alternative = view.grammar.alternatives(symbol).get(step.choice as usize);
    let children = alternative.map_or(&[][..], |alternative| view.grammar.children(alternative));
    let (before, after) = children.split_at(children.len().min(step.child as usize));
    (
        before.iter().map(|child| child.symbol),
        after.iter().skip(1).map(|child| child.symbol),
    )
}
