//! What caps leave: bytes and nodes that are neither made nor kept for what is open.
//!
//! Both numbers stand in one word, below a guard bit each, so that one subtraction and one comparison tell whether both
//! suffice: sizes and caps are less than 2^31.

use super::MOST_COUNT;
use crate::bounds::Caps;
use crate::grammar::Size;

const GUARDS: u64 = 1 << 63 | 1 << 31;

/// What is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(u64);

/// Bytes and nodes in a word.
#[inline(always)]
fn word(size: Size) -> u64 {
    u64::from(size.bytes) << 32 | u64::from(size.nodes)
}

impl Budget {
    /// What caps leave besides the least of a sentence.
    #[inline(always)]
    pub fn new(caps: &Caps, least: Size) -> Budget {
        let left = |cap: u32, least: u32| cap.min(Caps::MOST).saturating_sub(least);
        Budget(word(Size { bytes: left(caps.bytes, least.bytes), nodes: left(caps.nodes, least.nodes) }))
    }

    /// How many bytes are left.
    #[inline(always)]
    pub fn bytes(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    fn nodes(self) -> u32 {
        self.0 as u32
    }

    /// Gives back what is not used after all.
    #[inline(always)]
    pub fn refund(&mut self, size: Size) {
        self.0 += word(size);
    }

    /// Pays for bytes that are left.
    #[inline(always)]
    pub fn spend_bytes(&mut self, bytes: u32) {
        self.0 -= u64::from(bytes) << 32;
    }

    /// Puts something of size `wanted` in the place of something of size `kept` and pays for it; if that cannot be paid, nothing
    /// happens, and the value is false.
    #[inline(always)]
    pub fn exchange(&mut self, wanted: Size, kept: Size) -> bool {
        let left = ((self.0 + word(kept)) | GUARDS) - word(wanted);
        let paid = left & GUARDS == GUARDS;
        if paid {
            self.0 = left & !GUARDS;
        }
        paid
    }

    /// Whether something of size `wanted` may take the place of something of size `kept`.
    #[inline(always)]
    pub fn affords(mut self, wanted: Size, kept: Size) -> bool {
        self.exchange(wanted, kept)
    }

    /// How many times a size is affordable.
    #[inline(always)]
    pub fn affordable(self, size: Size) -> u32 {
        let bytes = self.bytes().checked_div(size.bytes).unwrap_or(u32::MAX);
        let nodes = self.nodes().checked_div(size.nodes).unwrap_or(u32::MAX);
        bytes.min(nodes).min(MOST_COUNT)
    }
}
