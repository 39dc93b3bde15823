//! Edits of the text of a sentence, in the parameters after the last choice of the derivation: *negative*
//! inputs.
//!
//! A sentence of a grammar never reaches the code of a program that handles syntax errors. An
//! edited sentence does. In it a token is missing or replaced, some bytes differ, or the text has
//! another encoding. The bytes of edits come after those of the derivation, so they do not move the
//! spans of its nodes. Without edits, parameters decode as if edits did not exist.
//!
//! The documentation of [`Decoder`](super::Decoder) has the codes of edits.

mod apply;
mod difference;
mod encoding;

use super::PastEnd;
use super::codes::Unread;

pub use self::apply::EditWorkspace;
pub(crate) use self::apply::{Unedited, apply_edits, count_tokens, is_terminal};
pub use self::encoding::Encoding;

/// The bytes at which edits begin.
const MARK: [u8; 2] = [0xE3, 0xA7];

/// The maximum number of edits of one sentence.
pub const MAX_EDITS: usize = 16;

/// The maximum number of new bytes of one edit.
pub const MAX_NEW: usize = u16::MAX as usize;

/// The maximum offset of an edit of bytes.
const MAX_OFFSET: usize = (1 << 24) - 1;

/// Whether edits after the last choice are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
#[non_exhaustive]
pub enum Edits {
    /// Edits are not applied: every input is a sentence.
    #[default]
    Off,
    /// Edits are applied. Bytes of the edited text that are not UTF-8 are removed, because the
    /// program under test takes a string.
    Utf8,
    /// Edits are applied.
    On,
}

/// An edit of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEdit {
    /// Deletes a token.
    Delete {
        /// The index of the token.
        at: u16,
    },
    /// Inserts the simplest text of a terminal before a token.
    Insert {
        /// The index of the token, or the number of tokens.
        at: u16,
        /// The number of the terminal's symbol.
        terminal: u16,
    },
    /// Substitutes the simplest text of a terminal for a token.
    Substitute {
        /// The index of the token.
        at: u16,
        /// The number of the terminal's symbol.
        terminal: u16,
    },
    /// Inserts a copy of a token of the sentence before a token.
    InsertCopy {
        /// The index of the token, or the number of tokens.
        at: u16,
        /// The index of the copied token in the sentence.
        from: u16,
    },
    /// Substitutes a copy of a token of the sentence for a token.
    SubstituteCopy {
        /// The index of the token.
        at: u16,
        /// The index of the copied token in the sentence.
        from: u16,
    },
    /// Transposes a token and the next one.
    Transpose {
        /// The index of the first token.
        at: u16,
    },
    /// Replaces bytes.
    Replace {
        /// The offset of the first byte.
        at: u32,
        /// The number of bytes that are replaced.
        length: u32,
        /// The range of the new bytes in [`TextEdits::new_bytes`].
        new: (u32, u32),
    },
    /// Writes the text in another encoding.
    Encode(Encoding),
}

impl TextEdit {
    /// Returns whether this is an edit of tokens. Edits of tokens are applied before all others.
    #[inline(always)]
    pub fn is_of_tokens(&self) -> bool {
        !matches!(self, TextEdit::Replace { .. } | TextEdit::Encode(_))
    }
}

/// The edits of a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextEdits {
    list: Vec<TextEdit>,
    new_bytes: Vec<u8>,
}

impl TextEdits {
    /// Returns the edits in the order in which they are applied.
    #[inline(always)]
    pub fn list(&self) -> &[TextEdit] {
        &self.list
    }

    /// Returns whether there are no edits.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the new bytes of all edits.
    pub fn new_bytes(&self) -> &[u8] {
        &self.new_bytes
    }

