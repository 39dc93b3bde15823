//! The budget: the bytes and nodes that the caps leave when those that are written, and the least that open symbols take, are
//! subtracted.
//!
//! Both numbers stand in one word, below a guard bit each, so that one subtraction and one comparison tell whether both
//! suffice: sizes and caps are less than 2^31.

use super::MAX_COUNT;
use crate::bounds::Caps;
use crate::grammar::Size;

const GUARDS: u64 = 1 << 63 | 1 << 31;

/// Bytes and nodes that are left.
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
    pub fn new(caps: &Caps, min: Size) -> Budget {
        let left = |cap: u32, min: u32| cap.min(Caps::MAX).saturating_sub(min);
        Budget(word(Size { bytes: left(caps.bytes, min.bytes), nodes: left(caps.nodes, min.nodes) }))
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
        bytes.min(nodes).min(MAX_COUNT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(bytes: u32, nodes: u32) -> Size {
        Size { bytes, nodes }
    }

    #[test]
    fn an_exchange_is_paid_in_full_or_not_at_all() {
        for (bytes, nodes) in [(0, 0), (5, 5), (0, 9), (9, 0)] {
            for (more_bytes, more_nodes) in [(0, 0), (1, 0), (0, 1), (5, 5), (6, 5), (5, 6), (Size::HUGE, Size::HUGE)] {
                let mut budget = Budget::new(&Caps { bytes: bytes + 2, nodes: nodes + 3 }, size(2, 3));
                let paid = budget.exchange(size(more_bytes, more_nodes), size(0, 0));
                assert_eq!(paid, more_bytes <= bytes && more_nodes <= nodes);
                let left = if paid { (bytes - more_bytes, nodes - more_nodes) } else { (bytes, nodes) };
                assert_eq!((budget.bytes(), budget.nodes()), left);
            }
        }
    }

    #[test]
    fn what_cannot_be_derived_is_never_affordable() {
        for kept in [size(0, 0), size(10, 10), size(Caps::MAX, Caps::MAX)] {
            let budget = Budget::new(&Caps { bytes: u32::MAX, nodes: u32::MAX }, kept);
            assert!(!budget.affords(Size::NEVER, kept));
            assert!(!budget.affords(size(Size::HUGE, 1), kept) && !budget.affords(size(1, Size::HUGE), kept));
        }
    }

    #[test]
    fn as_many_are_affordable_as_can_be_paid() {
        let budget = Budget::new(&Caps { bytes: 10, nodes: 7 }, size(0, 0));
        assert_eq!([size(3, 1), size(1, 3), size(0, 7), size(11, 0)].map(|size| budget.affordable(size)), [3, 2, 1, 0]);
        assert_eq!(budget.affordable(size(0, 0)), MAX_COUNT);
    }
}
