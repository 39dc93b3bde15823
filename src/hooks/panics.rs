//! Panics of the program under test after which the process goes on.
//!
//! By default a panic ends the process, and libFuzzer writes the artifact. If the setting `ZESTER_PANICS` is
//! `continue`, as under `zester fuzz`, the panic is caught. The first panic at each source line
//! writes an artifact, and so does a later one whose sentence is at most half as long. The input is
//! not kept in the corpus. Under the goal `exceptions`, panics are coverage, so that their inputs
//! are kept.
//!
//! # Guarantees
//!
//! * A panic outside of a run ends the process, and so does one in a program that is built with
//!   `panic = "abort"`.
//! * If 100 runs in a row panic, the process ends: the first panics may have damaged the state of
//!   the program, such as a lock that is poisoned.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Mutex, PoisonError};

use crate::feedback;
use crate::stable_hash::StableHash;
use crate::validity::Validity;

/// The maximum number of runs in a row that panic.
const MAX_IN_A_ROW: u32 = 100;

/// Calls the body of a target. If `catches`, a run that panics is invalid.
pub fn call(body: fn(&[u8]) -> Validity, text: &[u8], catches: bool) -> Validity {
    match catches {
        true => panic::catch_unwind(AssertUnwindSafe(|| body(text))).unwrap_or(Validity::Invalid),
        false => body(text),
    }
}

/// Calls the body of a target that makes its value itself. If `catches`, a run that panics is
/// invalid.
pub fn call_value(
    body: fn(&[u8]) -> Option<Validity>,
    bytes: &[u8],
    catches: bool,
) -> Option<Validity> {
    match catches {
        true => {
            panic::catch_unwind(AssertUnwindSafe(|| body(bytes))).unwrap_or(Some(Validity::Invalid))
        }
        false => body(bytes),
    }
}

/// Lets the process go on after panics, whose runs [`call`] catches. `are_coverage` is whether
/// panics are features that libFuzzer counts. Replaces libFuzzer's own hook, which would end the
/// process.
pub(super) fn go_on(are_coverage: bool) {
    /// The lengths of the shortest sentences, by the hashes of the source lines.
    static SHORTEST: Mutex<BTreeMap<u32, usize>> = Mutex::new(BTreeMap::new());
    let next = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let place = place(panic);
        feedback::exception(place);
        let length = feedback::outcome().bytes;
        let mut shortest = SHORTEST.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = match shortest.entry(place) {
            Entry::Vacant(entry) => {
                entry.insert(length);
                true
            }
            Entry::Occupied(mut entry) => {
                let is_shorter = 2 * length <= *entry.get();
                if is_shorter {
                    entry.insert(length);
                }
                is_shorter
            }
        };
        drop(shortest);
        if is_new {
            eprintln!("zester: {panic}");
        }
        match feedback::panicked(is_new, are_coverage) {
            Some(runs) if runs <= MAX_IN_A_ROW => return,
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

/// Returns a hash of the source line of a panic.
fn place(panic: &PanicHookInfo<'_>) -> u32 {
    let mut hash = StableHash::new();
    if let Some(location) = panic.location() {
        hash.bytes(location.file().as_bytes());
        hash.bytes(&location.line().to_le_bytes());
    }
    hash.value() as u32
}
