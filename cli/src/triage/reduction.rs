//! Reduces an artifact within a time limit, and finds the shape of the result.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use zester::grammar::Grammar;
use zester::parameters::{Decoder, Edits, Input, Settings};
use zester::shape::FailureShape;
use zester::subject::{Limits, Request, Subject};

use super::artifact::{Artifact, ArtifactRunner};
use super::groups::Smallest;
use crate::equal::FailingEquivalent;
use crate::failure_shape::failure_shape;
use crate::fault::Fault;
use crate::interestingness_test::{InterestingnessTest, TargetTest};
use crate::numbers::counted;
use crate::problem::Problem;
use crate::reduction_search::ReductionSearch;

/// How artifacts are reduced.
pub struct ArtifactReduction<'a> {
    pub target: &'a Path,
    /// The grammar, or [`None`] if nothing is reduced.
    pub grammar: Option<&'a Grammar>,
    pub settings: Settings,
    pub limits: Limits,
    /// The maximum time of the reduction, and of the search for the shape.
    pub time: Duration,
    /// The shapes of disagreements that have been found, each with the name of the comparison.
    pub shapes: &'a Mutex<Vec<(String, FailureShape)>>,
}

/// A function that gets the progress in words.
type Observe<'a> = &'a mut dyn FnMut(&str);

