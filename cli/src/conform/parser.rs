//! The parser that is examined: a fuzz target, or a command.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use regex::Regex;
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::NamedTempFile;
use zester::Validity;
use zester::subject::{Limits, Outcome, Request, Subject};

use crate::interrupt::OnInterrupt;
use crate::problem::Problem;
use crate::target::Target;

/// The number of bytes of a program's output that are read.
const MAX_OUTPUT: u64 = 1 << 16;

/// The argument in whose place the path of the text is put.
const PLACEHOLDER: &str = "{}";

/// The pattern of a line and a column: `line 1 column 2`, `1:2` or `name:1:2`, but not the time in
/// `23:51:47`.
const PLACE: &str = r"(?i)(?:line\s+(\d+),?\s*(?:col(?:umn)?|char(?:acter)?)\.?:?\s*(\d+))|(?:(?:^|[\s(\[]|[a-z]:)(\d+):(\d+)\b)";

/// What a parser says of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Accepts,
    Refuses {
        /// The first line of its output.
        message: String,
        /// The line and the column in its output.
        place: Option<(usize, usize)>,
    },
    /// It crashed or did not end.
    Fails(String),
}

/// A parser.
pub enum Parser {
    Target(Box<Subject>),
    Command(CommandParser),
}

impl Parser {
    pub fn of(program: &Path, arguments: &[String], timeout: Duration) -> Result<Parser, Problem> {
        // A program without zester's hooks is a command. So is a name without a directory.
        let target = if program.exists() {
            Target::of(program).ok().flatten()
        } else {
            None
        };
        match target {
            Some(target) if arguments.is_empty() => {
                let limits = Limits {
                    timeout,
                    ..Limits::default()
                };
                Ok(Parser::Target(Box::new(
                    Subject::start(target.path(), limits).map_err(Problem::new)?,
                )))
            }
            Some(_) => Err(Problem::with(
                program,
                "is a fuzz target and takes no arguments",
            )),
            None => CommandParser::new(program, arguments, timeout).map(Parser::Command),
        }
    }

    /// Runs the parser on a text.
    ///
    /// # Errors
    /// If it cannot be started, or if it is a fuzz target that does not report whether texts are
    /// valid.
    pub fn ask(&mut self, text: &[u8]) -> Result<Answer, Problem> {
        match self {
            Parser::Command(command) => command.ask(text),
            Parser::Target(subject) => match subject
                .run(Request::Text(text))
                .map_err(Problem::new)?
                .outcome
            {
                Outcome::Finished(Validity::Valid) => Ok(Answer::Accepts),
                Outcome::Finished(Validity::Invalid) => Ok(Answer::Refuses {
                    message: String::new(),
                    place: None,
                }),
                Outcome::Finished(Validity::Unknown) => Err(Problem::new(
                    "the fuzz target does not report whether a text is valid; its body must return a Result or a bool",
                )),
                other => Ok(Answer::Fails(crate::expectation::describe(&other))),
            },
        }
    }
}

/// A command that reads a file.
pub struct CommandParser {
    program: PathBuf,
    arguments: Vec<String>,
    timeout: Duration,
    file: NamedTempFile,
    place: Regex,
}

impl CommandParser {
    fn new(
        program: &Path,
        arguments: &[String],
        timeout: Duration,
    ) -> Result<CommandParser, Problem> {
        let mut arguments = arguments.to_vec();
        if !arguments.iter().any(|argument| argument == PLACEHOLDER) {
            arguments.push(PLACEHOLDER.into());
        }
        let file = NamedTempFile::new().map_err(Problem::new)?;
        let place = Regex::new(PLACE);
        Ok(CommandParser {
            program: program.into(),
            arguments,
            timeout,
            file,
            place: place.map_err(Problem::new)?,
        })
    }

