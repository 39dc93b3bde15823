//! A program that answers sentences, for comparisons with programs in any language.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::hooks::disagree;

/// The maximum length of an answer in bytes.
const MAX_ANSWER: usize = 1 << 24;

/// A program that stays open and answers one sentence after the other.
///
/// The program reads on standard input the number of bytes of a sentence in decimal digits, a line
/// break, and the sentence. It answers on standard output with `ok` or `error`, a blank, the number
/// of bytes of the answer, a line break, and the answer. In Python:
///
/// ```python
/// import sys
/// while line := sys.stdin.buffer.readline():
///     text = sys.stdin.buffer.read(int(line)).decode()
///     try: how, answer = "ok", repr(eval(text))
///     except Exception as error: how, answer = "error", str(error)
///     data = answer.encode()
///     sys.stdout.buffer.write(f"{how} {len(data)}\n".encode() + data)
///     sys.stdout.buffer.flush()
/// ```
///
/// With [`each`](Program::each), the program is started for each sentence. It reads the sentence on
/// standard input up to the end of the input. Its answer is its standard output. An exit status
/// other than 0 means that it refuses the sentence.
///
/// A program that does not answer in time, ends early, answers with more than 16 MiB, or breaks the
/// protocol is a disagreement of its own, whose comparison has the name of the program. It is started
/// again for the next sentence.
///
/// # Examples
///
/// ```no_run
/// use zester::oracle::{Program, agree};
///
/// static PYTHON: Program = Program::new(&["python3", "evaluate.py"]);
///
/// # fn evaluate(text: &str) -> Result<String, String> { Ok(text.into()) }
/// fn body(text: &str) -> Result<String, String> {
///     agree(text, evaluate, |text| PYTHON.answer(text.as_bytes()))
/// }
/// ```
pub struct Program {
    command: &'static [&'static str],
    timeout: Duration,
    stays: bool,
    running: Mutex<Option<Running>>,
}

/// A process of the program.
struct Running {
    /// The ID of the process that started this one. After a `fork`, the copy of that process must
    /// not use this one.
    owner: u32,
    child: Child,
    stream: BufReader<TimedStream>,
}

/// A stream whose reads and writes fail when the time for an answer is over.
struct TimedStream {
    stream: UnixStream,
    /// The maximum time from the request to the end of the answer.
    timeout: Duration,
    /// The time at which the last request began.
    asked: Instant,
}

impl TimedStream {
    /// Returns the time that is left.
    fn left(&self) -> io::Result<Option<Duration>> {
        match self.timeout.saturating_sub(self.asked.elapsed()) {
            Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(Some(left)),
        }
    }
}

impl Read for TimedStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl Write for TimedStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.owner == std::process::id() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The answer of a program to a sentence, or the reason why it did not answer.
type Answer = Result<Result<Vec<u8>, Vec<u8>>, String>;

