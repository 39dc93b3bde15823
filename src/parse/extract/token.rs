//! Extraction of tokens and of the layout before each of them.
//!
//! The derivation must reproduce the layout. A separator that the expander writes by itself has no
//! node. Every other element of layout has one.
//!
//! The expander may write a separator between two tokens that have none in the text. Then no
//! derivation with these two tokens reproduces the text. They are recorded as a [`Conflict`], and
//! the parser tries again with one of the tokens blocked.

use std::ops::Range;

use super::{Conflict, Extraction, Part, TokenSpan};
use crate::derivation::WITHOUT_LAYOUT;
use crate::grammar::{Kind, LAYOUT, SymbolId, TerminalId};
use crate::parse::Failure;
use crate::parse::matcher::Stretch;
use crate::parse::scan::BlockedToken;

impl Extraction<'_> {
    /// Appends the nodes of a lexeme: the lexeme itself, the layout before its token, and the
    /// token.
    ///
    /// # Errors
    /// If the matcher does not find how the token derives its text, or if the text reaches a limit.
    pub fn lexeme(&mut self, symbol: SymbolId, part: Part) -> Result<(), Failure> {
        let Kind::Lexeme {
            body,
            position,
            layout,
        } = self.grammar[symbol].kind
        else {
            return Ok(());
        };
        let set = self.chart.sets[part.from as usize];
        let (at, end) = (
            set.at as usize,
            self.chart.sets[part.to as usize].at as usize,
        );
        let node = self.nodes.len();
        self.node(symbol, 0, at);
        let mut from = at;
        if end > at {
            // A token that can begin with a blank has several possible offsets where it begins.
            let mut starts = self
                .chart
                .same(part.done)
                .map(|(_, done)| done.how as usize);
            from = starts.next().unwrap_or(at);
            let fits = layout && !part.is_adjacent;
            let mut choice = if fits {
                self.layout_before(from..end, at)
            } else {
                Some(0)
            };
            while let (None, Some(start)) = (choice, starts.next()) {
                from = start;
                choice = self.layout_before(from..end, at);
            }
            self.nodes[node].choice = choice.unwrap_or_else(|| {
                // One of three tokens is wrong. First try to block the previous token: it may be
                // longer, or belong to another lexeme. Then block this token: it may begin at
                // another offset. Then block the token before the previous one, which decides what
                // may follow.
                let is_layout = self.meets.is_some_and(|token| token.terminal == LAYOUT);
                let blocked = |token: TokenSpan| BlockedToken {
                    from: token.from as u32,
                    to: token.to as u32,
                    symbol: token.symbol.0,
                };
                let token = BlockedToken {
                    from: from as u32,
                    to: end as u32,
                    symbol: symbol.0,
                };
                let [before, last] = self.tokens.map(|token| token.map(blocked));
                self.conflicts.push(Conflict {
                    at,
                    culprits: [last.filter(|_| !is_layout), Some(token), before],
                });
                0
            });
        }
        if !matches!(self.grammar[body].kind, Kind::Literal { .. }) {
            let stretch = Stretch {
                text: &self.text[..end],
                from,
                all: true,
                fuel: self.input.fuel,
            };
            if self
                .matcher
                .append(self.grammar, body, stretch, self.nodes)
                .is_err()
            {
                self.input.fuel.check(from)?;
                return Err(Failure::Unclear(from));
            }
        }
        if end > from {
            let boundaries = self.grammar.boundaries();
            self.last_token = Some(TokenSpan {
                from,
                to: end,
                terminal: boundaries.terminal(position),
                allowed: self.allowed,
                symbol,
            });
            self.tokens = [self.tokens[1], self.last_token];
            self.allowed = boundaries.follow_set_of(position);
        }
        Ok(())
    }

    /// Appends the nodes of the layout between offset `at` and a token. Returns the choice of the
    /// lexeme, or `None` if the expander cannot write this layout.
    fn layout_before(&mut self, token: Range<usize>, at: usize) -> Option<u32> {
        let (nodes, last) = (self.nodes.len(), self.last_token);
        for flag in [0, WITHOUT_LAYOUT] {
            if let Some(count) = self.layout(at, token.clone(), flag != 0) {
                return Some(flag | count);
            }
            self.nodes.truncate(nodes);
            self.meets = std::mem::replace(&mut self.last_token, last);
        }
        None
    }

    /// Appends the nodes of the layout between offset `at` and a token, without the separators that
    /// the expander writes by itself. Returns the number of layout elements, or `None` if the
    /// expander cannot write this layout. With `omits_separators`, the lexeme has the bit
    /// [`WITHOUT_LAYOUT`].
    fn layout(
        &mut self,
        mut at: usize,
        token: Range<usize>,
        omits_separators: bool,
    ) -> Option<u32> {
        let mut count = 0;
        while at < token.start {
            if let Some(length) = self.separator(at, &token).filter(|_| !omits_separators) {
                at += length;
                if at == token.start {
                    return Some(count);
                }
            }
            let mut end =
                self.scanner
                    .layout_token(self.input, self.matcher, self.nodes, at..token.start)?;
            if end == token.start
                && end > at + 1
                && !omits_separators
                && self.ends_separated(at..end, &token)
            {
                end -= 1;
            }
            if !self.may_come(at..end, LAYOUT, omits_separators)
                && self.last_token.is_some_and(|last| last.to == at)
            {
                return None;
            }
            let element = self.grammar.layout()?.token;
            self.matcher
                .append(
                    self.grammar,
                    element,
                    Stretch {
                        text: &self.text[..end],
                        from: at,
                        all: true,
                        fuel: self.input.fuel,
                    },
                    self.nodes,
                )
                .ok()?;
            self.last_token = Some(TokenSpan {
                from: at,
                to: end,
                terminal: LAYOUT,
                allowed: self.allowed,
                symbol: element,
            });
            (at, count) = (end, count + 1);
        }
        let is_empty = token.is_empty();
        (is_empty || self.may_come(token, TerminalId(u32::MAX), omits_separators)).then_some(count)
    }

    /// Returns whether the last byte of a layout element is a separator that the expander would
    /// write between the element (without this byte) and the token.
    fn ends_separated(&self, layout: Range<usize>, token: &Range<usize>) -> bool {
        let (before, after) = (
            &self.text[layout.start..layout.end - 1],
            &self.text[token.clone()],
        );
        !token.is_empty()
            && self
                .grammar
                .boundaries()
                .needs_separator(self.allowed, LAYOUT, before, after)
            && self
                .grammar
                .separator((self.allowed, LAYOUT, before), (self.allowed, after))
                == &self.text[layout.end - 1..layout.end]
    }

    /// Returns whether a text can follow the last token or layout element without a separator.
    fn may_come(&self, text: Range<usize>, terminal: TerminalId, omits_separators: bool) -> bool {
        let Some(last) = self.last_token else {
            return true;
        };
        let (before, next) = (&self.text[last.from..last.to], &self.text[text]);
        let boundaries = self.grammar.boundaries();
        !boundaries.needs_separator(last.allowed, last.terminal, before, next)
            || terminal == LAYOUT && self.is_blank(last)
            || omits_separators && boundaries.is_split(last.allowed, before, next)
    }

    /// Returns whether an element of layout is white space. Layout can follow white space without a
    /// separator.
    fn is_blank(&self, token: TokenSpan) -> bool {
        token.terminal == LAYOUT
            && self.text[token.from..token.to]
                .iter()
                .all(|&byte| self.grammar.is_blank(byte))
    }

    /// Returns the length in bytes of the separator that the expander writes at offset `at`.
    /// `None` if it writes none there.
    fn separator(&self, at: usize, token: &Range<usize>) -> Option<usize> {
        let last = self.last_token.filter(|last| last.to == at)?;
        let before = &self.text[last.from..last.to];
        let separators = &self.grammar.layout()?.separators;
        let found = separators.iter().find(|separator| {
            let after = at + separator.len();
            if !self.text[at..token.start].starts_with(separator) || after == token.end {
                return false;
            }
            let next = &self.text[after..token.end];
            let is_exempt = after < token.start && self.is_blank(last);
            self.grammar
                .boundaries()
                .needs_separator(last.allowed, last.terminal, before, next)
                && !is_exempt
                && self
                    .grammar
                    .separator((last.allowed, last.terminal, before), (self.allowed, next))
                    == &separator[..]
        });
        found.map(|separator| separator.len())
    }
}
