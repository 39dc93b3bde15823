//! The letters of an automaton: sets of characters that all of its edges treat alike.
//!
//! The tables of an automaton have a column for each letter instead of one for each of a million characters.

use std::collections::HashMap;

/// The characters on an edge of an automaton, as sorted inclusive ranges.
pub(super) type Label = Box<[(u32, u32)]>;

/// The most letters. Beyond, the last letter stands for several sets, and the automaton matches more than it should.
const LETTERS: usize = u16::MAX as usize;

/// All characters, as intervals that have one letter each.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Alphabet {
    /// The first character of each interval, and its letter, ascending.
    intervals: Box<[(u32, u16)]>,
    /// The letters of the ASCII characters.
    ascii: Box<[u16]>,
    /// How many letters there are.
    pub letters: u16,
    /// The characters of each letter, as inclusive ranges.
    of_letter: Box<[Vec<(u32, u32)>]>,
    /// The letters of each label, by the label's number.
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
        // How many intervals each letter has. At first all have letter 0.
        let mut sizes = vec![starts.len() as u32];
        for label in labels {
            let inside: Vec<usize> = intervals(&starts, label).collect();
            let mut counts: HashMap<u16, u32> = HashMap::new();
            for &at in &inside {
                *counts.entry(letter_of[at]).or_default() += 1;
            }
            // A letter that has intervals inside of the label and outside is split: those inside get a new letter.
            let mut split: HashMap<u16, u16> = HashMap::new();
            for at in inside {
                let old = letter_of[at];
                let count = counts[&old];
                if count < sizes[usize::from(old)] || split.contains_key(&old) {
                    let new = *split.entry(old).or_insert_with(|| {
                        sizes[usize::from(old)] -= count;
                        if sizes.len() < LETTERS {
                            sizes.push(0);
                        }
                        let new = sizes.len() - 1;
                        sizes[new] += count;
                        new as u16
                    });
                    letter_of[at] = new;
                }
            }
        }
        let letter = |character: u32| letter_of[starts.partition_point(|&start| start <= character) - 1];
        let of_label = labels.iter().map(|label| {
            let mut found: Vec<u16> = intervals(&starts, label).map(|at| letter_of[at]).collect();
            found.sort_unstable();
            found.dedup();
            found.into()
        });
        let mut of_letter = vec![Vec::new(); sizes.len()];
        for (at, &from) in starts.iter().enumerate() {
            let to = starts.get(at + 1).map_or(u32::MAX, |&next| next - 1);
            of_letter[usize::from(letter_of[at])].push((from, to));
        }
        Alphabet {
            ascii: (0..0x80).map(letter).collect(),
            of_label: of_label.collect(),
            intervals: starts.iter().copied().zip(letter_of.iter().copied()).collect(),
            letters: sizes.len() as u16,
            of_letter: of_letter.into(),
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

    /// The characters of some letters, as sorted inclusive ranges.
    pub fn characters(&self, letters: &[u16]) -> Vec<(u32, u32)> {
        let mut all: Vec<(u32, u32)> = letters.iter().flat_map(|&letter| &self.of_letter[usize::from(letter)]).copied().collect();
        all.sort_unstable();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for (from, to) in all {
            match ranges.last_mut() {
                Some(last) if last.1.checked_add(1) == Some(from) => last.1 = to,
                _ => ranges.push((from, to)),
            }
        }
        ranges
    }
}

/// The intervals that a label consists of, ascending.
fn intervals<'a>(starts: &'a [u32], label: &'a Label) -> impl Iterator<Item = usize> + 'a {
    label.iter().flat_map(move |&(from, to)| {
        let first = starts.partition_point(|&start| start < from);
        (first..starts.len()).take_while(move |&at| starts[at] <= to)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_told_apart_only_where_labels_differ() {
        let range = |from: char, to: char| (from as u32, to as u32);
        let labels: [Label; 3] = [[range('a', 'z')].into(), [range('a', 'c'), range('x', 'z')].into(), [range('0', '9')].into()];
        let alphabet = Alphabet::new(&labels);
        let letter = |character: char| alphabet.letter(character as u32);
        assert_eq!(alphabet.letters, 4);
        assert!(letter('a') == letter('y') && letter('a') != letter('d') && letter('d') != letter('0'));
        assert_eq!(letter('-'), letter('é'));
        assert_eq!(alphabet.of_label[0].len(), 2);
        assert_eq!(alphabet.characters(&[letter('a'), letter('d')]), [range('a', 'z')]);
    }

    #[test]
    fn a_hundred_thousand_labels_take_no_quadratic_time() {
        // 100,000 labels of one character each: comparing each with each interval would be 10^10 steps.
        let labels: Vec<Label> = (0..100_000).map(|character| [(character, character)].into()).collect();
        assert_eq!(usize::from(Alphabet::new(&labels).letters), LETTERS);
    }
}
