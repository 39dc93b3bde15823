//! LibAFL's Nautilus: trees of rules; mutations by random subtrees, splices and recursions.

use std::path::PathBuf;

use libafl::HasMetadata;
use libafl::corpus::InMemoryCorpus;
use libafl::feedbacks::NautilusChunksMetadata;
use libafl::generators::{Generator, NautilusContext, NautilusGenerator};
use libafl::inputs::NautilusInput;
use libafl::mutators::{
    Mutator, NautilusRandomMutator, NautilusRecursionMutator, NautilusSpliceMutator,
};
use libafl::state::{HasRand, StdState};
use libafl_bolts::nonzero;
use libafl_bolts::rands::{Rand, StdRand};

use crate::peer::{self, Operator, Peer};
use crate::{Contestant, json};

type State =
    StdState<InMemoryCorpus<NautilusInput>, NautilusInput, StdRand, InMemoryCorpus<NautilusInput>>;

/// The maximum number of nodes in a tree.
const MOST_NODES: usize = 8_000;

/// Returns the rules in Nautilus' notation.
pub fn context() -> NautilusContext {
    let mut rules = Vec::new();
    for production in json::productions() {
        let mut rule = production.text.replace('{', "\\{").replace('}', "\\}");
        for nonterminal in production.then {
            rule += &format!("{{{}}}", nonterminal.to_uppercase());
        }
        rules.extend((0..production.share).map(|_| (production.from.to_uppercase(), rule.clone())));
    }
    let rules: Vec<(&str, &[u8])> = rules
        .iter()
        .map(|(from, rule)| (from.as_str(), rule.as_bytes()))
        .collect();
    NautilusContext::with_rules(MOST_NODES, &rules).expect("rules")
}

struct Nautilus {
    context: &'static NautilusContext,
    state: State,
}

impl Peer for Nautilus {
    type Input = NautilusInput;

    fn generate(&mut self) -> NautilusInput {
        NautilusGenerator::new(self.context)
            .generate(&mut self.state)
            .expect("an input")
    }

    fn unparse(&self, input: &NautilusInput, text: &mut Vec<u8>) {
        input.unparse(self.context, text);
    }

    fn mutate(&mut self, operator: Operator, input: &mut NautilusInput) -> bool {
        let (context, state) = (self.context, &mut self.state);
        let result = match operator {
            Operator::Random => NautilusRandomMutator::new(context).mutate(state, input),
            Operator::Splice => NautilusSpliceMutator::new(context).mutate(state, input),
            Operator::Recursion => NautilusRecursionMutator::new(context).mutate(state, input),
        };
        result.is_ok()
    }

    fn keep(&mut self, input: &NautilusInput) {
        let chunks = self
            .state
            .metadata_mut::<NautilusChunksMetadata>()
            .expect("chunks");
        chunks.cks.add_tree(input.tree.clone(), &self.context.ctx);
    }

    fn choose(&mut self) -> usize {
        self.state.rand_mut().below(nonzero!(3))
    }
}

impl Drop for Nautilus {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(directory());
    }
}

/// Nautilus writes a file for every chunk that it may splice.
fn directory() -> PathBuf {
    std::env::temp_dir().join(format!("zester-bench-{}", std::process::id()))
}

pub(crate) fn contestants(all: &mut Vec<Contestant>, notes: &mut Vec<String>) {
    let context: &'static NautilusContext = Box::leak(Box::new(context()));
    notes.push(format!("Nautilus: at most {MOST_NODES} nodes a tree"));
    let new = || {
        let mut state = StdState::new(
            StdRand::with_seed(1),
            InMemoryCorpus::new(),
            InMemoryCorpus::new(),
            &mut (),
            &mut (),
        )
        .expect("a state");
        state.add_metadata(NautilusChunksMetadata::new(
            directory().to_string_lossy().into_owned(),
        ));
        Nautilus { context, state }
    };
    peer::contestants("Nautilus", new, all);
}
