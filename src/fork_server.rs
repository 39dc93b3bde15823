//! The fork server: a fuzz target that runs the sentences that its client sends, instead of fuzzing. The client is
//! `zester::subject`.
//!
//! The first run that libFuzzer asks for never returns: the target has done by then whatever it does at its start. The process
//! becomes the *server*. It forks a *worker*, which runs one sentence after the other until it ends, and then forks the next.
//!
//! # Guarantees
//!
//! * The program under test sees `/dev/null` at descriptor 0. The socket has a high number, and programs that the target starts
//!   do not inherit it.
//! * When a worker ends, the server kills the processes that the worker has started. A worker that has started any ends after
//!   that run. On Linux this includes processes in other groups and sessions, and those whose parents have ended; elsewhere it is
//!   the worker's process group.
//! * When the client ends, by whatever signal, the server kills all processes that it and the worker have started, and ends.
//!
//! # Not guaranteed
//!
//! A program that closes or overwrites the descriptor of the socket is run by a new worker each time. A program that kills the
//! server, or every process of the user, ends the server; the client starts it again.

mod process;
#[cfg_attr(not(feature = "subject"), allow(dead_code))]
pub(crate) mod protocol;

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

pub(crate) use self::protocol::VARIABLE;
use self::protocol::{Died, Ran, Reply, Request};
use crate::feedback;

/// Whether the next run is to become the server.
static STARTS: AtomicBool = AtomicBool::new(false);

/// The socket, from [`ask`] to [`begin`].
static SOCKET: Mutex<Option<File>> = Mutex::new(None);

/// Whether the environment says that this process is to be a fork server.
pub(crate) fn is_wanted() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "1")
}

/// Makes the next run the one that becomes the server. Takes the socket away from descriptor 0 at once. Ends the process with a
/// message if there is no socket.
pub(crate) fn ask() {
    let socket = process::take_socket().unwrap_or_else(|| {
        feedback::give_up(&format!("zester: {}=1 is for `zester run`: descriptor 0 is no socket\n", protocol::VARIABLE))
    });
    *SOCKET.lock().unwrap_or_else(PoisonError::into_inner) = Some(socket);
    STARTS.store(true, Ordering::Relaxed);
}

/// Call this where a run begins. After [`ask`] it does not return: it serves runs until the client is gone. Before each run it
/// calls `set_text` with whether the input is a text, and not parameters.
#[inline(always)]
pub(crate) fn begin(set_text: fn(bool)) {
    if STARTS.load(Ordering::Relaxed) {
        serve(set_text);
    }
}

#[cold]
#[inline(never)]
fn serve(set_text: fn(bool)) -> ! {
    STARTS.store(false, Ordering::Relaxed);
    let socket = SOCKET.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut socket = socket.expect("`ask` stores the socket before it sets the flag");
    if !process::prepare(feedback::kept()) {
        feedback::give_up("zester: no memory for the fork server\n");
    }
    let mut message = Vec::new();
    loop {
        let process = process::fork().unwrap_or_else(|| feedback::give_up("zester: cannot fork\n"));
        if process == 0 {
            work(&mut socket, set_text);
        }
        message.clear();
        Reply::Ready { process, counters: feedback::kept() as u32 }.write(&mut message);
        // If this fails, the client is gone, which `wait` notices.
        let _ = socket.write_all(&message);
        let Some(status) = process::wait(process, &socket) else { feedback::quit(0) };
        message.clear();
        let left = process::left();
        if let Some((ran, hits)) = &left {
            ran.write(hits, &mut message);
        }
        let was_running = process::was_running() && left.is_none();
        // Nobody can guess this, and so no request contains it.
        let token = RandomState::new().build_hasher().finish();
        Reply::Died(Died { status, was_running, exit: process::exit_status(), token }).write(&mut message);
        if socket.write_all(&message).and_then(|()| protocol::await_token(token, &mut socket)).is_err() {
            feedback::quit(0);
        }
    }
}

/// Runs what the client sends, until it is gone or until this process cannot go on.
fn work(socket: &mut File, set_text: fn(bool)) -> ! {
    let (mut buffer, mut hits, mut message) = (Vec::new(), Vec::new(), Vec::new());
    while let Ok(Some(request)) = Request::read(socket, &mut buffer) {
        set_text(matches!(request, Request::Text(_)));
        process::set_running(true);
        let start = Instant::now();
        let validity = feedback::run_one(request.bytes());
        let nanoseconds = start.elapsed().as_nanos() as u64;
        feedback::hits(&mut hits);
        let ran = Ran { validity, nanoseconds, is_last: process::has_children() };
        message.clear();
        ran.write(&hits, &mut message);
        process::set_running(false);
        if socket.write_all(&message).is_err() {
            process::leave(ran, &hits);
            break;
        }
        if ran.is_last {
            break;
        }
    }
    feedback::quit(0)
}
