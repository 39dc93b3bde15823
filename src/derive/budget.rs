//! The budget: the numbers of bytes and nodes that are left under the caps. The sentence so far and
//! the minimum sizes of all symbols that are still to be expanded are already subtracted.
//!
//! Both numbers are packed into 64 bits, each below a guard bit. So one subtraction and one
//! comparison check whether both suffice. Sizes and caps are less than 2^31.

use super::MAX_COUNT;
use crate::bounds::Caps;
use crate::grammar::Size;

/// The bits above the two numbers.
const GUARDS: u64 = 1 << 63 | 1 << 31;

/// The bytes and nodes that are left, packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(u64);

#[inline(always)]
fn pack(size: Size) -> u64 {
    u64::from(size.bytes) << 32 | u64::from(size.nodes)
}

impl Budget {
    /// Returns the budget after the minimum size `min` of the sentence is paid.
    #[inline(always)]
    pub fn new(caps: &Caps, min: Size) -> Budget {
        let left = |cap: u32, min: u32| cap.min(Caps::MAX).saturating_sub(min);
        Budget(pack(Size {
            bytes: left(caps.bytes, min.bytes),
            nodes: left(caps.nodes, min.nodes),
        }))
    }

    #[inline(always)]
    pub fn bytes(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    fn nodes(self) -> u32 {
        self.0 as u32
    }

    /// Gives back a size that was paid but not used.
    #[inline(always)]
    pub fn refund(&mut self, size: Size) {
        self.0 += pack(size);
    }

    /// Pays for a number of bytes. The budget must have as many.
    #[inline(always)]
    pub fn spend_bytes(&mut self, bytes: u32) {
        self.0 -= u64::from(bytes) << 32;
    }

    /// Gives back the size `reserved` and pays the size `chosen`. Returns false, and changes
    /// nothing, if too little is left for that.
    #[inline(always)]
    pub fn exchange(&mut self, chosen: Size, reserved: Size) -> bool {
        let left = ((self.0 + pack(reserved)) | GUARDS) - pack(chosen);
        let paid = left & GUARDS == GUARDS;
        if paid {
            self.0 = left & !GUARDS;
        }
        paid
    }

    /// Returns whether [`Budget::exchange`] of these sizes would succeed.
    #[inline(always)]
    pub fn affords(mut self, chosen: Size, reserved: Size) -> bool {
        self.exchange(chosen, reserved)
    }

    /// Returns how often a size can be paid, at most [`MAX_COUNT`].
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
            for (more_bytes, more_nodes) in [
                (0, 0),
                (1, 0),
                (0, 1),
                (5, 5),
                (6, 5),
                (5, 6),
                (Size::HUGE, Size::HUGE),
            ] {
                let mut budget = Budget::new(
                    &Caps {
                        bytes: bytes + 2,
                        nodes: nodes + 3,
                    },
                    size(2, 3),
                );
                let paid = budget.exchange(size(more_bytes, more_nodes), size(0, 0));
                assert_eq!(paid, more_bytes <= bytes && more_nodes <= nodes);
                let left = if paid {
                    (bytes - more_bytes, nodes - more_nodes)
                } else {
                    (bytes, nodes)
                };
                assert_eq!((budget.bytes(), budget.nodes()), left);
            }
        }
    }

    #[test]
    fn infinite_sizes_are_never_affordable() {
        for reserved in [size(0, 0), size(10, 10), size(Caps::MAX, Caps::MAX)] {
            let budget = Budget::new(
                &Caps {
                    bytes: u32::MAX,
                    nodes: u32::MAX,
                },
                reserved,
            );
            assert!(!budget.affords(Size::NEVER, reserved));
            assert!(
                !budget.affords(size(Size::HUGE, 1), reserved)
                    && !budget.affords(size(1, Size::HUGE), reserved)
            );
        }
    }

    #[test]
    fn affordable_counts_how_often_a_size_can_be_paid() {
        let budget = Budget::new(
            &Caps {
                bytes: 10,
                nodes: 7,
            },
            size(0, 0),
        );
        assert_eq!(
            [size(3, 1), size(1, 3), size(0, 7), size(11, 0)].map(|size| budget.affordable(size)),
            [3, 2, 1, 0]
        );
        assert_eq!(budget.affordable(size(0, 0)), MAX_COUNT);
    }
}
