//! A grammar in the making: the tables of a [`crate::grammar::Grammar`], still growing, and where each symbol comes from.

use std::collections::HashMap;
use std::ops::Range;

use super::syntax::{RuleKind, Span};
use crate::grammar::{Alternative, Child, Class, ClassId, Kind, PlaceId, Size, Symbol, SymbolId, Tables, TerminalId};

/// How many symbols and children a grammar may be lowered to.
pub const MOST: usize = 2_000_000;

/// A rule as it is known by name.
#[derive(Clone, Debug)]
pub struct RuleInfo {
    pub name: String,
    pub kind: RuleKind,
    pub span: Span,
    pub symbol: SymbolId,
}

/// An exclusion whose symbol is not yet defined.
#[derive(Clone, Debug)]
pub struct Difference {
    pub symbol: SymbolId,
    pub from: SymbolId,
    pub without: SymbolId,
}

/// The growing tables.
#[derive(Debug, Default)]
pub struct Draft {
    pub symbols: Vec<Symbol>,
    pub alternatives: Vec<Alternative>,
    pub children: Vec<Child>,
    pub classes: Vec<Class>,
    pub texts: Vec<u8>,
    pub names: Vec<Range<u32>>,
    pub labels: Vec<Box<str>>,
    pub spans: Vec<Span>,
    /// The terminal at each place.
    pub terminals: Vec<TerminalId>,
    pub rules: Vec<RuleInfo>,
    pub differences: Vec<Difference>,
    /// What exclusions were made of: used, although no sentence is derived from it.
    pub operands: Vec<SymbolId>,
    /// The skip rules.
    pub skips: Vec<SymbolId>,
    pub start: Option<SymbolId>,
    /// The start rule with what surrounds it.
    pub root: Option<SymbolId>,
    /// The repetition of layout.
    pub layout: Option<SymbolId>,
    pub bytes: bool,
    class_of: HashMap<Vec<(u32, u32)>, ClassId>,
    text_of: HashMap<Vec<u8>, Range<u32>>,
    groups: HashMap<Box<str>, u32>,
}

impl Draft {
    pub fn symbol(&mut self, kind: Kind, label: impl Into<Box<str>>, span: Span) -> SymbolId {
        self.symbols.push(Symbol { kind, least: Size::NEVER, shortest: u32::MAX, most: u32::MAX });
        self.labels.push(label.into());
        self.spans.push(span);
        SymbolId(self.symbols.len() as u32 - 1)
    }

    pub fn kind(&self, symbol: SymbolId) -> &Kind {
        &self.symbols[symbol.0 as usize].kind
    }

    pub fn label(&self, symbol: SymbolId) -> Box<str> {
        self.labels[symbol.0 as usize].clone()
    }

    pub fn span(&self, symbol: SymbolId) -> Span {
        self.spans[symbol.0 as usize].clone()
    }

    /// A label for a symbol inside the rule that `label` names: `rule/1`, `rule/2`, …
    pub fn inner_label(&mut self, label: &str) -> Box<str> {
        let rule: Box<str> = label.split('/').next().unwrap_or(label).into();
        let count = self.groups.entry(rule.clone()).or_insert(0);
        *count += 1;
        format!("{rule}/{count}").into()
    }

    pub fn sequence(
        &mut self,
        children: impl IntoIterator<Item = Child>,
        weight: f64,
        source: impl Into<Option<u32>>,
    ) -> Alternative {
        let from = self.children.len() as u32;
        self.children.extend(children);
        let children = from..self.children.len() as u32;
        Alternative { children, least: Size::NEVER, shortest: u32::MAX, source: source.into(), weight }
    }

    pub fn nonterminal(&mut self, alternatives: Vec<Alternative>, counted: bool) -> Kind {
        let from = self.alternatives.len() as u32;
        self.alternatives.extend(alternatives);
        Kind::Nonterminal { alternatives: from..self.alternatives.len() as u32, counted }
    }

    pub fn text(&mut self, text: Vec<u8>) -> Range<u32> {
        let texts = &mut self.texts;
        self.text_of
            .entry(text)
            .or_insert_with_key(|text| {
                let from = texts.len() as u32;
                texts.extend_from_slice(text);
                from..texts.len() as u32
            })
            .clone()
    }

    pub fn class(&mut self, ranges: &[(u32, u32)]) -> Option<ClassId> {
        if let Some(&known) = self.class_of.get(ranges) {
            return Some(known);
        }
        let id = ClassId(self.classes.len() as u32);
        self.classes.push(Class::new(ranges, self.bytes)?);
        self.class_of.insert(ranges.to_vec(), id);
        Some(id)
    }

    pub fn place(&mut self, terminal: TerminalId) -> PlaceId {
        self.terminals.push(terminal);
        PlaceId(self.terminals.len() as u32 - 1)
    }

    /// Whether anything stands between tokens.
    pub fn has_layout(&self) -> bool {
        !self.skips.is_empty()
    }

    pub fn is_too_large(&self) -> bool {
        self.symbols.len() > MOST || self.children.len() > MOST || self.alternatives.len() > MOST
    }

    pub fn tables(&self, separator: u32) -> Tables<'_> {
        Tables {
            symbols: &self.symbols,
            alternatives: &self.alternatives,
            children: &self.children,
            classes: &self.classes,
            names: &self.names,
            texts: &self.texts,
            separator,
        }
    }
}
