//! A hash map from numbers to positions that is cleared in constant time. The chart clears it for
//! each of its sets.

/// A generation-stamped hash map with open addressing. A slot is valid only if its `round` is the
/// current one.
#[derive(Debug, Default)]
pub struct StampedMap {
    slots: Vec<MapSlot>,
    round: u32,
    count: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct MapSlot {
    number: u64,
    round: u32,
    position: u32,
}

impl StampedMap {
    /// Clears the map. It must be called once before the first [`add`](StampedMap::add).
    pub fn forget(&mut self) {
        self.count = 0;
        self.round = self.round.wrapping_add(1);
        if self.slots.is_empty() || self.round == 0 {
            self.slots.clear();
            self.slots.resize(1 << 10, MapSlot::default());
            self.round = 1;
        }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns the position of a number. If the number is not in the map, inserts it with `position`
    /// and returns `None`.
    #[inline(always)]
    pub fn add(&mut self, number: u64, position: u32) -> Option<u32> {
        if self.count * 2 > self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.round != self.round {
                *slot = MapSlot {
                    number,
                    round: self.round,
                    position,
                };
                self.count += 1;
                return None;
            }
            if slot.number == number {
                return Some(slot.position);
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.slots.len() * 4;
        let old = std::mem::replace(&mut self.slots, vec![MapSlot::default(); size]);
        self.count = 0;
        let round = self.round;
        for slot in old.into_iter().filter(|slot| slot.round == round) {
            self.add(slot.number, slot.position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_agrees_with_a_hash_map_while_it_grows_and_after_it_is_cleared() {
        let mut map = StampedMap::default();
        for round in 0..4_u64 {
            map.forget();
            assert_eq!(map.len(), 0);
            let mut expected = std::collections::HashMap::new();
            // 3,000 different numbers are more than the map has slots at first, and each number
            // comes twice.
            for at in 0..6_000_u32 {
                let number = (u64::from(at % 3_000) << 32 | 7).wrapping_mul(round + 1);
                let known = expected.get(&number).copied();
                assert_eq!(map.add(number, at), known, "round {round}, number {number}");
                expected.entry(number).or_insert(at);
            }
            assert_eq!(map.len(), 3_000);
        }
    }

    #[test]
    fn no_entry_survives_when_the_counter_of_rounds_wraps() {
        let mut map = StampedMap::default();
        map.forget();
        assert_eq!(map.add(5, 50), None);
        map.round = u32::MAX;
        map.forget();
        assert_eq!((map.add(5, 51), map.add(0, 52)), (None, None));
    }
}
