//! The stack of what is still to be expanded. It is explicit, so deep derivations do not overflow the call stack.

use super::{ChoiceSource, Deriving, NodeSink, SetId};
use crate::derivation::Choice;
use crate::grammar::{Child, PositionId, SymbolId};

/// A token at its place: what its kind holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub body: SymbolId,
    pub place: PositionId,
    pub layout: bool,
}

/// One entry of the stack: a task for when all entries above it are done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// How many expansions are open around the next symbol of the task.
    pub level: u32,
    pub task: Task,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// The children `next..end` of an alternative.
    Sequence { next: u32, end: u32 },
    /// The children `next..end` of an alternative. They need not adjoin: the child before them, which had to, had no token.
    Adjoined { next: u32, end: u32 },
    /// The children `next..end` of an alternative, behind a nonterminal that the bound of depth counts.
    Leave { next: u32, end: u32, symbol: SymbolId, outer: SetId },
    /// `left` more elements of a repetition.
    Elements { node: u32, element: Child, left: u32, begun: u32, at_least: u32 },
    /// `left` more pieces of layout, then the body of the lexeme.
    Layout { node: u32, lexeme: Lexeme, left: u32, begun: u32 },
    /// A piece of layout is complete; it began at byte `from`, its first node is `first`.
    LayoutPiece { from: u32, first: u32 },
    /// The token of a lexeme is complete; it began at byte `from`, the first node inside is `first`.
    Token { lexeme: Lexeme, from: u32, first: u32, adjoins: bool },
}

/// What there is to do next.
pub(super) enum Resumed {
    /// The children that are left of the innermost sequence, if any.
    Sequence,
    /// A symbol.
    Symbol(SymbolId),
    /// A token or layout.
    LastToken,
    /// Discard.
    End,
}

impl<C: ChoiceSource + ?Sized, K: NodeSink> Deriving<'_, C, K> {
    /// Goes on with the top of the stack, unless that is a token or layout.
    #[inline(always)]
    pub(super) fn resume(&mut self) -> Resumed {
        let Some(Frame { level, task }) = self.stack.last_mut() else { return Resumed::End };
        self.level = *level;
        match task {
            Task::Sequence { next, end } => {
                (self.next, self.end) = (*next, *end);
                self.stack.pop();
                Resumed::Sequence
            }
            Task::Elements { node, element, left, begun, at_least } => {
                if *left > 0 && (*begun < *at_least || !self.choice_source.ended()) {
                    *left -= 1;
                    *begun += 1;
                    self.again = *left;
                    let element = *element;
                    if element.adjoins {
                        self.adjoin(self.level, 0, 0);
                    }
                    return Resumed::Symbol(element.symbol);
                }
                let (node, left, begun, element, at_least) = (*node, *left, *begun, *element, *at_least);
                self.stack.pop();
                if left > 0 {
                    self.budget.refund(self.minimum(element.symbol).times(left));
                    self.keep.recount(node, begun, Choice::Count { at_least });
                }
                Resumed::Sequence
            }
            Task::Adjoined { next, end } => {
                (self.next, self.end) = (*next, *end);
                self.adjoins = false;
                self.stack.pop();
                Resumed::Sequence
            }
            Task::Leave { next, end, symbol, outer } => {
                self.depth.leave(*symbol, *outer);
                (self.next, self.end) = (*next, *end);
                self.stack.pop();
                Resumed::Sequence
            }
            Task::Layout { .. } | Task::LayoutPiece { .. } | Task::Token { .. } => Resumed::LastToken,
        }
    }

    /// Puts what is left of the innermost sequence onto the stack, if anything is.
    #[inline(always)]
    pub(super) fn suspend(&mut self) {
        if self.next < self.end {
            self.push(self.level, Task::Sequence { next: self.next, end: self.end });
            self.next = self.end;
        }
    }

    /// The next token adjoins, if it comes before what is put onto the stack.
    #[inline(always)]
    pub(super) fn adjoin(&mut self, level: u32, next: u32, end: u32) {
        if self.adjoins {
            self.push(level, Task::Sequence { next, end });
        } else {
            self.push(level, Task::Adjoined { next, end });
            self.adjoins = true;
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, level: u32, task: Task) {
        self.stack.push(Frame { level, task });
    }
}
