//! The indentation of lines, computed from a *marked text*: a text with marks for the ends of lines,
//! indents and dedents.

use crate::grammar::{LineMark, MARK_LENGTH, MAX_INDENTATION, WIDTHS};

/// The indentation at a position in a sentence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Indentation {
    /// The indentation of the lines of the innermost block. It is at most [`MAX_INDENTATION`] long.
    blanks: Vec<u8>,
    /// The length of the indentation around each open block.
    outer: Vec<u32>,
    /// Whether the next text begins a line.
    begins_line: bool,
    /// The length of the indentation of the current line.
    of_line: u32,
}

impl Indentation {
    /// Begins a sentence, whose first line is not indented.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.blanks.clear();
        self.outer.clear();
        (self.begins_line, self.of_line) = (false, 0);
    }

    /// The indentation of lines that begin here.
    #[inline(always)]
    pub(crate) fn blanks(&self) -> &[u8] {
        &self.blanks
    }

    /// Whether the next text begins a line.
    #[inline(always)]
    pub(crate) fn begins_line(&self) -> bool {
        self.begins_line
    }

    /// Reads a mark. `marked` is the marked text before it.
    #[inline(always)]
    pub(crate) fn mark(&mut self, mark: LineMark, marked: &[u8]) {
        match mark {
            LineMark::Line => self.begins_line = true,
            LineMark::Indent(width) => {
                self.outer.push(self.blanks.len() as u32);
                if self.begins_line {
                    self.blanks.extend_from_slice(wider(&self.blanks, width));
                } else {
                    let column = self.column(marked);
                    self.blanks.resize(column.max(self.blanks.len()), b' ');
                }
            }
            LineMark::Dedent => {
                if let Some(length) = self.outer.pop() {
                    self.blanks.truncate(length as usize);
                }
            }
            LineMark::Inner => {}
        }
    }

    /// Reads a text without marks. Returns whether the text begins a line. Then the indentation
    /// must be written before the text.
    #[inline(always)]
    pub(crate) fn text(&mut self) -> bool {
        let begins_line = std::mem::take(&mut self.begins_line);
        if begins_line {
            self.of_line = self.blanks.len() as u32;
        }
        begins_line
    }

    /// The column at the end of a marked text, but not more than [`MAX_INDENTATION`].
    #[inline(always)]
    fn column(&self, marked: &[u8]) -> usize {
        let (mut column, mut at) = (0, marked.len());
        while at > 0 && column < MAX_INDENTATION {
            if LineMark::ends(&marked[..at]) {
                at -= MARK_LENGTH;
                if LineMark::first(&marked[at..]) == Some(LineMark::Line) {
                    column += self.of_line as usize;
                    break;
                }
                continue;
            }
            at -= 1;
            if marked[at] == b'\n' {
                break;
            }
            // Only the first byte of a character counts.
            column += usize::from(marked[at] & 0xC0 != 0x80);
        }
        column.min(MAX_INDENTATION)
    }
}

/// The blanks that an indent of this width adds to an indentation. Above half of
/// [`MAX_INDENTATION`], an indent adds one blank; at the maximum, none.
#[inline(always)]
pub(crate) fn wider(blanks: &[u8], width: u8) -> &'static [u8] {
    let wide = WIDTHS[width as usize].as_bytes();
    if blanks.len() + wide.len() <= MAX_INDENTATION / 2 {
        wide
    } else if blanks.len() < MAX_INDENTATION {
        b" "
    } else {
        b""
    }
}