impl Program {
    /// Returns a program that stays open. The first word of the command is the program, which is
    /// looked up in `PATH`; the others are its arguments. It must answer within ten seconds.
    pub const fn new(command: &'static [&'static str]) -> Program {
        Program::with(command, true)
    }

    /// Returns a program that is started for each sentence.
    pub const fn each(command: &'static [&'static str]) -> Program {
        Program::with(command, false)
    }

    const fn with(command: &'static [&'static str], stays: bool) -> Program {
        Program {
            command,
            timeout: Duration::from_secs(10),
            stays,
            running: Mutex::new(None),
        }
    }

    /// Sets the time within which the program must answer.
    pub const fn timeout(mut self, timeout: Duration) -> Program {
        self.timeout = timeout;
        self
    }

    /// Returns the answer of the program to a sentence. Bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// If the program refuses the sentence or does not answer. The error is the text of the refusal,
    /// or the reason why there is no answer.
    ///
    /// # Panics
    /// If the program cannot be started.
    pub fn answer(&self, sentence: &[u8]) -> Result<String, String> {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let answer = match self.stays {
            true => self.ask(sentence),
            false => self.run(sentence),
        };
        match answer {
            Ok(answer) => answer.map(text).map_err(text),
            Err(problem) => {
                disagree(self.name(), &problem, &format_args!("  no answer"));
                Err(format!("{}: {problem}", self.name()))
            }
        }
    }

    fn name(&self) -> &'static str {
        self.command.first().copied().unwrap_or("no program")
    }

    /// Asks the process that stays open. Starts one if none is running.
    fn ask(&self, sentence: &[u8]) -> Answer {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = &mut *running {
            let is_own = old.owner == std::process::id();
            if !is_own || old.child.try_wait().map_or(true, |ended| ended.is_some()) {
                *running = None;
            }
        }
        let process = running.get_or_insert_with(|| self.start());
        let answer = process.ask(sentence);
        if answer.is_err() {
            let mut process = running.take().expect("it has just been asked");
            return answer.map_err(|error| problem(&error, ended(&mut process.child)));
        }
        answer.map_err(|error| problem(&error, None))
    }

    /// Runs a process for one sentence.
    fn run(&self, sentence: &[u8]) -> Answer {
        let mut process = self.start();
        let answer = process.run(sentence);
        let status = process.child.try_wait().ok().flatten();
        let status = status.or_else(|| ended(&mut process.child));
        match (answer, status) {
            (Ok(answer), Some(status)) if status.success() => Ok(Ok(answer)),
            (Ok(answer), Some(status)) if status.code().is_some() => Ok(Err(answer)),
            (answer, status) => Err(problem(&answer.err().unwrap_or(no_answer()), status)),
        }
    }

    fn start(&self) -> Running {
        let started = UnixStream::pair().and_then(|(here, there)| {
            let child = Command::new(self.name())
                .args(self.command.iter().skip(1))
                .stdin(Stdio::from(OwnedFd::from(there.try_clone()?)))
                .stdout(Stdio::from(OwnedFd::from(there)))
                .stderr(Stdio::null())
                .spawn()?;
            Ok(Running {
                owner: std::process::id(),
                child,
                stream: BufReader::new(TimedStream {
                    stream: here,
                    timeout: self.timeout,
                    asked: Instant::now(),
                }),
            })
        });
        let name = self.name();
        started.unwrap_or_else(|error| panic!("zester: {name} cannot be started: {error}"))
    }
}

impl Running {
    fn ask(&mut self, sentence: &[u8]) -> io::Result<Result<Vec<u8>, Vec<u8>>> {
        let stream = self.stream.get_mut();
        stream.asked = Instant::now();
        writeln!(stream, "{}", sentence.len())?;
        stream.write_all(sentence)?;
        let mut head = String::new();
        self.stream.by_ref().take(64).read_line(&mut head)?;
        if head.is_empty() {
            return Err(no_answer());
        }
        let length = |rest: &str| rest.trim_end().parse().ok().filter(|&n| n <= MAX_ANSWER);
        let (is_ok, length) = match head.split_once(' ') {
            Some(("ok", rest)) => (true, length(rest)),
            Some(("error", rest)) => (false, length(rest)),
            _ => (false, None),
        };
        let Some(length) = length else {
            let words = "expected `ok` or `error` and a number of bytes";
            return Err(io::Error::new(io::ErrorKind::InvalidData, words));
        };
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        Ok(if is_ok { Ok(answer) } else { Err(answer) })
    }

    /// Writes a sentence, closes the input, and reads the output up to its end.
    fn run(&mut self, sentence: &[u8]) -> io::Result<Vec<u8>> {
        let stream = self.stream.get_mut();
        // A program need not read all of its input.
        let _ = stream.write_all(sentence);
        let _ = stream.stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let limit = MAX_ANSWER as u64 + 1;
        match self.stream.by_ref().take(limit).read_to_end(&mut answer) {
            Ok(_) if answer.len() > MAX_ANSWER => Err(io::ErrorKind::FileTooLarge.into()),
            // The program ended without reading its input.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(answer),
            read => read.map(|_| answer),
        }
    }
}

/// Returns the error of a program that closed its output.
fn no_answer() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "no answer")
}

