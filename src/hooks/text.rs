//! Whether inputs are texts for the program under test, or parameters that decode to sentences.
//!
//! `ZESTER_TEXT=1` sets this for the whole process: for engines that mutate text, and for people who have a text to run. Each request
//! to a fork server sets it for one run.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether inputs are texts.
static TEXTS: AtomicBool = AtomicBool::new(false);

/// Sets whether the next inputs are texts.
pub(super) fn give(texts: bool) {
    TEXTS.store(texts, Ordering::Relaxed);
}

/// Whether inputs are texts.
#[inline(always)]
pub(super) fn given() -> bool {
    TEXTS.load(Ordering::Relaxed)
}
