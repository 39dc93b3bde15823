//! One run of an input: sends the request, waits for the end of the run, and enforces the limits.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};

use super::server::{MAX_END, Server, is_timeout};
use super::{Limits, MIN_REPORT, log, memory};
use crate::Validity;
use crate::fork_server::protocol::Reply;

/// The size in bytes at which the log is emptied during a run, so that it does not fill the disk.
const MAX_LOG: u64 = 8 << 20;

/// How a run ended.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// The program under test returned. `time` was measured in its process. `reason` is empty
    /// unless the program reported why it rejected the input.
    Finished {
        validity: Validity,
        time: Duration,
        reason: String,
    },
    /// The process of the run ended. `exit` is the status with which the program called `exit`, if
    /// such a call was recorded.
    Died {
        status: ExitStatus,
        exit: Option<u8>,
    },
    /// The run took too long, and its process was killed.
    TimeOut,
    /// The run took too much memory, and its process was killed.
    OutOfMemory,
}

/// One run of an input, with its limits.
pub(super) struct Watch<'a> {
    pub server: &'a mut Server,
    pub log: &'a File,
    pub limits: &'a Limits,
    /// The time at which the run began.
    pub start: Instant,
    /// If the worker was killed: the time at which that happened, and the limit that the run
    /// exceeded.
    pub killed: Option<(Instant, End)>,
}

impl Watch<'_> {
    /// Sends a request and waits for the end of the run. Returns [`None`] if the worker ended
    /// before it began the run.
    ///
    /// # Errors
    /// If the server has ended.
    pub fn run(&mut self, message: &[u8], edges: &mut Vec<u32>) -> io::Result<Option<End>> {
        self.send(message)?;
        loop {
            match self.server.receive(edges)? {
                None => self.check()?,
                // The run finished just before its worker was killed. The end of the worker is
                // reported next.
                Some(Reply::Finished(_)) if self.killed.is_some() => edges.clear(),
                Some(Reply::Finished(run)) => {
                    let validity = match run.validity {
                        1 => Validity::Valid,
                        -1 => Validity::Invalid,
                        _ => Validity::Unknown,
                    };
                    return Ok(Some(End::Finished {
                        validity,
                        time: Duration::from_nanos(run.nanoseconds),
                        reason: run.reason,
                    }));
                }
                Some(Reply::Died(died)) => {
                    edges.clear();
                    let end = End::Died {
                        status: ExitStatus::from_raw(died.status),
                        exit: died.exit,
                    };
                    return Ok(match self.killed.take() {
                        Some((_, reason)) => Some(reason),
                        None => died.was_running.then_some(end),
                    });
                }
                Some(Reply::Ready { .. }) => return Err(ErrorKind::InvalidData.into()),
            }
        }
    }

    /// Sends a message. Checks the limits meanwhile, because the worker may end or stop while it
    /// reads the message.
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

    /// Kills the worker if the run exceeds a limit.
    ///
    /// # Errors
    /// If the worker was killed, and the server has not reported the end of the worker within
    /// [`MAX_END`].
    fn check(&mut self) -> io::Result<()> {
        log::truncate(self.log, MAX_LOG);
        match self.killed {
            Some((when, _)) if when.elapsed() > MAX_END => Err(ErrorKind::TimedOut.into()),
            Some(_) => Ok(()),
            None => {
                if let Some(end) = self.exceeded() {
                    self.killed = Some((Instant::now(), end));
                    // If the worker has ended already, this call fails. The server reports the end
                    // of the worker in any case.
                    let _ = kill_process(self.server.worker, Signal::KILL);
                }
                Ok(())
            }
        }
    }

    /// Returns the end of the run if it exceeds a limit.
    fn exceeded(&self) -> Option<End> {
        let elapsed = self.start.elapsed();
        if memory::exceeds(self.server.child.id(), self.limits.memory) {
            return Some(End::OutOfMemory);
        }
        let is_report =
            |printed: &str| printed.contains("Sanitizer:") || printed.contains("ERROR: ");
        let timeout = self.limits.timeout;
        // A report may look up names of functions, which is slow. A symboliser that hangs must not
        // stop the run for ever.
        let is_late = elapsed > timeout
            && (elapsed > timeout + timeout.max(MIN_REPORT) || !is_report(&log::read(self.log)));
        is_late.then_some(End::TimeOut)
    }
}
