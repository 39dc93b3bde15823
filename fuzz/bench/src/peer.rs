//! The common part of LibAFL's two grammar-based fuzzers: generation, and random mutation by
//! splices and recursions.

use std::hint::black_box;

use crate::{Contestant, MUTATED, POOL};

/// The maximum number of recursions that enlarge a sentence.
const GROWTH: usize = 64;

/// The mutators of both peers.
#[derive(Clone, Copy)]
pub(crate) enum Operator {
    Random,
    Splice,
    Recursion,
}

/// One of the two peers, with its state.
pub(crate) trait Peer: 'static {
    type Input: Clone + 'static;

    fn generate(&mut self) -> Self::Input;

    /// Returns the text of an input.
    fn unparse(&self, input: &Self::Input, text: &mut Vec<u8>);

    /// Returns whether the mutator could be applied.
    fn mutate(&mut self, operator: Operator, input: &mut Self::Input) -> bool;

    /// Adds an input to those that splices take subtrees from.
    fn keep(&mut self, input: &Self::Input);

    /// Returns a random number below 3.
    fn choose(&mut self) -> usize;
}

/// Adds contestants for generation, and for mutation at every size.
pub(crate) fn contestants<P: Peer>(name: &str, new: impl Fn() -> P, all: &mut Vec<Contestant>) {
    let (mut peer, mut text) = (new(), Vec::new());
    all.push(Contestant::new(
        format!("{name} generate + unparse"),
        POOL,
        move || {
            (0..POOL).fold(0, |bytes, _| {
                let input = peer.generate();
                peer.unparse(&input, &mut text);
                bytes + black_box(&text).len()
            })
        },
    ));

    for (size, sizes, count) in MUTATED {
        let (mut peer, mut text, mut pool) = (new(), Vec::new(), Vec::new());
        while pool.len() < count {
            let mut input = peer.generate();
            // A sentence that is too small grows by recursion.
            for _ in 0..GROWTH {
                peer.unparse(&input, &mut text);
                if text.len() >= *sizes.start() || !peer.mutate(Operator::Recursion, &mut input) {
                    break;
                }
            }
            if sizes.contains(&text.len()) {
                peer.keep(&input);
                pool.push(input);
            }
        }
        all.push(Contestant::new(
            format!("{name} mutate, {size}"),
            count,
            move || {
                pool.iter().fold(0, |bytes, input| {
                    let mut input = input.clone();
                    let operator =
                        [Operator::Random, Operator::Splice, Operator::Recursion][peer.choose()];
                    peer.mutate(operator, &mut input);
                    peer.unparse(&input, &mut text);
                    bytes + black_box(&text).len()
                })
            },
        ));
    }
}
