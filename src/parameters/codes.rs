//! Reads and writes the codes of choices. The documentation of [`Decoder`](super::Decoder) has the
//! tables.

use super::PastEnd;
use crate::derivation::{Choice, WITHOUT_LAYOUT};
use crate::derive::Case;
use crate::grammar::{Class, ESCAPE};

/// The first byte of a count of [`SHORT_COUNT`] or more. More bytes follow.
pub(super) const LARGE_COUNT: u8 = 252;

/// The canonical code of a count below this number is one byte, the count itself.
pub(super) const SHORT_COUNT: u8 = 16;

/// The code of one layout token. Small bytes and 255 mean no layout, because mutators write them
/// most often, and because most codes of other choices are small.
pub(super) const ONE_LAYOUT: u8 = 240;

/// The first byte of the code of four or more layout tokens. A count follows.
pub(super) const COUNTED_LAYOUT: u8 = ONE_LAYOUT + 3;

/// The first byte of layout with omitted separators. The code of the layout tokens follows.
pub(super) const WITHOUT_SEPARATORS: u8 = COUNTED_LAYOUT + 1;

/// The first byte of the code of a name that need not be visible. The index of the name follows.
pub(super) const ANY_NAME: u8 = 251;

/// Returns the count that a first byte other than [`LARGE_COUNT`] means. The count is small for
/// most bytes.
#[inline(always)]
fn small_count(byte: u8) -> u32 {
    const SMALL: [u8; 16] = [1, 0, 2, 1, 3, 0, 1, 2, 4, 1, 0, 2, 5, 3, 1, 8];
    match byte {
        0..SHORT_COUNT => byte.into(),
        _ => SMALL[byte as usize % 16].into(),
    }
}

/// Returns the number of bytes in the code of an alternative.
#[inline(always)]
pub(super) fn alternative_width(options: u32) -> u32 {
    match options {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 3,
    }
}

/// A reader of parameters.
#[derive(Debug)]
pub struct Unread<'a> {
    bytes: &'a [u8],
    at: usize,
    /// See [`Unread::ended`].
    ended: bool,
    past_end: PastEnd,
    /// The state of the pseudo-random number generator.
    noise: u64,
}

