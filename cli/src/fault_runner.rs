//! Runs inputs through a fuzz target, and finds the faults with their stacks.

use std::path::{Path, PathBuf};
use std::time::Duration;

use zester::subject::{Limits, Outcome, Request, Run, Subject, stack};

use crate::fault::Fault;
use crate::problem::Problem;

/// The maximum time of a run that prints its stack. Symbols of large programs take seconds.
const MAX_STACK_TIME: Duration = Duration::from_secs(60);

/// A running fuzz target, and a second process of it that prints stacks.
pub struct FaultRunner {
    target: PathBuf,
    limits: Limits,
    subject: Subject,
    /// Another process of the target, which prints stacks. It starts at the first crash.
    with_stacks: Option<Subject>,
}

impl FaultRunner {
    /// Starts a target.
    ///
    /// # Errors
    /// If the target cannot be started.
    pub fn start(target: &Path, limits: Limits) -> Result<FaultRunner, Problem> {
        Ok(FaultRunner {
            target: target.into(),
            limits,
            subject: Subject::start(target, limits).map_err(Problem::new)?,
            with_stacks: None,
        })
    }

    /// Runs an input.
    ///
    /// # Errors
    /// If the target cannot be started again.
    pub fn run(&mut self, request: Request<'_>) -> Result<Run, Problem> {
        self.subject.run(request).map_err(Problem::new)
    }

    /// Runs an input. Returns its fault with the stack, or [`None`] if the target returned. `text`
    /// is the sentence of the input.
    ///
    /// # Errors
    /// If the target cannot be started again.
    pub fn fault(&mut self, request: Request<'_>, text: &[u8]) -> Result<Option<Fault>, Problem> {
        let run = self.run(request)?;
        let printed = self.subject.output();
        let has_stack = match run.outcome {
            Outcome::Crash(_) => true,
            Outcome::OutOfMemory => printed.contains("Sanitizer: "),
            Outcome::Exit(_) => printed.contains("libFuzzer: fuzz target exited"),
            _ => false,
        };
        let mut frames = Vec::new();
        if has_stack {
            let limits = self.limits.timeout(MAX_STACK_TIME.max(self.limits.timeout));
            let subject = match &mut self.with_stacks {
                Some(subject) => subject,
                none => none.insert(
                    Subject::start_with_stacks(&self.target, limits).map_err(Problem::new)?,
                ),
            };
            let again = subject.run(request).map_err(Problem::new)?;
            if again.outcome.to_string() == run.outcome.to_string() {
                frames = stack(&subject.output());
            }
        }
        Ok(Fault::of(&run.outcome, &printed, frames, text))
    }
}
