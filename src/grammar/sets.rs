//! Sets of small numbers (terminals, letters, places), many of a size: a bit each.

use std::collections::HashMap;

/// Sets, a row of words each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    pub fn new(count: usize, numbers: usize) -> Sets {
        let words = numbers.div_ceil(64);
        Sets { words, bits: vec![0; count * words] }
    }

    #[inline(always)]
    pub fn row(&self, at: usize) -> &[u64] {
        &self.bits[at * self.words..(at + 1) * self.words]
    }

    #[inline(always)]
    pub fn has(&self, at: usize, number: usize) -> bool {
        has(self.row(at), number)
    }

    /// Adds a number to a row; whether that is new.
    pub fn add(&mut self, at: usize, number: usize) -> bool {
        add(&mut self.bits[at * self.words..(at + 1) * self.words], number)
    }

    /// Adds one row to another; whether that grew.
    pub fn join(&mut self, into: usize, from: usize) -> bool {
        let mut grew = false;
        for word in 0..self.words {
            let from = self.bits[from * self.words + word];
            grew |= join(&mut self.bits[into * self.words + word..][..1], &[from]);
        }
        grew
    }

    /// Adds a row of other sets to one of these; whether that grew.
    pub fn join_of(&mut self, into: usize, other: &Sets, from: usize) -> bool {
        join(&mut self.bits[into * self.words..(into + 1) * self.words], other.row(from))
    }

    /// Empties a row.
    pub fn clear(&mut self, at: usize) {
        self.bits[at * self.words..(at + 1) * self.words].fill(0);
    }
}

/// Sets that are stored once each, in the order in which they came.
#[derive(Debug)]
pub struct Distinct {
    words: usize,
    bits: Vec<u64>,
    known: HashMap<Box<[u64]>, u32>,
}

impl Distinct {
    pub fn new(words: usize) -> Distinct {
        Distinct { words, bits: Vec::new(), known: HashMap::new() }
    }

    /// The row of a set.
    pub fn row(&mut self, set: &[u64]) -> u32 {
        if let Some(&row) = self.known.get(set) {
            return row;
        }
        let row = self.known.len() as u32;
        self.bits.extend_from_slice(set);
        self.known.insert(set.into(), row);
        row
    }

    pub fn into_sets(self) -> Sets {
        Sets { words: self.words, bits: self.bits }
    }
}

/// Whether a set has a number.
#[inline(always)]
pub fn has(set: &[u64], number: usize) -> bool {
    set[number / 64] >> (number % 64) & 1 != 0
}

/// Adds a number to a set; whether that is new.
#[inline(always)]
pub fn add(set: &mut [u64], number: usize) -> bool {
    let word = &mut set[number / 64];
    let before = *word;
    *word |= 1 << (number % 64);
    *word != before
}

/// Adds one set to another; whether that grew.
#[inline(always)]
pub fn join(into: &mut [u64], from: &[u64]) -> bool {
    let mut grew = 0;
    for (into, from) in into.iter_mut().zip(from) {
        grew |= from & !*into;
        *into |= from;
    }
    grew != 0
}

/// Whether two sets have anything in common.
#[inline(always)]
pub fn meet(one: &[u64], other: &[u64]) -> bool {
    // A loop without a closure: the generator's hot path inlines it, and SanitizerCoverage would instrument a closure.
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

/// What two sets have in common.
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

/// The numbers of a set.
pub fn numbers(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    common(set, set)
}
