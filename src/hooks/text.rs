//! Whether inputs are texts for the program under test, or parameters that decode to sentences.
//!
//! `ZESTER_TEXT=1` makes all inputs of a process texts. It is for engines that mutate text, and for
//! running a given text. In a fork server, each request decides it for one run.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether inputs are texts.
static TEXTS: AtomicBool = AtomicBool::new(false);

/// Sets whether the next inputs are texts.
pub(super) fn set_inputs_are_texts(texts: bool) {
    TEXTS.store(texts, Ordering::Relaxed);
}

/// Returns whether inputs are texts.
#[inline(always)]
pub(super) fn inputs_are_texts() -> bool {
    TEXTS.load(Ordering::Relaxed)
}
