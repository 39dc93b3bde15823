//! Parts that are inside one another in the sentences of a group. A sentence with the inner one has the
//! outer one, too, so that one of them is enough as a suspect.

use std::collections::HashMap;

use super::experiment::{Cause, Measured};
use super::parts::Parts;
use super::suspects::Suspect;
use super::trial::{Symptom, Trial};

/// The maximum number of sentences of a group that are examined.
const EXAMINED: usize = 100;

/// A part counts as inside another one if the other one is around it in at least this share of the
/// sentences with the part.
const NEARLY_ALWAYS: f64 = 0.9;

/// Two parts count as used together if at least this share of the sentences with one of them has both.
const TOGETHER: f64 = 0.98;

/// When this many suspects are chosen, a suspect that is around a chosen one comes after all others.
const AROUND: usize = 3;

/// The difference of two gains that may be due to chance.
pub const MARGIN: f64 = 0.05;

/// Which suspects of a group are inside one another.
#[derive(Default)]
pub struct Nesting {
    /// By part: the examined sentences that use it.
    uses: HashMap<u32, usize>,
    /// By an outer and an inner part: the examined sentences in which the first use of the inner one is
    /// inside the outer one.
    pairs: HashMap<(u32, u32), usize>,
}

impl Nesting {
    /// Examines the sentences of a group.
    pub fn new(
        trial: &Trial<'_>,
        parts: &Parts<'_>,
        group: &[usize],
        suspects: &[Suspect],
    ) -> Nesting {
        let mut nesting = Nesting::default();
        let is_suspect = |part| suspects.iter().any(|suspect| suspect.part == part);
        for &at in group.iter().take(EXAMINED) {
            let used = &trial.sentences[at].used.parts;
            for &part in used.iter().filter(|&&part| is_suspect(part)) {
                *nesting.uses.entry(part).or_default() += 1;
            }
            for pair in parts.nested(&trial.derivation(at), &is_suspect) {
                *nesting.pairs.entry(pair).or_default() += 1;
            }
        }
        nesting
    }

    /// Returns whether a part is nearly always inside another one.
    pub fn is_inside(&self, inner: u32, outer: u32) -> bool {
        let uses = self.uses.get(&inner).copied().unwrap_or(0);
        let pairs = self.pairs.get(&(outer, inner)).copied().unwrap_or(0);
        pairs > 0 && pairs as f64 >= NEARLY_ALWAYS * uses as f64
    }

    /// Returns whether one of two parts is nearly always inside the other one.
    fn are_nested(&self, one: u32, other: u32) -> bool {
        self.is_inside(one, other) || self.is_inside(other, one)
    }

    /// Chooses at most `count` suspects for experiments. Of nested parts that the same sentences use,
    /// only the first one is chosen, because experiments would show the same for all.
    pub fn chosen(&self, trial: &Trial<'_>, suspects: Vec<Suspect>, count: usize) -> Vec<Suspect> {
        let (mut chosen, mut others) = (Vec::<(Suspect, Vec<usize>)>::new(), Vec::new());
        for suspect in suspects {
            if chosen.len() >= count {
                break;
            }
            let uses = uses(trial, suspect.part);
            let is_same = |(other, of_other): &(Suspect, Vec<usize>)| {
                self.are_nested(suspect.part, other.part) && are_together(&uses, of_other)
            };
            if chosen.iter().any(is_same) {
                continue;
            }
            let is_around = |(inner, _): &(Suspect, _)| self.is_inside(inner.part, suspect.part);
            if chosen.len() >= AROUND && chosen.iter().any(is_around) {
                others.push(suspect);
                continue;
            }
            chosen.push((suspect, uses));
        }
        let chosen = chosen.into_iter().map(|(suspect, _)| suspect);
        chosen.chain(others).take(count).collect()
    }

