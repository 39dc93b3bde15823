//! Sets of small numbers (terminals, letters), many of a size.

/// Sets, a row of words each.
#[derive(Clone, Debug, Default)]
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

    pub fn has(&self, at: usize, number: usize) -> bool {
        has(self.row(at), number)
    }

    /// Adds a number to a row; whether that is new.
    pub fn add(&mut self, at: usize, number: usize) -> bool {
        let word = &mut self.bits[at * self.words + number / 64];
        let before = *word;
        *word |= 1 << (number % 64);
        *word != before
    }

    /// Adds one row to another; whether that grew.
    pub fn join(&mut self, into: usize, from: usize) -> bool {
        let mut grew = false;
        for word in 0..self.words {
            grew |= self.join_word(into, word, self.bits[from * self.words + word]);
        }
        grew
    }

    /// Adds a row of other sets to one of these; whether that grew.
    pub fn join_of(&mut self, into: usize, other: &Sets, from: usize) -> bool {
        let mut grew = false;
        for (word, bits) in other.row(from).iter().enumerate() {
            grew |= self.join_word(into, word, *bits);
        }
        grew
    }

    fn join_word(&mut self, into: usize, word: usize, bits: u64) -> bool {
        let into = &mut self.bits[into * self.words + word];
        let grew = bits & !*into != 0;
        *into |= bits;
        grew
    }

    /// Empties a row.
    pub fn clear(&mut self, at: usize) {
        self.bits[at * self.words..(at + 1) * self.words].fill(0);
    }
}

/// Whether a set has a number.
#[inline(always)]
pub fn has(set: &[u64], number: usize) -> bool {
    set[number / 64] >> (number % 64) & 1 != 0
}

/// Adds a number to a set.
#[inline(always)]
pub fn add(set: &mut [u64], number: usize) {
    set[number / 64] |= 1 << (number % 64);
}

/// Adds one set to another.
#[inline(always)]
pub fn join(into: &mut [u64], from: &[u64]) {
    into.iter_mut().zip(from).for_each(|(into, from)| *into |= from);
}

/// Whether two sets have anything in common.
#[inline(always)]
pub fn meet(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}
