//! The alphabet of an automaton. A *letter* is an equivalence class of characters that the
//! automaton does not distinguish. So a transition table has one column for each letter, not for
//! each of a million characters.

use std::collections::HashMap;
use std::ops::Range;

/// The inclusive ranges of characters on a transition, sorted and disjoint.
pub(super) type Label = Box<[(u32, u32)]>;

/// The maximum number of intervals in all labels of an alphabet together. It bounds time and
/// memory.
const WORK: usize = 1 << 24;

/// A partition of the characters into letters.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Alphabet {
    /// The first character of each interval and its letter, in ascending order.
    intervals: Box<[(u32, u16)]>,
    /// The letters of the ASCII characters.
    ascii: Box<[u16]>,
    pub letters: u16,
    /// The letters of each label of the automaton.
    pub(super) of_label: Box<[Box<[u16]>]>,
    /// The intervals, ordered by letter.
    by_letter: Box<[u32]>,
    /// The index in `by_letter` of the first interval of each letter, and at the end the length of
    /// `by_letter`.
    first_of_letter: Box<[u32]>,
}

impl Alphabet {
    /// The coarsest partition in which every label is a union of letters. `None` if it needs more
    /// than 65,535 letters or too much work.
    pub(super) fn new(labels: &[Label]) -> Option<Alphabet> {
        let mut starts = vec![0];
        for &(from, to) in labels.iter().flatten() {
            starts.push(from);
            starts.extend(to.checked_add(1));
        }
        starts.sort_unstable();
        starts.dedup();
        let at = |character: u32| starts.partition_point(|&start| start < character);
        let range = |&(from, to): &(u32, u32)| at(from)..to.checked_add(1).map_or(starts.len(), at);
        // By label: its intervals.
        let ranges: Vec<Vec<Range<usize>>> = labels
            .iter()
            .map(|label| label.iter().map(range).collect())
            .collect();
        let members = |label: &Vec<Range<usize>>| label.clone().into_iter().flatten();
        // The number of intervals of each letter: in total, and inside the current label.
        let (mut letter_of, mut sizes, mut inside) =
            (vec![0_u16; starts.len()], vec![starts.len()], vec![0_usize]);
        let mut work = 0;
        for label in &ranges {
            // Split every letter into the part inside the label and the part outside.
            for at in members(label) {
                inside[usize::from(letter_of[at])] += 1;
                work += 1;
            }
            if work > WORK {
                return None;
            }
            let mut split: HashMap<u16, u16> = HashMap::new();
            let mut touched = Vec::new();
            for at in members(label) {
                let old = letter_of[at];
                if inside[usize::from(old)] == 0
                    || inside[usize::from(old)] == sizes[usize::from(old)]
                {
                    touched.push(old);
                    continue;
                }
                let new = *split.entry(old).or_insert(sizes.len() as u16);
                if usize::from(new) == sizes.len() {
                    if sizes.len() == usize::from(u16::MAX) {
                        return None;
                    }
                    sizes.push(0);
                    inside.push(0);
                }
                letter_of[at] = new;
                sizes[usize::from(new)] += 1;
            }
            for letter in touched {
                inside[usize::from(letter)] = 0;
            }
            for (old, new) in split {
                sizes[usize::from(old)] -= inside[usize::from(old)];
                inside[usize::from(old)] = 0;
                inside[usize::from(new)] = 0;
            }
        }
        let letters = sizes.len();
        let letter =
            |character: u32| letter_of[starts.partition_point(|&start| start <= character) - 1];
        let of_label = ranges.iter().map(|label| {
            let mut found: Vec<u16> = members(label).map(|at| letter_of[at]).collect();
            found.sort_unstable();
            found.dedup();
            found.into()
        });
        let mut by_letter: Vec<u32> = (0..starts.len() as u32).collect();
        by_letter.sort_by_key(|&at| letter_of[at as usize]);
        let first = (0..=letters).map(|letter| {
            by_letter.partition_point(|&at| usize::from(letter_of[at as usize]) < letter) as u32
        });
        Some(Alphabet {
            ascii: (0..0x80).map(letter).collect(),
            of_label: of_label.collect(),
            intervals: starts
                .iter()
                .copied()
                .zip(letter_of.iter().copied())
                .collect(),
            letters: letters as u16,
            first_of_letter: first.collect(),
            by_letter: by_letter.into(),
        })
    }

    /// The letter of a character.
    #[inline(always)]
    pub fn letter(&self, character: u32) -> u16 {
        match self.ascii.get(character as usize) {
            Some(&letter) => letter,
            None => {
                self.intervals[self
                    .intervals
                    .partition_point(|&(from, _)| from <= character)
                    - 1]
                .1
            }
        }
    }

    /// The characters of some letters, as sorted inclusive ranges.
    pub fn characters(&self, letters: &[u16]) -> Vec<(u32, u32)> {
        let mut intervals: Vec<u32> = letters
            .iter()
            .flat_map(|&letter| self.intervals_of(letter))
            .copied()
            .collect();
        intervals.sort_unstable();
        intervals.dedup();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for at in intervals {
            let (from, _) = self.intervals[at as usize];
            let to = self
                .intervals
                .get(at as usize + 1)
                .map_or(u32::MAX, |&(next, _)| next - 1);
            match ranges.last_mut() {
                Some(last) if last.1.checked_add(1) == Some(from) => last.1 = to,
                _ => ranges.push((from, to)),
            }
        }
        ranges
    }

    /// The number of intervals of a letter. The cost of [`Alphabet::characters`] grows with it.
    pub fn size(&self, letter: u16) -> usize {
        self.intervals_of(letter).len()
    }

    /// The indices of the intervals of a letter.
    fn intervals_of(&self, letter: u16) -> &[u32] {
        let first = |letter: usize| self.first_of_letter[letter] as usize;
        &self.by_letter[first(letter.into())..first(usize::from(letter) + 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_numbered_by_the_labels_that_split_them() {
        let labels: [Label; 3] = [
            [(97, 122)].into(),
            [(98, 122)].into(),
            [(0, 47), (120, u32::MAX)].into(),
        ];
        let alphabet = Alphabet::new(&labels).unwrap();
        let letters = [48, 97, 98, 120, 0, 200].map(|character| alphabet.letter(character));
        assert_eq!(letters, [0, 1, 2, 4, 3, 3]);
        assert_eq!(alphabet.letters, 5);
        assert_eq!(*alphabet.of_label[0], [1, 2, 4]);
        assert_eq!(*alphabet.of_label[2], [3, 4]);
        assert_eq!(alphabet.characters(&[1, 2]), [(97, 119)]);
        assert_eq!(alphabet.characters(&[3]), [(0, 47), (123, u32::MAX)]);
    }

    #[test]
    fn more_letters_than_u16_can_number_are_refused() {
        let labels: Vec<Label> = (0..70_000).map(|at| [(2 * at, 2 * at)].into()).collect();
        assert!(Alphabet::new(&labels[..60_000]).is_some());
        assert!(Alphabet::new(&labels).is_none());
    }

    #[test]
    fn labels_that_cover_too_many_intervals_are_refused() {
        let labels: Vec<Label> = (0..10_000)
            .map(|at| [(2 * at + 1, u32::MAX)].into())
            .collect();
        assert!(Alphabet::new(&labels).is_none());
    }
}
