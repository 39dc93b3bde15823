//! A map of numbers to places that is emptied at once, as every set of a chart wants an empty one.

/// Where numbers were put, to be forgotten at once.
#[derive(Debug, Default)]
pub struct Known {
    slots: Vec<Slot>,
    round: u32,
    count: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    number: u64,
    round: u32,
    place: u32,
}

impl Known {
    pub fn forget(&mut self) {
        self.count = 0;
        self.round = self.round.wrapping_add(1);
        if self.slots.is_empty() || self.round == 0 {
            self.slots.clear();
            self.slots.resize(1 << 10, Slot::default());
            self.round = 1;
        }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// Where a number is; if it is nowhere, it is put to a place.
    #[inline(always)]
    pub fn add(&mut self, number: u64, place: u32) -> Option<u32> {
        if self.count * 2 > self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.round != self.round {
                *slot = Slot { number, round: self.round, place };
                self.count += 1;
                return None;
            }
            if slot.number == number {
                return Some(slot.place);
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.slots.len() * 4;
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        self.count = 0;
        let round = self.round;
        for slot in old.into_iter().filter(|slot| slot.round == round) {
            self.add(slot.number, slot.place);
        }
    }
}
