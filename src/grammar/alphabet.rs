//! The letters of an automaton: sets of characters that no class of it tells apart, so tables have a column for each of them
//! instead of a million.

use std::collections::HashMap;

/// The characters on an edge of an automaton, as sorted inclusive ranges.
pub(super) type Label = Box<[(u32, u32)]>;

/// The characters, as intervals of one letter each.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Alphabet {
    /// First character of each interval and its letter, ascending.
    intervals: Box<[(u32, u16)]>,
    /// The letters of the ASCII characters.
    ascii: Box<[u16]>,
    /// How many letters there are.
    pub letters: u16,
    /// The letters of each label of the automaton.
    pub(super) of_label: Box<[Box<[u16]>]>,
}

impl Alphabet {
    pub(super) fn new(labels: &[Label]) -> Alphabet {
        let mut starts = vec![0];
        for &(from, to) in labels.iter().flatten() {
            starts.push(from);
            starts.extend(to.checked_add(1));
        }
        starts.sort_unstable();
        starts.dedup();
        let mut letter_of = vec![0_u16; starts.len()];
        let mut letters = 1_u32;
        for label in labels {
            // Split every letter into the part inside the label and the part outside.
            let mut inside = HashMap::new();
            let (mut within, mut without) = (vec![0_u32; letters as usize], vec![0_u32; letters as usize]);
            let mut member = vec![false; starts.len()];
            for &(from, to) in label {
                let first = starts.partition_point(|&start| start < from);
                for at in first..starts.len() {
                    if starts[at] > to {
                        break;
                    }
                    member[at] = true;
                }
            }
            for (at, &letter) in letter_of.iter().enumerate() {
                if member[at] { within[letter as usize] += 1 } else { without[letter as usize] += 1 }
            }
            for (at, letter) in letter_of.iter_mut().enumerate() {
                if member[at] && without[*letter as usize] > 0 && within[*letter as usize] > 0 {
                    *letter = *inside.entry(*letter).or_insert_with(|| {
                        letters = (letters + 1).min(u32::from(u16::MAX));
                        letters as u16 - 1
                    });
                }
            }
        }
        let letter = |character: u32| letter_of[starts.partition_point(|&start| start <= character) - 1];
        let of_label = labels.iter().map(|label| {
            let mut found: Vec<u16> = Vec::new();
            for &(from, to) in label {
                let first = starts.partition_point(|&start| start < from);
                found.extend((first..starts.len()).take_while(|&at| starts[at] <= to).map(|at| letter_of[at]));
            }
            found.sort_unstable();
            found.dedup();
            found.into()
        });
        Alphabet {
            ascii: (0..0x80).map(letter).collect(),
            of_label: of_label.collect(),
            intervals: starts.iter().copied().zip(letter_of.iter().copied()).collect(),
            letters: letters as u16,
        }
    }

    /// The letter of a character.
    #[inline(always)]
    pub fn letter(&self, character: u32) -> u16 {
        match self.ascii.get(character as usize) {
            Some(&letter) => letter,
            None => self.intervals[self.intervals.partition_point(|&(from, _)| from <= character) - 1].1,
        }
    }

    /// The characters of a letter, as sorted inclusive ranges.
    pub fn characters(&self, letters: &[u16]) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for (at, &(from, letter)) in self.intervals.iter().enumerate() {
            let to = self.intervals.get(at + 1).map_or(u32::MAX, |&(next, _)| next - 1);
            if letters.contains(&letter) {
                match ranges.last_mut() {
                    Some(last) if last.1.checked_add(1) == Some(from) => last.1 = to,
                    _ => ranges.push((from, to)),
                }
            }
        }
        ranges
    }
}
