//! Finds the entry of a failure among the known failures.

use std::path::Path;
use std::time::{Duration, Instant};

use zester::grammar::Grammar;
use zester::parameters::Settings;
use zester::subject::Limits;

use crate::fault::Fault;
use crate::input::encoded;
use crate::interestingness_test::{InterestingnessTest, TargetTest};
use crate::known::KnownFailures;
use crate::problem::Problem;
use crate::reduction_search::ReductionSearch;

/// The maximum time of a reduction.
const MAX_REDUCTION: Duration = Duration::from_secs(10);

/// Finds the entries of faults in a file of known failures. The shape of the reduced sentence
/// identifies a disagreement.
#[derive(Clone, Copy)]
pub struct KnownFinder<'a> {
    pub target: &'a Path,
    pub known: &'a KnownFailures,
    /// The grammar of the target, if an entry has a shape.
    pub grammar: Option<&'a Grammar>,
    pub limits: Limits,
}

impl KnownFinder<'_> {
    /// Returns the index of the entry of a fault. `sentence` shows the fault.
    ///
    /// # Errors
    /// If the target cannot be started.
    pub fn find(&self, fault: &Fault, sentence: &[u8]) -> Result<Option<usize>, Problem> {
        let grammar = self.grammar.filter(|_| self.known.has_shape_for(fault));
        let Some((grammar, input)) =
            grammar.and_then(|grammar| Some((grammar, encoded(grammar, sentence)?)))
        else {
            return Ok(self.known.find(fault, None));
        };
        let target = TargetTest::new(self.target, self.limits)?;
        let search = ReductionSearch {
            grammar,
            settings: Settings::default(),
            deadline: Some(Instant::now() + MAX_REDUCTION),
        };
        // The first run of the test sets the wanted fault.
        let mut test = InterestingnessTest::Target(target.into());
        let mut decoder = zester::Decoder::new(grammar);
        if !test.run(decoder.input(&input))?.is_interesting {
            return Ok(self.known.find(fault, None));
        }
        let reduced = search.run(&input, &mut test, &mut |_| Ok(()))?;
        Ok(self
            .known
            .find(fault, Some((grammar, reduced.input.text()))))
    }
}