    /// Removes all edits. Keeps the memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.list.clear();
        self.new_bytes.clear();
    }

    /// Overwrites these edits with others. Keeps the memory.
    #[inline(always)]
    pub fn copy(&mut self, other: &TextEdits) {
        self.clear();
        for &edit in &other.list {
            let copied = match edit {
                TextEdit::Replace { at, length, new } => {
                    // Only bytes that an edit uses are copied, not the bytes of removed edits.
                    let from = self.new_bytes.len() as u32;
                    self.new_bytes
                        .extend_from_slice(&other.new_bytes[new.0 as usize..new.1 as usize]);
                    TextEdit::Replace {
                        at,
                        length,
                        new: (from, self.new_bytes.len() as u32),
                    }
                }
                other => other,
            };
            self.list.push(copied);
        }
    }

    /// Adds an edit of tokens after the other edits of tokens. Returns `false` if there are
    /// [`MAX_EDITS`] edits already.
    pub fn push_tokens(&mut self, edit: TextEdit) -> bool {
        let at = self
            .list
            .iter()
            .take_while(|edit| edit.is_of_tokens())
            .count();
        let fits = self.list.len() < MAX_EDITS;
        if fits {
            self.list.insert(at, edit);
        }
        fits
    }

    /// Adds a change of the encoding at the end. Returns `false` if there are [`MAX_EDITS`] edits
    /// already.
    pub fn push_encoding(&mut self, encoding: Encoding) -> bool {
        let fits = self.list.len() < MAX_EDITS;
        if fits {
            self.list.push(TextEdit::Encode(encoding));
        }
        fits
    }

    /// Changes an edit of tokens.
    pub fn set_tokens(&mut self, at: usize, edit: TextEdit) {
        self.list[at] = edit;
    }

    /// Removes an edit.
    pub fn remove(&mut self, at: usize) {
        self.list.remove(at);
    }

    /// Removes the edits after the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.list.truncate(count);
    }

    /// Reads the edits that begin at the start of `bytes`. There are none if `bytes` do not begin
    /// with [`MARK`].
    #[inline(always)]
    pub fn read(&mut self, bytes: &[u8]) {
        self.clear();
        let Some(rest) = bytes.strip_prefix(&MARK) else {
            return;
        };
        let mut unread = Unread::new(rest, PastEnd::Simplest);
        let mut may_be_of_tokens = true;
        while self.list.len() < MAX_EDITS && !unread.rest().is_empty() {
            let code = unread.byte() % 8;
            let edit = match code {
                6 => {
                    let (at, length) = (unread.number(3), unread.number(3));
                    let count = (unread.number(2) as usize).min(unread.rest().len());
                    let from = self.new_bytes.len();
                    self.new_bytes.extend_from_slice(&unread.rest()[..count]);
                    unread.skip(count);
                    TextEdit::Replace {
                        at,
                        length,
                        new: (from as u32, self.new_bytes.len() as u32),
                    }
                }
                7 => TextEdit::Encode(Encoding::of(unread.byte())),
                0 => TextEdit::Delete {
                    at: unread.number(2) as u16,
                },
                5 => TextEdit::Transpose {
                    at: unread.number(2) as u16,
                },
                _ => {
                    let (at, operand) = (unread.number(2) as u16, unread.number(2) as u16);
                    match code {
                        1 => TextEdit::Insert {
                            at,
                            terminal: operand,
                        },
                        2 => TextEdit::Substitute {
                            at,
                            terminal: operand,
                        },
                        3 => TextEdit::InsertCopy { at, from: operand },
                        _ => TextEdit::SubstituteCopy { at, from: operand },
                    }
                }
            };
            if unread.ended() {
                break;
            }
            if edit.is_of_tokens() && !may_be_of_tokens {
                continue;
            }
            may_be_of_tokens = edit.is_of_tokens();
            self.list.push(edit);
        }
    }

    /// Appends the canonical code of the edits to `bytes`.
    #[inline(always)]
    pub fn write(&self, bytes: &mut Vec<u8>) {
        if self.list.is_empty() {
            return;
        }
        bytes.extend_from_slice(&MARK);
        for edit in &self.list {
            match *edit {
                TextEdit::Delete { at } => write_numbers(bytes, 0, &[at]),
                TextEdit::Insert { at, terminal } => write_numbers(bytes, 1, &[at, terminal]),
                TextEdit::Substitute { at, terminal } => write_numbers(bytes, 2, &[at, terminal]),
                TextEdit::InsertCopy { at, from } => write_numbers(bytes, 3, &[at, from]),
                TextEdit::SubstituteCopy { at, from } => write_numbers(bytes, 4, &[at, from]),
                TextEdit::Transpose { at } => write_numbers(bytes, 5, &[at]),
                TextEdit::Replace { at, length, new } => {
                    let new = &self.new_bytes[new.0 as usize..new.1 as usize];
                    bytes.push(6);
                    bytes.extend_from_slice(&at.to_be_bytes()[1..]);
                    bytes.extend_from_slice(&length.to_be_bytes()[1..]);
                    bytes.extend_from_slice(&(new.len() as u16).to_be_bytes());
                    bytes.extend_from_slice(new);
                }
                TextEdit::Encode(encoding) => bytes.extend_from_slice(&[7, encoding as u8]),
            }
        }
    }

    /// Returns the length of the canonical code in bytes.
    pub fn code_length(&self) -> usize {
        let length = |edit: &TextEdit| match edit {
            TextEdit::Delete { .. } | TextEdit::Transpose { .. } => 3,
            TextEdit::Replace { new, .. } => 9 + (new.1 - new.0) as usize,
            TextEdit::Encode(_) => 2,
            _ => 5,
        };
        match self.list.is_empty() {
            true => 0,
            false => MARK.len() + self.list.iter().map(length).sum::<usize>(),
        }
    }
}

/// Appends the code of an edit of tokens.
#[inline(always)]
fn write_numbers(bytes: &mut Vec<u8>, code: u8, numbers: &[u16]) {
    bytes.push(code);
    for number in numbers {
        bytes.extend_from_slice(&number.to_be_bytes());
    }
}

/// Returns whether bytes contain [`MARK`]. If they do not, they have no edits.
#[inline(always)]
pub fn may_have_edits(bytes: &[u8]) -> bool {
    bytes.windows(MARK.len()).any(|window| window == MARK)
}
