//! Tokens and layout: where separators go, and where layout may stand.
//!
//! What holds: between two tokens there is layout only if it was chosen or forced, none where the grammar says that they
//! adjoin; a forced separator is no choice, so the code 0 of a boundary fits every place.

use super::{Chooser, Deriving, Frame, Next};
use crate::grammar::{Kind, LAYOUT, PlaceId, Row, Size, SymbolId, TerminalId, reserve};

/// The last token or piece of layout: what the next one might glue to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    from: u32,
    to: u32,
    terminal: TerminalId,
    /// What the grammar allows where it stands.
    row: Row,
}

impl<'a, C: Chooser> Deriving<'a, C> {
    /// [`Deriving::step`] for the frames of tokens and layout.
    #[inline(always)]
    pub(super) fn step_piece(&mut self) -> Option<Next<'a>> {
        match self.stack.last_mut()? {
            Frame::Token { .. } => {
                if let Some(Frame::Token { node, from, first, place, reserved, adjoins }) = self.stack.pop() {
                    self.complete_token(from, first, place, adjoins, reserved);
                    self.close(node);
                }
                None
            }
            Frame::Layout { left, begun, .. } if *left > 0 && !self.chooser.ended() => {
                *left -= 1;
                *begun += 1;
                let (from, first) = (self.text.len() as u32, self.nodes.len() as u32);
                self.stack.push(Frame::LayoutPiece { from, first });
                let layout = self.grammar.layout.as_ref()?;
                Some((layout.element, &[], 0))
            }
            Frame::Layout { .. } => {
                let Some(Frame::Layout { node, left, begun, body, place, reserved }) = self.stack.pop() else { return None };
                let unused = self.layout_size().times(left);
                self.refund(unused);
                self.nodes[node as usize].choice = begun;
                self.token(node, body, place, false, reserved)
            }
            Frame::LayoutPiece { from, first } => {
                let (from, first) = (*from, *first);
                self.stack.pop();
                let row = self.row;
                let longest = self.grammar.layout.as_ref().map_or(0, |layout| layout.longest);
                self.complete(from, first, LAYOUT, row, false, longest);
                None
            }
            Frame::Close { node } => {
                let node = *node;
                self.stack.pop();
                self.close(node);
                None
            }
            Frame::Sequence { .. } | Frame::Elements { .. } => unreachable!("stepped by `step`"),
        }
    }

    /// What a piece of layout takes at least, with a separator before it.
    #[inline(always)]
    fn layout_size(&self) -> Size {
        let Some(layout) = &self.grammar.layout else { return Size::NEVER };
        self.grammar[layout.element].least.plus(Size { bytes: layout.longest, nodes: 0 })
    }

    /// Opens a token in a syntax rule: its layout, then its body.
    #[inline(always)]
    pub(super) fn lexeme(&mut self, symbol: SymbolId, body: SymbolId, place: PlaceId, layout: bool) -> Option<Next<'a>> {
        let adjoins = std::mem::take(&mut self.adjoins) != 0;
        let node = self.node(symbol, 0);
        let grammar = self.grammar;
        let Some(pieces) = grammar.layout.as_ref().filter(|_| layout) else {
            return self.token(node, body, place, adjoins, 0);
        };
        let reserved = reserve(&grammar.symbols, body, true, pieces.longest);
        let wanted = self.chooser.layout();
        if wanted == 0 || adjoins {
            return self.token(node, body, place, adjoins, reserved);
        }
        let size = self.layout_size();
        let most = self.affordable(size);
        let left = if wanted > most { wanted % (most + 1) } else { wanted };
        self.spend(size.times(left), Size::default());
        self.stack.push(Frame::Layout { node, left, begun: 0, body, place, reserved });
        None
    }

    /// Writes the body of a lexeme, or begins to.
    #[inline(always)]
    fn token(&mut self, node: u32, body: SymbolId, place: PlaceId, adjoins: bool, reserved: u32) -> Option<Next<'a>> {
        let (from, first) = (self.text.len() as u32, self.nodes.len() as u32);
        if let Kind::Literal { text } = &self.grammar[body].kind {
            self.text.extend_from_slice(self.grammar.text(text));
            self.complete_token(from, first, place, adjoins, reserved);
            self.close(node);
            return None;
        }
        self.stack.push(Frame::Token { node, from, first, place, reserved, adjoins });
        Some((body, &[], 0))
    }

    #[inline(always)]
    fn complete_token(&mut self, from: u32, first: u32, place: PlaceId, adjoins: bool, reserved: u32) {
        if self.grammar.layout.is_some() {
            let boundaries = &self.grammar.boundaries;
            let (terminal, after) = (boundaries.terminal(place), boundaries.row_after(place));
            let row = self.row;
            if self.complete(from, first, terminal, row, adjoins, reserved) {
                self.row = after;
            }
        }
    }

    /// A token or a piece of layout is written: separates it from the last one if they glue. Whether it is not empty.
    #[inline(always)]
    fn complete(&mut self, mut from: u32, first: u32, terminal: TerminalId, row: Row, adjoins: bool, reserved: u32) -> bool {
        let mut to = self.text.len() as u32;
        if from == to {
            self.bytes += i64::from(reserved);
            return false;
        }
        let mut separator = 0;
        if let (Some(last), false) = (self.piece, adjoins) {
            let text = &self.text[..];
            let (before, after) = (&text[last.from as usize..last.to as usize], &text[from as usize..]);
            if self.grammar.boundaries.glues(last.row, last.terminal, before, after) && !self.is_blank(last, terminal) {
                separator = self.separate(last, row, from, first);
            }
        }
        self.bytes += i64::from(reserved) - i64::from(separator);
        from += separator;
        to += separator;
        self.piece = Some(Piece { from, to, terminal, row });
        true
    }

    /// Whether two pieces of layout may glue, the first being white space: together they are white space again.
    #[inline(always)]
    fn is_blank(&self, last: Piece, terminal: TerminalId) -> bool {
        let text = &self.text[last.from as usize..last.to as usize];
        let Some(layout) = &self.grammar.layout else { return false };
        if last.terminal != LAYOUT || terminal != LAYOUT {
            return false;
        }
        for &byte in text {
            let mut blank = false;
            for separator in &layout.separators {
                blank |= separator.len() == 1 && separator[0] == byte;
            }
            if !blank {
                return false;
            }
        }
        true
    }

    /// Puts a separator before the text from byte `from` on, whose nodes are those from `first` on; its length.
    #[inline(always)]
    fn separate(&mut self, last: Piece, row: Row, from: u32, first: u32) -> u32 {
        let Some(layout) = &self.grammar.layout else { return 0 };
        let boundaries = &self.grammar.boundaries;
        let (before, after) = (&self.text[last.from as usize..last.to as usize], &self.text[from as usize..]);
        let mut separator = &layout.separators[0];
        for candidate in &layout.separators {
            if !boundaries.glues(last.row, last.terminal, before, candidate) && !boundaries.glues(row, LAYOUT, candidate, after) {
                separator = candidate;
                break;
            }
        }
        let (from, length) = (from as usize, separator.len());
        let end = self.text.len();
        self.text.extend_from_slice(separator);
        self.text.copy_within(from..end, from + length);
        self.text[from..from + length].copy_from_slice(separator);
        for node in &mut self.nodes[first as usize..] {
            node.text += length as u32;
        }
        length as u32
    }
}
