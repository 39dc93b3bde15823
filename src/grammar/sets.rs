//! Bit sets of small numbers, such as terminals, letters and positions.

use std::collections::HashMap;

/// Many bit sets of one size. Each set takes the same number of 64-bit words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    /// `count` empty sets of numbers below `numbers`.
    pub fn new(count: usize, numbers: usize) -> Sets {
        let words = numbers.div_ceil(64);
        Sets {
            words,
            bits: vec![0; count * words],
        }
    }

    pub fn count(&self) -> usize {
        self.bits.len() / self.words.max(1)
    }

    /// A set, as 64-bit words.
    #[inline(always)]
    pub fn get(&self, at: usize) -> &[u64] {
        &self.bits[at * self.words..(at + 1) * self.words]
    }

    #[inline(always)]
    pub fn has(&self, at: usize, number: usize) -> bool {
        has(self.get(at), number)
    }

    /// Adds a number to a set. Returns whether the set grew.
    pub fn add(&mut self, at: usize, number: usize) -> bool {
        add(
            &mut self.bits[at * self.words..(at + 1) * self.words],
            number,
        )
    }

    /// Adds the numbers of one set to another. Returns whether the other set grew.
    pub fn join(&mut self, into: usize, from: usize) -> bool {
        let mut grew = false;
        for word in 0..self.words {
            let from = self.bits[from * self.words + word];
            grew |= join(&mut self.bits[into * self.words + word..][..1], &[from]);
        }
        grew
    }

    /// Adds the numbers of a set of `other` to a set of `self`. Returns whether the set of `self`
    /// grew.
    pub fn join_of(&mut self, into: usize, other: &Sets, from: usize) -> bool {
        join(
            &mut self.bits[into * self.words..(into + 1) * self.words],
            other.get(from),
        )
    }

    pub fn clear(&mut self, at: usize) {
        self.bits[at * self.words..(at + 1) * self.words].fill(0);
    }
}

/// Bit sets without duplicates, in the order in which they were first added.
#[derive(Debug)]
pub struct Distinct {
    words: usize,
    bits: Vec<u64>,
    indices: HashMap<Box<[u64]>, u32>,
}

impl Distinct {
    /// An empty collection of sets of `words` 64-bit words each.
    pub fn new(words: usize) -> Distinct {
        Distinct {
            words,
            bits: Vec::new(),
            indices: HashMap::new(),
        }
    }

    /// The index of a set. Adds the set if it is new.
    pub fn index_of(&mut self, set: &[u64]) -> u32 {
        if let Some(&index) = self.indices.get(set) {
            return index;
        }
        let index = self.indices.len() as u32;
        self.bits.extend_from_slice(set);
        self.indices.insert(set.into(), index);
        index
    }

    /// A set, by its index.
    pub fn get(&self, index: u32) -> &[u64] {
        &self.bits[index as usize * self.words..][..self.words]
    }

    /// The sets, by their indices.
    pub fn into_sets(self) -> Sets {
        Sets {
            words: self.words,
            bits: self.bits,
        }
    }
}

#[inline(always)]
pub fn has(set: &[u64], number: usize) -> bool {
    set[number / 64] >> (number % 64) & 1 != 0
}

/// Adds a number to a set. Returns whether the set grew.
#[inline(always)]
pub fn add(set: &mut [u64], number: usize) -> bool {
    let word = &mut set[number / 64];
    let before = *word;
    *word |= 1 << (number % 64);
    *word != before
}

/// Adds the numbers of `from` to `into`. Returns whether `into` grew.
#[inline(always)]
pub fn join(into: &mut [u64], from: &[u64]) -> bool {
    let mut grew = 0;
    for (into, from) in into.iter_mut().zip(from) {
        grew |= from & !*into;
        *into |= from;
    }
    grew != 0
}

/// Whether two sets have a number in common.
#[inline(always)]
pub fn meet(one: &[u64], other: &[u64]) -> bool {
    // This is a loop without a closure, because it is inlined into the hot path of the generator,
    // where SanitizerCoverage would instrument a closure.
    let count = one.len().min(other.len());
    let mut at = 0;
    while at < count {
        if one[at] & other[at] != 0 {
            return true;
        }
        at += 1;
    }
    false
}

/// The numbers that two sets have in common, ascending.
#[inline(always)]
pub fn common<'a>(one: &'a [u64], other: &'a [u64]) -> impl Iterator<Item = usize> + 'a {
    let (mut at, mut word) = (0, 0);
    std::iter::from_fn(move || {
        while word == 0 {
            word = one.get(at)? & other.get(at)?;
            at += 1;
        }
        let number = (at - 1) * 64 + word.trailing_zeros() as usize;
        word &= word - 1;
        Some(number)
    })
}

/// The numbers of a set, ascending.
pub fn numbers(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    common(set, set)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn bit_sets_agree_with_sets_of_numbers() {
        const COUNT: usize = 5;
        for numbers_of_set in [1, 63, 64, 65, 200] {
            let mut sets = Sets::new(COUNT, numbers_of_set);
            let mut expected = vec![BTreeSet::new(); COUNT];
            let mut noise = 1_u32;
            for step in 0..2_000 {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let draw = |below: usize, shift: u32| (noise >> shift) as usize % below;
                let (at, from, number) = (draw(COUNT, 4), draw(COUNT, 8), draw(numbers_of_set, 12));
                match step % 100 {
                    0 => {
                        sets.clear(at);
                        expected[at].clear();
                    }
                    1..5 => {
                        let grew = !expected[from].is_subset(&expected[at]);
                        let joined = expected[from].clone();
                        expected[at].extend(joined);
                        assert_eq!(sets.join(at, from), grew);
                    }
                    5 => {
                        let other = sets.clone();
                        let grew = !expected[from].is_subset(&expected[at]);
                        let joined = expected[from].clone();
                        expected[at].extend(joined);
                        assert_eq!(sets.join_of(at, &other, from), grew);
                    }
                    _ => assert_eq!(sets.add(at, number), expected[at].insert(number)),
                }
                assert_eq!(sets.has(at, number), expected[at].contains(&number));
                let (one, other) = (sets.get(at), sets.get(from));
                assert!(numbers(one).eq(expected[at].iter().copied()));
                assert!(common(one, other).eq(expected[at].intersection(&expected[from]).copied()));
                assert_eq!(meet(one, other), !expected[at].is_disjoint(&expected[from]));
            }
        }
    }

    #[test]
    fn equal_sets_have_one_index() {
        let mut distinct = Distinct::new(2);
        let indices = [[0, 1], [1, 0], [0, 1], [0, 0], [1, 0]].map(|set| distinct.index_of(&set));
        assert_eq!(indices, [0, 1, 0, 2, 1]);
        let sets = distinct.into_sets();
        assert!(sets.has(0, 64) && sets.has(1, 0) && numbers(sets.get(2)).next().is_none());
    }
}
