//! Feedback of a campaign to the mutators: which mutators' results libFuzzer kept, which inputs were valid, and the pool of
//! subtrees.
//!
//! libFuzzer has no interface that reports which inputs it keeps. But it passes only kept inputs to the mutator as parents.

use super::hash::hash;
use super::pool::Pool;
use super::schedule::Schedule;
use super::{ALIASES, MUTATORS};
use crate::grammar::Grammar;
use crate::parameters::Tree;
use crate::validity::RunFeedback;

/// The number of results that are remembered, and of valid inputs, and of parents.
const REMEMBERED: usize = 1 << 16;

/// Four numbers for every mutator, in the order of [`MUTATORS`]:
///
/// 1. how often it was tried,
/// 2. how often it changed the sentence,
/// 3. how many of its results reached an edge for the first time, or for the first time with a valid input,
/// 4. how many of its results libFuzzer kept.
pub type Figures = [[u64; 4]; MUTATORS.len()];

/// The feedback that mutators get from a campaign.
#[doc(hidden)]
#[derive(Debug)]
pub struct MutatorFeedback {
    pub(super) pool: Pool,
    pub(super) schedule: Schedule,
    figures: Figures,
    /// The mutator that made the last result, or none if that result has been run.
    last: Option<usize>,
    /// A hash table of results. An entry has the upper bits of the result's hash and, in the lowest 8 bits, the index of the
    /// mutator that made it.
    results: Box<[u64]>,
    /// A hash table of the hashes of valid inputs.
    valid: Box<[u64]>,
    /// A hash table of the hashes of inputs whose subtrees were added to the pool.
    learned: Box<[u64]>,
}

/// The mask of the lowest 8 bits of an entry in `results`, which hold the index of a mutator.
const LOW: u64 = 0xFF;

impl MutatorFeedback {
    /// Returns feedback without any runs. Without a grammar, the pool has no room for subtrees.
    pub fn new<'g>(grammar: impl Into<Option<&'g Grammar>>) -> MutatorFeedback {
        let remembered = || vec![0; REMEMBERED].into_boxed_slice();
        MutatorFeedback {
            pool: grammar.into().map_or(Pool::default(), Pool::new),
            schedule: Schedule::new(MUTATORS.map(|mutator| mutator.share)),
            figures: Figures::default(),
            last: None,
            results: remembered(),
            valid: remembered(),
            learned: remembered(),
        }
    }

    /// Restricts the mutators to those in `names`, which are separated by commas. Former names are accepted.
    ///
    /// # Errors
    /// If a name is unknown. The message lists the names of all mutators.
    pub fn take_only(&mut self, names: &str) -> Result<(), String> {
        let mut shares = [0; MUTATORS.len()];
        for name in names.split(',').map(str::trim) {
            let name = ALIASES.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new);
            let Some(at) = MUTATORS.iter().position(|mutator| mutator.name == name) else {
                let all: Vec<&str> = MUTATORS.iter().map(|mutator| mutator.name).collect();
                return Err(format!("unknown mutator `{name}`; the mutators are {}", all.join(", ")));
            };
            shares[at] = MUTATORS[at].share.max(1);
        }
        self.schedule = Schedule::new(shares);
        Ok(())
    }

    /// Fixes the shares of the mutators, so that they no longer adapt.
    pub fn fix_shares(&mut self) {
        self.schedule.adapts = false;
    }

    /// Records the outcome of running an input. It is credited to the mutator that made the last result.
    pub fn ran(&mut self, input: &[u8], outcome: RunFeedback) {
        if let Some(mutator) = self.last.take() {
            self.figures[mutator][2] += u64::from(outcome.found);
            self.schedule.record(mutator, outcome.bytes, outcome.found);
        }
        if outcome.valid {
            let hash = hash(input);
            self.valid[slot(hash)] = hash;
        }
    }

    /// Returns the name of the mutator that made the last result, or [`None`] if that result has been run.
    pub fn maker(&self) -> Option<&'static str> {
        self.last.map(|mutator| MUTATORS[mutator].name)
    }

    /// Returns whether a parent has not been passed to this function before, as far as remembered.
    pub(super) fn is_new(&mut self, parent: &[u8]) -> bool {
        let hash = hash(parent);
        std::mem::replace(&mut self.learned[slot(hash)], hash) != hash
    }

    /// Learns from a parent, which libFuzzer must have kept: credits its mutator and adds its subtrees to the pool.
    pub(super) fn learn(&mut self, input: &[u8], tree: &Tree) {
        let hash = hash(input);
        let result = &mut self.results[slot(hash)];
        if *result & !LOW == hash & !LOW {
            self.figures[(*result & LOW) as usize][3] += 1;
            *result = 0;
        }
        self.pool.add(tree, self.valid[slot(hash)] == hash);
    }

    /// Counts that a mutator was tried.
    #[inline(always)]
    pub(super) fn tried(&mut self, mutator: usize) {
        self.figures[mutator][0] += 1;
    }

    /// Remembers that a mutator made a result that differs from its parent.
    #[inline(always)]
    pub(super) fn made(&mut self, result: &[u8], mutator: usize) {
        self.figures[mutator][1] += 1;
        self.last = Some(mutator);
        let hash = hash(result);
        self.results[slot(hash)] = hash & !LOW | mutator as u64;
    }

    /// Returns the figures since the last call.
    pub fn take_figures(&mut self) -> Figures {
        std::mem::take(&mut self.figures)
    }
}

/// Returns the index of a hash in a hash table.
fn slot(hash: u64) -> usize {
    (hash >> 40) as usize % REMEMBERED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_names_of_mutators_are_accepted() {
        let shares = |names: &str| {
            let mut feedback = MutatorFeedback::new(None);
            feedback.take_only(names).map(|()| *feedback.schedule.shares())
        };
        assert_eq!(shares("donate, scatter"), shares("splice,multi-splice"));
        assert!(shares("splice").unwrap().iter().filter(|share| **share > 0).count() == 1);
        let problem = shares("splice,nonsense").unwrap_err();
        assert!(problem.starts_with("unknown mutator `nonsense`; the mutators are regenerate, splice,"), "{problem}");
    }

    #[test]
    fn a_result_that_comes_back_as_parent_is_credited_once() {
        let mut feedback = MutatorFeedback::new(None);
        feedback.tried(3);
        feedback.made(b"result", 3);
        assert_eq!(feedback.maker(), Some(MUTATORS[3].name));
        feedback.ran(b"result", RunFeedback { bytes: 6, valid: true, found: true });
        assert_eq!(feedback.maker(), None);
        for _ in 0..2 {
            feedback.learn(b"result", &Tree::default());
        }
        assert_eq!(feedback.take_figures()[3], [1, 1, 1, 1]);
        assert_eq!(feedback.take_figures()[3], [0; 4]);
        assert!(feedback.is_new(b"result") && !feedback.is_new(b"result"));
    }
}
