//! The server process of a program, and the connection to it and its worker.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::log;
use crate::error::Error;
use crate::fork_server::protocol::{self, Died, REASONS, Reply, VARIABLE};

/// The time after which a read or a write of the socket returns, so that the limits of a run can be
/// checked.
const TICK: Duration = Duration::from_millis(5);

/// The maximum time that a program may take to start.
const MAX_START: Duration = Duration::from_secs(120);

/// The maximum time that the server may take to report the end of a worker that was killed, and to
/// end itself.
pub(super) const MAX_END: Duration = Duration::from_secs(3);

/// Flags that switch off libFuzzer's own limits and signal handlers. With `-runs=0`, a libFuzzer
/// program that is no fuzz target of zester ends at once.
const FLAGS: [&str; 16] = [
    "-runs=0",
    "-timeout=0",
    "-rss_limit_mb=0",
    "-malloc_limit_mb=0",
    "-detect_leaks=0",
    "-exact_artifact_path=/dev/null",
    "-handle_abrt=0",
    "-handle_bus=0",
    "-handle_fpe=0",
    "-handle_ill=0",
    "-handle_int=0",
    "-handle_segv=0",
    "-handle_term=0",
    "-handle_usr1=0",
    "-handle_usr2=0",
    "-handle_xfsz=0",
];

/// The environment variables with the options of sanitizers.
const SANITIZERS: [&str; 4] = [
    "ASAN_OPTIONS",
    "LSAN_OPTIONS",
    "MSAN_OPTIONS",
    "UBSAN_OPTIONS",
];

/// Returns the user's options of a sanitizer, with further options. Without names of functions, a
/// crash takes about a hundredth of the time.
fn sanitizer_options(variable: &str, reports: Reports) -> OsString {
    let mut options = std::env::var_os(variable).unwrap_or_default();
    if !reports.names {
        options.push(":symbolize=0");
    }
    if reports.backtraces {
        // The first is an option of AddressSanitizer, the second of UndefinedBehaviorSanitizer.
        options.push(":handle_abort=1:print_stacktrace=1");
    }
    options
}

/// A buffer of received bytes. Bytes before `start` have been processed.
#[derive(Debug, Default)]
struct Received {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Received {
    /// Returns the bytes that have not been processed.
    fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Receives more bytes. Returns their number.
    fn read(&mut self, from: &mut impl Read) -> io::Result<usize> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.end == self.buffer.len() {
            self.buffer.resize((2 * self.end).max(1 << 16), 0);
        }
        let count = from.read(&mut self.buffer[self.end..])?;
        self.end += count;
        Ok(count)
    }
}

/// The reports that a program is asked for, in addition to the outcome of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reports {
    /// Whether sanitizers look up the names of functions. Without names, a crash takes about a
    /// hundredth of the time.
    pub names: bool,
    /// Whether the program is asked why it rejects inputs.
    pub reasons: bool,
    /// Whether the program is also asked for the outcomes of valid runs.
    pub outcomes: bool,
    /// Whether panics, aborts and undefined behaviour print their stacks. Printing a stack is slow.
    pub backtraces: bool,
}

/// The server process of a program, and the worker that it forked last.
#[derive(Debug)]
pub(super) struct Server {
    pub child: Child,
    pub socket: UnixStream,
    received: Received,
    pub worker: Pid,
    /// The number of coverage counters of the program under test.
    pub counters: u32,
    /// Whether a worker waits for a request or runs one.
    pub is_ready: bool,
    /// The exit status of the server process, if it has ended.
    status: Option<ExitStatus>,
}

impl Server {
    /// Starts a program and waits for its first worker. The output of the program goes to `log`.
    ///
    /// # Errors
    /// If the program cannot be started, or is no fuzz target of zester.
    pub fn start(program: &Path, reports: Reports, log: &File) -> Result<Server, Error> {
        let problem = |error: io::Error| error.to_string();
        let (socket, of_child) = UnixStream::pair().map_err(problem)?;
        socket
            .set_read_timeout(Some(TICK))
            .and_then(|()| socket.set_write_timeout(Some(TICK)))
            .map_err(problem)?;
        let child = Command::new(if program.is_relative() {
            Path::new(".").join(program)
        } else {
            program.into()
        })
        .args(FLAGS)
        .envs(
            SANITIZERS
                .into_iter()
                .map(|variable| (variable, sanitizer_options(variable, reports))),
        )
        .env(VARIABLE, "1")
        .env(
            REASONS,
            match (reports.reasons, reports.outcomes) {
                (_, true) => "2",
                (true, false) => "1",
                (false, false) => "0",
            },
        )
        // The signature of a panic has its source line, so it needs no backtrace.
        .env("RUST_BACKTRACE", if reports.backtraces { "1" } else { "0" })
        .stdin(Stdio::from(OwnedFd::from(of_child)))
        .stdout(log.try_clone().map_err(problem)?)
        .stderr(log.try_clone().map_err(problem)?)
        // The server has its own process group, so it gets no signal from Ctrl-C. When Ctrl-C ends
        // this process, the socket closes, and the server kills all processes of the program.
        .process_group(0)
        .spawn()
        .map_err(problem)?;
        let worker = Pid::from_child(&child);
        let mut server = Server {
            child,
            socket,
            received: Received::default(),
            worker,
            counters: 0,
            is_ready: false,
            status: None,
        };
        match server.await_ready() {
            Ok(()) => Ok(server),
            Err(error) => {
                server.stop();
                let printed = log::read(log);
                let printed: Vec<&str> = printed
                    .lines()
                    .filter(|line| !line.starts_with("INFO: "))
                    .take(20)
                    .collect();
                Err(format!(
                    "this is no fuzz target of zester, or it does not start: {error}\n{}",
                    printed.join("\n")
                )
                .into())
            }
        }
    }

