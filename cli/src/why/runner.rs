//! Runs texts through a built fuzz target, with several copies of it at the same time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use regex::Regex;
use zester::Validity;
use zester::subject::{Limits, Outcome, Request, Subject};

use super::trial::{Judgement, Judgements};
use crate::fault::{self, Fault};
use crate::problem::Problem;
use crate::reasons;

/// A fuzz target that runs texts and reports its reasons.
pub struct Runner {
    target: PathBuf,
    limits: Limits,
    subjects: Vec<Subject>,
    jobs: usize,
    /// The expression that finds the reason in what the target prints.
    from_output: Option<Regex>,
    /// The number of runs so far.
    pub runs: AtomicUsize,
}

impl Runner {
    /// Returns a runner of a target. It starts `jobs` copies when it first runs texts.
    pub fn new(target: &Path, limits: Limits, jobs: u16, from_output: Option<Regex>) -> Runner {
        Runner {
            target: target.into(),
            limits,
            subjects: Vec::new(),
            jobs: jobs.max(1).into(),
            from_output,
            runs: AtomicUsize::new(0),
        }
    }

    /// Runs texts. Calls `done` after each, on any thread.
    ///
    /// # Errors
    /// If the target cannot be started or started again.
    pub fn run(
        &mut self,
        texts: &[Vec<u8>],
        done: &(dyn Fn() + Sync),
    ) -> Result<Judgements, Problem> {
        let jobs = self.jobs.min(texts.len().max(1));
        while self.subjects.len() < jobs {
            let subject = Subject::start_with_reasons(&self.target, self.limits);
            self.subjects
                .push(subject.map_err(Problem::new)?.comparing_none());
        }
        let (next, runs, from_output) = (&AtomicUsize::new(0), &self.runs, &self.from_output);
        let work = |subject: &mut Subject| -> Result<_, Problem> {
            let (mut found, mut edges) = (Vec::new(), BTreeSet::<u32>::new());
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(text) = texts.get(at) else {
                    return Ok((found, edges));
                };
                let judgement = judgement(subject, text, from_output.as_ref())?;
                if judgement == Judgement::Valid {
                    edges.extend(subject.edges());
                }
                runs.fetch_add(1, Ordering::Relaxed);
                done();
                found.push((at, judgement));
            }
        };
        let results: Vec<Result<_, Problem>> = std::thread::scope(|scope| {
            let threads: Vec<_> = self.subjects[..jobs]
                .iter_mut()
                .map(|subject| scope.spawn(|| work(subject)))
                .collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        });
        let (mut all, mut valid_edges) = (Vec::with_capacity(texts.len()), BTreeSet::new());
        for result in results {
            let (found, edges) = result?;
            all.extend(found);
            valid_edges.extend(edges);
        }
        all.sort_by_key(|(at, _)| *at);
        Ok(Judgements {
            all: all.into_iter().map(|(_, judgement)| judgement).collect(),
            valid_edges,
        })
    }
}

/// Runs a text, and returns the judgement of the target.
fn judgement(
    subject: &mut Subject,
    text: &[u8],
    from_output: Option<&Regex>,
) -> Result<Judgement, Problem> {
    let run = subject.run(Request::Sentence(text)).map_err(Problem::new)?;
    Ok(match run.outcome {
        Outcome::Finished(Validity::Valid) => Judgement::Valid,
        Outcome::Finished(Validity::Invalid) => {
            let printed =
                from_output.and_then(|regex| reasons::in_output(regex, &subject.output()));
            Judgement::Rejected(printed.or(run.reason).unwrap_or_default())
        }
        other => {
            let fault = Fault::of(&other, &subject.output(), Vec::new(), text);
            let what = match (fault::comparison(&other), &other) {
                (Some(name), _) => format!("disagreement: {name}"),
                (None, Outcome::Crash(signature)) => signature.to_string(),
                (None, other) => other.to_string(),
            };
            let message = fault.map_or(String::new(), |fault| fault.message);
            Judgement::Other { what, message }
        }
    })
}
