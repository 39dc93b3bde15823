//! LibAFL's Gramatron: random walks over an automaton; mutations by random tails, splices and
//! recursions.

use std::collections::HashMap;

use libafl::corpus::{Corpus, InMemoryCorpus, Testcase};
use libafl::generators::{Automaton, Generator, GramatronGenerator, Trigger};
use libafl::inputs::GramatronInput;
use libafl::mutators::{
    GramatronRandomMutator, GramatronRecursionMutator, GramatronSpliceMutator, Mutator,
};
use libafl::state::{HasCorpus, HasRand, StdState};
use libafl_bolts::nonzero;
use libafl_bolts::rands::{Rand, StdRand};

use crate::Contestant;
use crate::json::{self, Production};
use crate::peer::{self, Operator, Peer};

type State = StdState<
    InMemoryCorpus<GramatronInput>,
    GramatronInput,
    StdRand,
    InMemoryCorpus<GramatronInput>,
>;

/// The maximum number of open nonterminals. It bounds the nesting, because Gramatron's automata are
/// finite.
const MOST_OPEN: usize = 9;

/// Returns the automaton whose states are stacks of open nonterminals, as Gramatron's own
/// preprocessing constructs it.
pub fn automaton() -> Automaton {
    let productions = json::productions();
    let mut of: HashMap<&str, Vec<&Production>> = HashMap::new();
    for production in &productions {
        of.entry(production.from).or_default().push(production);
    }
    // The last nonterminal of a stack is expanded next. State 0 is the final state.
    let mut stacks: Vec<Vec<&str>> = vec![vec![], vec![json::START]];
    let mut states: HashMap<Vec<&str>, usize> = stacks
        .iter()
        .cloned()
        .enumerate()
        .map(|(at, stack)| (stack, at))
        .collect();
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
                triggers.extend((0..production.share).map(|_| Trigger {
                    dest,
                    term: production.text.clone(),
                }));
            }
            assert!(
                !triggers.is_empty(),
                "a stack that no production fits: {stack:?}"
            );
        }
        pda.push(triggers);
    }
    Automaton {
        final_state: 0,
        init_state: 1,
        pda,
    }
}

struct Gramatron {
    generator: GramatronGenerator<'static, State>,
    state: State,
    random: GramatronRandomMutator<'static, State>,
}

impl Peer for Gramatron {
    type Input = GramatronInput;

    fn generate(&mut self) -> GramatronInput {
        self.generator.generate(&mut self.state).expect("an input")
    }

    fn unparse(&self, input: &GramatronInput, text: &mut Vec<u8>) {
        input.unparse(text);
    }

    fn mutate(&mut self, operator: Operator, input: &mut GramatronInput) -> bool {
        let state = &mut self.state;
        let result = match operator {
            Operator::Random => self.random.mutate(state, input),
            Operator::Splice => GramatronSpliceMutator::new().mutate(state, input),
            Operator::Recursion => GramatronRecursionMutator::new().mutate(state, input),
        };
        result.is_ok()
    }

    fn keep(&mut self, input: &GramatronInput) {
        self.state
            .corpus_mut()
            .add(Testcase::new(input.clone()))
            .expect("a corpus in memory");
    }

    fn choose(&mut self) -> usize {
        self.state.rand_mut().below(nonzero!(3))
    }
}

pub(crate) fn contestants(all: &mut Vec<Contestant>, notes: &mut Vec<String>) {
    let automaton: &'static Automaton = Box::leak(Box::new(automaton()));
    let triggers: usize = automaton.pda.iter().map(Vec::len).sum();
    notes.push(format!(
        "Gramatron: {} states, {triggers} triggers",
        automaton.pda.len()
    ));
    let generator: &'static GramatronGenerator<'static, State> =
        Box::leak(Box::new(GramatronGenerator::new(automaton)));
    let new = || Gramatron {
        generator: generator.clone(),
        state: StdState::new(
            StdRand::with_seed(1),
            InMemoryCorpus::new(),
            InMemoryCorpus::new(),
            &mut (),
            &mut (),
        )
        .expect("a state"),
        random: GramatronRandomMutator::new(generator),
    };
    peer::contestants("Gramatron", new, all);
}
