//! Runs of equivalent sentences: after a valid run, the program under test also reads an equivalent sentence.
//! Both must be valid and have equal outcomes.
//!
//! While fuzzing, at first one in four valid sentences is compared with a sentence to which several
//! equivalences are applied. This share grows if comparisons find new differences, and shrinks if
//! they do not. If the outcomes of the two sentences differ, each of the equivalences is applied
//! alone. A hash of the input makes these choices. So they are the same in every run of the input,
//! as long as the share is the same.
//!
//! For a client (`zester run`, `zester triage`, …) and for files on the command line, a sentence is
//! compared with every sentence that results from one application of one equivalence, up to
//! [`MAX_APPLICATIONS`].
//!
//! A difference is reported only if the equivalent text is a sentence whose names have the same roles, and if
//! [`REPETITIONS`] more runs of both sentences have the same outcomes.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::decoding::ChangeText;
use super::panics::{self, Body};
use super::{failure, outcome, text};
use crate::derivation::Derivation;
use crate::difference::{BothValues, kind};
use crate::equal::{Equivalents, REFUSED, REPETITIONS, Together};
use crate::feedback;
use crate::fork_server;
use crate::grammar::Grammar;
use crate::parameters::{InputBuffers, Settings, decode};
use crate::stable_hash::StableHash;
use crate::validity::Validity;

/// At the start, one in this many valid sentences is compared with an equivalent one. This number
/// and its limits are powers of two. So a sentence that is compared at one share is also compared
/// at every larger share.
const ONE_OF: u64 = 4;

/// The limits of [`Share::one_of`].
const LEAST: u64 = 2;
const MOST: u64 = 16;

/// After this many comparisons without a new difference, the share of compared sentences is halved.
const PATIENCE: u32 = 8_192;

/// The maximum number of equivalent sentences with which one sentence is compared.
const MAX_APPLICATIONS: usize = 256;

/// The state of the runs of equivalent sentences.
pub struct EqualRuns {
    grammar: &'static Grammar,
    equivalents: Equivalents<'static>,
    derivation: Derivation,
    /// Whether a sentence is compared with all equivalent ones.
    tries_all: bool,
    share: Share,
}

/// How many valid sentences are compared.
#[derive(Debug, Default)]
struct Share {
    /// One in this many valid sentences is compared.
    one_of: u64,
    /// The number of comparisons since the last new difference, or since the share was halved.
    compared: u32,
    /// The hashes of the equivalences and kinds of all differences.
    known: HashSet<u64>,
}

impl Share {
    fn new() -> Share {
        Share {
            one_of: ONE_OF,
            ..Share::default()
        }
    }

    /// Records a comparison, and the hash of the difference if it found one.
    fn record(&mut self, difference: Option<u64>) {
        self.compared += 1;
        if difference.is_some_and(|difference| self.known.insert(difference)) {
            self.one_of = (self.one_of / 2).max(LEAST);
            self.compared = 0;
        } else if self.compared == PATIENCE {
            self.one_of = (self.one_of * 2).min(MOST);
            self.compared = 0;
        }
    }
}

/// A valid run.
pub struct ValidRun<'a> {
    pub bytes: &'a [u8],
    /// The text that the program under test read.
    pub text: &'a [u8],
    /// How the input decodes.
    pub settings: &'a Settings,
    pub buffers: &'a mut InputBuffers,
    pub post_process: Option<ChangeText>,
    pub body: Body<Validity>,
}

/// How the program under test reads an equivalent sentence.
#[derive(Clone, Copy)]
struct Reader<'a> {
    post_process: Option<ChangeText>,
    body: Body<Validity>,
    /// The text of the valid run.
    text: &'a [u8],
}

impl EqualRuns {
    /// Returns the state before the first run. `tries_all` is whether a sentence is compared with all
    /// equivalent ones.
    pub fn new(grammar: &'static Grammar, tries_all: bool) -> EqualRuns {
        outcome::set_wanted(true);
        let mut equivalents = Equivalents::new(grammar);
        if tries_all {
            equivalents.prepare_parser();
        }
        EqualRuns {
            grammar,
            equivalents,
            derivation: Derivation::default(),
            tries_all,
            share: Share::new(),
        }
    }

    /// Begins a run: forgets the outcomes of earlier runs.
    pub fn begin(&self) {
        outcome::take();
    }

