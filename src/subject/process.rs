//! The processes of a subject: a fork server that runs sentences, started, asked, watched, and started again.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::Limits;
use super::memory;
use crate::Validity;
use crate::fork_server::protocol::{self, Died, Reply, Request, VARIABLE};

/// How often the limits of a run are checked.
const TICK: Duration = Duration::from_millis(5);

/// How long a target may take to start.
const START: Duration = Duration::from_secs(120);

/// How long the server may take to say that a worker has ended which was killed, and to end itself.
const END: Duration = Duration::from_secs(3);

/// How long a sanitizer may take to report.
const REPORT: Duration = Duration::from_secs(60);

/// How many times a request is sent whose worker ended before it had begun to run it.
const ATTEMPTS: u32 = 5;

/// When a target has printed more than this in a run, what it printed is deleted.
const MAX_LOG: u64 = 8 << 20;

/// How much of the end of what a target printed is read.
const MAX_PRINTED: u64 = 256 << 10;

/// Flags that keep libFuzzer from doing anything but run one input, and from watching what is watched here. With `-runs=0` a
/// program that is no target of zester's ends.
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

/// The environment variables that set options of sanitizers.
const SANITIZERS: [&str; 4] = ["ASAN_OPTIONS", "LSAN_OPTIONS", "MSAN_OPTIONS", "UBSAN_OPTIONS"];

/// The user's options of a sanitizer, and one that keeps it from looking up names of functions.
fn without_names(variable: &str) -> OsString {
    let mut options = std::env::var_os(variable).unwrap_or_default();
    options.push(":symbolize=0");
    options
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// It came back.
    Ran { validity: Validity, time: Duration },
    /// The process ended; `exit` is the status that the program gave to `exit`, if it called that.
    Died { status: ExitStatus, exit: Option<u8> },
    /// It took too long, and was killed.
    TimeOut,
    /// It took too much memory, and was killed.
    OutOfMemory,
}

/// A program that runs sentences, as a fork server.
#[derive(Debug)]
pub(super) struct Process {
    program: PathBuf,
    has_names: bool,
    /// What it prints. The file has no name, so nothing is left behind however this process ends.
    log: File,
    server: Server,
    /// Whether the worker has run nothing yet.
    is_fresh: bool,
    message: Vec<u8>,
}

impl Process {
    /// Starts a program. Unless `has_names`, sanitizers report addresses instead of names of functions, which is a hundred times
    /// as fast.
    pub fn start(program: &Path, has_names: bool) -> Result<Process, String> {
        let log = tempfile::tempfile().map_err(|error| format!("no file for what it prints: {error}"))?;
        // Whoever writes writes at the end, wherever that is by then.
        rustix::fs::fcntl_setfl(&log, OFlags::APPEND).map_err(|error| error.to_string())?;
        let server = Server::start(program, has_names, &log)?;
        Ok(Process { program: program.into(), has_names, log, server, is_fresh: true, message: Vec::new() })
    }

    /// The program's file.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// How many counters the program has.
    pub fn counters(&self) -> u32 {
        self.server.counters
    }

    /// Whether the next run is the first one of its worker.
    pub fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    /// Runs one input: how it ended, and how long that took. `edges` receives the counters that it hit, if it came back.
    ///
    /// # Errors
    /// The server has ended and does not start again.
    pub fn run(&mut self, request: Request<'_>, limits: &Limits, edges: &mut Vec<u32>) -> Result<(End, Duration), String> {
        truncate(&self.log, 0);
        self.message.clear();
        request.write(&mut self.message);
        for _ in 0..ATTEMPTS {
            self.is_fresh = false;
            edges.clear();
            let mut watch = Watch { server: &mut self.server, log: &self.log, limits, start: Instant::now(), killed: None };
            let end = watch.ask(&self.message, edges);
            let (killed, time) = (watch.killed, watch.start.elapsed());
            match end {
                Ok(Some(end @ End::Ran { .. })) if self.server.is_ready => return Ok((end, time)),
                Ok(Some(end)) => {
                    let ready = self.server.await_ready();
                    self.renew(ready.is_err())?;
                    return Ok((end, time));
                }
                // The worker ended before it began, because of what an earlier run has left behind.
                Ok(None) => {
                    let ready = self.server.await_ready();
                    self.renew(ready.is_err())?;
                }
                Err(_) => {
                    let status = self.server.stop();
                    self.renew(true)?;
                    return Ok((killed.map_or(End::Died { status, exit: None }, |(_, end)| end), time));
                }
            }
        }
        Err(format!("{}: it ends again and again before it has run anything\n{}", self.program.display(), printed(&self.log)))
    }

    /// Starts the server again if it has ended.
    fn renew(&mut self, has_ended: bool) -> Result<(), String> {
        if has_ended {
            let again = Server::start(&self.program, self.has_names, &self.log);
            self.server = again.map_err(|problem| format!("{}: {problem}", self.program.display()))?;
        }
        self.is_fresh = true;
        Ok(())
    }

