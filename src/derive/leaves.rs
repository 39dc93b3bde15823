//! Expansion of symbols without parts: literals, classes, runs of characters, names.

use std::ops::Range;

use super::{ChoiceSource, Deriving, NodeSink};
use crate::bounds::Bounds;
use crate::derivation::Choice;
use crate::grammar::{Class, Kind, Size, SymbolId};

impl<C: ChoiceSource + ?Sized, K: NodeSink> Deriving<'_, C, K> {
    /// Expands a symbol of a kind without parts; whether it is one.
    #[inline(always)]
    pub(super) fn leaf(&mut self, symbol: SymbolId, kind: &Kind, choice: Choice<'_>) -> bool {
        let grammar = self.grammar;
        let from = self.text.len();
        match kind {
            Kind::Literal { text } => {
                self.node(symbol, 0, choice);
                self.write(text);
            }
            &Kind::Run { class, at_least, at_most } => {
                self.enter(symbol);
                let class = &grammar[class];
                let width = Size { bytes: class.least_width(), nodes: 0 };
                let count = at_least + self.count(symbol, at_most - at_least, u32::MAX, width);
                let begun = self.characters(symbol, class, at_least, count);
                self.keep.node(symbol, begun, from as u32, choice, &self.text[from..]);
            }
            Kind::Class(class) => {
                let class = &grammar[*class];
                let quick = if class.count() == 1 { None } else { self.choice_source.ascii(class) };
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
                self.keep.node(symbol, index, from as u32, choice, &[]);
            }
            &Kind::Insensitive { ref text, letters } => {
                let case = self.choice_source.case(symbol, letters);
                case.write(grammar.text(text), self.text);
                self.keep.node(symbol, case.number(), from as u32, choice, &self.text[from..]);
            }
            _ => return false,
        }
        true
    }

    /// Writes a literal's text; most are of one byte.
    #[inline(always)]
    pub(super) fn write(&mut self, text: &Range<u32>) {
        match self.grammar.text(text) {
            [byte] => self.text.push(*byte),
            bytes => self.text.extend_from_slice(bytes),
        }
    }

    /// The member of a class that is chosen, among those that fit; pays for it.
    #[inline(always)]
    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32 {
        let mut index = if class.count() > 1 { self.choice_source.member(symbol, class) } else { 0 };
        let min = class.least_width();
        let mut extra = class.width(class.member(index)) - min;
        if extra > self.budget.bytes() {
            self.pinched = true;
            index %= class.narrower(min + self.budget.bytes().min(3)).max(1);
            extra = class.width(class.member(index)) - min;
        }
        self.budget.spend_bytes(extra);
        index
    }

    /// Writes a run of characters, `count` if nothing ends it; how many.
    #[inline(always)]
    fn characters(&mut self, symbol: SymbolId, class: &Class, at_least: u32, count: u32) -> u32 {
        let mut begun = 0;
        while begun < count && (begun < at_least || !self.choice_source.ended()) {
            if class.count() > 1 {
                begun += self.choice_source.many_ascii(class, count - begun, self.text);
            }
            if begun < count {
                let index = self.member(symbol, class);
                class.write(class.member(index), self.text);
                begun += 1;
            }
        }
        if begun < count {
            self.budget.refund(Size { bytes: class.least_width(), nodes: 0 }.times(count - begun));
        }
        begun
    }

    /// Which name of an identifier terminal, `count` being the escape; pays for it.
    #[inline(always)]
    pub(super) fn name(&mut self, symbol: SymbolId, escape: SymbolId, count: u32) -> u32 {
        let grammar = self.grammar;
        let Kind::Identifier { names, .. } = &grammar[symbol].kind else { return 0 };
        let kept = grammar[symbol].minimum;
        let mut index = self.choice_source.name(symbol, count);
        if self.bounds.identifiers != Bounds::NONE {
            index %= count.min(self.bounds.identifiers.max(1));
        }
        if !self.budget.exchange(self.name_size(names, escape, index), kept) {
            self.pinched = true;
            // Names are ordered by length, so the first are the affordable ones.
            let mut affordable = 1;
            while affordable < count && self.budget.affords(self.name_size(names, escape, affordable), kept) {
                affordable += 1;
            }
            index %= affordable;
            self.budget.exchange(self.name_size(names, escape, index), kept);
        }
        index
    }

    /// The size of a name, or of the escape.
    #[inline(always)]
    fn name_size(&self, names: &Range<u32>, escape: SymbolId, index: u32) -> Size {
        if index == names.end - names.start {
            return self.grammar[escape].minimum.plus(Size { bytes: 0, nodes: 1 });
        }
        Size { bytes: self.grammar.name(names, index).len() as u32, nodes: 1 }
    }
}
