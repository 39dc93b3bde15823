//! Converts a text to a marked text: inserts marks at the ends of lines, and at the beginnings and
//! ends of the blocks that the indentation makes.
//!
//! Tokens are read as by a lexer: the longest one of all tokens of the grammar, even if the grammar
//! does not allow this token at that position. So a newline within a string or a comment ends no
//! line.
//!
//! Indentation is compared as text, as in Python 3: a line belongs to a block if it begins with the
//! same blanks. So the width of a tab does not matter.

use super::ParseInput;
use super::error::Failure;
use super::scan::Tokens;
use crate::derivation::{LineWriter, Node, wider};
use crate::grammar::{LineMark, Lines, SymbolId, WIDTHS, first_character};

/// The working memory to mark a text, and the marked text.
#[derive(Clone, Debug, Default)]
pub struct LineReader {
    /// For each open block, the length of the indentation outside it.
    outer: Vec<usize>,
    writer: LineWriter,
    /// The marked text.
    pub marked: Vec<u8>,
}

impl LineReader {
    /// Marks the lines and blocks of a text. These parts stay unmarked: bytes that begin no token,
    /// blanks that are no indentation of [`WIDTHS`], and lines that belong to no block.
    ///
    /// # Errors
    /// If the text contains a mark, or takes too many steps (for example because of many
    /// unterminated tokens).
    pub fn mark(
        &mut self,
        input: ParseInput<'_>,
        lines: &Lines,
        tokens: &mut Tokens,
    ) -> Result<(), Failure> {
        let ParseInput {
            grammar,
            scanner,
            text,
            fuel,
            ..
        } = input;
        let LineReader { outer, marked, .. } = self;
        outer.clear();
        marked.clear();
        let (mut at, mut open) = (0, 0);
        // The indentation of the innermost block.
        let mut indentation: &[u8] = &[];
        while at < text.len() {
            let rest = &text[at..];
            if LineMark::first(rest).is_some() {
                return Err(Failure::Unexpected(at));
            }
            let boundaries = grammar.boundaries();
            let exact = &scanner.exact[..];
            let (token, read) = boundaries.longest(exact, &[], rest, &[]);
            let token = token.max(scanner.longest_matched(input, at, tokens));
            let (line, read_again) = match open {
                0 => boundaries.longest(exact, &[], rest, &LineMark::Line.bytes()),
                _ => boundaries.longest(exact, &LineMark::Inner.bytes(), rest, &[]),
            };
            fuel.spend(read + read_again);
            fuel.check(at)?;
            if line < token || line == 0 {
                let length = token.max(first_character(rest, grammar.derives_bytes()).1);
                open = lines.open_after_text(&rest[..length], open);
                marked.extend_from_slice(&rest[..length]);
                at += length;
                continue;
            }
            if open > 0 {
                marked.extend_from_slice(&LineMark::Inner.bytes());
                marked.extend_from_slice(&rest[..line]);
                at += line;
                continue;
            }
            marked.extend_from_slice(&rest[..line]);
            marked.extend_from_slice(&LineMark::Line.bytes());
            at += line;
            let blanks = text[at..]
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t'));
            let blanks = &text[at..at + blanks.count()];
            let is_end = at + blanks.len() == text.len();
            let blanks = if is_end { &[] } else { blanks };
            while blanks.len() < indentation.len()
                && let Some(length) = outer.pop()
            {
                indentation = &indentation[..length];
                marked.extend_from_slice(&LineMark::Dedent.bytes());
            }
            let Some(more) = blanks.strip_prefix(indentation) else {
                continue;
            };
            at += indentation.len();
            let width = (0..WIDTHS.len()).find(|&width| wider(indentation, width as u8) == more);
            if let Some(width) = width.filter(|_| !more.is_empty()) {
                outer.push(indentation.len());
                marked.extend_from_slice(&LineMark::Indent(width as u8).bytes());
                indentation = blanks;
                at += more.len();
            }
        }
        Ok(())
    }

    /// Converts offsets in the marked text to offsets in the text. The offsets must be ascending.
    pub fn move_to_text(&mut self, offsets: &mut [&mut usize]) {
        let node = |offset: &&mut usize| Node::new(SymbolId(0), 0, **offset);
        let mut nodes: Vec<Node> = offsets.iter().map(node).collect();
        let mut text = self.marked.clone();
        self.writer.write(&mut text, &mut nodes);
        for (offset, node) in offsets.iter_mut().zip(nodes) {
            **offset = node.text as usize;
        }
    }

    /// Replaces the marked text of a derivation by its sentence.
    pub fn write(&mut self, text: &mut Vec<u8>, nodes: &mut [Node]) {
        self.writer.write(text, nodes);
    }
}
