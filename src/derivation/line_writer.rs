//! From a marked text to a sentence: indentation in place of the marks of lines and blocks.

use super::{Indentation, Node};
use crate::grammar::{LineMark, MARK_LENGTH};
use crate::uninstrumented::uninstrumented;

/// The buffers for writing a sentence. They are reused, so that nothing is allocated for most
/// sentences.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineWriter {
    /// The marked text.
    marked: Vec<u8>,
    indentation: Indentation,
}

impl LineWriter {
    uninstrumented! {
        /// Replaces a marked text by its sentence. The offsets of the nodes move with the text.
        ///
        /// A line has the indentation of its block. If an indent is not at the beginning of a line, the
        /// lines of its block begin in the column of the indent. A dedent without an indent has no
        /// effect.
        pub(crate) fn write(&mut self, text: &mut Vec<u8>, nodes: &mut [Node]) {
            let LineWriter { marked, indentation } = self;
            std::mem::swap(marked, text);
            text.clear();
            indentation.clear();
            let (mut at, mut node) = (0, 0);
            while at < marked.len() {
                if let Some(mark) = LineMark::first(&marked[at..]) {
                    while node < nodes.len() && nodes[node].text as usize == at {
                        nodes[node].text = text.len() as u32;
                        node += 1;
                    }
                    indentation.mark(mark, &marked[..at]);
                    at += MARK_LENGTH;
                    continue;
                }
                let from = at;
                while at < marked.len() && LineMark::first(&marked[at..]).is_none() {
                    at += 1;
                }
                if indentation.text() {
                    text.extend_from_slice(indentation.blanks());
                }
                while node < nodes.len() && (nodes[node].text as usize) < at {
                    nodes[node].text = (text.len() + nodes[node].text as usize - from) as u32;
                    node += 1;
                }
                text.extend_from_slice(&marked[from..at]);
            }
            while node < nodes.len() {
                nodes[node].text = text.len() as u32;
                node += 1;
            }
        }
    }
}