    /// Leaves out causes that another cause explains. `whole` are the figures of the grammar with all
    /// parts. The causes are in the order of their ranks.
    ///
    /// * If an experiment made a clear difference, causes without one are left out. Otherwise, causes
    ///   without any gain are left out, and of nested causes only the first one stays.
    /// * A part around another cause stays only if its gain is clearly better. Of several such parts
    ///   around one cause, the one with the best gain stays.
    pub fn distinct(
        &self,
        mut causes: Vec<Cause>,
        whole: &Measured,
        symptom: &Symptom,
    ) -> Vec<Cause> {
        if !causes.iter().any(|cause| cause.is_clear) {
            let gains = |cause: &Cause| cause.gain > 0.0 || cause.without.is_none();
            if causes.iter().any(gains) {
                causes.retain(gains);
            }
            let mut kept: Vec<Cause> = Vec::new();
            for cause in causes {
                let part = cause.suspect.part;
                if !kept
                    .iter()
                    .any(|other| self.are_nested(part, other.suspect.part))
                {
                    kept.push(cause);
                }
            }
            return kept;
        }
        causes.retain(|cause| cause.is_clear || cause.without.is_none());
        let is_better = |one: &Cause, other: &Cause| {
            let of_other = other.without.as_ref().unwrap_or(whole);
            let is_less = |of_one: &Measured| of_one.has_clearly_less(of_other, symptom);
            one.gain > other.gain + MARGIN && one.without.as_ref().is_some_and(is_less)
        };
        let is_around =
            |outer: &Cause, inner: &Cause| self.is_inside(inner.suspect.part, outer.suspect.part);
        let all = causes.clone();
        let adds_nothing = |cause: &Cause| {
            let mut inner = all
                .iter()
                .filter(|inner| is_around(cause, inner) && inner.is_clear);
            let is_outdone = all
                .iter()
                .any(|outer| is_around(outer, cause) && is_better(outer, cause));
            inner.any(|inner| is_outdone || !is_better(cause, inner))
        };
        causes.retain(|cause| !adds_nothing(cause));
        causes
    }
}

/// Returns the sentences that use a part.
fn uses(trial: &Trial<'_>, part: u32) -> Vec<usize> {
    let uses = |&at: &usize| trial.sentences[at].used.parts.binary_search(&part).is_ok();
    (0..trial.sentences.len()).filter(uses).collect()
}

/// Returns whether two sorted lists are nearly equal.
fn are_together(one: &[usize], other: &[usize]) -> bool {
    let both = one
        .iter()
        .filter(|at| other.binary_search(at).is_ok())
        .count();
    both as f64 >= TOGETHER * (one.len() + other.len() - both) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Part 1 is around 2, which is around 3. Part 4 is around none of them.
    fn nesting() -> Nesting {
        Nesting {
            uses: (1..=4).map(|part| (part, 10)).collect(),
            pairs: HashMap::from([((1, 2), 10), ((1, 3), 9), ((2, 3), 10), ((1, 4), 5)]),
        }
    }

    fn measured(share: f64) -> Measured {
        Measured {
            sentences: 1000,
            valid: 1.0 - share,
            failed: vec![(Symptom::Outcome("crash".into()), share)],
            valid_edges: 100,
        }
    }

    /// Returns the parts that `distinct` keeps. Without a part, the symptom has its share; with all
    /// parts, 0.2.
    fn distinct(shares: &[(u32, f64)]) -> Vec<u32> {
        let (whole, crash) = (measured(0.2), Symptom::Outcome("crash".into()));
        let cause = |&(part, share): &(u32, f64)| {
            let without = measured(share);
            Cause {
                suspect: Suspect {
                    part,
                    ochiai: 0.5,
                    named: 0.0,
                },
                gain: without.gain(&whole, &crash),
                is_clear: without.has_clearly_less(&whole, &crash),
                without: Some(without),
            }
        };
        let causes = shares.iter().map(cause).collect();
        let kept = nesting().distinct(causes, &whole, &crash);
        kept.iter().map(|cause| cause.suspect.part).collect()
    }

    #[test]
    fn of_nested_causes_the_innermost_with_the_same_gain_stays() {
        assert_eq!(distinct(&[(1, 0.0), (2, 0.0), (3, 0.001)]), [3]);
        assert_eq!(distinct(&[(1, 0.0), (2, 0.001), (4, 0.1)]), [2, 4]);
    }

    #[test]
    fn a_part_around_a_cause_stays_if_its_gain_is_clearly_better() {
        assert_eq!(distinct(&[(1, 0.0), (2, 0.1)]), [1, 2]);
        assert_eq!(distinct(&[(1, 0.0), (2, 0.05), (3, 0.12)]), [1, 3]);
    }

    #[test]
    fn a_cause_without_a_clear_effect_stays_only_if_there_is_no_other() {
        assert_eq!(distinct(&[(2, 0.1), (3, 0.19), (4, 0.21)]), [2]);
        assert_eq!(distinct(&[(3, 0.19), (2, 0.19), (4, 0.21)]), [3]);
        assert_eq!(distinct(&[(3, 0.21), (4, 0.21)]), [3, 4]);
    }

    #[test]
    fn nearly_always_is_nine_of_ten_sentences() {
        let nesting = nesting();
        assert!(nesting.is_inside(3, 1) && !nesting.is_inside(4, 1) && !nesting.is_inside(1, 3));
        let numbers: Vec<usize> = (0..100).collect();
        assert!(are_together(&numbers, &numbers[1..]) && !are_together(&numbers, &numbers[5..]));
    }
}
