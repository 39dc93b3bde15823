//! The form of inputs: parameters that decode to sentences, sentences, or texts for the program
//! under test.
//!
//! With `ZESTER_TEXT=1`, all inputs of a process are texts. This is for engines that mutate text,
//! and for running a given text. In a fork server, each request sets the form for one run.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::fork_server::protocol::Request;

/// Whether inputs are sentences or texts.
static TEXTS: AtomicBool = AtomicBool::new(false);

/// Whether inputs are sentences. Sentences are post-processed, unlike texts.
static SENTENCES: AtomicBool = AtomicBool::new(false);

/// Sets whether the next inputs are texts.
pub(super) fn set_inputs_are_texts(texts: bool) {
    TEXTS.store(texts, Ordering::Relaxed);
    SENTENCES.store(false, Ordering::Relaxed);
}

/// Sets the form of the next input.
pub(super) fn announce(request: &Request<'_>) {
    let is_decoded = matches!(request, Request::Parameters(_));
    TEXTS.store(!is_decoded, Ordering::Relaxed);
    let is_sentence = matches!(request, Request::Sentence(_));
    SENTENCES.store(is_sentence, Ordering::Relaxed);
}

/// Returns whether inputs are sentences or texts, which are not decoded.
#[inline(always)]
pub(super) fn inputs_are_texts() -> bool {
    TEXTS.load(Ordering::Relaxed)
}

/// Returns whether inputs are texts, which are not post-processed either.
pub(super) fn inputs_are_final() -> bool {
    inputs_are_texts() && !SENTENCES.load(Ordering::Relaxed)
}