    fn ask(&mut self, text: &[u8]) -> Result<Answer, Problem> {
        let path = self.file.path().to_owned();
        std::fs::write(&path, text).map_err(|error| Problem::with(&path, error))?;
        let arguments = self.arguments.iter().map(|argument| match &argument[..] {
            PLACEHOLDER => path.clone().into_os_string(),
            argument => argument.into(),
        });
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command
            .spawn()
            .map_err(|error| Problem::with(&self.program, error))?;
        let _kill = OnInterrupt::kill(Pid::from_child(&child));
        let outputs = read(&mut child);
        let status =
            wait(&mut child, self.timeout).map_err(|error| Problem::with(&self.program, error))?;
        let output: String = outputs
            .into_iter()
            .filter_map(|thread| thread.join().ok())
            .collect();
        // The name of the file may have digits.
        let output = output.replace(&*path.to_string_lossy(), "file");
        Ok(match status {
            None => Answer::Fails(format!("no end after {} s", self.timeout.as_secs_f64())),
            Some(status) if status.success() => Answer::Accepts,
            Some(status) => match status.signal() {
                Some(signal) => Answer::Fails(format!("signal {signal}")),
                None => {
                    let message = output
                        .lines()
                        .find(|line| !line.trim().is_empty())
                        .unwrap_or_default()
                        .trim()
                        .to_string();
                    Answer::Refuses {
                        message,
                        place: self.place(&output),
                    }
                }
            },
        })
    }

    /// Returns the first line and column in an output.
    fn place(&self, output: &str) -> Option<(usize, usize)> {
        let found = self.place.captures(output)?;
        let number =
            |one: usize, other: usize| found.get(one).or(found.get(other))?.as_str().parse().ok();
        Some((number(1, 3)?, number(2, 4)?))
    }
}

/// Reads what a process writes, in threads, so that it never waits for us.
fn read(child: &mut Child) -> Vec<std::thread::JoinHandle<String>> {
    let streams: [Option<Box<dyn Read + Send>>; 2] = [
        child
            .stderr
            .take()
            .map(|stream| Box::new(stream) as Box<dyn Read + Send>),
        child
            .stdout
            .take()
            .map(|stream| Box::new(stream) as Box<dyn Read + Send>),
    ];
    let thread = |mut stream: Box<dyn Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            _ = stream.by_ref().take(MAX_OUTPUT).read_to_end(&mut bytes);
            _ = std::io::copy(&mut stream, &mut std::io::sink());
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    streams.into_iter().flatten().map(thread).collect()
}

/// Waits for a process. Kills it after some time, and then returns [`None`].
fn wait(child: &mut Child, timeout: Duration) -> std::io::Result<Option<std::process::ExitStatus>> {
    let (start, mut pause) = (Instant::now(), Duration::from_micros(200));
    loop {
        if let Some(status) = child.try_wait()? {
            // What it has started must not keep the output open.
            _ = kill_process_group(Pid::from_child(child), Signal::KILL);
            return Ok(Some(status));
        }
        if start.elapsed() > timeout {
            _ = kill_process_group(Pid::from_child(child), Signal::KILL);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(script: &str, text: &[u8]) -> Answer {
        let arguments = ["-c", script, "sh", PLACEHOLDER].map(String::from);
        let parser = CommandParser::new(Path::new("sh"), &arguments, Duration::from_secs(1));
        parser
            .and_then(|mut parser| parser.ask(text))
            .unwrap_or_else(|problem| panic!("{}", problem.message()))
    }

    #[test]
    fn commands_accept_refuse_and_fail() {
        let refused = |message: &str, place| Answer::Refuses {
            message: message.into(),
            place,
        };
        assert_eq!(ask("grep -q good $1", b"a good one"), Answer::Accepts);
        assert_eq!(
            ask("echo >&2 'x:3:14: wrong'; exit 1", b""),
            refused("x:3:14: wrong", Some((3, 14)))
        );
        assert_eq!(
            ask("echo 'at line 2, column 7'; exit 1", b""),
            refused("at line 2, column 7", Some((2, 7)))
        );
        assert_eq!(ask("echo nothing; exit 2", b""), refused("nothing", None));
        assert_eq!(ask("kill -SEGV $$", b""), Answer::Fails("signal 11".into()));
        assert_eq!(
            ask("sleep 30", b""),
            Answer::Fails("no end after 1 s".into())
        );
        assert_eq!(
            ask("yes | head -c 10000000; exit 1", b""),
            refused("y", None)
        );
    }
}