impl ArtifactReduction<'_> {
    /// Reduces an artifact. Then runs the result as a text, to see whether the text reproduces the fault.
    /// Also returns the fault; if the text reproduces it, with the message of that run.
    pub fn run(
        &self,
        artifact: &Artifact,
        fault: &Fault,
        runner: &mut ArtifactRunner<'_>,
        observe: Observe<'_>,
    ) -> Result<(Smallest, Fault), Problem> {
        let without_edits = self.without_edits(artifact, fault, runner)?;
        let (artifact, fault) = match &without_edits {
            Some((artifact, fault)) => (artifact, fault),
            None => (artifact, fault),
        };
        let mut smallest = self.reduced(artifact, fault, observe)?;
        let mut fault = fault.clone();
        if let Some(message) = message(&smallest, &fault, runner)? {
            smallest.is_reproduced_by_text = true;
            fault.message = message;
        }
        smallest.failing = self.failing_equivalent(&smallest, &fault);
        Ok((smallest, fault))
    }

    /// Returns the equivalent sentence that fails, if the reduced sentence does not fail by itself. A disagreement has
    /// both sentences in its message, and each run that hangs takes seconds.
    fn failing_equivalent(&self, smallest: &Smallest, fault: &Fault) -> Option<FailingEquivalent> {
        let (grammar, text) = self.grammar.zip(smallest.text.as_deref())?;
        if fault.comparison().is_some() || fault.kind == "time-out" {
            return None;
        }
        let deadline = Instant::now() + self.time;
        let subject = Subject::start(self.target, self.limits).ok()?;
        let is_over = || Instant::now() >= deadline;
        FailingEquivalent::find(subject.comparing_none(), grammar, text, &is_over)
    }

    /// Returns an artifact without its edits, if the same comparison fails with it. The kind of the
    /// difference may change, because edits may change the values.
    fn without_edits(
        &self,
        artifact: &Artifact,
        fault: &Fault,
        runner: &mut ArtifactRunner<'_>,
    ) -> Result<Option<(Artifact, Fault)>, Problem> {
        let (Some(grammar), Some(parameters)) = (self.grammar, &artifact.parameters) else {
            return Ok(None);
        };
        let mut decoder = Decoder::new(grammar).settings(self.settings);
        if fault.comparison().is_none() || decoder.input(parameters).edits().is_empty() {
            return Ok(None);
        }
        let mut decoder = Decoder::new(grammar).settings(self.settings.edits(Edits::Off));
        let input = decoder.input(parameters);
        let (parameters, text) = (input.bytes().to_vec(), input.text().to_vec());
        let found = runner.fault(Request::Parameters(&parameters), &text)?;
        let same = found.filter(|found| found.comparison() == fault.comparison());
        let artifact = Artifact {
            parameters: Some(parameters),
            text: Some(text),
        };
        Ok(same.map(|found| (artifact, found)))
    }

    fn reduced(
        &self,
        artifact: &Artifact,
        fault: &Fault,
        observe: Observe<'_>,
    ) -> Result<Smallest, Problem> {
        let unreduced = |how: &str| Smallest {
            text: artifact.text.clone(),
            how: how.into(),
            shape: None,
            is_reproduced_by_text: false,
            failing: None,
        };
        let Some(grammar) = self.grammar else {
            return Ok(unreduced("not reduced"));
        };
        let Some(parameters) = &artifact.parameters else {
            return Ok(unreduced(
                "not reduced, because it is no sentence of the grammar",
            ));
        };
        let deadline = Instant::now() + self.time;
        let target = TargetTest::new(self.target, self.limits)?;
        let mut test = InterestingnessTest::Target(target.into());
        let mut decoder = Decoder::new(grammar).settings(self.settings);
        let first = decoder.input(parameters);
        let before = first.text().len();
        observe(&counted(before, "byte"));
        if !test.run(first)?.is_interesting {
            return Ok(unreduced("not reduced, because it did not fail again"));
        }
        let search = ReductionSearch {
            grammar,
            settings: self.settings,
            deadline: Some(deadline),
        };
        let mut left = before;
        let reduced = search.run(parameters, &mut test, &mut |step| {
            let text = step.smaller.map(|input| input.text());
            left = text.map_or(left, <[u8]>::len);
            let how = format!(
                "{left} of {} left, {} tried",
                counted(before, "byte"),
                counted(step.tried, "sentence")
            );
            observe(&how);
            Ok(())
        })?;
        let text = reduced.input.text().to_vec();
        let mut how = match text.len() == before {
            true => "not reduced, because no smaller sentence fails in the same way".to_owned(),
            false => format!("reduced from {before} to {}", counted(text.len(), "byte")),
        };
        if reduced.is_cut {
            let seconds = self.time.as_secs_f64();
            how = match text.len() == before {
                true => format!("not reduced in {seconds} s"),
                false => format!("{how} in {seconds} s, which was not enough to finish"),
            };
        }
        observe("looking for its shape");
        let shape = self.shape(grammar, &reduced.input, fault, &mut test);
        Ok(Smallest {
            text: Some(text),
            how,
            shape,
            is_reproduced_by_text: false,
            failing: None,
        })
    }

    /// Returns the shape of a reduced input: a shape that is already known and matches, or a new one.
    /// Disagreements of one comparison mostly have few shapes.
    fn shape(
        &self,
        grammar: &Grammar,
        input: &Input,
        fault: &Fault,
        test: &mut InterestingnessTest,
    ) -> Option<FailureShape> {
        let InterestingnessTest::Target(target) = test else {
            return None;
        };
        let comparison = fault.comparison();
        let lock = || self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        // The whole sentence must match the known shape. A sentence that only contains the known cause may
        // fail by another one.
        let is_known = |(of, known): &&(String, FailureShape)| {
            Some(&**of) == comparison && known.shape.matches(grammar, input.text())
        };
        if let Some((_, shape)) = lock().iter().find(is_known) {
            return Some(shape.clone());
        }
        let deadline = Instant::now() + self.time;
        let is_over = || Instant::now() >= deadline;
        let settings = &self.settings;
        let shape = failure_shape(target.subject(), grammar, settings, input, &is_over)?;
        if let Some(comparison) = comparison {
            lock().push((comparison.into(), shape.clone()));
        }
        Some(shape)
    }
}

/// Runs the text. Returns the message if it shows the fault.
fn message(
    smallest: &Smallest,
    fault: &Fault,
    runner: &mut ArtifactRunner<'_>,
) -> Result<Option<String>, Problem> {
    let Some(text) = &smallest.text else {
        return Ok(None);
    };
    let found = runner.fault(Request::Sentence(text), text)?;
    let same = found.filter(|found| found.is_same(fault));
    Ok(same.map(|found| found.message))
}
