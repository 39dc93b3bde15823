//! The interestingness test of `zester reduce`. It decides by the exit status of a command, or by the
//! outcome of a fuzz target, whether a sentence is interesting.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use zester::parameters::Input;
use zester::subject::{Limits, Outcome, Request, Subject};

use crate::baseline::{Baseline, Change};
use crate::fault::{RunIdentity, comparison};
use crate::interrupt::OnInterrupt;
use crate::problem::Problem;
use crate::process;

/// The exit status of a command that means that a sentence is interesting.
#[derive(Clone, Copy)]
pub enum Status {
    /// This status.
    Code(i32),
    /// Any status except 0, or any signal.
    Failure,
}

/// The result of testing a sentence.
pub struct TestResult {
    pub is_interesting: bool,
    /// How the run ended, for messages.
    pub ending: String,
}

/// A test that decides whether a sentence is interesting.
pub enum InterestingnessTest {
    Command(CommandTest),
    Target(Box<TargetTest>),
}

impl InterestingnessTest {
    /// Tests a sentence.
    ///
    /// # Errors
    /// If the command or the target cannot be run.
    pub fn run(&mut self, input: &Input) -> Result<TestResult, Problem> {
        match self {
            InterestingnessTest::Command(command) => command.run(input),
            InterestingnessTest::Target(target) => target.run(input),
        }
    }

    /// Returns whether the first sentence that failed showed a disagreement.
    pub fn wants_disagreement(&self) -> bool {
        match self {
            InterestingnessTest::Command(_) => false,
            InterestingnessTest::Target(target) => target.wants_disagreement,
        }
    }
}

/// A command that is run with each sentence, in a process group of its own.
pub struct CommandTest {
    command: Vec<String>,
    /// Whether the command gets parameters instead of the sentence.
    parameters: bool,
    status: Status,
    timeout: Duration,
    /// The temporary directory of the file that the command reads.
    directory: TempDir,
    _remove: OnInterrupt,
}

impl CommandTest {
    /// Returns the test for a command and its arguments. `{}` in an argument is replaced by the path
    /// of a file with the sentence. Without `{}`, the command reads the sentence on standard input.
    pub fn new(
        command: Vec<String>,
        parameters: bool,
        status: Status,
        timeout: Duration,
    ) -> Result<CommandTest, Problem> {
        let directory = tempfile::Builder::new().prefix("zester-reduce-").tempdir();
        let directory = directory.map_err(|error| Problem::with(&std::env::temp_dir(), error))?;
        let _remove = OnInterrupt::remove(directory.path());
        Ok(CommandTest {
            command,
            parameters,
            status,
            timeout,
            directory,
            _remove,
        })
    }

    fn run(&self, input: &Input) -> Result<TestResult, Problem> {
        let bytes = if self.parameters {
            input.bytes()
        } else {
            input.text()
        };
        let file = self.directory.path().join("sentence");
        let failed = |error| Problem::with(&file, error);
        std::fs::write(&file, bytes).map_err(failed)?;
        let mut command = Command::new(&self.command[0]);
        let path = file.display().to_string();
        command.args(
            self.command[1..]
                .iter()
                .map(|argument| argument.replace("{}", &path)),
        );
        let has_placeholder = self.command.iter().any(|argument| argument.contains("{}"));
        let stdin = if has_placeholder {
            Stdio::null()
        } else {
            File::open(&file).map_err(failed)?.into()
        };
        command
            .stdin(stdin)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let ended = command
            .spawn()
            .and_then(|mut child| process::wait(&mut child, self.timeout));
        let Some(status) =
            ended.map_err(|error| Problem::with(Path::new(&self.command[0]), error))?
        else {
            return Ok(TestResult {
                is_interesting: false,
                ending: format!("takes longer than {:?}", self.timeout),
            });
        };
        let is_interesting = match self.status {
            Status::Failure => !status.success(),
            Status::Code(code) => status.code() == Some(code),
        };
        Ok(TestResult {
            is_interesting,
            ending: format!("ends with {status}"),
        })
    }
}

/// A fuzz target. A sentence is interesting if it fails as the first failing sentence does, and, with a
/// baseline, if the baseline does not have the fault.
pub struct TargetTest {
    subject: Subject,
    /// The fault of the first sentence that failed.
    wanted: Option<RunIdentity>,
    wants_disagreement: bool,
    baseline: Option<Baseline>,
}

impl TargetTest {
    /// Starts a target.
    pub fn new(target: &Path, limits: Limits) -> Result<TargetTest, Problem> {
        Ok(TargetTest {
            subject: Subject::start(target, limits).map_err(Problem::new)?,
            wanted: None,
            wants_disagreement: false,
            baseline: None,
        })
    }

    /// Returns the running target.
    pub fn subject(&mut self) -> &mut Subject {
        &mut self.subject
    }

    /// Sets an older build of the target, which must not have the fault of an interesting sentence.
    pub fn absent_in(mut self, baseline: Baseline) -> TargetTest {
        self.baseline = Some(baseline);
        self
    }

    fn run(&mut self, input: &Input) -> Result<TestResult, Problem> {
        let run = self
            .subject
            .run(Request::Parameters(input.bytes()))
            .map_err(Problem::new)?;
        let mut ending = match &run.outcome {
            Outcome::Crash(signature) => format!("crash: {signature}"),
            outcome => outcome.to_string(),
        };
        let identity = RunIdentity::of(&run.outcome, || self.subject.output(), input.text());
        let mut is_interesting = match &self.wanted {
            Some(wanted) => *wanted == identity,
            None => !matches!(run.outcome, Outcome::Finished(_)),
        };
        if let Some(baseline) = self.baseline.as_mut().filter(|_| is_interesting) {
            let request = Request::Parameters(input.bytes());
            let comparison = baseline.compare(request, &run.outcome)?;
            if comparison.change != Change::NewFailure {
                is_interesting = false;
                ending += ", and the build of --absent-in has the same fault";
            }
        }
        if self.wanted.is_none() && is_interesting {
            self.wanted = Some(identity);
            if let Some(comparison) = comparison(&run.outcome) {
                self.wants_disagreement = true;
                self.subject.compare_only(&comparison);
            }
        }
        Ok(TestResult {
            is_interesting,
            ending,
        })
    }
}

/// Returns the path of a program. A name without a slash is looked up in the directories of `PATH`.
/// Files that are not executable are found, too.
pub fn program(command: &str) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(command.into());
    }
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories)
        .map(|directory| directory.join(command))
        .find(|path| path.is_file())
}
