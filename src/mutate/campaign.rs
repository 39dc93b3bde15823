//! The state that a mutator learns in a campaign: the operators whose results libFuzzer kept, the
//! inputs that were valid, and a pool of subtrees.
//!
//! libFuzzer has no interface that reports which inputs it keeps. But each input that it passes to
//! the mutator is either the last result or an input that it kept.

use super::MUTATORS;
use super::hash::hash;
use super::parents::Parents;
use super::pool::Pool;
use super::schedule::Schedule;
use super::validity_model::ValidityModel;
use super::vocabulary::Vocabulary;
use crate::error::Error;
use crate::grammar::Grammar;
use crate::parameters::Tree;
use crate::validity::RunFeedback;

/// The number of slots of each hash table of inputs.
const REMEMBERED: usize = 1 << 16;

/// How often a mutation operator was used, and with which success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OperatorCounts {
    /// The number of times that the operator was tried.
    pub tried: u64,
    /// The number of tries that changed the sentence.
    pub changed: u64,
    /// The number of results that reached an edge for the first time, or for the first time with a
    /// valid input.
    pub found: u64,
    /// The number of results that libFuzzer kept.
    pub kept: u64,
}

#[derive(Debug)]
pub struct Campaign {
    pub pool: Pool,
    /// Estimates which alternatives make sentences invalid.
    pub validity: ValidityModel,
    /// Words that the program under test compares with.
    pub vocabulary: Vocabulary,
    /// How often each operator is used.
    pub schedule: Schedule<{ MUTATORS.len() }>,
    configured: [u32; MUTATORS.len()],
    /// Whether the operators that edit texts are allowed.
    edits_texts: bool,
    /// The counts of every operator since they were last taken.
    counts: [OperatorCounts; MUTATORS.len()],
    /// Chooses the input that is mutated instead of an invalid one.
    pub parents: Parents,
    /// The operator that made the last result, or none if that result has been run.
    pub last: Option<usize>,
    /// A hash table of results. An entry has the upper bits of the result's hash and, in the lowest
    /// 8 bits, the index of the operator that made it.
    results: Box<[u64]>,
    /// A hash table of the hashes of valid inputs.
    valid: Box<[u64]>,
    /// A hash table of the hashes of invalid inputs.
    invalid: Box<[u64]>,
    /// A hash table of the hashes of inputs whose subtrees were added to the pool.
    learned: Box<[u64]>,
}

/// The mask of the lowest 8 bits of an entry in `results`, which hold the index of an operator.
const LOW: u64 = 0xFF;

impl Campaign {
    /// Returns a campaign without runs. Without a grammar, the pool has no room for subtrees.
    pub fn new(grammar: Option<&Grammar>) -> Campaign {
        let remembered = || vec![0; REMEMBERED].into_boxed_slice();
        Campaign {
            pool: grammar.map_or(Pool::default(), Pool::new),
            validity: grammar.map_or(ValidityModel::default(), ValidityModel::new),
            vocabulary: grammar.map_or(Vocabulary::default(), Vocabulary::new),
            // Without settings, inputs have no edits.
            schedule: Schedule::new(
                MUTATORS.map(|mutator| if mutator.edits_text { 0 } else { mutator.share }),
            ),
            configured: MUTATORS.map(|mutator| mutator.share),
            edits_texts: false,
            counts: Default::default(),
            parents: Parents::default(),
            last: None,
            results: remembered(),
            valid: remembered(),
            invalid: remembered(),
            learned: remembered(),
        }
    }

    /// Allows or forbids the operators that edit texts.
    pub fn allow_text_edits(&mut self, allowed: bool) {
        if std::mem::replace(&mut self.edits_texts, allowed) == allowed {
            return;
        }
        for (at, _) in MUTATORS
            .iter()
            .enumerate()
            .filter(|(_, mutator)| mutator.edits_text)
        {
            self.schedule
                .set_share(at, if allowed { self.configured[at] } else { 0 });
        }
    }

    /// Excludes the operators that edit texts permanently.
    pub fn exclude_text_edits(&mut self) {
        for (at, _) in MUTATORS
            .iter()
            .enumerate()
            .filter(|(_, mutator)| mutator.edits_text)
        {
            self.configured[at] = 0;
            self.schedule.set_share(at, 0);
        }
    }

    /// Restricts the operators to those in `names`, which are separated by commas. If each name
    /// begins with `-`, all other operators remain.
    ///
    /// # Errors
    /// If a name is unknown, or no operator remains. The message about an unknown name lists all
    /// names.
    pub fn restrict_to(&mut self, names: &str) -> Result<(), Error> {
        let all = MUTATORS.map(|mutator| mutator.name);
        self.configured = self.schedule.restrict_to(names, all, self.configured)?;
        if names.trim_start().starts_with('-') && !self.edits_texts {
            self.allow_text_edits(true);
            self.allow_text_edits(false);
        }
        Ok(())
    }

    /// Records the outcome of running an input. Credits the operator that made the last result, if
    /// no run was recorded since then.
    pub fn record_run(&mut self, input: &[u8], outcome: RunFeedback) {
        if let Some(operator) = self.last.take() {
            self.counts[operator].found += u64::from(outcome.found);
            self.schedule.record(operator, outcome);
            self.parents.record_run(outcome);
        }
        let table = match outcome.valid {
            true => &mut self.valid,
            false => &mut self.invalid,
        };
        let hash = hash(input);
        table[slot(hash)] = hash;
    }

