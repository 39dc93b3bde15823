//! Character classes: ordered sets of characters, or of bytes in a grammar with `@bytes`.
//!
//! The index of a member is its code in parameters, so simple members come first: digits,
//! lower-case letters, upper-case letters, punctuation, the space, control characters, then all
//! others by code point. [`Class::member`] and [`Class::index_of`] are inverse functions.

use std::ops::Range;

/// The entry of a class table for a character that is not a member, or for a byte that does not
/// encode an ASCII member.
pub(crate) const NO_MEMBER: u8 = 0xFF;

/// The lowest first byte of a code of several bytes. Only classes of more than 256 members have
/// such codes.
pub(crate) const ESCAPE: u32 = 252;

/// The first and the last surrogate: numbers that encode no character.
const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);

/// A non-empty, ordered set of characters.
///
/// ```
/// use zester::grammar::Class;
///
/// let class = Class::new(&[('0' as u32, '9' as u32), ('a' as u32, 'f' as u32)], false).unwrap();
/// assert_eq!(class.count(), 16);
/// assert_eq!((class.member(10), class.index_of('a' as u32)), ('a' as u32, Some(10)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    ranges: Box<[(u32, u32)]>,
    bytes: bool,
    count: u32,
    /// The ASCII members, in the order of their indices.
    ascii: Box<[u8]>,
    /// The number of members that have codes of one byte.
    plain: u32,
    /// The ranges of members that are not ASCII, each with the index of its first member.
    wide: Box<[(u32, u32, u32)]>,
    /// The index of each ASCII character, or `NO_MEMBER` if it is not a member.
    index: Box<[u8; 128]>,
    /// For each byte, the ASCII member that the byte encodes by itself. `NO_MEMBER` if it encodes
    /// another member or needs more bytes.
    ascii_of_byte: Box<[u8; 256]>,
}

impl Class {
    /// The class of the characters in some inclusive ranges, which must be sorted and disjoint.
    /// Surrogates are removed. If `bytes`, the class is a set of bytes: all numbers above 255 are
    /// removed instead. Returns [`None`] if no character remains.
    pub fn new(ranges: &[(u32, u32)], bytes: bool) -> Option<Class> {
        let top = if bytes { 0xFF } else { 0x10FFFF };
        let (first, last) = SURROGATES;
        let mut remaining = Vec::new();
        for &(from, to) in ranges {
            let (mut from, to) = (from, to.min(top));
            if from <= last && to >= first {
                if from < first {
                    remaining.push((from, first - 1));
                }
                from = last + 1;
            }
            if from <= to {
                remaining.push((from, to));
            }
        }
        if remaining.is_empty() {
            return None;
        }
        let contains = |c: u32| remaining.iter().any(|&(from, to)| from <= c && c <= to);
        let ascii: Box<[u8]> = ORDER
            .iter()
            .flat_map(|range| range.clone())
            .chain([0x7F])
            .filter(|&b| contains(b.into()))
            .collect();
        let mut count = ascii.len() as u32;
        let mut wide = Vec::new();
        for &(from, to) in &remaining {
            let from = from.max(0x80);
            if from <= to {
                wide.push((from, to, count));
                count += to - from + 1;
            }
        }
        let printable = ascii.iter().filter(|b| !b.is_ascii_control()).count() as u32;
        let plain = match (count <= 256, printable) {
            (true, _) => count,
            (false, 0) => ESCAPE,
            (false, _) => printable,
        };
        let mut ascii_of_byte = Box::new([NO_MEMBER; 256]);
        for byte in 0..256 {
            if (count <= 256 || byte < ESCAPE) && byte % plain < ascii.len() as u32 {
                ascii_of_byte[byte as usize] = ascii[(byte % plain) as usize];
            }
        }
        let mut index = Box::new([NO_MEMBER; 128]);
        for (at, &character) in ascii.iter().enumerate() {
            index[character as usize] = at as u8;
        }
        Some(Class {
            ranges: remaining.into(),
            bytes,
            count,
            ascii,
            plain,
            wide: wide.into(),
            index,
            ascii_of_byte,
        })
    }

    /// The number of members, at least 1.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The members, as sorted and disjoint inclusive ranges.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// The number of members that have codes of one byte.
    #[inline(always)]
    pub(crate) fn plain(&self) -> u32 {
        self.plain
    }

    /// The ASCII member that a byte encodes by itself, or [`NO_MEMBER`] if it encodes another
    /// member or needs more bytes.
    #[inline(always)]
    pub(crate) fn ascii_member(&self, byte: u8) -> u8 {
        self.ascii_of_byte[byte as usize]
    }

    /// The member that has an index.
    ///
    /// # Panics
    /// If `index` is not less than [`Class::count`].
    #[inline(always)]
    pub fn member(&self, index: u32) -> u32 {
        if let Some(&byte) = self.ascii.get(index as usize) {
            return byte.into();
        }
        let at = self.wide.partition_point(|&(_, _, first)| first <= index) - 1;
        let (from, _, first) = self.wide[at];
        from + (index - first)
    }