    /// The end of what the last run printed.
    pub fn printed(&self) -> String {
        printed(&self.log)
    }
}

/// Bytes that have been received, and those of them that have not been taken yet.
#[derive(Debug, Default)]
struct Received {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Received {
    fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Receives more bytes: how many.
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

/// The first process of a program, and the worker that it has forked last.
#[derive(Debug)]
struct Server {
    child: Child,
    socket: UnixStream,
    received: Received,
    worker: Pid,
    counters: u32,
    /// Whether a worker waits for requests, or runs one.
    is_ready: bool,
    /// How the first process ended, if it has.
    status: Option<ExitStatus>,
}

impl Server {
    /// Starts a program and waits for its first worker.
    fn start(program: &Path, has_names: bool, log: &File) -> Result<Server, String> {
        let problem = |error: io::Error| error.to_string();
        let (socket, theirs) = UnixStream::pair().map_err(problem)?;
        socket.set_read_timeout(Some(TICK)).and_then(|()| socket.set_write_timeout(Some(TICK))).map_err(problem)?;
        let child = Command::new(if program.is_relative() { Path::new(".").join(program) } else { program.into() })
            .args(FLAGS)
            .envs(SANITIZERS.into_iter().filter(|_| !has_names).map(|variable| (variable, without_names(variable))))
            .env(VARIABLE, "1")
            // The place of a panic tells enough, and a trace of the stack takes long.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(log.try_clone().map_err(problem)?)
            .stderr(log.try_clone().map_err(problem)?)
            // Ctrl-C ends this process; the server notices that, and ends all of the program's.
            .process_group(0)
            .spawn()
            .map_err(problem)?;
        let worker = Pid::from_child(&child);
        let mut server =
            Server { child, socket, received: Received::default(), worker, counters: 0, is_ready: false, status: None };
        match server.await_ready() {
            Ok(()) => Ok(server),
            Err(error) => {
                server.stop();
                let printed = printed(log);
                let printed: Vec<&str> = printed.lines().filter(|line| !line.starts_with("INFO: ")).take(20).collect();
                Err(format!("no fuzz target of zester's, or it does not start: {error}\n{}", printed.join("\n")))
            }
        }
    }

    /// The next answer; nothing if none has come within a tick. `hits` receives the counters of a run.
    fn receive(&mut self, hits: &mut Vec<u32>) -> io::Result<Option<Reply>> {
        loop {
            if let Some((answer, size)) = Reply::read(self.received.bytes(), hits) {
                self.received.start += size;
                match answer {
                    Reply::Ready { process, counters } => {
                        self.worker = Pid::from_raw(process as i32).ok_or(ErrorKind::InvalidData)?;
                        (self.counters, self.is_ready) = (counters, true);
                    }
                    Reply::Died(Died { token, .. }) => {
                        self.is_ready = false;
                        protocol::acknowledge(token, &mut &self.socket)?;
                    }
                    Reply::Ran(ran) => self.is_ready = !ran.is_last,
                }
                return Ok(Some(answer));
            }
            match self.received.read(&mut &self.socket) {
                Ok(0) => return Err(io::Error::new(ErrorKind::UnexpectedEof, "the target has ended")),
                Ok(_) => {}
                Err(error) if is_timeout(&error) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits until a worker can run. What an earlier one answers is dropped.
    fn await_ready(&mut self) -> io::Result<()> {
        let start = Instant::now();
        while start.elapsed() < START {
            if let Some(Reply::Ready { .. }) = self.receive(&mut Vec::new())? {
                return Ok(());
            }
        }
        Err(io::Error::new(ErrorKind::TimedOut, "nothing has come from it in two minutes"))
    }

    /// Ends all processes: the status of the first one.
    fn stop(&mut self) -> ExitStatus {
        if let Some(status) = self.status {
            return status;
        }
        // Now the server kills what it has started, and ends.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        // A program that is no server does not.
        if !self.has_served() {
            self.kill();
        }
        let status = self.await_end().unwrap_or_else(|| {
            self.kill();
            self.child.wait().unwrap_or_default()
        });
        if status.signal().is_some() {
            // It could not kill what it has started.
            self.kill();
        }
        self.status = Some(status);
        status
    }

    /// Waits until the first process has ended: its status. Nothing if it takes too long.
    fn await_end(&mut self) -> Option<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < END {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_micros(200)),
                ended => return ended.ok().flatten(),
            }
        }
        None
    }

    /// Whether there has been a worker.
    fn has_served(&self) -> bool {
        self.worker != Pid::from_child(&self.child)
    }

