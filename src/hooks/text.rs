//! Whether inputs are sentences as they are, or parameters that decode to some.
//!
//! `ZESTER_TEXT=1` makes them sentences for good: for engines that mutate text, and for people who have a text to run. A server of
//! runs is told with each request.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether runs get sentences, not parameters.
static TEXTS: AtomicBool = AtomicBool::new(false);

/// What comes is a sentence from here on, or parameters.
pub(super) fn give(texts: bool) {
    TEXTS.store(texts, Ordering::Relaxed);
}

/// Whether what is run is a sentence already.
#[inline(always)]
pub(super) fn given() -> bool {
    TEXTS.load(Ordering::Relaxed)
}