impl<'a> Unread<'a> {
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8], past_end: PastEnd) -> Unread<'a> {
        Unread {
            bytes,
            at: 0,
            ended: false,
            past_end,
            noise: 0,
        }
    }

    /// Returns whether a choice read past the end. Always false with [`PastEnd::PseudoRandom`].
    #[inline(always)]
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Returns the number of bytes that have been read.
    pub fn position(&self) -> usize {
        self.at
    }

    #[inline(always)]
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    #[inline(always)]
    pub(super) fn skip(&mut self, count: usize) {
        self.at += count;
    }

    /// Reads a byte. Past the end it is 0 or pseudo-random.
    #[inline(always)]
    pub(super) fn byte(&mut self) -> u8 {
        match self.bytes.get(self.at) {
            Some(&byte) => {
                self.at += 1;
                byte
            }
            None => self.past_end(),
        }
    }

    #[cold]
    #[inline(always)]
    fn past_end(&mut self) -> u8 {
        match self.past_end {
            PastEnd::Simplest => {
                self.ended = true;
                0
            }
            PastEnd::PseudoRandom => {
                // SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
                self.noise = self.noise.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let z = (self.noise ^ (self.noise >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                (z ^ (z >> 31)) as u8
            }
        }
    }

    /// Reads a number of `width` bytes. Returns 0 if it reaches past the end.
    #[inline(always)]
    pub(super) fn number(&mut self, width: u32) -> u32 {
        let mut number = 0;
        for _ in 0..width {
            number = number << 8 | u32::from(self.byte());
        }
        if self.ended { 0 } else { number }
    }

    /// Reads a count. Returns 0 if its code reaches past the end.
    #[inline(always)]
    pub(super) fn count(&mut self) -> u32 {
        let first = self.byte();
        if first != LARGE_COUNT {
            return small_count(first);
        }
        let count = match self.byte() {
            second @ 0..240 => 16 + u32::from(second),
            240..248 => 256 + self.number(2),
            _ => 65_792 + self.number(3),
        };
        if self.ended { 0 } else { count }
    }
}

/// Appends the canonical code of a choice to `bytes`. If the choice is a run of characters or a
/// case, `text` is the text of the node.
#[inline(always)]
pub(crate) fn write(kind: Choice<'_>, choice: u32, mut text: &[u8], bytes: &mut Vec<u8>) {
    match kind {
        Choice::None => {}
        Choice::Alternative { options } => write_number(choice, alternative_width(options), bytes),
        Choice::Count { at_least } => write_count(choice - at_least, bytes),
        Choice::Run {
            class,
            at_least,
            counted,
        } => {
            if counted {
                write_count(choice - at_least, bytes);
            }
            for _ in 0..choice {
                let (character, length) = class.read(text);
                write_member(class, class.index_of(character).unwrap_or(0), bytes);
                text = &text[length..];
            }
        }
        Choice::Member(class) => write_member(class, choice, bytes),
        Choice::Name { names } if choice > names => {
            bytes.extend([ANY_NAME, (choice - names - 1) as u8])
        }
        Choice::Name { names } => bytes.push(if choice == names { 252 } else { choice as u8 }),
        Choice::Case { letters } => {
            bytes.push(choice as u8);
            if choice == 3 {
                bytes.extend_from_slice(
                    &Case::mask(text).to_le_bytes()[..letters.min(64).div_ceil(8) as usize],
                );
            }
        }
        Choice::Layout => write_layout(choice, bytes),
    }
}

#[inline(always)]
fn write_number(number: u32, width: u32, bytes: &mut Vec<u8>) {
    match width {
        1 => bytes.push(number as u8),
        _ => bytes.extend_from_slice(&number.to_be_bytes()[4 - width as usize..]),
    }
}

#[inline(always)]
fn write_count(count: u32, bytes: &mut Vec<u8>) {
    match count {
        0..16 => bytes.push(count as u8),
        16..256 => bytes.extend([LARGE_COUNT, count as u8 - 16]),
        256..65_792 => {
            bytes.extend([LARGE_COUNT, 240]);
            write_number(count - 256, 2, bytes);
        }
        _ => {
            bytes.extend([LARGE_COUNT, 248]);
            write_number(count - 65_792, 3, bytes);
        }
    }
}

/// Returns the first byte of the code of a number of layout tokens.
#[inline(always)]
pub(super) fn layout(count: u32) -> u8 {
    match count {
        0 => 0,
        1..4 => ONE_LAYOUT + count as u8 - 1,
        _ => COUNTED_LAYOUT,
    }
}

#[inline(always)]
fn write_layout(choice: u32, bytes: &mut Vec<u8>) {
    if choice & WITHOUT_LAYOUT != 0 {
        bytes.push(WITHOUT_SEPARATORS);
    }
    let count = choice & !WITHOUT_LAYOUT;
    bytes.push(layout(count));
    if count >= 4 {
        write_count(count - 4, bytes);
    }
}

#[inline(always)]
fn write_member(class: &Class, index: u32, bytes: &mut Vec<u8>) {
    if class.count() == 1 {
        return;
    }
    match index.checked_sub(class.plain()) {
        None => bytes.push(index as u8),
        Some(rest @ 0..0x1_0000) => {
            bytes.push(ESCAPE as u8);
            write_number(rest, 2, bytes);
        }
        Some(rest) => {
            bytes.push(ESCAPE as u8 + 1);
            write_number(rest, 3, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unread(bytes: &[u8]) -> Unread<'_> {
        Unread::new(bytes, PastEnd::Simplest)
    }

    #[test]
    fn counts_are_read_as_they_are_written() {
        let edges = [
            15,
            16,
            255,
            256,
            257,
            65_791,
            65_792,
            65_793,
            (1 << 24) + 65_791,
        ];
        for count in (0..2_000).chain(edges) {
            let mut bytes = Vec::new();
            write_count(count, &mut bytes);
            let mut unread = unread(&bytes);
            assert_eq!(
                (unread.count(), unread.position(), unread.ended()),
                (count, bytes.len(), false)
            );
        }
    }

    #[test]
    fn the_canonical_code_of_a_count_is_the_smallest() {
        for first in 0..=255 {
            let count = unread(&[first]).count();
            let mut bytes = Vec::new();
            write_count(count, &mut bytes);
            assert!(
                bytes <= vec![first],
                "{first} means {count}, which is written as {bytes:?}"
            );
        }
    }

    #[test]
    fn a_number_past_the_end_is_0() {
        for width in 2..4 {
            let mut unread = unread(&[7]);
            assert_eq!((unread.number(width), unread.ended()), (0, true));
        }
        assert_eq!(unread(&[LARGE_COUNT, 240, 1]).count(), 0);
    }

    #[test]
    fn the_width_of_an_alternative_depends_on_the_number_of_options() {
        assert_eq!(
            [1, 256, 257, 65_536, 65_537, u32::MAX].map(alternative_width),
            [1, 1, 2, 2, 3, 3]
        );
    }

    #[test]
    fn pseudo_random_bytes_never_end() {
        let mut unread = Unread::new(&[], PastEnd::PseudoRandom);
        let bytes: Vec<u8> = (0..100).map(|_| unread.byte()).collect();
        assert!(!unread.ended() && bytes.iter().any(|&byte| byte != bytes[0]));
    }
}