/// Returns the status of a process that is about to end. Waits up to 100 milliseconds.
fn ended(child: &mut Child) -> Option<ExitStatus> {
    for _ in 0..50 {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    None
}

/// Returns in words why a program did not answer.
fn problem(error: &io::Error, status: Option<ExitStatus>) -> String {
    use io::ErrorKind::{FileTooLarge, InvalidData, TimedOut, WouldBlock};
    match (error.kind(), status) {
        (WouldBlock | TimedOut, _) => "the program does not answer in time".into(),
        (FileTooLarge, _) => "the answer of the program is too long".into(),
        (InvalidData, _) => "the program does not keep the protocol".into(),
        (_, Some(status)) => format!("the program ends with {}", plain(status)),
        _ => "the program closes its output".into(),
    }
}

/// Returns an exit status without a colon, because a kind must not have one.
fn plain(status: ExitStatus) -> String {
    status.to_string().replace(": ", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Upper case; refuses an empty sentence, hangs at `hang`, answers slowly at `drip`, and ends at `end`.
    const SERVER: &str = r#"while read -r n; do t=$(head -c "$n")
        case $t in '') printf 'error 5\nempty';; hang) sleep 60;; drip) echo ok 60; for i in {1..60}; do printf .; sleep 0.1; done;; end) exit 3;; wrong) echo no;;
        *) u=$(printf %s "$t" | tr a-z A-Z); printf 'ok %d\n%s' "${#u}" "$u";; esac; done"#;

    #[test]
    fn a_program_that_stays_open_answers() {
        static PROGRAM: Program = Program::new(&["bash", "-c", SERVER]);
        assert_eq!(PROGRAM.answer(b"ab"), Ok("AB".into()));
        let pid = |program: &Program| {
            let running = program.running.lock().unwrap();
            running.as_ref().map(|running| running.child.id())
        };
        let first = pid(&PROGRAM);
        assert!(first.is_some());
        assert_eq!(PROGRAM.answer(b""), Err("empty".into()));
        assert_eq!(PROGRAM.answer(b"cd\n\xff"), Ok("CD\n\u{fffd}".into()));
        assert_eq!(pid(&PROGRAM), first);
        // A process that somebody killed is started again.
        if let Some(running) = &mut *PROGRAM.running.lock().unwrap() {
            running.child.kill().unwrap();
            running.child.wait().unwrap();
        }
        assert_eq!(PROGRAM.answer(b"ab"), Ok("AB".into()));
    }

    #[test]
    fn what_is_no_answer_is_a_disagreement() {
        let answer = |timeout, sentence: &'static [u8]| {
            let panic = std::panic::catch_unwind(|| {
                Program::new(&["bash", "-c", SERVER])
                    .timeout(Duration::from_millis(timeout))
                    .answer(sentence)
            });
            let panic = panic.unwrap_err();
            panic.downcast_ref::<String>().unwrap().clone()
        };
        for (timeout, sentence, expected) in [
            (100, &b"hang"[..], "does not answer in time"),
            (10_000, b"end", "ends with exit status 3"),
            (10_000, b"wrong", "does not keep the protocol"),
            (500, b"drip", "does not answer in time"),
        ] {
            let message = answer(timeout, sentence);
            let expected = format!("zester: disagreement: bash: the program {expected}\n");
            assert!(message.starts_with(&expected), "{message}");
        }
    }

    #[test]
    fn a_program_can_be_started_for_each_sentence() {
        let run = |script: &'static [&'static str]| Program::each(script).answer(b"a\nb\n");
        assert_eq!(
            run(&["wc", "-l"]).map(|answer| answer.trim().to_owned()),
            Ok("2".into())
        );
        assert_eq!(run(&["bash", "-c", "echo no; exit 1"]), Err("no\n".into()));
        assert_eq!(run(&["true"]), Ok(String::new()));
        let killed = std::panic::catch_unwind(|| run(&["bash", "-c", "kill -9 $$"]));
        assert!(killed.is_err());
        let long = std::panic::catch_unwind(|| run(&["head", "-c", "16777217", "/dev/zero"]));
        assert!(long.is_err());
    }
}
