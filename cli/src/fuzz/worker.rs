//! A process of libFuzzer that fuzzes, one of several that share a corpus.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::log::{WorkerLog, read_lines};
use crate::interrupt::OnInterrupt;

/// The maximum time to wait for the output of a process that has ended. A process that it started
/// may keep the pipe open.
const MAX_OUTPUT: Duration = Duration::from_secs(1);

/// The maximum time that a process may take to end after it was asked to.
const MAX_END: Duration = Duration::from_secs(5);

/// A running process of libFuzzer. It is killed when this value is dropped.
pub struct Worker {
    child: Child,
    log: Arc<Mutex<WorkerLog>>,
    /// Is closed when both outputs have ended.
    read: Receiver<()>,
    started: Instant,
    _kill: OnInterrupt,
}

impl Worker {
    /// Starts a process in a group of its own, so that Ctrl-C does not reach it directly.
    pub fn start(command: &mut Command) -> io::Result<Worker> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let log = Arc::new(Mutex::new(WorkerLog::default()));
        let (end, read) = mpsc::channel();
        let outputs: [Option<Box<dyn Read + Send>>; 2] = [
            child.stdout.take().map(|output| Box::new(output) as _),
            child.stderr.take().map(|output| Box::new(output) as _),
        ];
        for output in outputs.into_iter().flatten() {
            let (kept, end) = (Arc::clone(&log), end.clone());
            std::thread::spawn(move || {
                read_lines(output, |line| lock(&kept).add(line));
                drop(end);
            });
        }
        Ok(Worker {
            _kill: OnInterrupt::kill(Pid::from_child(&child)),
            child,
            log,
            read,
            started: Instant::now(),
        })
    }

    /// Returns the output so far.
    pub fn log(&self) -> MutexGuard<'_, WorkerLog> {
        lock(&self.log)
    }

    /// Returns the time since the start.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns the status if the process has ended. Then its output is complete.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        if status.is_some() {
            let _ = self.read.recv_timeout(MAX_OUTPUT);
        }
        Ok(status)
    }

    /// Asks the process to end, as Ctrl-C does.
    pub fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    fn signal(&self, signal: Signal) {
        // An error means that the process has ended.
        let _ = kill_process_group(Pid::from_child(&self.child), signal);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            self.signal(Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// Ends processes: asks all of them, and waits for them. Those that do not end are killed when they
/// are dropped.
pub fn end_all(workers: &mut [Worker]) {
    workers.iter().for_each(Worker::interrupt);
    let start = Instant::now();
    for worker in workers {
        while start.elapsed() < MAX_END && matches!(worker.ended(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn lock(log: &Mutex<WorkerLog>) -> MutexGuard<'_, WorkerLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Worker {
        Worker::start(Command::new("sh").args(["-c", script])).unwrap()
    }

    fn wait(worker: &mut Worker) -> ExitStatus {
        loop {
            if let Some(status) = worker.ended().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn both_outputs_are_read_to_the_end() {
        let mut worker = shell("echo one; echo two >&2; exit 3");
        assert_eq!(wait(&mut worker).code(), Some(3));
        let end = worker.log().end(9);
        assert!(end == "  one\n  two\n" || end == "  two\n  one\n", "{end}");
    }

    #[test]
    fn a_process_that_ignores_ctrl_c_is_killed() {
        // A shell loses a signal that reaches it just before it starts `sleep`.
        let sleep = Worker::start(Command::new("sleep").arg("1000")).unwrap();
        let mut workers = vec![sleep, shell("trap '' INT; echo ready; sleep 1000")];
        while workers[1].log().end(1).is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let process = workers[1].child.id().to_string();
        end_all(&mut workers);
        assert!(workers[0].ended().unwrap().is_some());
        drop(workers);
        let is_there = Command::new("kill")
            .args(["-0", &process])
            .output()
            .unwrap();
        assert!(!is_there.status.success());
    }
}
