//! LibAFL's Nautilus: trees of rules, random subtrees, splices and recursions.

use std::hint::black_box;

use libafl::HasMetadata;
use libafl::corpus::InMemoryCorpus;
use libafl::feedbacks::NautilusChunksMetadata;
use libafl::generators::{Generator, NautilusContext, NautilusGenerator};
use libafl::inputs::NautilusInput;
use libafl::mutators::{Mutator, NautilusRandomMutator, NautilusRecursionMutator, NautilusSpliceMutator};
use libafl::state::{HasRand, StdState};
use libafl_bolts::nonzero;
use libafl_bolts::rands::{Rand, StdRand};

use crate::{Contestant, MUTATED, POOL, json};

type State = StdState<InMemoryCorpus<NautilusInput>, NautilusInput, StdRand, InMemoryCorpus<NautilusInput>>;

/// Nodes in a tree at most.
const MOST_NODES: usize = 8_000;

/// Recursions that make a sentence large, at most.
const GROWTH: usize = 64;

/// The rules, as Nautilus writes them.
pub fn context() -> NautilusContext {
    let mut rules = Vec::new();
    for production in json::productions() {
        let mut rule = production.text.replace('{', "\\{").replace('}', "\\}");
        for nonterminal in production.then {
            rule += &format!("{{{}}}", nonterminal.to_uppercase());
        }
        rules.extend((0..production.share).map(|_| (production.from.to_uppercase(), rule.clone())));
    }
    let rules: Vec<(&str, &[u8])> = rules.iter().map(|(from, rule)| (from.as_str(), rule.as_bytes())).collect();
    NautilusContext::with_rules(MOST_NODES, &rules).expect("rules")
}

fn state() -> State {
    StdState::new(StdRand::with_seed(1), InMemoryCorpus::new(), InMemoryCorpus::new(), &mut (), &mut ()).expect("a state")
}

pub(crate) fn contestants(all: &mut Vec<Contestant>, notes: &mut Vec<String>) {
    let context: &'static NautilusContext = Box::leak(Box::new(context()));
    let mut generator = NautilusGenerator::new(context);
    notes.push(format!("Nautilus: at most {MOST_NODES} nodes a tree"));

    let (mut own, mut generating, mut text) = (state(), generator.clone(), Vec::new());
    all.push(Contestant::new("Nautilus generate + unparse", POOL, move || {
        (0..POOL).fold(0, |bytes, _| {
            let input = generating.generate(&mut own).expect("an input");
            input.unparse(context, &mut text);
            bytes + black_box(&text).len()
        })
    }));

    for (size, sizes, count) in MUTATED {
        // Nautilus writes a file for every chunk that it may splice.
        let directory = std::env::temp_dir().join(format!("zester-bench-{}", std::process::id()));
        let mut chunks = NautilusChunksMetadata::new(directory.to_string_lossy().into_owned());
        let (mut state, mut text, mut pool) = (state(), Vec::new(), Vec::new());
        let (mut random, mut splice) = (NautilusRandomMutator::new(context), NautilusSpliceMutator::new(context));
        let mut recursion = NautilusRecursionMutator::new(context);
        // What is too small grows by recursion.
        while pool.len() < count {
            let mut input = generator.generate(&mut state).expect("an input");
            for _ in 0..GROWTH {
                input.unparse(context, &mut text);
                if text.len() >= *sizes.start() || recursion.mutate(&mut state, &mut input).is_err() {
                    break;
                }
            }
            if sizes.contains(&text.len()) {
                chunks.cks.add_tree(input.tree.clone(), &context.ctx);
                pool.push(input);
            }
        }
        let _ = std::fs::remove_dir_all(&directory);
        state.add_metadata(chunks);
        all.push(Contestant::new(format!("Nautilus mutate, {size}"), count, move || {
            pool.iter().fold(0, |bytes, input| {
                let mut input = input.clone();
                let result = match state.rand_mut().below(nonzero!(3)) {
                    0 => random.mutate(&mut state, &mut input),
                    1 => splice.mutate(&mut state, &mut input),
                    _ => recursion.mutate(&mut state, &mut input),
                };
                result.expect("a mutation");
                input.unparse(context, &mut text);
                bytes + black_box(&text).len()
            })
        }));
    }
}
