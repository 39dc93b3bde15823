//! Adds an edit of bytes that changes one text to another.

use super::{MAX_EDITS, MAX_NEW, MAX_OFFSET, TextEdit, TextEdits};

impl TextEdits {
    /// Adds an edit that changes the text `before` to `after`. `before` must be the text after the
    /// other edits. The edit replaces the bytes between the first and the last difference. Returns
    /// `false` if the texts are equal, or if no such edit is possible.
    pub fn push_difference(&mut self, before: &[u8], after: &[u8]) -> bool {
        if self.list.len() == MAX_EDITS || before == after {
            return false;
        }
        let start = before
            .iter()
            .zip(after)
            .take_while(|(one, other)| one == other)
            .count();
        let ends = before[start..]
            .iter()
            .rev()
            .zip(after[start..].iter().rev());
        let end = ends.take_while(|(one, other)| one == other).count();
        let (old, new) = (
            &before[start..before.len() - end],
            &after[start..after.len() - end],
        );
        if start > MAX_OFFSET || old.len() > MAX_OFFSET || new.len() > MAX_NEW {
            return false;
        }
        let from = self.new_bytes.len() as u32;
        self.new_bytes.extend_from_slice(new);
        let new = (from, self.new_bytes.len() as u32);
        self.list.push(TextEdit::Replace {
            at: start as u32,
            length: old.len() as u32,
            new,
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_between_the_first_and_the_last_difference_are_replaced() {
        let edit = |before: &[u8], after: &[u8]| {
            let mut edits = TextEdits::default();
            edits
                .push_difference(before, after)
                .then(|| (edits.list()[0], edits.new_bytes().to_vec()))
        };
        let replace = |at, length, new: &[u8]| {
            Some((
                TextEdit::Replace {
                    at,
                    length,
                    new: (0, new.len() as u32),
                },
                new.to_vec(),
            ))
        };
        assert_eq!(edit(b"abcd", b"abcd"), None);
        assert_eq!(edit(b"abcd", b"axyd"), replace(1, 2, b"xy"));
        assert_eq!(edit(b"aa", b"aaa"), replace(2, 0, b"a"));
        assert_eq!(edit(b"aaa", b"a"), replace(1, 2, b""));
        assert_eq!(edit(b"", b"new"), replace(0, 0, b"new"));
        assert_eq!(edit(b"old", b""), replace(0, 3, b""));
        assert_eq!(edit(b"", &[b'x'; MAX_NEW + 1]), None);
    }
}
