//! What inputs are: parameters that decode to sentences, sentences, or texts for the program under test.
//!
//! `ZESTER_TEXT=1` makes all inputs of a process texts. It is for engines that mutate text, and for
//! running a given text. In a fork server, each request decides it for one run.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::fork_server::protocol::Request;

/// Whether inputs are sentences or texts.
static TEXTS: AtomicBool = AtomicBool::new(false);

/// If inputs are not parameters: whether they are sentences, which are post-processed.
static SENTENCES: AtomicBool = AtomicBool::new(false);

/// Sets whether the next inputs are texts.
pub(super) fn set_inputs_are_texts(texts: bool) {
    TEXTS.store(texts, Ordering::Relaxed);
    SENTENCES.store(false, Ordering::Relaxed);
}

/// Sets what the next input is.
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
