//! Writes equivalent sentences.

use super::names::fresh_name;
use super::{Equivalents, visible};
use crate::derivation::Derivation;
use crate::grammar::{Kind, PartKind, SidePart};

impl Equivalents<'_> {
    /// Writes the sentence in which a side of an equivalence replaces a node. Returns false if there is no
    /// fresh name.
    pub(super) fn replace(
        &mut self,
        node: usize,
        side: &[SidePart],
        derivation: &Derivation,
    ) -> bool {
        let grammar = self.grammar;
        let text = derivation.text();
        let replaced = visible(grammar, derivation, node);
        let separator = grammar
            .layout()
            .map_or(&[][..], |layout| &layout.separators[0]);
        let after = node + derivation.nodes()[node].size as usize;
        self.text.extend_from_slice(&text[..replaced.start]);
        // The fresh names so far, each with the number of its hole.
        let mut fresh: Vec<(usize, &[u8])> = Vec::new();
        for (at, part) in side.iter().enumerate() {
            let word = match &part.kind {
                PartKind::Text(text) => &**text,
                PartKind::Hole { hole, .. } => match self.bindings.get(*hole) {
                    Some(bound) => &text[bound.text.clone()],
                    None => return false,
                },
                PartKind::Fresh { hole, rule } => {
                    let known = fresh
                        .iter()
                        .find(|(one, _)| one == hole)
                        .map(|&(_, name)| name);
                    let used: Vec<&[u8]> =
                        fresh.iter().map(|&(_, name)| name).chain([text]).collect();
                    let Some(name) = known.or_else(|| fresh_name(grammar.erased(), *rule, &used))
                    else {
                        return false;
                    };
                    fresh.push((*hole, name));
                    name
                }
            };
            match at {
                0 => self.join(word, separator, self.allows_layout(derivation, node)),
                _ if part.is_separated && !word.is_empty() => {
                    self.text.extend_from_slice(separator);
                    self.text.extend_from_slice(word);
                }
                _ => self.text.extend_from_slice(word),
            }
        }
        self.join(
            &text[replaced.end..],
            separator,
            self.allows_layout(derivation, after),
        );
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

    /// Appends a text. Writes a separator before it if layout is allowed there, and if the characters at the
    /// boundary might be read as one token.
    pub(super) fn join(&mut self, text: &[u8], separator: &[u8], allows_layout: bool) {
        let is_word =
            |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_$".contains(&byte);
        let is_sign = |byte: u8| b"+-*/%<>=!&|^~?:.@#\\{}".contains(&byte);
        if let (true, Some(&last), Some(&next)) = (allows_layout, self.text.last(), text.first())
            && (is_word(last) && is_word(next) || is_sign(last) && is_sign(next))
        {
            self.text.extend_from_slice(separator);
        }
        self.text.extend_from_slice(text);
    }

    /// Writes the sentence with the separator of this index in place of all layout. In a grammar with lines,
    /// the ends of lines stay.
    pub(super) fn change_layout(&mut self, place: usize, derivation: &Derivation) -> bool {
        let grammar = self.grammar;
        let Some(layout) = grammar.layout() else {
            return false;
        };
        let has_lines = grammar.erased().lines.is_some();
        let (text, separator) = (derivation.text(), &layout.separators[place]);
        if has_lines && separator.contains(&b'\n') {
            return false;
        }
        let mut from = 0;
        for node in 0..derivation.nodes().len() {
            let Some(token) = derivation.token_range(grammar, node) else {
                continue;
            };
            let start = derivation.text_range(node).start;
            let is_replaced =
                start < token.start && !(has_lines && text[start..token.start].contains(&b'\n'));
            if is_replaced {
                self.text.extend_from_slice(&text[from..start]);
                self.text.extend_from_slice(separator);
                from = token.start;
            }
        }
        self.text.extend_from_slice(&text[from..]);
        true
    }
}
