//! The process of a subject: started, asked, watched, and started again.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::NamedTempFile;

use super::Limits;
use crate::Validity;
use crate::hooks::wire::{Answer, Request, VARIABLE};

/// How often it is looked whether a run is over its limits.
const LOOK: Duration = Duration::from_millis(5);

/// How long a target may take to start.
const START: Duration = Duration::from_secs(120);

/// How long a sanitizer may take to report.
const REPORT: Duration = Duration::from_secs(60);

/// What a target prints is forgotten when it is more than this.
const MOST_LOG: u64 = 8 << 20;

/// So much of what it printed last is looked at.
const MOST_PRINTED: u64 = 256 << 10;

/// libFuzzer is to do nothing but run one input, and not to watch what is watched here. What is no target of zester's ends then.
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

/// What tells sanitizers what to do.
const SANITIZERS: [&str; 4] = ["ASAN_OPTIONS", "LSAN_OPTIONS", "MSAN_OPTIONS", "UBSAN_OPTIONS"];

/// What the user says to a sanitizer, and that it is not to look up names.
fn without_names(variable: &str) -> OsString {
    let mut options = std::env::var_os(variable).unwrap_or_default();
    options.push(":symbolize=0");
    options
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Ran { validity: Validity, time: Duration },
    Died(ExitStatus),
    TimeOut,
    OutOfMemory,
}

/// A process that runs sentences, by copies of itself.
#[derive(Debug)]
pub(super) struct Process {
    program: PathBuf,
    child: Child,
    socket: UnixStream,
    /// What it prints.
    log: NamedTempFile,
    /// The copy that runs, and whether it has run nothing yet.
    worker: Pid,
    fresh: bool,
    counters: u32,
    /// For what it answers.
    room: Vec<u8>,
}

impl Process {
    /// Starts a program. Without names, sanitizers report addresses of functions, a hundred times as fast.
    pub fn start(program: &Path, names: bool) -> Result<Process, String> {
        let problem = |error: io::Error| error.to_string();
        let log = NamedTempFile::new().map_err(problem)?;
        // To its end, wherever that is by then.
        let printed = || OpenOptions::new().append(true).open(log.path());
        let (socket, theirs) = UnixStream::pair().map_err(problem)?;
        let child = Command::new(if program.is_relative() { Path::new(".").join(program) } else { program.into() })
            .args(FLAGS)
            .envs(SANITIZERS.into_iter().filter(|_| !names).map(|variable| (variable, without_names(variable))))
            .env(VARIABLE, "1")
            // The place of a panic tells enough, and a trace of the stack takes long.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(printed().map_err(problem)?)
            .stderr(printed().map_err(problem)?)
            .spawn()
            .map_err(problem)?;
        let worker = Pid::from_child(&child);
        let mut process =
            Process { program: program.into(), child, socket, log, worker, fresh: true, counters: 0, room: Vec::new() };
        match process.await_ready() {
            Ok(()) => Ok(process),
            Err(error) => {
                let _ = process.child.kill();
                let printed = process.printed();
                let printed: Vec<&str> = printed.lines().filter(|line| !line.starts_with("INFO: ")).take(20).collect();
                Err(format!("no fuzz target of zester's, or it does not start: {error}\n{}", printed.join("\n")))
            }
        }
    }

    /// What is run.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// How many counters the program has.
    pub fn counters(&self) -> u32 {
        self.counters
    }

    /// Whether the next run is the first one of its copy.
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Runs one; how it ended, and how long it took. What it hit are the edges.
    pub fn run(&mut self, request: Request<'_>, limits: &Limits, edges: &mut Vec<u32>) -> Result<(End, Duration), String> {
        self.forget_printed(0);
        self.fresh = false;
        let start = Instant::now();
        match self.ask(request, limits, edges, start) {
            Ok(end) => Ok((end, start.elapsed())),
            Err(error) => Err(format!("{}: {error}\n{}", self.program.display(), self.printed())),
        }
    }

