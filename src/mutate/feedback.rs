//! Feedback of a campaign to the mutators: whose results were kept, which inputs were valid, and the pool of subtrees.
//!
//! libFuzzer does not say which inputs it keeps. But only kept inputs come back as parents of mutants.

use super::hash::hash;
use super::pool::Pool;
use super::schedule::Schedule;
use super::{ALIASES, MUTATORS};
use crate::grammar::Grammar;
use crate::parameters::Tree;
use crate::validity::Outcome;

/// How many results, valid inputs and parents are remembered, each.
const REMEMBERED: usize = 1 << 16;

/// Four numbers of every mutator, in the order of the table: how often it was tried, how often it changed the sentence, how many of
/// its results reached an edge for the first time or for the first time with a valid input, and how many libFuzzer kept.
pub type Figures = [[u64; 4]; MUTATORS.len()];

/// What mutators learn from a campaign.
#[doc(hidden)]
#[derive(Debug)]
pub struct Experience {
    pub(super) pool: Pool,
    pub(super) schedule: Schedule,
    figures: Figures,
    /// The mutator that made the last result, until that is run.
    last: Option<usize>,
    /// By hash: the upper bits of the hash of a result, and the number of its mutator in the lowest.
    results: Box<[u64]>,
    /// By hash: the hashes of valid inputs.
    valid: Box<[u64]>,
    /// By hash: the hashes of inputs whose subtrees are in the pool.
    learned: Box<[u64]>,
}

/// The lowest bits of a remembered hash, which hold the number of a mutator.
const LOW: u64 = 0xFF;

impl Experience {
    /// Empty feedback. Without a grammar there is no pool.
    pub fn new<'g>(grammar: impl Into<Option<&'g Grammar>>) -> Experience {
        let remembered = || vec![0; REMEMBERED].into_boxed_slice();
        Experience {
            pool: grammar.into().map_or(Pool::default(), Pool::new),
            schedule: Schedule::new(MUTATORS.map(|mutator| mutator.share)),
            figures: Figures::default(),
            last: None,
            results: remembered(),
            valid: remembered(),
            learned: remembered(),
        }
    }

    /// Takes only these mutators, whose names are separated by commas. Old names of mutators are understood.
    ///
    /// # Errors
    /// The names of all mutators, if one of the given names is unknown.
    pub fn take_only(&mut self, names: &str) -> Result<(), String> {
        let mut shares = [0; MUTATORS.len()];
        for name in names.split(',').map(str::trim) {
            let name = ALIASES.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new);
            let Some(at) = MUTATORS.iter().position(|mutator| mutator.name == name) else {
                let all: Vec<&str> = MUTATORS.iter().map(|mutator| mutator.name).collect();
                return Err(format!("no mutator is called `{name}`; there are {}", all.join(", ")));
            };
            shares[at] = MUTATORS[at].share.max(1);
        }
        self.schedule = Schedule::new(shares);
        Ok(())
    }

    /// Stops the adaptation of the shares.
    pub fn fix_shares(&mut self) {
        self.schedule.adapts = false;
    }

    /// Records the run of an input. The outcome counts for the mutator that made the last result.
    pub fn ran(&mut self, input: &[u8], outcome: Outcome) {
        if let Some(mutator) = self.last.take() {
            self.figures[mutator][2] += u64::from(outcome.found);
            self.schedule.record(mutator, outcome.bytes, outcome.found);
        }
        if outcome.valid {
            let hash = hash(input);
            self.valid[slot(hash)] = hash;
        }
    }

    /// The name of the mutator that made the last result; none after its run.
    pub fn maker(&self) -> Option<&'static str> {
        self.last.map(|mutator| MUTATORS[mutator].name)
    }

    /// Whether a parent is new, in contrast to those that it was asked about before.
    pub(super) fn is_new(&mut self, parent: &[u8]) -> bool {
        let hash = hash(parent);
        std::mem::replace(&mut self.learned[slot(hash)], hash) != hash
    }

    /// Learns from a parent, which libFuzzer has kept: its mutator is credited, its subtrees go to the pool.
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

fn slot(hash: u64) -> usize {
    (hash >> 40) as usize % REMEMBERED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_of_mutators_are_understood() {
        let shares = |names: &str| {
            let mut experience = Experience::new(None);
            experience.take_only(names).map(|()| *experience.schedule.shares())
        };
        assert_eq!(shares("donate, scatter"), shares("splice,multi-splice"));
        assert!(shares("splice").unwrap().iter().filter(|share| **share > 0).count() == 1);
        let problem = shares("splice,nonsense").unwrap_err();
        assert!(problem.starts_with("no mutator is called `nonsense`; there are regenerate, splice,"), "{problem}");
    }

    #[test]
    fn results_that_come_back_are_credited_once() {
        let mut experience = Experience::new(None);
        experience.tried(3);
        experience.made(b"result", 3);
        assert_eq!(experience.maker(), Some(MUTATORS[3].name));
        experience.ran(b"result", Outcome { bytes: 6, valid: true, found: true });
        assert_eq!(experience.maker(), None);
        for _ in 0..2 {
            experience.learn(b"result", &Tree::default());
        }
        assert_eq!(experience.take_figures()[3], [1, 1, 1, 1]);
        assert_eq!(experience.take_figures()[3], [0; 4]);
        assert!(experience.is_new(b"result") && !experience.is_new(b"result"));
    }
}
