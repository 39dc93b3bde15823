//! The outcome of a run: the value that the program under test computed from a valid sentence, as text.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::feedback;
use crate::feedback::layout::MAX_REASON;
use crate::stable_hash::StableHash;

/// Whether outcomes are compared.
static IS_WANTED: AtomicBool = AtomicBool::new(false);

/// The outcome of the run in progress.
static OUTCOME: Mutex<Option<String>> = Mutex::new(None);

/// Sets whether outcomes are recorded.
pub(super) fn set_wanted(wanted: bool) {
    IS_WANTED.store(wanted, Ordering::Relaxed);
}

/// Returns the outcome that was recorded since the last call.
pub(super) fn take() -> Option<String> {
    OUTCOME
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()
}

/// Sends the outcome of a valid run to the client of the fork server. A long outcome is cut and begins
/// with its hash.
pub(super) fn send() {
    let Some(outcome) = take().filter(|_| feedback::outcome().valid) else {
        return;
    };
    match outcome.len() {
        ..=MAX_REASON => feedback::set_reason(&outcome),
        _ => {
            let mut hash = StableHash::new();
            hash.bytes(outcome.as_bytes());
            let end = (0..=MAX_REASON - 20)
                .rev()
                .find(|&at| outcome.is_char_boundary(at));
            let start = &outcome[..end.unwrap_or(0)];
            feedback::set_reason(&format!("#{:016x} {start}", hash.value()));
        }
    }
}

/// Records the outcome of this run: the value that the program under test computed. Equivalent
/// sentences must have equal outcomes (`equal:` of [`fuzz_target!`](crate::fuzz_target!)). Outcomes
/// are compared by their `{:?}` forms. The last outcome of a run counts.
///
/// A body that returns `Ok(value)` need not call this function: the value is the outcome if it
/// implements `Debug`. The value is formatted only if outcomes are compared.
///
/// # Examples
///
/// ```
/// fn body(text: &str) -> bool {
///     match text.parse::<f64>() {
///         Ok(number) => {
///             zester::outcome(&number.round());
///             true
///         }
///         Err(_) => false,
///     }
/// }
/// assert!(body("1.5"));
/// ```
pub fn outcome(value: &dyn Debug) {
    if IS_WANTED.load(Ordering::Relaxed) {
        let text = format!("{value:?}");
        *OUTCOME.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }
}

/// The result of a fuzz target's body. The value of `Ok` is recorded as the outcome if it implements
/// `Debug`. [`fuzz_target!`](crate::fuzz_target!) calls `(&&&result).record()`. The compiler removes
/// one `&` after the other until a trait fits: first [`ByNoValue`], then [`ByValue`], then
/// [`BySilence`].
pub struct ResultToRecord<'r, T>(pub &'r T);

/// A body that returns `()`. The compiler tries this trait first, so that it infers `()` as the type of
/// a body that always panics.
pub trait ByNoValue {
    /// Does nothing.
    fn record(&self) {}
}

/// A result whose value can be formatted.
pub trait ByValue {
    /// Records the value.
    fn record(&self);
}

/// Any other result.
pub trait BySilence {
    /// Does nothing.
    fn record(&self) {}
}

impl ByNoValue for &&ResultToRecord<'_, ()> {}

impl<T: Debug, E> ByValue for &ResultToRecord<'_, Result<T, E>> {
    #[inline(always)]
    fn record(&self) {
        if let Ok(value) = self.0 {
            outcome(value);
        }
    }
}

impl<T> BySilence for ResultToRecord<'_, T> {}
