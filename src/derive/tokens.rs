//! Tokens and the layout between them. The code here decides where separators are written and where
//! layout is allowed.
//!
//! A *layout token* is one token of white space or one comment. A *lexeme* is an occurrence of a
//! token in a syntax rule, with the layout tokens before it.
//!
//! # Guarantees
//!
//! * Between two tokens there is layout only if it was chosen, or if a separator is needed.
//! * There is no layout where the grammar forbids it (`~`).
//! * A needed separator is written without a choice. So the choice 0 for the layout of a lexeme is
//!   possible everywhere.

use super::agenda::{Frame, Lexeme, Step, Task};
use super::{ChoiceSource, Expander, NodeSink};
use crate::derivation::{Choice, WITHOUT_LAYOUT};
use crate::grammar::{
    FollowSet, Grammar, Kind, LAYOUT, Layout, LineMark, MAX_INDENTATION, Size, SymbolId,
    TerminalId, reserve,
};
use crate::uninstrumented::uninstrumented;

/// The last token or layout token. The next token may need a separator after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastToken {
    /// The byte offset at which the text of the token begins.
    pub start: u32,
    /// The byte offset at which the text of the token ends.
    pub end: u32,
    pub terminal: TerminalId,
    /// The terminals that the grammar allows at the position of the token.
    pub allowed: FollowSet,
}

/// A token or layout token whose expansion has begun.
#[derive(Clone, Copy, Debug)]
struct BegunToken {
    /// The byte offset at which the text begins.
    text_start: u32,
    /// The sink's index of the first node.
    first_node: u32,
    /// Whether no layout is allowed between the last token and this one.
    adjacent: bool,
}