    /// Compares the run that was just made with runs of equivalent sentences.
    pub fn compare(&mut self, run: ValidRun<'_>) {
        let own = outcome::take();
        let mut hash = StableHash::new();
        hash.bytes(run.bytes);
        let hash = hash.value();
        let (post_process, body, text) = (run.post_process, run.body, run.text);
        if !self.tries_all && !(hash >> 60).is_multiple_of(self.share.one_of) || !self.derive(run) {
            return;
        }
        let EqualRuns {
            equivalents,
            derivation,
            tries_all,
            share,
            ..
        } = self;
        let reader = Reader {
            post_process,
            body,
            text,
        };
        let mut different = Vec::new();
        if *tries_all {
            let mut left = MAX_APPLICATIONS;
            let names: Vec<&str> = (0..equivalents.count())
                .map(|at| equivalents.name(at))
                .collect();
            let is_wanted = |equivalence: usize| fork_server::wants_comparison(names[equivalence]);
            equivalents.for_each(derivation, is_wanted, |equivalence, text| {
                left -= 1;
                if let Some(found) = reader.difference(own.as_deref(), text) {
                    different.push((equivalence, found, text.to_vec()));
                }
                if left == 0 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
        } else if let Some(others) = choose(equivalents.together(derivation, hash), hash) {
            let difference = |text: &[u8]| reader.difference(own.as_deref(), text);
            match difference(&others.text) {
                Some(_) => {
                    different.extend(others.applications.into_iter().filter_map(|one| {
                        Some((one.equivalence, difference(&one.text)?, one.text))
                    }))
                }
                None => share.record(None),
            }
        }
        for (equivalence, found, text) in different {
            let again = |text: &[u8]| reader.difference(own.as_deref(), text);
            let is_same = |difference: OutcomeDifference| difference.values == found.values;
            let is_stable = || {
                (0..REPETITIONS)
                    .all(|_| again(reader.text).is_none() && again(&text).is_some_and(is_same))
            };
            if equivalents.confirms(equivalence, derivation, &text) && is_stable() {
                let mut hash = StableHash::new();
                hash.bytes(&(equivalence as u64).to_le_bytes());
                hash.bytes(found.kind.as_bytes());
                share.record(Some(hash.value()));
                let [one, other] = [derivation.text(), &text].map(String::from_utf8_lossy);
                let sentences = BothValues::new(("sentence", &one), ("equivalent", &other));
                let values = format!("{sentences}\n{}", found.values);
                failure::disagree(equivalents.name(equivalence), &found.kind, &values);
            }
        }
    }

    /// Makes the derivation of the input of a run. Returns false if there is none.
    fn derive(&mut self, run: ValidRun<'_>) -> bool {
        if text::inputs_are_texts() {
            return self.equivalents.parse(run.bytes, &mut self.derivation);
        }
        let (workspace, derivation) = (&mut run.buffers.workspace, &mut self.derivation);
        decode(self.grammar, run.settings, run.bytes, workspace, derivation);
        true
    }
}

/// Chooses the sentence for the comparison. Half of the time it is the first one, to which usually
/// the most equivalences are applied.
fn choose(mut all: Vec<Together>, hash: u64) -> Option<Together> {
    let at = match hash % 2 {
        0 => 0,
        _ => (hash as usize / 2) % all.len().max(1),
    };
    (at < all.len()).then(|| all.swap_remove(at))
}

struct OutcomeDifference {
    kind: String,
    values: String,
}

impl Reader<'_> {
    /// Runs an equivalent sentence. Returns the difference of its outcome from the outcome `own` of
    /// the valid run.
    fn difference(self, own: Option<&str>, text: &[u8]) -> Option<OutcomeDifference> {
        let mut text = text.to_vec();
        if let Some(post_process) = self.post_process {
            post_process(&mut text);
        }
        let validity = self.body.call(feedback::enter(&text), Validity::Invalid);
        let other = outcome::take();
        let is_refused = match validity {
            Validity::Unknown => !feedback::outcome().valid,
            validity => validity == Validity::Invalid,
        };
        if validity == Validity::Unknown {
            // A harness in C has reported the validity of this run. Restore the validity of the first
            // run.
            feedback::report(Validity::Valid);
        }
        // Failures after this call belong to the input's own sentence.
        feedback::enter(self.text);
        if panics::has_panicked() {
            return None;
        }
        if is_refused {
            let value = own.unwrap_or("valid");
            let kind = REFUSED.into();
            let values =
                BothValues::new(("outcome", value), ("other outcome", "refused")).to_string();
            return Some(OutcomeDifference { kind, values });
        }
        match (own, other.as_deref()) {
            (Some(own), Some(other)) if own != other => {
                let values =
                    BothValues::new(("outcome", own), ("other outcome", other)).to_string();
                Some(OutcomeDifference {
                    kind: kind(own, other),
                    values,
                })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_follows_what_is_found() {
        let mut share = Share::new();
        let mut record = |differences: &[Option<u64>]| {
            differences.iter().for_each(|&one| share.record(one));
            share.one_of
        };
        assert_eq!(record(&[None]), 4);
        assert_eq!(record(&[Some(1)]), 2);
        assert_eq!(record(&[Some(2)]), 2, "the least");
        let none = [Some(1); PATIENCE as usize];
        assert_eq!(record(&none[1..]), 2, "known differences are none");
        assert_eq!(record(&none[..1]), 4);
        assert_eq!(record(&none.repeat(5)), 16, "the most");
        assert_eq!(record(&[Some(3)]), 8);
    }
}