    /// Kills the groups of the server and of the worker.
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

/// Sends a request, waits for its end, and enforces the limits.
struct Watch<'a> {
    server: &'a mut Server,
    log: &'a File,
    limits: &'a Limits,
    start: Instant,
    /// When it was killed, and why.
    killed: Option<(Instant, End)>,
}

impl Watch<'_> {
    /// Sends a request and waits for its end; nothing if the worker ended before it began to run it. Fails if the server is gone.
    fn ask(&mut self, message: &[u8], edges: &mut Vec<u32>) -> io::Result<Option<End>> {
        self.send(message)?;
        loop {
            match self.server.receive(edges)? {
                None => self.check()?,
                // It was killed at the moment at which it came back.
                Some(Reply::Ran(_)) if self.killed.is_some() => edges.clear(),
                Some(Reply::Ran(ran)) => {
                    let validity = match ran.validity {
                        1 => Validity::Valid,
                        -1 => Validity::Invalid,
                        _ => Validity::Unknown,
                    };
                    return Ok(Some(End::Ran { validity, time: Duration::from_nanos(ran.nanoseconds) }));
                }
                Some(Reply::Died(died)) => {
                    edges.clear();
                    let end = End::Died { status: ExitStatus::from_raw(died.status), exit: died.exit };
                    return Ok(match self.killed {
                        Some((_, killed)) => Some(killed),
                        None => died.was_running.then_some(end),
                    });
                }
                Some(Reply::Ready { .. }) => return Err(ErrorKind::InvalidData.into()),
            }
        }
    }

    /// Sends a message. The worker may end or stop while it reads it.
    fn send(&mut self, mut message: &[u8]) -> io::Result<()> {
        while !message.is_empty() {
            match (&self.server.socket).write(message) {
                Ok(count) => message = &message[count..],
                Err(error) if is_timeout(&error) => self.check()?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Kills the worker if the run exceeds a limit. Fails if the server does not answer after that.
    fn check(&mut self) -> io::Result<()> {
        truncate(self.log, MAX_LOG);
        match self.killed {
            Some((when, _)) if when.elapsed() > END => Err(ErrorKind::TimedOut.into()),
            Some(_) => Ok(()),
            None => {
                if let Some(end) = self.excess() {
                    self.killed = Some((Instant::now(), end));
                    // It may have ended already; then the server says so anyway.
                    let _ = kill_process(self.server.worker, Signal::KILL);
                }
                Ok(())
            }
        }
    }

    /// Which limit is exceeded, if one is.
    fn excess(&self) -> Option<End> {
        let elapsed = self.start.elapsed();
        if memory::exceeds(self.server.child.id(), self.limits.memory) {
            return Some(End::OutOfMemory);
        }
        // A sanitizer that reports a crash may look up names, which takes longer than many a limit.
        let reports = |printed: &str| printed.contains("Sanitizer:") || printed.contains("ERROR: ");
        let is_late = elapsed > self.limits.timeout && (elapsed > self.limits.timeout + REPORT || !reports(&printed(self.log)));
        is_late.then_some(End::TimeOut)
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// The end of what has been printed to a log.
fn printed(log: &File) -> String {
    let mut bytes = Vec::new();
    let mut read = || {
        let length = log.metadata()?.len();
        bytes.resize(length.min(MAX_PRINTED) as usize, 0);
        let count = log.read_at(&mut bytes, length.saturating_sub(MAX_PRINTED))?;
        bytes.truncate(count);
        io::Result::Ok(())
    };
    if read().is_err() {
        bytes.clear();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Deletes what has been printed to a log if it is more than this.
fn truncate(log: &File, max: u64) {
    if log.metadata().is_ok_and(|data| data.len() > max) {
        let _ = log.set_len(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read_from_its_end_and_written_at_its_end() {
        let log = tempfile::tempfile().unwrap();
        rustix::fs::fcntl_setfl(&log, OFlags::APPEND).unwrap();
        let mut other = log.try_clone().unwrap();
        assert_eq!(printed(&log), "");
        other.write_all(b"first \xFF").unwrap();
        assert_eq!(printed(&log), "first \u{FFFD}");
        truncate(&log, 7);
        assert_eq!(printed(&log), "first \u{FFFD}");
        truncate(&log, 6);
        assert_eq!(printed(&log), "");
        // Not where the first ended.
        other.write_all(b"second").unwrap();
        assert_eq!(printed(&log), "second");
        other.write_all(&vec![b'x'; 2 * MAX_PRINTED as usize]).unwrap();
        assert_eq!(printed(&log), "x".repeat(MAX_PRINTED as usize));
    }

    #[test]
    fn options_of_the_user_stay_and_names_are_not_looked_up() {
        assert_eq!(without_names("ZESTER_TEST_NO_SUCH_OPTIONS"), ":symbolize=0");
    }

    #[test]
    fn a_program_that_ends_at_once_or_prints_why_is_no_target() {
        let log = || tempfile::tempfile().unwrap();
        let problem = Server::start(Path::new("/bin/false"), true, &log()).unwrap_err();
        assert!(problem.contains("the target has ended"), "{problem}");
        let problem = Server::start(Path::new("/bin/ls"), true, &log()).unwrap_err();
        assert!(problem.contains("-handle_") || problem.contains("option"), "{problem}");
    }
}
