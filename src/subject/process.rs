//! A program that runs inputs as a fork server. It is started again when it ends.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Limits;
use super::log;
use super::server::{Reports, Server};
use super::watch::{End, Watch};
use crate::error::Error;
use crate::fork_server::protocol::{Request, write_comparison};

/// The maximum number of times that a request is sent. It is sent again if the worker ended before
/// it began the run.
const ATTEMPTS: u32 = 5;

/// A program that runs inputs as a fork server.
#[derive(Debug)]
pub(super) struct Process {
    program: PathBuf,
    reports: Reports,
    /// The output of the program.
    log: File,
    server: Server,
    /// Whether the worker has not run an input yet.
    is_fresh: bool,
    /// The name of the only comparison that runs make; empty for all.
    comparison: String,
    /// The buffer for requests.
    message: Vec<u8>,
}

impl Process {
    /// Starts a program.
    ///
    /// # Errors
    /// If the program cannot be started, or is no fuzz target of zester.
    pub fn start(program: &Path, reports: Reports) -> Result<Process, Error> {
        let log = log::create().map_err(|error| {
            format!("cannot create a temporary file for the program's output: {error}")
        })?;
        let server = Server::start(program, reports, &log)?;
        Ok(Process {
            program: program.into(),
            reports,
            log,
            server,
            is_fresh: true,
            comparison: String::new(),
            message: Vec::new(),
        })
    }

    /// Returns which reports the program was asked for.
    pub fn reports(&self) -> Reports {
        self.reports
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the number of coverage counters of the program under test.
    pub fn counters(&self) -> u32 {
        self.server.counters
    }

    /// Sets the name of the only comparison of equivalent sentences that runs make.
    pub fn compare_only(&mut self, comparison: &str) {
        self.comparison = comparison.into();
    }

    /// Returns whether the next run is the first run of its worker.
    pub fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    /// Runs one input. Returns how the run ended, and how long it took. Writes the numbers of the
    /// counters that the run hit to `edges`; `edges` is empty if the run did not finish.
    ///
    /// # Errors
    /// If the server ended and cannot be started again.
    pub fn run(
        &mut self,
        request: Request<'_>,
        limits: &Limits,
        edges: &mut Vec<u32>,
    ) -> Result<(End, Duration), Error> {
        log::truncate(&self.log, 0);
        self.message.clear();
        if !self.comparison.is_empty() {
            write_comparison(&self.comparison, &mut self.message);
        }
        request.write(&mut self.message);
        for _ in 0..ATTEMPTS {
            self.is_fresh = false;
            edges.clear();
            let mut watch = Watch {
                server: &mut self.server,
                log: &self.log,
                limits,
                start: Instant::now(),
                killed: None,
            };
            let end = watch.run(&self.message, edges);
            let (killed, time) = (watch.killed, watch.start.elapsed());
            match end {
                Ok(Some(end @ End::Finished { .. })) if self.server.is_ready => {
                    return Ok((end, time));
                }
                Ok(Some(end)) => {
                    let ready = self.server.await_ready();
                    self.renew(ready.is_err())?;
                    return Ok((end, time));
                }
                // The worker ended before it began the run. The cause is an earlier run, so the
                // request is sent again.
                Ok(None) => {
                    let ready = self.server.await_ready();
                    self.renew(ready.is_err())?;
                }
                Err(_) => {
                    let status = self.server.stop();
                    self.renew(true)?;
                    return Ok((
                        killed.map_or(End::Died { status, exit: None }, |(_, end)| end),
                        time,
                    ));
                }
            }
        }
        let (program, printed) = (self.program.display(), log::read(&self.log));
        Err(format!(
            "{program}: {ATTEMPTS} workers in a row ended before they began the run\n{printed}"
        )
        .into())
    }

    /// Prepares for the next run after a worker ended. Starts the server again if it has ended too.
    fn renew(&mut self, server_ended: bool) -> Result<(), Error> {
        if server_ended {
            let server = Server::start(&self.program, self.reports, &self.log);
            self.server =
                server.map_err(|problem| format!("{}: {problem}", self.program.display()))?;
        }
        self.is_fresh = true;
        Ok(())
    }

    /// Returns the end of the output of the last run.
    pub fn output(&self) -> String {
        log::read(&self.log)
    }
}
