//! Writes equivalent sentences.

use std::ops::Range;

use super::names::fresh_name;
use super::{Equivalents, visible};
use crate::derivation::Derivation;
use crate::grammar::{Kind, PartKind, SidePart};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReplacedPart {
    /// The range in the sentence.
    pub replaced: Range<usize>,
    /// The range in the equivalent sentence.
    pub written: Range<usize>,
}

impl ReplacedPart {
    /// Returns whether at least one byte is between this part and another one.
    pub fn is_apart(&self, other: &ReplacedPart) -> bool {
        self.replaced.end < other.replaced.start || other.replaced.end < self.replaced.start
    }
}

#[derive(Debug, Default)]
pub(super) struct EquivalentText {
    pub text: Vec<u8>,
    /// The replaced parts, in the order of the sentence.
    pub parts: Vec<ReplacedPart>,
    /// Whether the text has a name that the sentence does not have.
    pub has_fresh_name: bool,
    /// The offset up to which [`EquivalentText::replace_part`] has copied or replaced the sentence.
    read: usize,
    /// The last token. It is empty if there is none.
    last: Range<usize>,
}

impl EquivalentText {
    pub fn clear(&mut self) {
        self.text.clear();
        self.parts.clear();
        self.has_fresh_name = false;
        self.read = 0;
        self.last = 0..0;
    }

    /// Appends the sentence up to a part, and then `by` in place of this part.
    pub fn replace_part(&mut self, sentence: &[u8], replaced: Range<usize>, by: &[u8]) {
        self.text
            .extend_from_slice(&sentence[self.read..replaced.start]);
        let start = self.text.len();
        self.text.extend_from_slice(by);
        self.read = replaced.end;
        let written = start..self.text.len();
        self.parts.push(ReplacedPart { replaced, written });
    }

    pub fn end(&mut self, sentence: &[u8]) {
        self.text.extend_from_slice(&sentence[self.read..]);
    }

    /// Records that one part was replaced. Call it after the sentence has been written.
    pub fn record_part(&mut self, sentence: &[u8], replaced: Range<usize>) {
        let end = self.text.len() - (sentence.len() - replaced.end);
        let written = replaced.start..end;
        self.parts.push(ReplacedPart { replaced, written });
    }
}

