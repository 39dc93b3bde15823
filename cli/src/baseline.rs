//! Compares the runs of a fuzz target with those of an older build of it, the baseline.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zester::Validity;
use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Edits, Settings};
use zester::subject::{Limits, Outcome, Request};

use crate::fault::is_identity;
use crate::fault_runner::FaultRunner;
use crate::fuzz_target::FuzzTarget;
use crate::input::parse;
use crate::problem::{Problem, shown};

/// How the outcome of an input differs from that in the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It fails. In the baseline it did not fail, or it failed by another fault.
    NewFailure,
    /// It fails as in the baseline.
    KnownFailure,
    /// It failed in the baseline only.
    Fixed,
    /// The target accepted it in one build and rejected it in the other.
    Validity,
    /// It finishes in both builds, and the validity is the same, or a build reports none.
    Unchanged,
}

/// Writes the name of the change in JSON.
impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Change::NewFailure => "new-failure",
            Change::KnownFailure => "known-failure",
            Change::Fixed => "fixed",
            Change::Validity => "validity",
            Change::Unchanged => "unchanged",
        })
    }
}

/// The outcome of an input in the baseline, and how the outcome in the target differs from it.
pub struct Comparison {
    pub outcome: Outcome,
    pub change: Change,
}

/// Two builds of a fuzz target.
pub struct Builds {
    target: PathBuf,
    baseline: PathBuf,
    limits: Limits,
    /// The grammar of the target, if the baseline has another one. The baseline then gets texts
    /// instead of parameters.
    grammar: Option<Grammar>,
}

impl Builds {
    /// Returns the builds of a target and of its baseline.
    ///
    /// # Errors
    /// If the baseline is no fuzz target.
    pub fn new(target: &Path, baseline: &Path, limits: Limits) -> Result<Builds, Problem> {
        let grammar = |path: &Path| {
            let source = FuzzTarget::must_be(path)?.grammar()?;
            parse(path, &source, None, &Caps::default()).map(|(grammar, _)| grammar)
        };
        FuzzTarget::must_be(baseline)?;
        // Targets whose inputs are Rust values (`Arbitrary`) have no grammar.
        let grammars = (grammar(target).ok(), grammar(baseline).ok());
        let grammar = match grammars {
            (Some(new), Some(old)) if new.fingerprint() != old.fingerprint() => Some(new),
            _ => None,
        };
        if grammar.is_some() {
            let baseline = shown(baseline);
            eprintln!(
                "zester: {baseline} has another grammar, so it gets texts in place of parameters"
            );
        }
        Ok(Builds {
            target: target.into(),
            baseline: baseline.into(),
            limits,
            grammar,
        })
    }
}

/// A running baseline.
pub struct Baseline {
    builds: Arc<Builds>,
    old: FaultRunner,
    /// The new build. It starts when two faults are compared for the first time.
    new: Option<FaultRunner>,
}

impl Baseline {
    /// Starts the older build.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(builds: &Arc<Builds>) -> Result<Baseline, Problem> {
        Ok(Baseline {
            builds: builds.clone(),
            old: FaultRunner::start(&builds.baseline, builds.limits)?,
            new: None,
        })
    }

    /// Runs an input in the baseline, and compares the outcomes. `outcome` is that of the target.
    ///
    /// # Errors
    /// If a target cannot be started.
    pub fn compare(
        &mut self,
        request: Request<'_>,
        outcome: &Outcome,
    ) -> Result<Comparison, Problem> {
        let decoded = match (&self.builds.grammar, request) {
            (Some(grammar), Request::Parameters(bytes)) => {
                let mut decoder =
                    Decoder::new(grammar).settings(Settings::default().edits(Edits::On));
                Some(decoder.input(bytes).text().to_vec())
            }
            _ => None,
        };
        let old_request = decoded.as_deref().map_or(request, Request::Sentence);
        let old = self.old.run(old_request)?.outcome;
        let change = match (&old, outcome) {
            (Outcome::Finished(old), Outcome::Finished(new)) => {
                let is_known = |validity: &Validity| *validity != Validity::Unknown;
                match old != new && is_known(old) && is_known(new) {
                    true => Change::Validity,
                    false => Change::Unchanged,
                }
            }
            (Outcome::Finished(_), _) => Change::NewFailure,
            (_, Outcome::Finished(_)) => Change::Fixed,
            (old, new) if old == new && is_identity(old) => Change::KnownFailure,
            _ if self.is_same_fault(old_request, request)? => Change::KnownFailure,
            _ => Change::NewFailure,
        };
        Ok(Comparison {
            outcome: old,
            change,
        })
    }

    /// Runs an input in both builds again. Returns whether it shows the same fault.
    fn is_same_fault(&mut self, old: Request<'_>, new: Request<'_>) -> Result<bool, Problem> {
        let builds = &self.builds;
        let target = match &mut self.new {
            Some(target) => target,
            none => none.insert(FaultRunner::start(&builds.target, builds.limits)?),
        };
        let text = match old {
            Request::Text(text) | Request::Sentence(text) => text,
            Request::Parameters(_) => &[],
        };
        let faults = (self.old.fault(old, text)?, target.fault(new, text)?);
        Ok(match faults {
            (Some(old), Some(new)) => new.identity().is_same(&old.identity()),
            _ => false,
        })
    }
}
