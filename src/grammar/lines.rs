//! Lines and indentation: the marks for them in a text that is derived or parsed, and the tables of
//! a grammar with `@line`.
//!
//! A grammar with `@line` derives a *marked text*. The marks are noncharacters of Unicode. No class
//! and no literal of such a grammar contains them. Each mark is three bytes long:
//!
//! | mark | meaning |
//! |---|---|
//! | end of line | the last character of a token of the `@line` rule; the next token begins a line |
//! | indent | lines after it have one of the [`WIDTHS`] as additional indentation |
//! | dedent | the end of the innermost indent |
//! | inner line | the first character of a token of the `@line` rule that is layout, within brackets |
//!
//! The sentence is the marked text without the marks, with indentation in front of lines. So the
//! expander and the parser need no rules for indentation.

use std::collections::HashSet;

use super::{Class, Grammar, Kind, Layout, SymbolId, span};

/// The indentation that one block can add, the most usual first.
pub(crate) const WIDTHS: [&str; 18] = [
    "    ",
    "  ",
    "\t",
    "        ",
    " ",
    "   ",
    "      ",
    "     ",
    "       ",
    "         ",
    "          ",
    "            ",
    "                ",
    "\t\t",
    "           ",
    "             ",
    "              ",
    "               ",
];

/// The first and the last character of the Unicode range of the marks.
const NONCHARACTERS: (u32, u32) = (0xFDD0, 0xFDEF);

/// The maximum length of an indentation in bytes. The budget reserves this many bytes for each line
/// until the indentation of the line is known.
pub(crate) const MAX_INDENTATION: usize = 200;

/// The length of a mark in bytes.
pub(crate) const MARK_LENGTH: usize = 3;

/// A mark in a marked text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineMark {
    /// The end of a line.
    Line,
    /// The beginning of a block. The number is an index into [`WIDTHS`].
    Indent(u8),
    /// The end of a block.
    Dedent,
    /// The beginning of a line end within brackets, which is layout.
    Inner,
}

impl LineMark {
    pub(crate) fn character(self) -> u32 {
        match self {
            LineMark::Indent(width) => NONCHARACTERS.0 + u32::from(width),
            LineMark::Dedent => NONCHARACTERS.1 - 2,
            LineMark::Line => NONCHARACTERS.1 - 1,
            LineMark::Inner => NONCHARACTERS.1,
        }
    }

    /// Whether a class consists of this mark (its first range is the mark).
    pub(crate) fn is(self, class: &Class) -> bool {
        class.ranges().first() == Some(&(self.character(), self.character()))
    }

    pub(crate) fn bytes(self) -> [u8; MARK_LENGTH] {
        let low = self.character() as u8;
        // U+FDC0 to U+FDFF are EF B7 80 to EF B7 BF.
        [0xEF, 0xB7, 0x80 | low & 0x3F]
    }

    /// The mark with which a text begins.
    #[inline(always)]
    pub(crate) fn first(text: &[u8]) -> Option<LineMark> {
        let &[0xEF, 0xB7, last, ..] = text else {
            return None;
        };
        let number = last.wrapping_sub(0x90);
        match number {
            31 => Some(LineMark::Inner),
            30 => Some(LineMark::Line),
            29 => Some(LineMark::Dedent),
            width if (width as usize) < WIDTHS.len() => Some(LineMark::Indent(width)),
            _ => None,
        }
    }

    /// Whether a text ends with a mark.
    #[inline(always)]
    pub(crate) fn ends(text: &[u8]) -> bool {
        text.len() >= MARK_LENGTH && LineMark::first(&text[text.len() - MARK_LENGTH..]).is_some()
    }
}

/// Whether a character is in the range of the marks. In a grammar with lines, no class or literal
/// may contain it.
pub(crate) fn is_mark(character: u32) -> bool {
    (NONCHARACTERS.0..=NONCHARACTERS.1).contains(&character)
}

/// The ranges of a class without the marks.
pub(crate) fn without_marks(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let (first, last) = NONCHARACTERS;
    let parts = ranges
        .iter()
        .flat_map(|&(from, to)| [(from, to.min(first - 1)), (from.max(last + 1), to)]);
    parts.filter(|(from, to)| from <= to).collect()
}

/// Tables of a grammar with lines, for the expander and the parser.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Lines {
    /// By symbol: 1 if it is the literal of an opening bracket, -1 of a closing one, otherwise 0.
    depths: Box<[i8]>,
    /// The index of the alternative of the layout token that is a line end within brackets;
    /// `u32::MAX` if there is none.
    inner: u32,
    /// The opening and the closing brackets.
    brackets: Brackets,
}