    /// Returns whether an input is remembered as valid.
    pub fn was_valid(&self, input: &[u8]) -> bool {
        has(&self.valid, hash(input))
    }

    /// Remembers an input that libFuzzer asked to mutate as a parent, if it is known to be valid.
    pub fn remember_parent(&mut self, input: &[u8]) {
        if self.was_valid(input) {
            self.parents.remember(input);
        }
    }

    /// Returns whether an input is remembered as invalid and not as valid.
    pub fn was_invalid(&self, input: &[u8]) -> bool {
        let hash = hash(input);
        has(&self.invalid, hash) && !has(&self.valid, hash)
    }

    /// Returns whether the last result is a new sentence, made without a parent, that has not been run.
    pub fn is_new_sentence(&self) -> bool {
        self.last.is_some_and(|operator| MUTATORS[operator].is_new)
    }

    /// Returns the name of the operator that made the last result, or [`None`] if that result has
    /// been run.
    pub fn last_operator(&self) -> Option<&'static str> {
        self.last.map(|operator| MUTATORS[operator].name)
    }

    /// Returns `false` if this function is known to have been called with this parent before.
    pub fn is_new(&mut self, parent: &[u8]) -> bool {
        let hash = hash(parent);
        std::mem::replace(&mut self.learned[slot(hash)], hash) != hash
    }

    /// Learns from a parent, which libFuzzer must have kept: credits its operator and adds its
    /// subtrees to the pool.
    pub fn learn(&mut self, input: &[u8], tree: &Tree) {
        self.count_kept(input);
        self.pool.add(tree, self.was_valid(input));
    }

    /// Credits the operator that made an input, which libFuzzer must have kept.
    pub fn count_kept(&mut self, input: &[u8]) {
        let hash = hash(input);
        let result = &mut self.results[slot(hash)];
        if *result & !LOW == hash & !LOW {
            self.counts[(*result & LOW) as usize].kept += 1;
            *result = 0;
        }
    }

    #[inline(always)]
    pub fn count_try(&mut self, operator: usize) {
        self.counts[operator].tried += 1;
    }

    /// Records that an operator made a result that differs from its parent.
    #[inline(always)]
    pub fn record_result(&mut self, result: &[u8], operator: usize) {
        self.counts[operator].changed += 1;
        self.last = Some(operator);
        let hash = hash(result);
        self.results[slot(hash)] = hash & !LOW | operator as u64;
    }

    /// Returns the counts since the last call.
    pub fn take_counts(&mut self) -> [OperatorCounts; MUTATORS.len()] {
        std::mem::take(&mut self.counts)
    }
}

/// Returns whether a hash table has the hash of an input.
fn has(table: &[u64], hash: u64) -> bool {
    // An empty slot is 0, and so is the hash of no bytes.
    hash != 0 && table[slot(hash)] == hash
}

/// Returns the index of a hash in a hash table.
fn slot(hash: u64) -> usize {
    (hash >> 40) as usize % REMEMBERED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_mutator_is_an_error() {
        let shares = |names: &str| {
            let mut campaign = Campaign::new(None);
            campaign
                .restrict_to(names)
                .map(|()| campaign.schedule.shares)
        };
        assert!(
            shares("splice")
                .unwrap()
                .iter()
                .filter(|share| **share > 0)
                .count()
                == 1
        );
        let problem = shares("splice,nonsense").unwrap_err();
        assert!(
            problem
                .to_string()
                .starts_with("unknown mutator `nonsense`; the mutators are regenerate, splice,"),
            "{problem}"
        );
    }

    #[test]
    fn operators_that_edit_texts_are_used_only_if_edits_are_allowed_and_no_others_are_chosen() {
        let at = MUTATORS
            .iter()
            .position(|mutator| mutator.edits_text)
            .unwrap();
        let mut campaign = Campaign::new(None);
        assert_eq!(campaign.schedule.shares[at], 0);
        campaign.allow_text_edits(true);
        assert!(campaign.schedule.shares[at] > 0);
        campaign.restrict_to("swap").unwrap();
        for allowed in [false, true] {
            campaign.allow_text_edits(allowed);
            assert_eq!(campaign.schedule.shares[at], 0);
        }
    }

    #[test]
    fn fixed_shares_stay_fixed_if_the_operators_are_restricted_afterwards() {
        let mut campaign = Campaign::new(None);
        campaign.schedule.adapts = false;
        campaign.restrict_to("swap,hoist").unwrap();
        let before = campaign.schedule.shares;
        for _ in 0..10_000 {
            campaign.record_result(b"result", 3);
            campaign.record_run(b"result", RunFeedback::new(6, true, false));
        }
        assert_eq!(campaign.schedule.shares, before);
    }

    #[test]
    fn a_result_that_comes_back_as_parent_is_credited_once() {
        let mut campaign = Campaign::new(None);
        campaign.count_try(3);
        campaign.record_result(b"result", 3);
        assert_eq!(campaign.last_operator(), Some(MUTATORS[3].name));
        campaign.record_run(b"result", RunFeedback::new(6, true, true));
        assert_eq!(campaign.last_operator(), None);
        for _ in 0..2 {
            campaign.learn(b"result", &Tree::default());
        }
        assert_eq!(
            campaign.take_counts()[3],
            OperatorCounts {
                tried: 1,
                changed: 1,
                found: 1,
                kept: 1
            }
        );
        assert_eq!(campaign.take_counts()[3], OperatorCounts::default());
        assert!(campaign.is_new(b"result") && !campaign.is_new(b"result"));
    }
}
