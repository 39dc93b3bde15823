//! Edits the bytes of the text: passes them to libFuzzer's own mutator, truncates the text, or
//! changes its encoding.
//!
//! The result is stored as an edit that replaces the bytes between the first and the last
//! difference. If the last edit of the parent also replaces bytes, the two edits become one, unless
//! the one takes more bytes than the two.

use rand::RngExt;

use super::literal::retain_utf8;
use super::{Mutation, Output};
use crate::parameters::{Edits, Encoding, MAX_EDITS, TextEdit};
use crate::splice::TreeView;

/// The maximum length in bytes of the part of a text that libFuzzer's mutator gets.
const WINDOW: usize = 1 << 12;

/// The number of bytes by which a text may grow.
const ROOM: usize = 256;

/// One in this many edits is a change of the encoding.
const ENCODINGS: u32 = 32;

/// One in this many edits is a truncation.
const TRUNCATIONS: u32 = 8;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    if mutation.settings.edits == Edits::Off {
        return false;
    }
    output.copy(parent);
    let is_encoded = output
        .text_edits
        .list()
        .iter()
        .any(|edit| matches!(edit, TextEdit::Encode(_)));
    if !is_encoded
        && mutation.settings.edits == Edits::On
        && mutation.rng.random_range(0..ENCODINGS) == 0
    {
        return output
            .text_edits
            .push_encoding(Encoding::of(mutation.rng.random()));
    }
    output.edit_text(parent);
    let mut after = std::mem::take(&mut output.part);
    match mutation.rng.random_range(0..TRUNCATIONS) {
        0 => truncate(mutation, &output.text, &mut after),
        _ => change(mutation, &output.text, &mut after),
    }
    let edited = edit(output, parent, &after);
    output.part = after;
    edited
}

/// Truncates a text. `after` is overwritten.
fn truncate(mutation: &mut Mutation<'_>, text: &[u8], after: &mut Vec<u8>) {
    after.clear();
    after.extend_from_slice(&text[..mutation.rng.random_range(0..=text.len())]);
    if mutation.settings.edits == Edits::Utf8 {
        retain_utf8(after);
    }
}

/// Passes a text, or a part of a long text, to libFuzzer's mutator. `after` is overwritten.
fn change(mutation: &mut Mutation<'_>, text: &[u8], after: &mut Vec<u8>) {
    let size = text.len().min(WINDOW);
    let from = mutation.rng.random_range(0..=text.len() - size);
    let max = size + ROOM;
    after.clear();
    after.extend_from_slice(&text[..from]);
    after.extend_from_slice(&text[from..from + size]);
    after.resize(from + max, 0);
    let size_after = (mutation.native)(&mut after[from..], size, max).min(max);
    after.truncate(from + size_after);
    after.extend_from_slice(&text[from + size..]);
    if mutation.settings.edits == Edits::Utf8 {
        retain_utf8(after);
    }
}

/// Adds an edit, or changes the last one, so that the edited text becomes `after`. [`Output::text`]
/// is the edited text before. Returns whether there is such an edit.
fn edit(output: &mut Output, parent: &TreeView<'_>, after: &[u8]) -> bool {
    let edits = output.text_edits.list();
    let count = edits.len();
    let Some(TextEdit::Replace { .. }) = edits.last() else {
        if count == MAX_EDITS {
            output.text_edits.truncate(count - 1);
            output.edit_text(parent);
        }
        let Output {
            text, text_edits, ..
        } = output;
        return text_edits.push_difference(text, after);
    };
    // One candidate: all edits and one more.
    let mut more = std::mem::take(&mut output.other_edits);
    more.copy(&output.text_edits);
    let has_more = more.push_difference(&output.text, after);
    // The other candidate: all edits, with another edit in place of the last one.
    output.text_edits.truncate(count - 1);
    output.edit_text(parent);
    let Output {
        text, text_edits, ..
    } = &mut *output;
    let is_possible = text_edits.push_difference(text, after);
    if has_more && (!is_possible || more.code_length() < text_edits.code_length()) {
        std::mem::swap(text_edits, &mut more);
    }
    output.other_edits = more;
    has_more || is_possible
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::edited;

    #[test]
    fn before_and_after() {
        assert!(edited("edit-bytes", "(1,2),a", "(1,2),b"));
        assert!(edited("edit-bytes", "(1,2),a", "(1,"));
    }
}
