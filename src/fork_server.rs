//! The fork server: the mode in which a fuzz target runs the inputs that a client sends, instead of
//! fuzzing. The client is `zester::subject`.
//!
//! The server starts in the first run that libFuzzer makes, because the target has finished its
//! initialization by then. This run never returns. The process becomes the *server*. It forks a *worker*,
//! which runs one input after the other. When the worker ends, the server forks another one.
//!
//! # Guarantees
//!
//! * Standard input of the program under test is `/dev/null`. The socket has a high descriptor, and
//!   programs that the target starts do not inherit it.
//! * When a worker ends, the server kills the processes that the worker has started. A worker ends
//!   after a run that leaves child processes, running or not waited for. On Linux, the server also
//!   kills processes in other groups and sessions, and processes whose parents have ended. On other
//!   systems, only the process group of the worker is killed.
//! * When the client ends, even by a signal, the server kills all processes that it and the worker
//!   have started, and ends.
//!
//! # Not guaranteed
//!
//! * That one worker makes many runs. If the program closes the descriptor of the socket, every run
//!   needs a new worker.
//! * That the server survives a run. If the program kills the server, the client starts it again.

mod process;
#[cfg_attr(not(feature = "subject"), allow(dead_code))]
pub(crate) mod protocol;

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use self::protocol::REASONS;
pub(crate) use self::protocol::VARIABLE;
use self::protocol::{Died, Reply, Request, RunReport};
use crate::feedback;

/// Whether the next run starts the server.
static STARTS: AtomicBool = AtomicBool::new(false);

/// The socket, between the calls of [`start_at_next_run`] and [`before_run`].
static SOCKET: Mutex<Option<File>> = Mutex::new(None);

/// The name of the only comparison that the client asks for. It is empty if the client asks for all
/// comparisons.
static COMPARISON: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Returns whether the client asks for the comparison of this name.
pub(crate) fn wants_comparison(name: &str) -> bool {
    let wanted = COMPARISON.lock().unwrap_or_else(PoisonError::into_inner);
    wanted.is_empty() || *wanted == name.as_bytes()
}

/// Returns whether the environment requests that this process becomes a fork server.
pub(crate) fn is_requested() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "1")
}

/// Returns whether the client asks for the outcomes of valid runs.
pub(crate) fn wants_outcomes() -> bool {
    is_requested() && std::env::var_os(REASONS).is_some_and(|value| value == "2")
}

/// Makes the next run start the server. Moves the socket away from descriptor 0 at once. If
/// descriptor 0 is no socket, ends the process with a message.
pub(crate) fn start_at_next_run() {
    let socket = process::take_socket().unwrap_or_else(|| {
        feedback::fatal(format_args!(
            "zester: descriptor 0 is no socket; only `zester run` sets {}=1\n",
            protocol::VARIABLE
        ))
    });
    *SOCKET.lock().unwrap_or_else(PoisonError::into_inner) = Some(socket);
    let reasons = std::env::var_os(REASONS).unwrap_or_default();
    feedback::set_wants_reasons(reasons == "1" || reasons == "2");
    STARTS.store(true, Ordering::Relaxed);
}

/// Must be called at the beginning of each run. After [`start_at_next_run`] it starts the server,
/// and never returns. A worker calls `announce` with each request before its run.
#[inline(always)]
pub(crate) fn before_run(announce: fn(&Request<'_>)) {
    if STARTS.load(Ordering::Relaxed) {
        run_server(announce);
    }
}

/// Forks workers until the client has ended.
#[cold]
#[inline(never)]
fn run_server(announce: fn(&Request<'_>)) -> ! {
    STARTS.store(false, Ordering::Relaxed);
    let socket = SOCKET.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut socket = socket.expect("`start_at_next_run` stores the socket before it sets the flag");
    if !process::prepare(feedback::counter_count()) {
        feedback::fatal("zester: not enough memory for the fork server\n");
    }
    let mut message = Vec::new();
    loop {
        let process =
            process::fork().unwrap_or_else(|| feedback::fatal("zester: cannot fork a process\n"));
        if process == 0 {
            run_worker(&mut socket, announce);
        }
        message.clear();
        Reply::Ready {
            process,
            counters: feedback::counter_count() as u32,
        }
        .write(&mut message);
        // If this fails, the client has ended, and `wait` returns at once.
        let _ = socket.write_all(&message);
        let Some(status) = process::wait(process, &socket) else {
            feedback::quit(0)
        };
        message.clear();
        let stored = process::stored_report();
        if let Some((report, hits)) = &stored {
            report.write(hits, &mut message);
        }
        let was_running = process::was_running() && stored.is_none();
        // The token is random, so that no request contains it by accident.
        let token = RandomState::new().build_hasher().finish();
        Reply::Died(Died {
            status,
            was_running,
            exit: process::exit_status(),
            token,
        })
        .write(&mut message);
        if socket
            .write_all(&message)
            .and_then(|()| protocol::await_token(token, &mut socket))
            .is_err()
        {
            feedback::quit(0);
        }
    }
}

/// Runs the inputs that the client sends. Ends the process when the client has ended, or after a
/// run that was the last one of this worker.
fn run_worker(socket: &mut File, announce: fn(&Request<'_>)) -> ! {
    let (mut buffer, mut hits, mut message) = (Vec::new(), Vec::new(), Vec::new());
    let mut comparison = Vec::new();
    while let Ok(Some(request)) = Request::read(socket, &mut buffer, &mut comparison) {
        COMPARISON
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_from(&comparison);
        announce(&request);
        process::set_running(true);
        let start = Instant::now();
        let validity = feedback::run_one(request.bytes());
        let nanoseconds = start.elapsed().as_nanos() as u64;
        feedback::hits(&mut hits);
        let report = RunReport {
            validity,
            nanoseconds,
            reason: feedback::reason(),
            is_last: process::has_children(),
        };
        message.clear();
        report.write(&hits, &mut message);
        process::set_running(false);
        if socket.write_all(&message).is_err() {
            // The program has closed the socket, so the server sends the report.
            process::store_report(&report, &hits);
            break;
        }
        if report.is_last {
            break;
        }
    }
    feedback::quit(0)
}