    fn ask(&mut self, request: Request<'_>, limits: &Limits, edges: &mut Vec<u32>, start: Instant) -> io::Result<End> {
        edges.clear();
        request.write(&mut &self.socket)?;
        let mut over = None;
        loop {
            let Some(tag) = self.tag()? else {
                self.forget_printed(MOST_LOG);
                if over.is_none() {
                    over = self.over(limits, start.elapsed());
                    if over.is_some() {
                        // Gone already, perhaps; then that it is follows anyway.
                        let _ = kill_process(self.worker, Signal::KILL);
                    }
                }
                continue;
            };
            match Answer::read(tag, &mut &self.socket)? {
                Answer::Ran { validity, nanoseconds, hits } => {
                    self.room.resize(hits as usize * 4, 0);
                    (&self.socket).read_exact(&mut self.room)?;
                    edges.extend(self.room.chunks_exact(4).map(|hit| u32::from_le_bytes([hit[0], hit[1], hit[2], hit[3]])));
                    if over.is_none() {
                        let validity = match validity {
                            1 => Validity::Valid,
                            -1 => Validity::Invalid,
                            _ => Validity::Unknown,
                        };
                        return Ok(End::Ran { validity, time: Duration::from_nanos(nanoseconds) });
                    }
                }
                Answer::Died { status } => {
                    let end = over.unwrap_or(End::Died(ExitStatus::from_raw(status)));
                    self.await_ready()?;
                    return Ok(end);
                }
                Answer::Ready { .. } => return Err(ErrorKind::InvalidData.into()),
            }
        }
    }

    /// The first byte of an answer; nothing if none has come for a moment.
    fn tag(&mut self) -> io::Result<Option<u8>> {
        self.socket.set_read_timeout(Some(LOOK))?;
        let mut tag = [0];
        let read = (&self.socket).read(&mut tag);
        self.socket.set_read_timeout(Some(START))?;
        match read {
            Ok(0) => Err(io::Error::new(ErrorKind::UnexpectedEof, "the target has ended")),
            Ok(_) => Ok(Some(tag[0])),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Waits until a copy can run.
    fn await_ready(&mut self) -> io::Result<()> {
        let start = Instant::now();
        while start.elapsed() < START {
            let Some(tag) = self.tag()? else { continue };
            if let Answer::Ready { process, counters } = Answer::read(tag, &mut &self.socket)? {
                self.worker = Pid::from_raw(process as i32).ok_or(ErrorKind::InvalidData)?;
                (self.counters, self.fresh) = (counters, true);
                return Ok(());
            }
        }
        Err(ErrorKind::TimedOut.into())
    }

    /// Which limit is exceeded, if one is.
    fn over(&self, limits: &Limits, elapsed: Duration) -> Option<End> {
        let pages = std::fs::read_to_string(format!("/proc/{}/statm", self.worker)).unwrap_or_default();
        let resident: u64 = pages.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
        match () {
            () if resident * rustix::param::page_size() as u64 > limits.memory => Some(End::OutOfMemory),
            () if elapsed > limits.timeout + self.grace(elapsed, limits) => Some(End::TimeOut),
            () => None,
        }
    }

    /// A sanitizer that reports a crash is waited for: it looks up names, which takes longer than many a limit.
    fn grace(&self, elapsed: Duration, limits: &Limits) -> Duration {
        let reports = |printed: &str| printed.contains("Sanitizer:") || printed.contains("ERROR: ");
        let reports = elapsed > limits.timeout && reports(&self.printed());
        if reports { REPORT } else { Duration::ZERO }
    }

    /// What has been printed since the last run began, or the end of it.
    pub fn printed(&self) -> String {
        let mut bytes = Vec::new();
        let read = |mut file: File| {
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(MOST_PRINTED)))?;
            file.take(MOST_PRINTED).read_to_end(&mut bytes)
        };
        let _ = self.log.reopen().and_then(read);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Forgets what was printed if it is more than this; what follows is written where the file ends then.
    fn forget_printed(&self, most: u64) {
        let file = self.log.as_file();
        if file.metadata().is_ok_and(|data| data.len() > most) {
            let _ = file.set_len(0);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Nobody is at the other end then: the first process ends when its copy does. Before there is one, both are one.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        let _ = kill_process(self.worker, Signal::KILL);
        let _ = self.child.wait();
    }
}
