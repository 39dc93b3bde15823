//! LibAFL's Gramatron: random walks over an automaton, random tails, splices and recursions.

use std::collections::HashMap;
use std::hint::black_box;

use libafl::corpus::{Corpus, InMemoryCorpus, Testcase};
use libafl::generators::{Automaton, Generator, GramatronGenerator, Trigger};
use libafl::inputs::GramatronInput;
use libafl::mutators::{GramatronRandomMutator, GramatronRecursionMutator, GramatronSpliceMutator, Mutator};
use libafl::state::{HasCorpus, HasRand, StdState};
use libafl_bolts::nonzero;
use libafl_bolts::rands::{Rand, StdRand};

use crate::json::{self, Production};
use crate::{Contestant, MUTATED, POOL};

type State = StdState<InMemoryCorpus<GramatronInput>, GramatronInput, StdRand, InMemoryCorpus<GramatronInput>>;

/// Open nonterminals at most: Gramatron's automata are finite, so its nesting is.
const MOST_OPEN: usize = 9;

/// Recursions that make a sentence large, at most.
const GROWTH: usize = 64;

/// The automaton whose states are stacks of open nonterminals, as Gramatron's own preprocessing makes it.
pub fn automaton() -> Automaton {
    let productions = json::productions();
    let mut of: HashMap<&str, Vec<&Production>> = HashMap::new();
    for production in &productions {
        of.entry(production.from).or_default().push(production);
    }
    // The last of a stack is expanded next. State 0 is the final one.
    let mut stacks: Vec<Vec<&str>> = vec![vec![], vec![json::START]];
    let mut states: HashMap<Vec<&str>, usize> = stacks.iter().cloned().enumerate().map(|(at, stack)| (stack, at)).collect();
    let mut pda = Vec::new();
    while let Some(stack) = stacks.get(pda.len()).cloned() {
        let mut triggers = Vec::new();
        if let Some((top, open)) = stack.split_last() {
            for production in &of[top] {
                let mut next = open.to_vec();
                next.extend(production.then.iter().rev());
                if next.len() > MOST_OPEN {
                    continue;
                }
                let dest = *states.entry(next).or_insert_with_key(|next| {
                    stacks.push(next.clone());
                    stacks.len() - 1
                });
                triggers.extend((0..production.share).map(|_| Trigger { dest, term: production.text.clone() }));
            }
            assert!(!triggers.is_empty(), "a stack that no production fits: {stack:?}");
        }
        pda.push(triggers);
    }
    Automaton { final_state: 0, init_state: 1, pda }
}

fn state() -> State {
    StdState::new(StdRand::with_seed(1), InMemoryCorpus::new(), InMemoryCorpus::new(), &mut (), &mut ()).expect("a state")
}

pub(crate) fn contestants(all: &mut Vec<Contestant>, notes: &mut Vec<String>) {
    let automaton: &'static Automaton = Box::leak(Box::new(automaton()));
    let triggers: usize = automaton.pda.iter().map(Vec::len).sum();
    notes.push(format!("Gramatron: {} states, {triggers} triggers", automaton.pda.len()));
    let generator: &'static GramatronGenerator<'static, State> = Box::leak(Box::new(GramatronGenerator::new(automaton)));

    let (mut own, mut generating, mut text) = (state(), generator.clone(), Vec::new());
    all.push(Contestant::new("Gramatron generate + unparse", POOL, move || {
        (0..POOL).fold(0, |bytes, _| {
            let input = generating.generate(&mut own).expect("an input");
            input.unparse(&mut text);
            bytes + black_box(&text).len()
        })
    }));

    for (size, sizes, count) in MUTATED {
        let (mut state, mut text, mut generating) = (state(), Vec::new(), generator.clone());
        let (mut random, mut splice) = (GramatronRandomMutator::new(generator), GramatronSpliceMutator::new());
        let mut recursion = GramatronRecursionMutator::new();
        // What is too small grows by recursion.
        while state.corpus().count() < count {
            let mut input = generating.generate(&mut state).expect("an input");
            for _ in 0..GROWTH {
                input.unparse(&mut text);
                if text.len() >= *sizes.start() || recursion.mutate(&mut state, &mut input).is_err() {
                    break;
                }
            }
            if sizes.contains(&text.len()) {
                state.corpus_mut().add(Testcase::new(input)).expect("a corpus in memory");
            }
        }
        let pool: Vec<GramatronInput> =
            (0..count).map(|at| state.corpus().cloned_input_for_id(state.corpus().nth(at)).expect("an input")).collect();
        all.push(Contestant::new(format!("Gramatron mutate, {size}"), count, move || {
            pool.iter().fold(0, |bytes, input| {
                let mut input = input.clone();
                let result = match state.rand_mut().below(nonzero!(3)) {
                    0 => random.mutate(&mut state, &mut input),
                    1 => splice.mutate(&mut state, &mut input),
                    _ => recursion.mutate(&mut state, &mut input),
                };
                result.expect("a mutation");
                input.unparse(&mut text);
                bytes + black_box(&text).len()
            })
        }));
    }
}