    /// The index of a character, if it is a member.
    #[inline(always)]
    pub fn index_of(&self, character: u32) -> Option<u32> {
        if character < 0x80 {
            let index = self.index[character as usize];
            return (index != NO_MEMBER).then_some(index.into());
        }
        let at = self
            .wide
            .partition_point(|&(from, _, _)| from <= character)
            .checked_sub(1)?;
        let (from, to, first) = self.wide[at];
        (character <= to).then(|| first + (character - from))
    }

    /// The length of a member in a sentence, in bytes.
    #[inline(always)]
    pub(crate) fn width(&self, character: u32) -> u32 {
        match character {
            _ if self.bytes => 1,
            0..0x80 => 1,
            0x80..0x800 => 2,
            0x800..0x10000 => 3,
            _ => 4,
        }
    }

    /// The length of the shortest member, in bytes.
    #[inline(always)]
    pub(crate) fn min_width(&self) -> u32 {
        self.width(self.member(0))
    }

    /// The length of the longest member, in bytes.
    pub(crate) fn max_width(&self) -> u32 {
        self.width(self.member(self.count - 1))
    }

    /// The number of members of at most `width` bytes. They have the lowest indices.
    #[inline(always)]
    pub(crate) fn count_within(&self, width: u32) -> u32 {
        let top = match (self.bytes, width) {
            (_, 0) => return 0,
            (true, _) | (_, 4..) => return self.count,
            (_, 1) => return self.ascii.len() as u32,
            (_, 2) => 0x800,
            (_, _) => 0x10000,
        };
        let at = self.wide.partition_point(|&(from, _, _)| from < top);
        let Some(&(from, to, first)) = at.checked_sub(1).map(|at| &self.wide[at]) else {
            return self.ascii.len() as u32;
        };
        first + (to.min(top - 1) - from + 1)
    }

