//! Panics of the program under test after which the process goes on.
//!
//! By default a panic ends the process, and libFuzzer writes the artifact. If the setting `ZESTER_PANICS` is
//! `continue`, as under `zester fuzz`, the panic is caught, and few of the panics at a source location
//! write an artifact ([`failed_runs`]). Failures with different keys ([`fail`](crate::fail)) count as
//! different locations.
//! The input is not kept in the corpus. Under the goal `exceptions`, panics are coverage, so that
//! their inputs are kept.
//!
//! # Guarantees
//!
//! * A panic ends the process in three cases: outside of a run, in a program that is built with
//!   `panic = "abort"`, and in a program that has a panic hook of its own.
//! * If 100 runs in a row panic, the process ends, because the first panics may have damaged the
//!   state of the program. For example, they may have poisoned a lock.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};

use super::failed_runs::{self, FailedRun};
use super::failure;
use crate::feedback;
use crate::stable_hash::StableHash;

/// The number of runs in a row that panic after which the process ends.
const MAX_IN_A_ROW: u32 = 100;

/// Whether the hook of [`go_on`] has seen a panic in this run.
static IS_RECORDED: AtomicBool = AtomicBool::new(false);

/// Returns whether the last call of [`Body::call`] panicked.
pub(super) fn has_panicked() -> bool {
    IS_RECORDED.load(Ordering::Relaxed)
}

/// The body of a target. `V` is its result.
#[derive(Clone, Copy)]
pub struct Body<V> {
    pub function: fn(&[u8]) -> V,
    /// Whether panics are caught.
    pub catches: bool,
}

impl<V> Body<V> {
    /// Calls the body. Returns `invalid` if it panics and panics are caught. If the hook of [`go_on`]
    /// has not seen the panic, because the program has a hook of its own, the panic ends the process.
    pub fn call(self, input: &[u8], invalid: V) -> V {
        if !self.catches {
            return (self.function)(input);
        }
        IS_RECORDED.store(false, Ordering::Relaxed);
        match panic::catch_unwind(AssertUnwindSafe(|| (self.function)(input))) {
            Ok(result) => result,
            Err(_) if IS_RECORDED.load(Ordering::Relaxed) => invalid,
            Err(panic) => panic::resume_unwind(panic),
        }
    }
}

/// Makes the process go on after panics, which [`Body::call`] catches. `are_coverage` is whether
/// panics are features that libFuzzer counts. The function replaces the panic hook of
/// libfuzzer-sys, which would end the process.
pub(super) fn go_on(are_coverage: bool) {
    let next = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let location = location(panic);
        feedback::exception(location);
        let run = match are_coverage {
            true => FailedRun::PanickedButKept,
            false => FailedRun::Panicked,
        };
        match failed_runs::record(location, run, &panic) {
            Some(runs) if runs < MAX_IN_A_ROW => {
                IS_RECORDED.store(true, Ordering::Relaxed);
                return;
            }
            Some(runs) => eprintln!(
                "zester: {runs} runs in a row have panicked, so the process ends: its state may be damaged"
            ),
            None => {}
        }
        feedback::print_sentence();
        super::statistics::finish();
        next(panic);
    }));
}

/// Returns a hash of the source location of a panic, and of the key of a failure.
fn location(panic: &PanicHookInfo<'_>) -> u32 {
    let mut hash = StableHash::new();
    if let Some(location) = panic.location() {
        hash.bytes(location.file().as_bytes());
        hash.bytes(&location.line().to_le_bytes());
        hash.bytes(&location.column().to_le_bytes());
    }
    if let Some(key) = failure::key(panic.payload()) {
        hash.bytes(key.as_bytes());
    }
    hash.value() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_that_nobody_records_goes_on() {
        let fails = Body {
            function: |_| -> bool { panic!("nobody records this panic") },
            catches: true,
        };
        assert!(panic::catch_unwind(|| fails.call(b"", false)).is_err());
        let works = Body {
            function: |input| input.is_empty(),
            ..fails
        };
        assert!(works.call(b"", false));
    }
}