    /// Returns the next reply, or [`None`] if no reply came within [`TICK`]. Writes the numbers of
    /// the counters that a run hit to `hits`.
    pub fn receive(&mut self, hits: &mut Vec<u32>) -> io::Result<Option<Reply>> {
        loop {
            if let Some((reply, size)) = Reply::read(self.received.bytes(), hits) {
                self.received.start += size;
                match &reply {
                    &Reply::Ready { process, counters } => {
                        self.worker =
                            Pid::from_raw(process as i32).ok_or(ErrorKind::InvalidData)?;
                        (self.counters, self.is_ready) = (counters, true);
                    }
                    &Reply::Died(Died { token, .. }) => {
                        self.is_ready = false;
                        protocol::acknowledge(token, &mut &self.socket)?;
                    }
                    Reply::Finished(run) => self.is_ready = !run.is_last,
                }
                return Ok(Some(reply));
            }
            match self.received.read(&mut &self.socket) {
                Ok(0) => {
                    return Err(io::Error::new(
                        ErrorKind::UnexpectedEof,
                        "the target has ended",
                    ));
                }
                Ok(_) => {}
                Err(error) if is_timeout(&error) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits until a worker is ready for a request. Ignores replies of an earlier worker.
    pub fn await_ready(&mut self) -> io::Result<()> {
        let start = Instant::now();
        while start.elapsed() < MAX_START {
            if let Some(Reply::Ready { .. }) = self.receive(&mut Vec::new())? {
                return Ok(());
            }
        }
        Err(io::Error::new(
            ErrorKind::TimedOut,
            "it sent nothing for two minutes",
        ))
    }

    /// Ends all processes of the program. Returns the exit status of the server process.
    pub fn stop(&mut self) -> ExitStatus {
        if let Some(status) = self.status {
            return status;
        }
        // When the socket closes, the server kills all processes that it has started, and ends.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        // A program that is no fork server ignores the socket, so it must be killed.
        if !self.had_worker() {
            self.kill();
        }
        let status = self.await_end().unwrap_or_else(|| {
            self.kill();
            self.child.wait().unwrap_or_default()
        });
        if status.signal().is_some() {
            // A signal ended the server before it could kill its worker.
            self.kill();
        }
        self.status = Some(status);
        status
    }

    /// Waits until the server process has ended. Returns its exit status, or [`None`] if it takes
    /// longer than [`MAX_END`].
    fn await_end(&mut self) -> Option<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < MAX_END {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_micros(200)),
                ended => return ended.ok().flatten(),
            }
        }
        None
    }

    /// Returns whether the program has forked a worker.
    fn had_worker(&self) -> bool {
        self.worker != Pid::from_child(&self.child)
    }

    /// Kills the process groups of the server and of the worker.
    fn kill(&self) {
        let _ = kill_process_group(self.worker, Signal::KILL);
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Returns whether a read or a write returned because its time was up, so that it can be repeated.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sanitizers_print_names_and_stacks_only_if_they_are_needed() {
        let options = |names, backtraces| {
            let reports = Reports {
                names,
                backtraces,
                ..Reports::default()
            };
            sanitizer_options("ZESTER_TEST_NO_SUCH_OPTIONS", reports)
        };
        assert_eq!(options(false, false), ":symbolize=0");
        assert_eq!(options(true, false), "");
        assert_eq!(options(true, true), ":handle_abort=1:print_stacktrace=1");
    }

    #[test]
    fn a_program_that_is_no_target_is_refused_with_its_output() {
        let log = || log::create().unwrap();
        let problem =
            Server::start(Path::new("/bin/false"), Reports::default(), &log()).unwrap_err();
        assert!(
            problem.to_string().contains("the target has ended"),
            "{problem}"
        );
        let problem = Server::start(Path::new("/bin/ls"), Reports::default(), &log()).unwrap_err();
        assert!(
            problem.to_string().contains("-handle_") || problem.to_string().contains("option"),
            "{problem}"
        );
    }
}
