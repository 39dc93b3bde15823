//! Running a script, in the version of Boa that the crate depends on: fuzz/targets/javascript_old.rs has another than the
//! subject, of which it includes this file.
//!
//! The module around says what an uncaught exception is called: there the versions differ.

use super::thrown;
use boa_engine::context::HostHooks;
use boa_engine::context::time::FixedClock;
use boa_engine::{Context, Script, Source};
use std::rc::Rc;
use std::{panic, thread};

/// Starts the messages of the parser.
pub const PARSE: &str = "parse: ";

/// Instructions of Boa's machine, for the script and its jobs together: they bound what calls itself twice.
const FUEL: usize = 20_000;

/// Passes through the loops of one call, and the copies that `repeat` makes; few, for a string may double in each.
const LOOPS: u64 = 100;

/// Calls, one in another.
const CALLS: usize = 60;

/// Bytes of an `ArrayBuffer`.
const BUFFER: u64 = 1 << 20;

/// Bytes of the stack: the parser recurses as deep as a text nests.
const STACK: usize = 256 << 20;

/// A machine at Greenwich, with little memory.
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
/// If Boa does, or says that it found itself in a state that cannot be.
pub fn run(text: &str) -> Result<(), String> {
    // Boa's heap is the thread's: in a new one no garbage of an earlier run is waiting to be collected.
    let outcome = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || evaluate(text));
        thread.expect("there is memory for a thread").join()
    });
    outcome.unwrap_or_else(|panic| panic::resume_unwind(panic))
}

fn evaluate(text: &str) -> Result<(), String> {
    // A date, so that the same text does the same at any time.
    let mut context = Context::builder()
        .clock(Rc::new(FixedClock::from_millis(951_782_400_000)))
        .host_hooks(Rc::new(Hooks))
        .instructions_remaining(FUEL)
        .build()
        .map_err(|error| error.to_string())?;
    let limits = context.runtime_limits_mut();
    limits.set_loop_iteration_limit(LOOPS);
    limits.set_recursion_limit(CALLS);
    let script = Script::parse(Source::from_bytes(text), None, &mut context).map_err(|error| format!("{PARSE}{error}"))?;
    script.evaluate(&mut context).map_err(|error| thrown(&error))?;
    context.run_jobs().map_err(|error| thrown(&error))
}
