//! Captures: texts that a later part of the same sequence repeats.
//!
//! A capture takes at most [`MAX_CAPTURE`] bytes. The budget has paid this many bytes for each
//! repetition of the capture in advance. So a repetition always fits under the caps.

use super::agenda::Task;
use super::{ChoiceSource, Expander, NodeSink};
use crate::grammar::{MAX_CAPTURE, Size, SymbolId};

/// The captured texts that are still to be repeated.
#[derive(Debug, Default)]
pub(super) struct CapturedTexts {
    /// The captured symbols, each with the start of its text in `text`. [`None`] if the text will
    /// not be repeated any more, but a later text is still stored behind it.
    open: Vec<(Option<SymbolId>, u32)>,
    text: Vec<u8>,
}

impl CapturedTexts {
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.text.clear();
    }

    #[inline(always)]
    fn push(&mut self, symbol: SymbolId, text: &[u8]) {
        self.open.push((Some(symbol), self.text.len() as u32));
        self.text.extend_from_slice(text);
    }

    /// Appends the last captured text of a symbol to `text`. If `is_last`, removes the captured
    /// text. Appends nothing if there is none, because only a subtree is derived and the capture is
    /// outside it.
    #[inline(always)]
    fn repeat(&mut self, symbol: SymbolId, is_last: bool, text: &mut Vec<u8>) {
        let mut at = self.open.len();
        while at > 0 {
            at -= 1;
            let (captured, start) = self.open[at];
            if captured != Some(symbol) {
                continue;
            }
            let end = match self.open.get(at + 1) {
                Some(&(_, end)) => end as usize,
                None => self.text.len(),
            };
            text.extend_from_slice(&self.text[start as usize..end]);
            if is_last {
                self.open[at].0 = None;
                while let Some(&(None, start)) = self.open.last() {
                    self.open.pop();
                    self.text.truncate(start as usize);
                }
            }
            return;
        }
    }
}

impl<C: ChoiceSource + ?Sized, S: NodeSink, const NAMES: bool> Expander<'_, C, S, NAMES> {
    /// Begins a symbol whose text is repeated later. Withholds a part of the budget, so that the
    /// text has at most [`MAX_CAPTURE`] bytes.
    #[inline(always)]
    pub(super) fn begin_capture(&mut self, symbol: SymbolId, reserved: Size) {
        let most = MAX_CAPTURE.saturating_sub(reserved.bytes);
        let held = self.budget.bytes().saturating_sub(most);
        self.budget.spend_bytes(held);
        let start = self.text.len() as u32;
        self.push(
            self.level,
            Task::Capture {
                symbol,
                start,
                held,
            },
        );
    }

    /// Ends a symbol whose text is repeated later.
    #[inline(always)]
    pub(super) fn end_capture(&mut self, symbol: SymbolId, start: u32, held: u32) {
        self.budget.refund(Size {
            bytes: held,
            nodes: 0,
        });
        self.captured.push(symbol, &self.text[start as usize..]);
    }

    /// Writes the text of a capture again.
    #[inline(always)]
    pub(super) fn repeat_capture(&mut self, symbol: SymbolId, is_last: bool) {
        let start = self.text.len();
        self.captured.repeat(symbol, is_last, self.text);
        self.budget.refund(Size {
            bytes: MAX_CAPTURE.saturating_sub((self.text.len() - start) as u32),
            nodes: 0,
        });
    }
}