    /// Appends a member to a text.
    #[inline(always)]
    pub(crate) fn write(&self, character: u32, text: &mut Vec<u8>) {
        if character < 0x80 || self.bytes {
            text.push(character as u8);
        } else {
            let character = char::from_u32(character).unwrap_or(char::REPLACEMENT_CHARACTER);
            text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    /// The first character of a non-empty text, and its length in bytes.
    #[inline(always)]
    pub(crate) fn read(&self, text: &[u8]) -> (u32, usize) {
        first_character(text, self.bytes)
    }

    /// The length of the last character of a text, in bytes.
    #[inline(always)]
    pub(crate) fn last_width(&self, text: &[u8]) -> usize {
        let is_first = |byte: &u8| self.bytes || byte & 0xC0 != 0x80;
        text.iter()
            .rev()
            .position(is_first)
            .map_or(text.len(), |at| at + 1)
    }
}

/// The order of ASCII characters in a class.
const ORDER: [Range<u8>; 12] = [
    b'0'..b':',
    b'a'..b'{',
    b'A'..b'[',
    b'!'..b'0',
    b':'..b'A',
    b'['..b'a',
    b'{'..0x7F,
    b' '..b'!',
    b'\n'..0x0B,
    b'\t'..b'\n',
    0x0B..b' ',
    0..b'\t',
];

/// The first character of a non-empty text, and its length in bytes. If `bytes`, every byte is a
/// character.
#[inline(always)]
pub(crate) fn first_character(text: &[u8], bytes: bool) -> (u32, usize) {
    let first = text[0];
    if first < 0x80 || bytes {
        return (first.into(), 1);
    }
    wide_character(text)
}

/// [`first_character`] of a text that does not begin with ASCII. If the text ends within the
/// character, the first byte counts as a character.
#[inline(always)]
fn wide_character(text: &[u8]) -> (u32, usize) {
    let (first, length) = match text[0] {
        first @ 0..0xE0 => (first & 0x1F, 2),
        first @ 0xE0..0xF0 => (first & 0x0F, 3),
        first => (first & 0x07, 4),
    };
    if text.len() < length {
        return (text[0].into(), 1);
    }
    let mut character = u32::from(first);
    for &byte in &text[1..length] {
        character = character << 6 | u32::from(byte & 0x3F);
    }
    (character, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inclusive ranges, and whether the members are bytes. They cover each width, surrogates, and
    /// both kinds of codes.
    const CASES: [(&[(u32, u32)], bool); 9] = [
        (&[(0x61, 0x61)], false),
        (&[(0x00, 0x7F)], false),
        (&[(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)], false),
        (
            &[
                (0x20, 0x20),
                (0xE9, 0xE9),
                (0x20AC, 0x20AC),
                (0x1F600, 0x1F602),
            ],
            false,
        ),
        (&[(0x7E, 0x81)], false),
        (&[(0x400, 0x4FF)], false),
        (&[(0xD7FE, 0xE001)], false),
        (&[(0x41, 0x42), (0x700, 0x900), (0xFFFE, 0x10001)], false),
        (&[(0x09, 0x0A), (0x7D, 0x82), (0xF0, 0x1000)], true),
    ];

    /// The members of a class, by the definition: in ascending order.
    fn members(ranges: &[(u32, u32)], bytes: bool) -> Vec<u32> {
        let all = ranges.iter().flat_map(|&(from, to)| from..=to);
        all.filter(|&code| {
            if bytes {
                code < 0x100
            } else {
                char::from_u32(code).is_some()
            }
        })
        .collect()
    }

    fn width(code: u32, bytes: bool) -> u32 {
        if bytes {
            1
        } else {
            char::from_u32(code).unwrap().len_utf8() as u32
        }
    }

    #[test]
    fn a_class_has_the_members_of_its_ranges() {
        for (ranges, bytes) in CASES {
            let (class, expected) = (Class::new(ranges, bytes).unwrap(), members(ranges, bytes));
            let mut found: Vec<u32> = (0..class.count())
                .map(|index| class.member(index))
                .collect();
            for (index, &member) in (0..).zip(&found) {
                assert_eq!(class.index_of(member), Some(index), "{ranges:x?}");
            }
            found.sort_unstable();
            assert_eq!(found, expected, "{ranges:x?}");
            let others = (0..0x1100)
                .chain([0xD800, 0xDFFF, 0xE002, 0x1F603, 0x10FFFF])
                .filter(|code| !expected.contains(code));
            others.for_each(|other| {
                assert_eq!(class.index_of(other), None, "{ranges:x?}: {other:x}")
            });
            assert_eq!(
                class
                    .ranges()
                    .iter()
                    .flat_map(|&(from, to)| from..=to)
                    .collect::<Vec<_>>(),
                expected,
                "{ranges:x?}"
            );
        }
        assert_eq!(Class::new(&[(0xD800, 0xDFFF)], false), None);
        assert_eq!(Class::new(&[(0x100, 0x1FF)], true), None);
    }

    #[test]
    fn widths_are_the_lengths_of_the_members() {
        for (ranges, bytes) in CASES {
            let (class, expected) = (Class::new(ranges, bytes).unwrap(), members(ranges, bytes));
            let widths: Vec<u32> = expected.iter().map(|&code| width(code, bytes)).collect();
            assert_eq!(
                class.min_width(),
                *widths.iter().min().unwrap(),
                "{ranges:x?}"
            );
            assert_eq!(
                class.max_width(),
                *widths.iter().max().unwrap(),
                "{ranges:x?}"
            );
            for max in 0..6 {
                let count_within = class.count_within(max);
                assert_eq!(
                    count_within as usize,
                    widths.iter().filter(|&&width| width <= max).count(),
                    "{ranges:x?}, {max}"
                );
                assert!(
                    (0..count_within).all(|index| class.width(class.member(index)) <= max),
                    "{ranges:x?}, {max}"
                );
            }
            for &code in &expected {
                assert_eq!(class.width(code), width(code, bytes), "{code:x}");
            }
        }
    }

    #[test]
    fn members_are_written_and_read() {
        for (ranges, bytes) in CASES {
            let class = Class::new(ranges, bytes).unwrap();
            for member in members(ranges, bytes) {
                let mut text = b"x".to_vec();
                class.write(member, &mut text);
                let length = class.width(member) as usize;
                assert_eq!(
                    (text.len(), class.last_width(&text)),
                    (1 + length, length),
                    "{member:x}"
                );
                text.push(b'y');
                assert_eq!(class.read(&text[1..]), (member, length), "{member:x}");
                if !bytes {
                    assert_eq!(
                        std::str::from_utf8(&text).unwrap().chars().nth(1),
                        char::from_u32(member)
                    );
                }
            }
        }
        assert_eq!(
            first_character(b"\xE2\x82", false),
            (0xE2, 1),
            "an incomplete character"
        );
    }

    /// The order is part of the encoding of parameters, so it must not change.
    #[test]
    fn the_order_of_members_does_not_change() {
        let class = Class::new(&[(0, 0x81)], false).unwrap();
        let order: Vec<u8> = (0..class.count())
            .map(|index| class.member(index) as u8)
            .collect();
        let printable = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \n\t";
        assert_eq!(order[..printable.len()], *printable.as_bytes());
        let rest: Vec<u8> = (0x0B..0x20).chain(0..9).chain([0x7F, 0x80, 0x81]).collect();
        assert_eq!(order[printable.len()..], rest);
    }

    #[test]
    fn a_byte_encodes_the_member_whose_index_it_is_modulo_the_number_of_plain_members() {
        for (ranges, bytes) in CASES {
            let class = Class::new(ranges, bytes).unwrap();
            for byte in 0..=255_u8 {
                let is_escape = class.count() > 256 && u32::from(byte) >= ESCAPE;
                let member = Some(u32::from(byte) % class.plain())
                    .filter(|&index| !is_escape && index < class.count());
                let ascii = member
                    .map(|index| class.member(index))
                    .filter(|&member| member < 0x80);
                assert_eq!(
                    class.ascii_member(byte),
                    ascii.map_or(NO_MEMBER, |member| member as u8),
                    "{ranges:x?}, {byte}"
                );
            }
        }
    }
}
