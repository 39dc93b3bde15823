//! Runs a script in the version of Boa that the crate depends on.
//!
//! fuzz/targets/javascript_old.rs includes this file with another version than the subject's. The
//! enclosing module converts an uncaught exception to a message, because the versions differ there.

use super::thrown;
use boa_engine::context::HostHooks;
use boa_engine::context::time::FixedClock;
use boa_engine::{Context, Script, Source};
use std::rc::Rc;
use std::{panic, thread};

/// The prefix of the parser's messages.
pub const PARSE: &str = "parse: ";

/// The maximum number of instructions of Boa's virtual machine for the script and its jobs
/// together. It also ends functions that call themselves twice, which would take exponential time.
const FUEL: usize = 20_000;

/// The maximum number of loop iterations in one call, and of copies in `repeat`. It is small
/// because a string may double in each.
const LOOPS: u64 = 100;

/// The maximum depth of calls.
const CALLS: usize = 60;

/// The maximum bytes of an `ArrayBuffer`.
const BUFFER: u64 = 1 << 20;

/// The maximum number of characters of an outcome.
const OUTCOME: usize = 8192;

/// The bytes of the stack: the parser recurses as deep as a text nests.
const STACK: usize = 256 << 20;

/// The host of a context: its time zone is UTC, and its memory is small.
struct Hooks;

impl HostHooks for Hooks {
    fn local_timezone_offset_seconds(&self, _: i64) -> i32 {
        0
    }

    fn max_buffer_size(&self, _: &mut Context) -> u64 {
        BUFFER
    }
}

/// Parses the text and evaluates it.
///
/// # Panics
///
/// If Boa panics, or reports an impossible state.
pub fn run(text: &str) -> Result<(), String> {
    outcome(text).map(drop)
}

/// Parses the text and evaluates it. Returns the beginning of the completion value of the script
/// as text, as it is after the jobs.
///
/// # Panics
///
/// If Boa panics, or reports an impossible state.
pub fn outcome(text: &str) -> Result<String, String> {
    // Each thread has a heap of its own, so a new thread has no garbage of an earlier run to
    // collect.
    let outcome = thread::scope(|scope| {
        let thread = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || evaluate(text));
        thread.expect("there is memory for a thread").join()
    });
    outcome.unwrap_or_else(|panic| panic::resume_unwind(panic))
}

fn evaluate(text: &str) -> Result<String, String> {
    // A fixed date, so that the same text does the same at any time.
    let mut context = Context::builder()
        .clock(Rc::new(FixedClock::from_millis(951_782_400_000)))
        .host_hooks(Rc::new(Hooks))
        .instructions_remaining(FUEL)
        .build()
        .map_err(|error| error.to_string())?;
    let limits = context.runtime_limits_mut();
    limits.set_loop_iteration_limit(LOOPS);
    limits.set_recursion_limit(CALLS);
    let script = Script::parse(Source::from_bytes(text), None, &mut context)
        .map_err(|error| format!("{PARSE}{error}"))?;
    let value = script
        .evaluate(&mut context)
        .map_err(|error| thrown(&error))?;
    context.run_jobs().map_err(|error| thrown(&error))?;
    Ok(without_positions(&value.display().to_string()))
}

/// Returns the beginning of a displayed value without the positions in the script, which errors have:
/// `TypeError: no (unknown at :2:62)`.
fn without_positions(value: &str) -> String {
    let mut parts = value.split("(unknown at ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += part.split_once(')').map_or(part, |(_, rest)| rest);
    }
    text.chars().take(OUTCOME).collect()
}