/// The texts of the opening and of the closing brackets.
pub(crate) type Brackets = [HashSet<Box<[u8]>>; 2];

impl Lines {
    /// Finds the brackets and the inner line among the symbols of a grammar.
    pub(crate) fn new(grammar: &Grammar, brackets: Brackets) -> Lines {
        let depth = |kind: &Kind| match kind {
            Kind::Literal { text } => Lines::depth(&brackets, grammar.text(text)),
            _ => 0,
        };
        let depths = grammar.symbols.iter().map(|symbol| depth(&symbol.kind));
        let inner = grammar
            .layout
            .as_ref()
            .and_then(|layout| inner(grammar, layout));
        Lines {
            depths: depths.collect(),
            inner: inner.unwrap_or(u32::MAX),
            brackets,
        }
    }

    /// The tables of another grammar with the same brackets.
    pub(crate) fn of(&self, grammar: &Grammar) -> Lines {
        Lines::new(grammar, self.brackets.clone())
    }

    /// The texts of the opening and of the closing brackets, in a fixed order.
    pub(crate) fn brackets(&self) -> [Vec<&[u8]>; 2] {
        self.brackets.each_ref().map(|texts| {
            let mut texts: Vec<&[u8]> = texts.iter().map(|text| &**text).collect();
            texts.sort_unstable();
            texts
        })
    }

    /// 1 for an opening bracket, -1 for a closing one, 0 for another text.
    fn depth(brackets: &Brackets, text: &[u8]) -> i8 {
        i8::from(brackets[0].contains(text)) - i8::from(brackets[1].contains(text))
    }

    /// The number of brackets that are open after a token that is a literal of this symbol.
    #[inline(always)]
    pub(crate) fn open_after(&self, symbol: SymbolId, open: u32) -> u32 {
        open.saturating_add_signed(self.depths[symbol.0 as usize].into())
    }

    /// The number of brackets that are open after a token with this text.
    pub(crate) fn open_after_text(&self, text: &[u8], open: u32) -> u32 {
        open.saturating_add_signed(Lines::depth(&self.brackets, text).into())
    }

    /// The alternative of the layout token that is forbidden while this number of brackets is open;
    /// `u32::MAX` if none is.
    #[inline(always)]
    pub(crate) fn forbidden(&self, open: u32) -> u32 {
        if open == 0 { self.inner } else { u32::MAX }
    }
}

/// The alternative of a layout token that begins with the mark of an inner line.
fn inner(grammar: &Grammar, layout: &Layout) -> Option<u32> {
    let Kind::Nonterminal { alternatives, .. } = &grammar[layout.token].kind else {
        return None;
    };
    let begins = |alternative: u32| {
        let mut children = &grammar.alternatives[alternative as usize].children;
        // Follow the first child: from the alternative to its rule, and from there to the mark.
        for _ in 0..grammar.symbols.len().min(8) {
            let first = grammar.children[span(children)].first()?;
            match &grammar[first.symbol].kind {
                Kind::Nonterminal { alternatives, .. } => {
                    children = &grammar.alternatives[alternatives.start as usize].children;
                }
                &Kind::Class(class) => return Some(LineMark::Inner.is(&grammar[class])),
                _ => return None,
            }
        }
        None
    };
    alternatives.clone().find(|&at| begins(at) == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_as_they_are_written() {
        let widths = (0..WIDTHS.len() as u8).map(LineMark::Indent);
        for mark in widths.chain([LineMark::Line, LineMark::Dedent, LineMark::Inner]) {
            let text = char::from_u32(mark.character()).unwrap().to_string();
            assert_eq!(text.as_bytes(), mark.bytes());
            assert_eq!(LineMark::first(&mark.bytes()), Some(mark));
            assert!(
                LineMark::ends(&[b"x", &mark.bytes()[..]].concat()) && is_mark(mark.character())
            );
        }
        assert_eq!(LineMark::first("\u{FDCF}".as_bytes()), None);
        assert_eq!(LineMark::first("\u{FDE2}".as_bytes()), None);
    }

    #[test]
    fn classes_lose_the_marks() {
        let all = [(0, 0xFDD3), (0xFDEF, 0x10FFFF)];
        assert_eq!(without_marks(&all), [(0, 0xFDCF), (0xFDF0, 0x10FFFF)]);
        assert_eq!(without_marks(&[(0xFDD0, 0xFDEF)]), []);
    }
}
