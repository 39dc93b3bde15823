//! The expansion of leaves: literals, characters, runs of characters, repeated captures and names.

use std::ops::Range;

use super::{ChoiceSource, Expander, NodeSink};
use crate::bounds::Bounds;
use crate::derivation::{Choice, Node};
use crate::grammar::{Class, Kind, Size, SymbolId};

impl<C: ChoiceSource + ?Sized, S: NodeSink, const NAMES: bool> Expander<'_, C, S, NAMES> {
    /// Expands a literal, a character, a run of characters or a repeated capture. Does nothing for
    /// other kinds.
    #[inline(always)]
    pub(super) fn leaf(&mut self, symbol: SymbolId, kind: &Kind, choice: Choice<'_>) {
        let grammar = self.grammar;
        let start = self.text.len();
        match kind {
            Kind::Literal { text } => {
                self.node(symbol, 0, choice);
                self.write(text);
            }
            &Kind::Run {
                class,
                at_least,
                at_most,
            } => {
                self.enter(symbol);
                let class = &grammar[class];
                let width = Size {
                    bytes: class.min_width(),
                    nodes: 0,
                };
                let more = self.count(symbol, at_most - at_least, self.spelling, width);
                self.spell(more);
                let count = at_least + more;
                let written = self.characters(symbol, class, at_least, count);
                let node = Node::new(symbol, written, start);
                self.sink.node(node, choice, &self.text[start..]);
            }
            &Kind::Same { of, is_last } => {
                self.node(symbol, 0, choice);
                self.repeat_capture(of, is_last);
            }
            Kind::Class(class) => {
                let class = &grammar[*class];
                let quick = if class.count() == 1 || self.spelling != u32::MAX {
                    None
                } else {
                    self.choice_source.ascii(class)
                };
                let index = match quick {
                    Some(character) => {
                        self.text.push(character);
                        class.index_of(character.into()).unwrap_or(0)
                    }
                    None => {
                        let index = self.member(symbol, class);
                        class.write(class.member(index), self.text);
                        index
                    }
                };
                self.sink.node(Node::new(symbol, index, start), choice, &[]);
            }
            &Kind::Insensitive { ref text, letters } => {
                let case = self.choice_source.case(symbol, letters);
                case.write(grammar.text(text), self.text);
                let node = Node::new(symbol, case.number(), start);
                self.sink.node(node, choice, &self.text[start..]);
            }
            _ => {}
        }
    }

    /// Writes the text of a literal. Literals of one byte are the most frequent.
    #[inline(always)]
    pub(super) fn write(&mut self, text: &Range<u32>) {
        match self.grammar.text(text) {
            [byte] => self.text.push(*byte),
            bytes => self.text.extend_from_slice(bytes),
        }
    }

    /// Chooses a member of a class, and returns its index. The budget has already paid for the
    /// shortest member, and pays for the additional bytes.
    #[inline(always)]
    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32 {
        let mut index = if class.count() > 1 {
            self.choice_source.member(symbol, class)
        } else {
            0
        };
        if index > self.spelling {
            index %= self.spelling + 1;
        }
        let min = class.min_width();
        let mut extra = class.width(class.member(index)) - min;
        if extra > self.budget.bytes() {
            index %= class.count_within(min + self.budget.bytes().min(3)).max(1);
            extra = class.width(class.member(index)) - min;
        }
        self.budget.spend_bytes(extra);
        self.spell(index);
        index
    }

    /// Spends `amount` of the spelling bound of the current token, if there is a bound.
    #[inline(always)]
    pub(super) fn spell(&mut self, amount: u32) {
        if self.spelling != u32::MAX {
            self.spelling -= amount;
        }
    }

    /// Writes a run of `count` characters. If the choice source ends, writes fewer characters, but
    /// at least `at_least`. Returns the number of characters.
    #[inline(always)]
    fn characters(&mut self, symbol: SymbolId, class: &Class, at_least: u32, count: u32) -> u32 {
        let mut written = 0;
        while written < count && (written < at_least || !self.choice_source.ended()) {
            if class.count() > 1 && self.spelling == u32::MAX {
                written += self
                    .choice_source
                    .many_ascii(class, count - written, self.text);
            }
            if written < count {
                let index = self.member(symbol, class);
                class.write(class.member(index), self.text);
                written += 1;
            }
        }
        if written < count {
            self.budget.refund(
                Size {
                    bytes: class.min_width(),
                    nodes: 0,
                }
                .times(count - written),
            );
        }
        written
    }

    /// Chooses a name of an identifier terminal, and returns its index. The index `count` means the
    /// escape: a name that is spelled out. The budget pays for the name.
    #[inline(always)]
    pub(super) fn name(&mut self, symbol: SymbolId, escape: SymbolId, count: u32) -> u32 {
        let grammar = self.grammar;
        let Kind::Identifier { names, .. } = &grammar[symbol].kind else {
            return 0;
        };
        let reserved = grammar[symbol].minimum;
        let mut index = self.choice_source.name(symbol, count);
        if self.bounds.identifiers != Bounds::NONE {
            index %= count.min(self.bounds.identifiers.max(1));
        }
        if !self
            .budget
            .exchange(self.name_size(names, escape, index), reserved)
        {
            // Names are ordered by length, so the affordable names are the first ones.
            let mut affordable = 1;
            while affordable < count
                && self
                    .budget
                    .affords(self.name_size(names, escape, affordable), reserved)
            {
                affordable += 1;
            }
            index %= affordable;
            self.budget
                .exchange(self.name_size(names, escape, index), reserved);
        }
        index
    }

    /// Returns the size of a name or of the escape.
    #[inline(always)]
    pub(super) fn name_size(&self, names: &Range<u32>, escape: SymbolId, index: u32) -> Size {
        if index == names.end - names.start {
            return self.grammar[escape]
                .minimum
                .plus(Size { bytes: 0, nodes: 1 });
        }
        Size {
            bytes: self.grammar.name(names, index).len() as u32,
            nodes: 1,
        }
    }
}
