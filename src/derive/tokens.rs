//! Tokens and layout: where separators go, and where layout may stand.
//!
//! What holds: between two tokens there is layout only if it was chosen or forced, none where the grammar says that they
//! adjoin; a forced separator is no choice, so the code 0 of a boundary fits every place.

use super::agenda::{Frame, Lexeme, Resumed, Task};
use super::{ChoiceSource, Deriving, NodeSink};
use crate::derivation::{Choice, WITHOUT_LAYOUT};
use crate::grammar::{FollowSet, Grammar, Kind, LAYOUT, Layout, Size, SymbolId, TerminalId, reserve};
use crate::uninstrumented::uninstrumented;

/// The last token or piece of layout: what the next one might glue to.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastToken {
    pub from: u32,
    pub to: u32,
    pub terminal: TerminalId,
    /// What the grammar allows where it stands.
    pub row: FollowSet,
}

impl<C: ChoiceSource + ?Sized, K: NodeSink> Deriving<'_, C, K> {
    /// Goes on with the top of the stack, a task of tokens or layout.
    #[inline(always)]
    pub(super) fn resume_piece(&mut self) -> Resumed {
        let Some(Frame { task, .. }) = self.stack.last_mut() else { return Resumed::End };
        match task {
            Task::Token { lexeme, from, first, adjoins } => {
                let (lexeme, from, first, adjoins) = (*lexeme, *from, *first, *adjoins);
                self.stack.pop();
                self.complete_token(lexeme, from, first, adjoins);
                Resumed::Sequence
            }
            Task::Layout { left, begun, .. } if *left > 0 && !self.choice_source.ended() => {
                *left -= 1;
                *begun += 1;
                let (from, first) = (self.text.len() as u32, self.keep.next());
                self.push(self.level + 1, Task::LayoutPiece { from, first });
                self.level += 2;
                match &self.grammar.layout {
                    Some(layout) => Resumed::Symbol(layout.element),
                    None => Resumed::Sequence,
                }
            }
            Task::Layout { node, lexeme, left, begun } => {
                let (node, lexeme, left, begun) = (*node, *lexeme, *left, *begun);
                self.stack.pop();
                if left > 0 {
                    self.budget.refund(self.layout_size().times(left));
                    self.keep.recount(node, if self.bare { WITHOUT_LAYOUT | begun } else { begun }, Choice::Layout);
                }
                match self.token(lexeme, false) {
                    Some(body) => Resumed::Symbol(body),
                    None => Resumed::Sequence,
                }
            }
            Task::LayoutPiece { from, first } => {
                let (from, first) = (*from, *first);
                self.stack.pop();
                let longest = self.grammar.layout.as_ref().map_or(0, |layout| layout.longest);
                self.complete(from, first, LAYOUT, false, longest);
                Resumed::Sequence
            }
            Task::Sequence { .. } | Task::Adjoined { .. } | Task::Leave { .. } | Task::Elements { .. } => Resumed::Sequence,
        }
    }

    /// What a piece of layout takes at least, with a separator before it.
    #[inline(always)]
    fn layout_size(&self) -> Size {
        let Some(layout) = &self.grammar.layout else { return Size::NEVER };
        self.grammar[layout.element].minimum.plus(Size { bytes: layout.longest, nodes: 0 })
    }

    /// Opens a token in a syntax rule: its layout, then its body, which is to be expanded unless it is a literal.
    #[inline(always)]
    pub(super) fn lexeme(&mut self, symbol: SymbolId, lexeme: Lexeme, kind: Choice<'_>) -> Option<SymbolId> {
        let adjoins = std::mem::take(&mut self.adjoins);
        let choice = if lexeme.layout { self.choice_source.layout(symbol) } else { 0 };
        self.bare = choice & WITHOUT_LAYOUT != 0;
        let mut pieces = choice & !WITHOUT_LAYOUT;
        if pieces > 0 {
            let size = self.layout_size();
            let max = if adjoins { 0 } else { self.budget.affordable(size) };
            self.pinched |= pieces > max;
            pieces = if pieces > max { pieces % (max + 1) } else { pieces };
            self.budget.exchange(size.times(pieces), Size::default());
        }
        let node = self.node(symbol, choice & WITHOUT_LAYOUT | pieces, kind);
        if pieces == 0 {
            return self.token(lexeme, adjoins);
        }
        self.suspend();
        self.push(self.level, Task::Layout { node, lexeme, left: pieces, begun: 0 });
        None
    }

    /// Writes the body of a lexeme, or begins to: then it is to be expanded.
    #[inline(always)]
    fn token(&mut self, lexeme: Lexeme, adjoins: bool) -> Option<SymbolId> {
        let (from, first) = (self.text.len() as u32, self.keep.next());
        let kind = &self.grammar[lexeme.body].kind;
        if let Kind::Literal { text } = kind {
            self.write(text);
            self.complete_token(lexeme, from, first, adjoins);
            return None;
        }
        self.suspend();
        self.push(self.level, Task::Token { lexeme, from, first, adjoins });
        self.level += 1;
        Some(lexeme.body)
    }

    #[inline(always)]
    fn complete_token(&mut self, lexeme: Lexeme, from: u32, first: u32, adjoins: bool) {
        let Lexeme { body, place, layout } = lexeme;
        if let Some(Layout { longest, .. }) = self.grammar.layout {
            let reserved = reserve(&self.grammar.symbols, body, layout, longest);
            let boundaries = &self.grammar.boundaries;
            if self.complete(from, first, boundaries.terminal(place), adjoins, reserved) {
                self.row = boundaries.row_after(place);
            }
        }
    }

    /// A token or a piece of layout is written: separates it from the last one if they glue. Whether it is not empty.
    #[inline(always)]
    fn complete(&mut self, mut from: u32, first: u32, terminal: TerminalId, adjoins: bool, reserved: u32) -> bool {
        let row = self.row;
        let mut to = self.text.len() as u32;
        if from == to {
            self.budget.refund(Size { bytes: reserved, nodes: 0 });
            return false;
        }
        let mut separator = 0;
        if let (Some(last), true) = (self.piece, reserved > 0 && !adjoins) {
            let text = &self.text[..];
            let (before, after) = (&text[last.from as usize..last.to as usize], &text[from as usize..]);
            if self.grammar.boundaries.needs_separator(last.row, last.terminal, before, after) {
                let blank = last.terminal == LAYOUT && terminal == LAYOUT;
                let bare = self.bare;
                let text = separator_between(self.grammar, (last.row, last.terminal, before), (row, after), blank, bare);
                separator = text.len() as u32;
                if separator > 0 {
                    let (at, end) = (from as usize, self.text.len());
                    self.text.extend_from_slice(text);
                    self.text.copy_within(at..end, at + text.len());
                    self.text[at..at + text.len()].copy_from_slice(text);
                    self.keep.shift(first, separator);
                }
            }
        }
        self.budget.refund(Size { bytes: reserved - separator, nodes: 0 });
        from += separator;
        to += separator;
        self.piece = Some(LastToken { from, to, terminal, row });
        true
    }
}

uninstrumented! {
    /// The separator between two texts that glue: what the grammar allows where the first stands, its terminal and its text;
    /// what the grammar allows where the second stands, and its text. Empty in two cases. Two pieces of layout (`layout`), the
    /// first of which is white space, are white space together. And where separators are left out (`bare`), a boundary needs
    /// none if no longer token comes of it.
    fn separator_between<'g>(
        grammar: &'g Grammar,
        last: (FollowSet, TerminalId, &[u8]),
        next: (FollowSet, &[u8]),
        layout: bool,
        bare: bool,
    ) -> &'g [u8] {
        let ((row, _, before), (_, after)) = (last, next);
        let mut is_white = layout;
        for &byte in before {
            is_white &= grammar.is_blank(byte);
        }
        if is_white || bare && grammar.boundaries.part(row, before, after) { &[] } else { grammar.separator(last, next) }
    }
}
