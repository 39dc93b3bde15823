//! The stack of the tasks that are still to be carried out. It is explicit, so deep derivations do
//! not overflow the call stack.

use super::choice_source::can_repeat;
use super::visible_names::Mark;
use super::{BannedSetId, ChoiceSource, Expander, NodeSink};
use crate::derivation::Choice;
use crate::grammar::{Child, PositionId, SymbolId};

/// An occurrence of a token in a syntax rule, with the layout before it. The fields have the values
/// of [`Kind::Lexeme`](crate::grammar::Kind::Lexeme); `has_layout` is its `layout`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub body: SymbolId,
    pub position: PositionId,
    pub has_layout: bool,
}

/// One entry of the stack: a task that is carried out after all entries above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The number of open expansions around the next symbol of the task.
    pub level: u32,
    pub task: Task,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// Expands the children `next..end` of an alternative.
    Sequence { next: u32, end: u32 },
    /// Allows layout again, then expands the children `next..end` of an alternative, which come
    /// after a child with `~`. Without this task, layout would stay forbidden before the next token
    /// if that child has no text.
    AllowLayout { next: u32, end: u32 },
    /// Leaves a nonterminal that the bound of depth counts, then expands the children `next..end`
    /// of the alternative around it.
    Leave {
        next: u32,
        end: u32,
        symbol: SymbolId,
        outer: BannedSetId,
    },
    /// Leaves a scope or an `@after`, then expands the children `next..end` of the alternative
    /// around it.
    LeaveScope { next: u32, end: u32, mark: Mark },
    /// Ends a capture, whose text begins at byte `start`. The budget gets back the `held` bytes
    /// that were withheld during the capture.
    Capture {
        symbol: SymbolId,
        start: u32,
        held: u32,
    },
    /// Expands `left` more elements of a repetition, after `expanded` elements. Elements beyond the
    /// lower limit `at_least` are omitted if the choice source has ended, or if they lack a name
    /// (see [`can_repeat`]).
    Elements {
        node: u32,
        element: Child,
        left: u32,
        expanded: u32,
        at_least: u32,
    },
    /// Expands `left` more layout tokens after `expanded` layout tokens, then the body of the
    /// lexeme.
    Layout {
        node: u32,
        lexeme: Lexeme,
        left: u32,
        expanded: u32,
    },
    /// Completes a layout token. Its text begins at byte `text_start`, and its first node is
    /// `first_node`.
    LayoutToken { text_start: u32, first_node: u32 },
    /// Completes the token of a lexeme. Its text begins at byte `text_start`, and the first node in
    /// it is `first_node`. `adjacent` is whether the token must follow the last one without layout.
    Token {
        lexeme: Lexeme,
        text_start: u32,
        first_node: u32,
        adjacent: bool,
    },
}

/// What the expander does next.
pub(super) enum Step {
    /// Expand the rest of the innermost sequence, which may be empty.
    Sequence,
    /// Expand a symbol.
    Symbol(SymbolId),
    /// Carry out a task of a token or of layout, which is on top of the stack.
    Token,
    /// Nothing: the derivation is complete.
    End,
}

impl<C: ChoiceSource + ?Sized, S: NodeSink, const NAMES: bool> Expander<'_, C, S, NAMES> {
    /// Carries out the task on top of the stack, unless it is a task of a token or of layout.
    #[inline(always)]
    pub(super) fn resume(&mut self) -> Step {
        let Some(Frame { level, task }) = self.stack.last_mut() else {
            return Step::End;
        };
        self.level = *level;
        match task {
            Task::Sequence { next, end } => {
                (self.next, self.end) = (*next, *end);
                self.stack.pop();
                Step::Sequence
            }
            Task::Elements {
                node,
                element,
                left,
                expanded,
                at_least,
            } => {
                let can_go_on = || {
                    let naming = if NAMES { self.naming } else { None };
                    !self.choice_source.ended()
                        && naming.is_none_or(|naming| {
                            can_repeat(
                                naming,
                                self.names,
                                self.choice_source,
                                self.bounds,
                                element.symbol,
                            )
                        })
                };
                if *left > 0 && (*expanded < *at_least || can_go_on()) {
                    *left -= 1;
                    *expanded += 1;
                    self.more_elements = *left;
                    let element = *element;
                    if element.is_adjacent {
                        self.forbid_layout(self.level, 0, 0);
                    }
                    return Step::Symbol(element.symbol);
                }
                let (node, left, expanded, element, at_least) =
                    (*node, *left, *expanded, *element, *at_least);
                self.stack.pop();
                if left > 0 {
                    self.budget.refund(self.minimum(element.symbol).times(left));
                    self.sink
                        .replace_choice(node, expanded, Choice::Count { at_least });
                }
                Step::Sequence
            }
            Task::AllowLayout { next, end } => {
                (self.next, self.end) = (*next, *end);
                self.adjacent = false;
                self.stack.pop();
                Step::Sequence
            }
            Task::Leave {
                next,
                end,
                symbol,
                outer,
            } => {
                self.depth.leave(self.grammar, *symbol, *outer);
                (self.next, self.end) = (*next, *end);
                self.stack.pop();
                Step::Sequence
            }
            Task::LeaveScope { next, end, mark } => {
                (self.next, self.end) = (*next, *end);
                if let (Some(naming), true) = (self.naming, NAMES) {
                    self.names.leave(naming, *mark);
                }
                self.stack.pop();
                Step::Sequence
            }
            Task::Capture {
                symbol,
                start,
                held,
            } => {
                let (symbol, start, held) = (*symbol, *start, *held);
                self.stack.pop();
                self.end_capture(symbol, start, held);
                Step::Sequence
            }
            Task::Layout { .. } | Task::LayoutToken { .. } | Task::Token { .. } => Step::Token,
        }
    }

    /// Puts the rest of the innermost sequence onto the stack, unless it is empty.
    #[inline(always)]
    pub(super) fn suspend(&mut self) {
        if self.next < self.end {
            self.push(
                self.level,
                Task::Sequence {
                    next: self.next,
                    end: self.end,
                },
            );
            self.next = self.end;
        }
    }

    /// Forbids layout before the next token, and puts the children `next..end` onto the stack.
    /// Layout is allowed again before these children, unless it was forbidden when this function
    /// was called.
    #[inline(always)]
    pub(super) fn forbid_layout(&mut self, level: u32, next: u32, end: u32) {
        if self.adjacent {
            self.push(level, Task::Sequence { next, end });
        } else {
            self.push(level, Task::AllowLayout { next, end });
            self.adjacent = true;
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, level: u32, task: Task) {
        self.stack.push(Frame { level, task });
    }
}