impl<C: ChoiceSource + ?Sized, S: NodeSink, const NAMES: bool> Expander<'_, C, S, NAMES> {
    /// Carries out the task on top of the stack, which is a task of a token or of layout.
    #[inline(always)]
    pub(super) fn resume_token(&mut self) -> Step {
        let Some(Frame { task, .. }) = self.stack.last_mut() else {
            return Step::End;
        };
        match task {
            Task::Token {
                lexeme,
                text_start,
                first_node,
                adjacent,
            } => {
                let lexeme = *lexeme;
                let token = BegunToken {
                    text_start: *text_start,
                    first_node: *first_node,
                    adjacent: *adjacent,
                };
                self.stack.pop();
                self.complete_token(lexeme, token);
                Step::Sequence
            }
            Task::Layout { left, expanded, .. } if *left > 0 && !self.choice_source.ended() => {
                *left -= 1;
                *expanded += 1;
                let (text_start, first_node) = (self.text.len() as u32, self.sink.next_index());
                self.push(
                    self.level + 1,
                    Task::LayoutToken {
                        text_start,
                        first_node,
                    },
                );
                self.level += 2;
                match &self.grammar.layout {
                    Some(layout) => Step::Symbol(layout.token),
                    None => Step::Sequence,
                }
            }
            Task::Layout {
                node,
                lexeme,
                left,
                expanded,
            } => {
                let (node, lexeme, left, expanded) = (*node, *lexeme, *left, *expanded);
                self.stack.pop();
                if left > 0 {
                    self.budget.refund(self.layout_size().times(left));
                    let choice = if self.omits_separators {
                        WITHOUT_LAYOUT | expanded
                    } else {
                        expanded
                    };
                    self.sink.replace_choice(node, choice, Choice::Layout);
                }
                match self.token(lexeme, false) {
                    Some(body) => Step::Symbol(body),
                    None => Step::Sequence,
                }
            }
            Task::LayoutToken {
                text_start,
                first_node,
            } => {
                let token = BegunToken {
                    text_start: *text_start,
                    first_node: *first_node,
                    adjacent: false,
                };
                self.stack.pop();
                let longest = self
                    .grammar
                    .layout
                    .as_ref()
                    .map_or(0, |layout| layout.longest);
                self.complete(token, LAYOUT, longest);
                Step::Sequence
            }
            Task::Sequence { .. }
            | Task::AllowLayout { .. }
            | Task::Leave { .. }
            | Task::LeaveScope { .. }
            | Task::Capture { .. }
            | Task::Elements { .. } => Step::Sequence,
        }
    }

    /// Returns the minimum size of a layout token with a separator before it.
    #[inline(always)]
    fn layout_size(&self) -> Size {
        let Some(layout) = &self.grammar.layout else {
            return Size::NEVER;
        };
        self.grammar[layout.token].minimum.plus(Size {
            bytes: layout.longest,
            nodes: 0,
        })
    }

    /// Expands a lexeme: first the layout before it, then its token. Returns the symbol of the
    /// token if it is to be expanded next.
    #[inline(always)]
    pub(super) fn lexeme(
        &mut self,
        symbol: SymbolId,
        lexeme: Lexeme,
        kind: Choice<'_>,
    ) -> Option<SymbolId> {
        let adjacent = std::mem::take(&mut self.adjacent) || self.begins_line(lexeme);
        let choice = if lexeme.has_layout {
            self.choice_source.layout(symbol)
        } else {
            0
        };
        self.omits_separators = choice & WITHOUT_LAYOUT != 0;
        let mut count = choice & !WITHOUT_LAYOUT;
        self.spelling = self.bounds.spelling();
        if count > 0 {
            let size = self.layout_size();
            let max = if adjacent {
                0
            } else {
                self.budget.affordable(size).min(self.spelling)
            };
            count = if count > max {
                count % (max + 1)
            } else {
                count
            };
            self.budget.exchange(size.times(count), Size::default());
            self.spell(count);
        }
        let node = self.node(symbol, choice & WITHOUT_LAYOUT | count, kind);
        if count == 0 {
            return self.token(lexeme, adjacent);
        }
        self.suspend();
        self.push(
            self.level,
            Task::Layout {
                node,
                lexeme,
                left: count,
                expanded: 0,
            },
        );
        None
    }

    /// Returns whether layout before a lexeme is forbidden because the lexeme begins a line or a
    /// block.
    #[inline(always)]
    fn begins_line(&self, lexeme: Lexeme) -> bool {
        // The lexeme at the end of the sentence has no text, and does not begin a line.
        self.grammar.lines.is_some()
            && LineMark::ends(self.text)
            && self.grammar[lexeme.body].max_bytes > 0
    }

    /// Writes the token of a lexeme if it is a literal. Otherwise returns the symbol of the token,
    /// which is to be expanded.
    #[inline(always)]
    fn token(&mut self, lexeme: Lexeme, adjacent: bool) -> Option<SymbolId> {
        let (text_start, first_node) = (self.text.len() as u32, self.sink.next_index());
        let kind = &self.grammar[lexeme.body].kind;
        if let Kind::Literal { text } = kind {
            self.write(text);
            let token = BegunToken {
                text_start,
                first_node,
                adjacent,
            };
            self.complete_token(lexeme, token);
            return None;
        }
        self.spelling = self.bounds.spelling();
        self.suspend();
        self.push(
            self.level,
            Task::Token {
                lexeme,
                text_start,
                first_node,
                adjacent,
            },
        );
        self.level += 1;
        Some(lexeme.body)
    }

    /// Completes the token of a lexeme, whose text is written.
    #[inline(always)]
    fn complete_token(&mut self, lexeme: Lexeme, token: BegunToken) {
        let Lexeme {
            body,
            position,
            has_layout,
        } = lexeme;
        if let Some(lines) = &self.grammar.lines {
            self.brackets = lines.open_after(body, self.brackets);
            self.forbidden = lines.forbidden(self.brackets);
            self.read_marks(token.text_start);
        }
        if let Some(Layout { longest, .. }) = self.grammar.layout {
            let reserved = reserve(&self.grammar.symbols, body, has_layout, longest);
            let boundaries = &self.grammar.boundaries;
            if self.complete(token, boundaries.terminal(position), reserved) {
                self.follow_set = boundaries.follow_set_of(position);
            } else {
                // The token has no text. If layout was forbidden before it, layout stays forbidden
                // until a token has text.
                self.adjacent |= token.adjacent;
            }
        }
    }

    /// Reads the marks of a token, whose text begins at the offset `start`. If the token begins a
    /// line, the budget gets back the bytes that were reserved for the indentation and are not
    /// used.
    #[inline(always)]
    fn read_marks(&mut self, start: u32) {
        let (before, text) = self.text.split_at(start as usize);
        let mut refunded = 0;
        match LineMark::first(text) {
            Some(LineMark::Line) if self.indentation.begins_line() => refunded = MAX_INDENTATION,
            Some(mark) => self.indentation.mark(mark, before),
            None if text.is_empty() => {}
            None => {
                if self.indentation.text() {
                    refunded = MAX_INDENTATION - self.indentation.blanks().len();
                }
                if LineMark::ends(text) {
                    self.indentation.mark(LineMark::Line, text);
                }
            }
        }
        self.budget.refund(Size {
            bytes: refunded as u32,
            nodes: 0,
        });
    }

    /// Completes a token or layout token whose text is written. Inserts a separator before it if it
    /// needs one. `reserved` is the number of bytes that the budget has paid for the separator.
    /// Bytes that the separator does not need are refunded. Returns whether the token has text.
    #[inline(always)]
    fn complete(&mut self, token: BegunToken, terminal: TerminalId, reserved: u32) -> bool {
        let BegunToken {
            text_start: mut start,
            first_node,
            adjacent,
        } = token;
        let allowed = self.follow_set;
        let mut end = self.text.len() as u32;
        if start == end {
            self.budget.refund(Size {
                bytes: reserved,
                nodes: 0,
            });
            return false;
        }
        let mut separator = 0;
        if let (Some(last), true) = (self.last_token, reserved > 0 && !adjacent) {
            let text = &self.text[..];
            let (before, after) = (
                &text[last.start as usize..last.end as usize],
                &text[start as usize..],
            );
            if self
                .grammar
                .boundaries
                .needs_separator(last.allowed, last.terminal, before, after)
            {
                let is_layout = last.terminal == LAYOUT && terminal == LAYOUT;
                let (last, next) = ((last.allowed, last.terminal, before), (allowed, after));
                let text =
                    separator_between(self.grammar, last, next, is_layout, self.omits_separators);
                separator = text.len() as u32;
                if separator > 0 {
                    let (at, end) = (start as usize, self.text.len());
                    self.text.extend_from_slice(text);
                    self.text.copy_within(at..end, at + text.len());
                    self.text[at..at + text.len()].copy_from_slice(text);
                    self.sink.shift(first_node, separator);
                }
            }
        }
        self.budget.refund(Size {
            bytes: reserved - separator,
            nodes: 0,
        });
        start += separator;
        end += separator;
        self.last_token = Some(LastToken {
            start,
            end,
            terminal,
            allowed,
        });
        true
    }
}

uninstrumented! {
    /// Returns the separator between two texts that would otherwise be read as one. `last` has the
    /// terminals that the grammar allows at the position of the first text, its terminal, and the
    /// text. `next` has the same for the second text, without the terminal.
    ///
    /// The separator is empty in two cases:
    ///
    /// * Both texts are layout tokens (`is_layout`), and the first is white space.
    /// * Separators are omitted (`omits_separators`), and the two texts are not read as one longer
    ///   token.
    fn separator_between<'g>(
        grammar: &'g Grammar,
        last: (FollowSet, TerminalId, &[u8]),
        next: (FollowSet, &[u8]),
        is_layout: bool,
        omits_separators: bool,
    ) -> &'g [u8] {
        let ((allowed, _, before), (_, after)) = (last, next);
        let mut is_white = is_layout;
        if is_layout {
            for &byte in before {
                is_white &= grammar.is_blank(byte);
            }
        }
        let needs_none = is_white || omits_separators && grammar.boundaries.is_split(allowed, before, after);
        if needs_none { &[] } else { grammar.separator(last, next) }
    }
}
