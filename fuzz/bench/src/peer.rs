//! What LibAFL's two fuzzers of trees have in common: they generate, and mutate at random, by splices and by recursions.

use std::hint::black_box;

use crate::{Contestant, MUTATED, POOL};

/// Recursions that make a sentence large, at most.
const GROWTH: usize = 64;

/// The mutators of both.
#[derive(Clone, Copy)]
pub(crate) enum Operator {
    Random,
    Splice,
    Recursion,
}

/// One of the two, with a state of its own.
pub(crate) trait Peer: 'static {
    type Input: Clone + 'static;

    fn generate(&mut self) -> Self::Input;

    /// Makes it the text of an input.
    fn unparse(&self, input: &Self::Input, text: &mut Vec<u8>);

    /// Whether the mutator could be applied.
    fn mutate(&mut self, operator: Operator, input: &mut Self::Input) -> bool;

    /// Splices take from what is kept.
    fn keep(&mut self, input: &Self::Input);

    /// A number below 3.
    fn choose(&mut self) -> usize;
}

/// Adds generation and mutation at every size.
pub(crate) fn contestants<P: Peer>(name: &str, new: impl Fn() -> P, all: &mut Vec<Contestant>) {
    let (mut peer, mut text) = (new(), Vec::new());
    all.push(Contestant::new(format!("{name} generate + unparse"), POOL, move || {
        (0..POOL).fold(0, |bytes, _| {
            let input = peer.generate();
            peer.unparse(&input, &mut text);
            bytes + black_box(&text).len()
        })
    }));

    for (size, sizes, count) in MUTATED {
        let (mut peer, mut text, mut pool) = (new(), Vec::new(), Vec::new());
        while pool.len() < count {
            let mut input = peer.generate();
            // What is too small grows by recursion.
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
        all.push(Contestant::new(format!("{name} mutate, {size}"), count, move || {
            pool.iter().fold(0, |bytes, input| {
                let mut input = input.clone();
                let operator = [Operator::Random, Operator::Splice, Operator::Recursion][peer.choose()];
                peer.mutate(operator, &mut input);
                peer.unparse(&input, &mut text);
                bytes + black_box(&text).len()
            })
        }));
    }
}
