//! Finds the equivalent sentence that fails, if a target with `equal: true` fails on an input whose own sentence does not fail.

use std::fmt;
use std::ops::ControlFlow;

use zester::Derivation;
use zester::difference::BothValues;
use zester::equal::Equivalents;
use zester::grammar::Grammar;
use zester::subject::{Outcome, Request, Subject};

use super::trial::MAX_PAIRS;

/// A sentence that fails, and that is equivalent to one that does not fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingEquivalent {
    /// The name of the equivalence.
    pub equivalence: String,
    pub sentence: String,
    pub equivalent: String,
}

impl FailingEquivalent {
    /// Runs a sentence and then its equivalent sentences in the order in which a target runs them. Returns the first
    /// equivalent sentence that fails. Returns [`None`] if the sentence itself fails, if the grammar does not derive it,
    /// or if no equivalent sentence fails before `is_over`. `subject` must compare no equivalent sentences by itself.
    pub fn find(
        mut subject: Subject,
        grammar: &Grammar,
        text: &[u8],
        is_over: &dyn Fn() -> bool,
    ) -> Option<FailingEquivalent> {
        let mut fails = |text: &[u8]| {
            let run = subject.run(Request::Sentence(text));
            run.is_ok_and(|run| !matches!(run.outcome, Outcome::Finished(_)))
        };
        let (mut equivalents, mut derivation) = (Equivalents::new(grammar), Derivation::default());
        if fails(text) || !equivalents.parse(text, &mut derivation) {
            return None;
        }
        let (mut left, mut found) = (MAX_PAIRS, None);
        equivalents.for_each(
            &derivation,
            |_| true,
            |equivalence, other| {
                left -= 1;
                if fails(other) {
                    found = Some((equivalence, other.to_vec()));
                }
                match found.is_some() || left == 0 || is_over() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            },
        );
        let (equivalence, other) = found?;
        let [sentence, equivalent] =
            [text, &other].map(|text| String::from_utf8_lossy(text).into_owned());
        Some(FailingEquivalent {
            equivalence: equivalents.name(equivalence).into(),
            sentence,
            equivalent,
        })
    }
}

/// Writes both sentences as a disagreement has them, and the equivalence.
impl fmt::Display for FailingEquivalent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentences = BothValues::new(
            ("sentence", &self.sentence),
            ("equivalent", &self.equivalent),
        );
        let equivalence = &self.equivalence;
        write!(
            formatter,
            "{sentences}\n  the equivalent sentence fails; the equivalence is {equivalence}"
        )
    }
}
