//! The search for a smaller input that is still interesting, for `zester reduce` and `zester triage`.

use std::time::Instant;

use zester::grammar::Grammar;
use zester::parameters::{Decoder, Input, Settings};
use zester::reduce::{ReductionWords, reduce_input_until};

use crate::interestingness_test::InterestingnessTest;
use crate::problem::Problem;

/// A reduction with an optional deadline.
pub struct ReductionSearch<'a> {
    pub grammar: &'a Grammar,
    pub settings: Settings,
    /// The time after which no sentence is tried.
    pub deadline: Option<Instant>,
}

/// A step of a search, for progress and for saving the result.
pub struct ReductionStep<'a> {
    /// The number of sentences that were tried.
    pub tried: u64,
    /// The smallest interesting input so far, if this step found it.
    pub smaller: Option<&'a Input>,
}

/// The result of a search.
pub struct Reduced {
    pub input: Input,
    /// The number of sentences that were tried.
    pub tried: u64,
    /// Whether the deadline ended the search.
    pub is_cut: bool,
}

impl ReductionSearch<'_> {
    /// Reduces an interesting input. Calls `observe` before each run of the test, and again if the
    /// sentence is interesting. If the input shows a disagreement, the result has only words of the
    /// grammar that are in the input or in simplest subtrees, because another word may show another
    /// fault.
    ///
    /// # Errors
    /// If the test or `observe` fails.
    pub fn run(
        &self,
        input: &[u8],
        test: &mut InterestingnessTest,
        observe: &mut dyn FnMut(ReductionStep) -> Result<(), Problem>,
    ) -> Result<Reduced, Problem> {
        let (mut problem, mut tried) = (None, 0_u64);
        let is_over = || {
            self.deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
        };
        let mut decoder = Decoder::new(self.grammar).settings(self.settings);
        let words = test
            .wants_disagreement()
            .then(|| ReductionWords::of(self.grammar, decoder.tree(input).derivation()));
        let mut is_interesting = |input: &Input| {
            if problem.is_some() || is_over() {
                return false;
            }
            let derivation = input.tree.derivation();
            let has_others =
                |words: &ReductionWords| !words.include_all_of(self.grammar, derivation);
            if words.as_ref().is_some_and(has_others) {
                return false;
            }
            tried += 1;
            let step = |smaller| ReductionStep { tried, smaller };
            let tested = observe(step(None))
                .and_then(|()| test.run(input))
                .and_then(|result| {
                    if result.is_interesting {
                        observe(step(Some(input)))?;
                    }
                    Ok(result.is_interesting)
                });
            tested.unwrap_or_else(|error| {
                problem = Some(error);
                false
            })
        };
        let input = reduce_input_until(
            self.grammar,
            &self.settings,
            input,
            &mut is_interesting,
            &is_over,
        );
        match problem {
            Some(problem) => Err(problem),
            None => Ok(Reduced {
                input,
                tried,
                is_cut: is_over(),
            }),
        }
    }
}
