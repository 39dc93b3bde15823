//! The parser that is compared with the grammar: a fuzz target, or a command.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;
use tempfile::NamedTempFile;
use zester::Validity;
use zester::subject::{Limits, Outcome, Request, Subject};

use crate::fuzz_target::FuzzTarget;
use crate::problem::Problem;
use crate::process;

/// The maximum number of bytes that are kept of standard output, and of standard error. Further
/// bytes are discarded.
const MAX_OUTPUT: u64 = 1 << 16;

/// The argument that is replaced by the path of the text.
const PLACEHOLDER: &str = "{}";

/// The pattern of a line and a column: `line 1 column 2`, `1:2` or `name:1:2`, but not the time in
/// `23:51:47`.
static POSITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:line\s+(\d+),?\s*(?:col(?:umn)?|char(?:acter)?)\.?:?\s*(\d+))|(?:(?:^|[\s(\[]|[a-z]:)(\d+):(\d+)(?::?(?:[^\d:]|$)))").expect("the expression is correct")
});

/// The result of running the parser on a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Accepts,
    Refuses {
        /// For a command: the first line of its output that is not blank. For a fuzz target: the
        /// first line of the reason that it reported.
        message: String,
        /// The first line number and column in the command's output or in the fuzz target's reason.
        position: Option<(usize, usize)>,
    },
    /// It crashed or exceeded the time limit. The text says which.
    Fails(String),
}

/// The parser that is compared with the grammar.
pub enum ParserUnderTest {
    Target(Box<Subject>),
    Command(CommandParser),
}

impl ParserUnderTest {
    /// Returns the parser for a program, which is a fuzz target or another command.
    ///
    /// # Errors
    /// If a fuzz target cannot be started, or if arguments are given for it.
    pub fn of(
        program: &Path,
        arguments: &[String],
        timeout: Duration,
    ) -> Result<ParserUnderTest, Problem> {
        // A program that is not a fuzz target of zester is a command. So is a name that is no path of
        // a file; it is looked up in PATH.
        let target = if program.exists() {
            FuzzTarget::of(program).ok().flatten()
        } else {
            None
        };
        match target {
            Some(target) if arguments.is_empty() => {
                let limits = Limits::default().timeout(timeout);
                let subject = Subject::start_with_reasons(target.path(), limits);
                let subject = subject.map_err(Problem::new)?.comparing_none();
                Ok(ParserUnderTest::Target(Box::new(subject)))
            }
            Some(_) => Err(Problem::with(
                program,
                "is a fuzz target and takes no arguments",
            )),
            None => CommandParser::new(program, arguments, timeout).map(ParserUnderTest::Command),
        }
    }

    /// Runs the parser on a text.
    ///
    /// # Errors
    /// If it cannot be started, or if it is a fuzz target that does not report whether texts are
    /// valid.
    pub fn run(&mut self, text: &[u8]) -> Result<Verdict, Problem> {
        let subject = match self {
            ParserUnderTest::Command(command) => return command.run(text),
            ParserUnderTest::Target(subject) => subject,
        };
        let run = subject.run(Request::Sentence(text)).map_err(Problem::new)?;
        match run.outcome {
            Outcome::Finished(Validity::Valid) => Ok(Verdict::Accepts),
            Outcome::Finished(Validity::Invalid) => {
                let reason = run.reason.unwrap_or_default();
                Ok(Verdict::Refuses {
                    message: reason.lines().next().unwrap_or_default().trim().into(),
                    position: position(&reason),
                })
            }
            Outcome::Finished(Validity::Unknown) => Err(Problem::new(
                "the fuzz target does not report whether a text is valid; its body must return a Result or a bool",
            )),
            other => Ok(Verdict::Fails(crate::expectation::describe(&other))),
        }
    }
}

/// A command that reads the text from a file.
pub struct CommandParser {
    program: PathBuf,
    arguments: Vec<String>,
    timeout: Duration,
    file: NamedTempFile,
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
        Ok(CommandParser {
            program: program.into(),
            arguments,
            timeout,
            file,
        })
    }

    fn run(&mut self, text: &[u8]) -> Result<Verdict, Problem> {
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
        let outputs = read(&mut child);
        // Processes that the command started are killed too, because they would keep its output open.
        let status = process::wait(&mut child, self.timeout)
            .map_err(|error| Problem::with(&self.program, error))?;
        let output: String = outputs
            .into_iter()
            .filter_map(|thread| thread.join().ok())
            .collect();
        // Digits in the name of the file must not be taken for a position.
        let output = output.replace(&*path.to_string_lossy(), "file");
        Ok(match status {
            None => Verdict::Fails(format!("no end after {} s", self.timeout.as_secs_f64())),
            Some(status) if status.success() => Verdict::Accepts,
            Some(status) => match status.signal() {
                Some(signal) => Verdict::Fails(format!("signal {signal}")),
                None => {
                    let message = output
                        .lines()
                        .find(|line| !line.trim().is_empty())
                        .unwrap_or_default()
                        .trim()
                        .to_string();
                    Verdict::Refuses {
                        message,
                        position: position(&output),
                    }
                }
            },
        })
    }
}

/// Returns the first line and column in the output of a command or in a reason.
fn position(output: &str) -> Option<(usize, usize)> {
    let found = POSITION.captures(output)?;
    let number =
        |one: usize, other: usize| found.get(one).or(found.get(other))?.as_str().parse().ok();
    Some((number(1, 3)?, number(2, 4)?))
}

/// Reads the standard error and the standard output of a process in two threads, so that the process
/// does not block when a pipe is full.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, text: &[u8]) -> Verdict {
        let arguments = ["-c", script, "sh", PLACEHOLDER].map(String::from);
        let parser = CommandParser::new(Path::new("sh"), &arguments, Duration::from_secs(1));
        parser
            .and_then(|mut parser| parser.run(text))
            .unwrap_or_else(|problem| panic!("{}", problem.message()))
    }

    #[test]
    fn commands_accept_refuse_and_fail() {
        let refused = |message: &str, position| Verdict::Refuses {
            message: message.into(),
            position,
        };
        assert_eq!(run("grep -q good $1", b"a good one"), Verdict::Accepts);
        assert_eq!(
            run("echo >&2 'x:3:14: wrong'; exit 1", b""),
            refused("x:3:14: wrong", Some((3, 14)))
        );
        assert_eq!(
            run("echo 'at line 2, column 7'; exit 1", b""),
            refused("at line 2, column 7", Some((2, 7)))
        );
        assert_eq!(run("echo nothing; exit 2", b""), refused("nothing", None));
        assert_eq!(
            run("echo '23:51:47 [4:12] wrong'; exit 1", b""),
            refused("23:51:47 [4:12] wrong", Some((4, 12))),
            "a time is not a position"
        );
        assert_eq!(
            run("kill -SEGV $$", b""),
            Verdict::Fails("signal 11".into())
        );
        assert_eq!(
            run("sleep 30", b""),
            Verdict::Fails("no end after 1 s".into())
        );
        assert_eq!(
            run("yes | head -c 10000000; exit 1", b""),
            refused("y", None)
        );
    }
}
