//! Decides whether a sentence is interesting: by the exit status of a command, or by the crash of a
//! fuzz target.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tempfile::TempDir;
use zester::parameters::Input;
use zester::subject::{Limits, Outcome, Request, Subject};

use crate::interrupt::OnInterrupt;
use crate::problem::Problem;

/// The exit status of a command for an interesting sentence.
#[derive(Clone, Copy)]
pub enum Status {
    /// This status.
    Code(i32),
    /// Any status but 0, and any signal.
    Failure,
}

/// Whether a sentence is interesting, and how its run ended.
pub struct Answer {
    pub is_interesting: bool,
    pub ending: String,
}

/// Decides whether a sentence is interesting.
pub enum Oracle {
    Command(CommandOracle),
    Target(Box<TargetOracle>),
}

impl Oracle {
    /// Decides about a sentence.
    pub fn ask(&mut self, input: &Input) -> Result<Answer, Problem> {
        match self {
            Oracle::Command(command) => command.ask(input),
            Oracle::Target(target) => target.ask(input),
        }
    }
}

/// A command that runs on each sentence, in a process group of its own.
pub struct CommandOracle {
    command: Vec<String>,
    /// Whether the command gets parameters instead of the sentence.
    parameters: bool,
    status: Status,
    timeout: Duration,
    /// The directory of the file that the command reads.
    directory: TempDir,
    _remove: OnInterrupt,
}

impl CommandOracle {
    /// Returns the oracle for a command and its arguments. `{}` in an argument is replaced by the
    /// path of a file with the sentence.
    pub fn new(
        command: Vec<String>,
        parameters: bool,
        status: Status,
        timeout: Duration,
    ) -> Result<CommandOracle, Problem> {
        let directory = tempfile::Builder::new().prefix("zester-reduce-").tempdir();
        let directory = directory.map_err(|error| Problem::with(&std::env::temp_dir(), error))?;
        let _remove = OnInterrupt::remove(directory.path());
        Ok(CommandOracle {
            command,
            parameters,
            status,
            timeout,
            directory,
            _remove,
        })
    }

    fn ask(&self, input: &Input) -> Result<Answer, Problem> {
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
        let has_place = self.command.iter().any(|argument| argument.contains("{}"));
        let stdin = if has_place {
            Stdio::null()
        } else {
            File::open(&file).map_err(failed)?.into()
        };
        command
            .stdin(stdin)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let ended = command.spawn().and_then(|child| end(child, self.timeout));
        let Some(status) =
            ended.map_err(|error| Problem::with(Path::new(&self.command[0]), error))?
        else {
            return Ok(Answer {
                is_interesting: false,
                ending: format!("takes longer than {:?}", self.timeout),
            });
        };
        let is_interesting = match self.status {
            Status::Failure => !status.success(),
            Status::Code(code) => status.code() == Some(code),
        };
        Ok(Answer {
            is_interesting,
            ending: format!("ends with {status}"),
        })
    }
}

/// Waits until a process has ended, then kills the others of its group. Returns `None` if the time
/// is over before.
fn end(mut child: Child, timeout: Duration) -> std::io::Result<Option<ExitStatus>> {
    let process = Pid::from_child(&child);
    let kill = OnInterrupt::kill(process);
    let (start, mut pause) = (Instant::now(), Duration::from_micros(100));
    // The process is not reaped yet, so that no other process can have its number when the group is
    // killed.
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    let has_ended = loop {
        match waitid(WaitId::Pid(process), options) {
            Ok(None) if start.elapsed() < timeout => std::thread::sleep(pause),
            Ok(ended) => break ended.is_some(),
            Err(_) => break false,
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    // This fails if all processes have ended.
    let _ = kill_process_group(process, Signal::KILL);
    drop(kill);
    let status = child.wait()?;
    Ok(has_ended.then_some(status))
}

/// A fuzz target, which runs the sentences of parameters.
pub struct TargetOracle {
    subject: Subject,
    /// The outcome of the first sentence.
    wanted: Option<Outcome>,
}

impl TargetOracle {
    /// Starts a target.
    pub fn new(target: &Path, timeout: Duration) -> Result<TargetOracle, Problem> {
        let limits = Limits {
            timeout,
            ..Limits::default()
        };
        Ok(TargetOracle {
            subject: Subject::start(target, limits).map_err(Problem::new)?,
            wanted: None,
        })
    }

    fn ask(&mut self, input: &Input) -> Result<Answer, Problem> {
        let run = self
            .subject
            .run(Request::Parameters(input.bytes()))
            .map_err(Problem::new)?;
        let ending = match &run.outcome {
            Outcome::Crash(signature) => format!("crash: {signature}"),
            outcome => outcome.to_string(),
        };
        let is_interesting = match &self.wanted {
            Some(wanted) => *wanted == run.outcome,
            None => !matches!(run.outcome, Outcome::Finished(_)),
        };
        if self.wanted.is_none() && is_interesting {
            self.wanted = Some(run.outcome);
        }
        Ok(Answer {
            is_interesting,
            ending,
        })
    }
}

/// Returns the path of a command's program, as a shell finds it.
pub fn program(command: &str) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(command.into());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(command))
        .find(|path| path.is_file())
}
