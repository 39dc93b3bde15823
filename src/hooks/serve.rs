//! A fuzz target as a server of runs: see [`crate::subject`].
//!
//! The first run of libFuzzer's never comes back: whatever the target does at start has been done then. The process forks; the
//! copy runs what it is told to until it dies, and another one takes its place.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::text;
use super::wire::{Answer, Request};
use crate::feedback;

/// Whether the next run is to be the first one.
static ASKED: AtomicBool = AtomicBool::new(false);

/// The next run serves.
pub(super) fn ask() {
    ASKED.store(true, Ordering::Relaxed);
}

/// Serves, if this is asked for; does not come back then.
#[inline(always)]
pub(super) fn begin() {
    if ASKED.load(Ordering::Relaxed) {
        ASKED.store(false, Ordering::Relaxed);
        serve();
    }
}

#[cold]
#[inline(never)]
fn serve() -> ! {
    let socket = std::io::stdin().as_fd().try_clone_to_owned();
    let mut socket = File::from(socket.unwrap_or_else(|error| feedback::give_up(&format!("zester: standard input: {error}\n"))));
    loop {
        let process = feedback::fork();
        if process == 0 {
            work(&mut socket);
        }
        let ready = Answer::Ready { process, counters: feedback::kept() as u32 };
        let told = ready.write(&mut socket);
        let status = feedback::wait(process);
        // It ends by itself when there is nobody to serve.
        if status == 0 || told.and_then(|()| Answer::Died { status }.write(&mut socket)).is_err() {
            feedback::quit(0);
        }
    }
}

/// Runs what comes.
fn work(socket: &mut File) -> ! {
    let (mut room, mut hits, mut message) = (Vec::new(), Vec::new(), Vec::new());
    while let Ok(Some(request)) = Request::read(socket, &mut room) {
        text::give(matches!(request, Request::Text(_)));
        let start = Instant::now();
        let validity = feedback::run_one(request.bytes());
        let nanoseconds = start.elapsed().as_nanos() as u64;
        feedback::hits(&mut hits);
        message.clear();
        let answer = Answer::Ran { validity, nanoseconds, hits: hits.len() as u32 };
        let written = answer.write(&mut message).and_then(|()| {
            hits.iter().for_each(|hit| message.extend(hit.to_le_bytes()));
            socket.write_all(&message)
        });
        if written.is_err() {
            break;
        }
    }
    feedback::quit(0)
}
