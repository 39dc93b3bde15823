//! From a marked text to a sentence: indentation in place of the marks of lines and blocks.

use super::Node;
use crate::grammar::{LineMark, MARK_LENGTH, WIDTHS};
use crate::uninstrumented::uninstrumented;

/// The memory that it takes to write a sentence. It is reused, so that nothing is allocated for
/// most sentences.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineWriter {
    /// The marked text.
    marked: Vec<u8>,
    /// The indentation of the innermost block.
    indentation: Vec<u8>,
    /// The length of the indentation around each open block.
    outer: Vec<u32>,
}

impl LineWriter {
    uninstrumented! {
        /// Replaces a marked text by its sentence. The offsets of the nodes move with the text.
        ///
        /// A line has the indentation of its block. If an indent is not at the begin of a line, the
        /// lines of its block begin in the column of the indent. A dedent without an indent has no
        /// effect. If the sentence would have more than `max` bytes, which is at least the length of
        /// the marked text, lines lose their indentation.
        pub(crate) fn write(&mut self, max: u32, text: &mut Vec<u8>, nodes: &mut [Node]) {
            let LineWriter { marked, indentation, outer } = self;
            std::mem::swap(marked, text);
            text.clear();
            indentation.clear();
            outer.clear();
            let mut left = (max as usize).saturating_sub(marked.len());
            let (mut at, mut node, mut begins_line) = (0, 0, true);
            while at < marked.len() {
                let from = at;
                while at < marked.len() && LineMark::first(&marked[at..]).is_none() {
                    at += 1;
                }
                if at > from {
                    if begins_line && indentation.len() <= left {
                        left -= indentation.len();
                        text.extend_from_slice(indentation);
                    }
                    begins_line = false;
                    while node < nodes.len() && (nodes[node].text as usize) < at {
                        nodes[node].text = (text.len() + nodes[node].text as usize - from) as u32;
                        node += 1;
                    }
                    text.extend_from_slice(&marked[from..at]);
                    continue;
                }
                while node < nodes.len() && nodes[node].text as usize == at {
                    nodes[node].text = text.len() as u32;
                    node += 1;
                }
                match LineMark::first(&marked[at..]) {
                    Some(LineMark::Line) => begins_line = true,
                    Some(LineMark::Indent(width)) => {
                        outer.push(indentation.len() as u32);
                        if begins_line {
                            indentation.extend_from_slice(WIDTHS[width as usize].as_bytes());
                        } else {
                            let column = column(text, indentation.len());
                            indentation.resize(indentation.len() + column, b' ');
                        }
                    }
                    Some(LineMark::Dedent) => {
                        if let Some(length) = outer.pop() {
                            indentation.truncate(length as usize);
                        }
                    }
                    _ => {}
                }
                at += MARK_LENGTH;
            }
            while node < nodes.len() {
                nodes[node].text = text.len() as u32;
                node += 1;
            }
        }
    }
}

/// The number of characters between the indentation of the last line, which has this many bytes, and
/// the end of the text.
#[inline(always)]
fn column(text: &[u8], indentation: usize) -> usize {
    let (mut column, mut at) = (0, text.len());
    while at > 0 && text[at - 1] != b'\n' {
        at -= 1;
        // Only the first byte of a character counts.
        column += usize::from(text[at] & 0xC0 != 0x80);
    }
    column.saturating_sub(indentation)
}