impl Equivalents<'_> {
    /// Writes the sentence in which a side of an equivalence replaces a node. Returns `false` if a
    /// hole of the side is not bound, or if the side needs a fresh name and there is none.
    pub(super) fn replace(
        &mut self,
        node: usize,
        side: &[SidePart],
        derivation: &Derivation,
    ) -> bool {
        let grammar = self.grammar;
        let text = derivation.text();
        let replaced = visible(grammar, derivation, node);
        let after = node + derivation.nodes()[node].size as usize;
        self.copy(derivation, 0..replaced.start, 0..node, false);
        // The fresh names so far, each with the number of its hole.
        let mut fresh: Vec<(usize, &[u8])> = Vec::new();
        for (at, part) in side.iter().enumerate() {
            let allows_layout = match at {
                0 => self.allows_layout(derivation, node),
                _ => part.is_separated,
            };
            match &part.kind {
                PartKind::Text(token) => self.push(token, 0..token.len(), allows_layout),
                PartKind::Hole { hole, .. } => {
                    let Some(bound) = self.bindings.get(*hole).cloned() else {
                        return false;
                    };
                    self.copy(derivation, bound.text, bound.nodes, allows_layout);
                }
                PartKind::Fresh { hole, rule } => {
                    let known = fresh
                        .iter()
                        .find(|(one, _)| one == hole)
                        .map(|&(_, name)| name);
                    let used: Vec<&[u8]> =
                        fresh.iter().map(|&(_, name)| name).chain([text]).collect();
                    let Some(name) =
                        known.or_else(|| fresh_name(grammar.erased(), *rule, &used, |_| true))
                    else {
                        return false;
                    };
                    fresh.push((*hole, name));
                    self.push(name, 0..name.len(), allows_layout);
                }
            }
        }
        let allows_layout = self.allows_layout(derivation, after);
        self.push(&text[replaced.end..], 0..0, allows_layout);
        self.output.has_fresh_name = !fresh.is_empty();
        self.output.record_part(text, replaced);
        true
    }

    /// Returns whether layout is allowed before the first token of the nodes from this one on.
    pub(super) fn allows_layout(&self, derivation: &Derivation, from: usize) -> bool {
        let nodes = derivation.nodes().iter().zip(&self.adjacent).skip(from);
        let layout = nodes.map(|(node, is_adjacent)| match self.grammar[node.symbol].kind {
            Kind::Lexeme { layout, .. } => Some(layout && !is_adjacent),
            _ => None,
        });
        layout.flatten().next().unwrap_or(false)
    }

    /// Appends a part of the sentence, as [`Equivalents::push`] does. `nodes` must include the
    /// nodes of its tokens.
    pub(super) fn copy(
        &mut self,
        derivation: &Derivation,
        part: Range<usize>,
        nodes: Range<usize>,
        allows_layout: bool,
    ) {
        let mut tokens = (nodes.rev())
            .filter_map(|node| derivation.token_range(self.grammar, node))
            .filter(|token| token.end <= part.end);
        let last = match tokens.next() {
            Some(token) => {
                token.start.saturating_sub(part.start)..token.end.saturating_sub(part.start)
            }
            None => 0..0,
        };
        self.push(&derivation.text()[part], last, allows_layout);
    }

    /// Appends a text. `last` is the range of its last token, or empty. Writes a separator before
    /// the text if layout is allowed there and a lexer might read a token across the boundary. This
    /// can happen if the grammar has such a token, or if both characters at the boundary are signs:
    /// the program under test may have tokens of several signs that the grammar does not have.
    pub(super) fn push(&mut self, text: &[u8], last: Range<usize>, allows_layout: bool) {
        let is_sign = |byte: &u8| b"+-*/%<>=!&|^~?:.@#\\{}".contains(byte);
        let EquivalentText {
            text: written,
            last: token,
            ..
        } = &mut self.output;
        let before = &written[token.clone()];
        let is_separate = |byte: &u8| self.grammar.is_blank(*byte);
        let is_adjacent = token.end == written.len()
            && !before.is_empty()
            && !text.first().is_none_or(is_separate);
        let needs_separator = || {
            self.grammar.boundaries.may_continue(before, text)
                || before.last().is_some_and(is_sign) && text.first().is_some_and(is_sign)
        };
        if allows_layout && is_adjacent && needs_separator() {
            let separators = self.grammar.layout().map(|layout| &layout.separators);
            written.extend_from_slice(separators.map_or(&[], |separators| &separators[0]));
        }
        if !last.is_empty() {
            *token = written.len() + last.start..written.len() + last.end;
        }
        written.extend_from_slice(text);
    }

    /// Writes the sentence with the separator of this index in place of all layout. In a grammar
    /// with lines, the ends of lines do not change.
    pub(super) fn change_layout(&mut self, index: usize, derivation: &Derivation) -> bool {
        let grammar = self.grammar;
        let Some(layout) = grammar.layout() else {
            return false;
        };
        let has_lines = grammar.erased().lines.is_some();
        let (text, separator) = (derivation.text(), &layout.separators[index]);
        if has_lines && separator.contains(&b'\n') {
            return false;
        }
        for node in 0..derivation.nodes().len() {
            let Some(token) = derivation.token_range(grammar, node) else {
                continue;
            };
            let start = derivation.text_range(node).start;
            let is_replaced =
                start < token.start && !(has_lines && text[start..token.start].contains(&b'\n'));
            if is_replaced {
                self.output
                    .replace_part(text, start..token.start, separator);
            }
        }
        self.output.end(text);
        true
    }
}
