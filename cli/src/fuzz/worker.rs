//! A process of libFuzzer that fuzzes, one of several that share a corpus.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::log::{WorkerLog, read_lines};
use crate::interrupt::OnInterrupt;
use crate::process::{has_ended, signal_group};

/// The maximum time to wait for the output of a process that has ended. A process that it started,
/// and that has left its group, may keep the pipe open.
const MAX_OUTPUT: Duration = Duration::from_secs(1);

/// The maximum time that a process may take to end after it was asked to.
const MAX_END: Duration = Duration::from_secs(5);

/// A process of libFuzzer, the leader of a process group.
///
/// All processes of the group are killed when the leader has ended, and when this value is dropped.
///
/// Not guaranteed: a process that has left the group, as by `setsid`, lives on.
pub struct Worker {
    child: Child,
    /// How the process ended.
    status: Option<ExitStatus>,
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
            status: None,
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

    /// Returns how much of this time the process took to start and to read the corpus.
    pub fn replay_time(&self) -> Duration {
        let read = self.log().corpus_read;
        read.map_or(self.age(), |read| read - self.started)
    }

    /// Returns the status if the process has ended. Then its group has been killed, and its output is
    /// complete, unless a process outside of the group keeps it open.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() && has_ended(Pid::from_child(&self.child))? {
            self.kill()?;
            let _ = self.read.recv_timeout(MAX_OUTPUT);
        }
        Ok(self.status)
    }

    /// Kills all processes of the group, and waits for the leader.
    fn kill(&mut self) -> io::Result<()> {
        self.signal(Signal::KILL);
        self.status = Some(self.child.wait()?);
        Ok(())
    }

    /// Asks the process to end, as Ctrl-C does.
    pub fn interrupt(&self) {
        if self.status.is_none() {
            self.signal(Signal::INT);
        }
    }

    fn signal(&self, signal: Signal) {
        signal_group(Pid::from_child(&self.child), signal);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.status.is_none() {
            let _ = self.kill();
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
        // A shell loses a signal that reaches it just before it starts `sleep`. A process in the background of
        // a script ignores SIGINT, and so do the processes that it starts, unless `env` says otherwise.
        let arguments = ["--default-signal=INT", "sleep", "1000"];
        let sleep = Worker::start(Command::new("env").args(arguments)).unwrap();
        let mut workers = vec![sleep, shell("trap '' INT; echo ready; sleep 1000")];
        while workers[1].log().end(1).is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let process = workers[1].child.id().to_string();
        end_all(&mut workers);
        assert!(workers[0].ended().unwrap().is_some());
        drop(workers);
        assert!(!is_there(&process));
    }

    #[test]
    fn processes_that_a_process_started_end_with_it() {
        let mut worker = shell("sleep 1000 & echo $!");
        assert!(wait(&mut worker).success());
        let process = worker.log().end(1).trim().to_string();
        let start = Instant::now();
        while is_there(&process) && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!is_there(&process), "{process}");
    }

    /// Returns whether a process runs. One that nobody has waited for has ended.
    fn is_there(process: &str) -> bool {
        let state = Command::new("ps")
            .args(["-o", "state=", "-p", process])
            .output()
            .unwrap();
        !matches!(state.stdout.first(), None | Some(b'Z'))
    }
}
