//! The mutable tables from which the passes build a [`crate::grammar::Grammar`].

use std::collections::HashMap;
use std::ops::Range;

use super::syntax::{RuleKind, Span};
use crate::grammar::{
    Alternative, Annotation, Annotations, Brackets, Child, Class, ClassId, Competitors,
    GrammarTables, Kind, NO_SPAN, PositionId, Size, Symbol, SymbolId, TerminalId,
};

/// The maximum number of entries of each of three tables: symbols, children and alternatives.
pub const MAX_ENTRIES: usize = 2_000_000;

/// A rule of the source, and its symbol.
#[derive(Clone, Debug)]
pub struct RuleInfo {
    pub name: String,
    pub kind: RuleKind,
    pub span: Span,
    pub symbol: SymbolId,
}

/// An exclusion `from - without`. The pass `exclude` defines its symbol.
#[derive(Clone, Debug)]
pub struct Difference {
    pub symbol: SymbolId,
    pub from: SymbolId,
    pub without: SymbolId,
}

/// A grammar that is not complete yet. The fields up to `names` are described in [`GrammarTables`].
#[derive(Debug, Default)]
pub struct GrammarBuilder {
    pub symbols: Vec<Symbol>,
    pub alternatives: Vec<Alternative>,
    pub children: Vec<Child>,
    pub classes: Vec<Class>,
    pub texts: Vec<u8>,
    pub names: Vec<Range<u32>>,
    /// The name of each symbol in messages.
    pub labels: Vec<Box<str>>,
    /// For each symbol, its span in the source.
    pub spans: Vec<Span>,
    /// The spans of alternatives in the source.
    pub alternative_spans: Vec<Span>,
    /// The spans of the alternatives and repetitions to omit (see
    /// [`read_without`](super::read_without)).
    pub omissions: Vec<Span>,
    /// The terminal at each position, by [`PositionId`].
    pub terminals: Vec<TerminalId>,
    pub rules: Vec<RuleInfo>,
    pub differences: Vec<Difference>,
    /// The operands of all exclusions, and the identifier rules of uses and declarations. These
    /// rules count as used, although no sentence contains nodes of them.
    pub operands: Vec<SymbolId>,
    /// The symbols of the `@skip` rules.
    pub skips: Vec<SymbolId>,
    /// The symbol of the start rule.
    pub start: Option<SymbolId>,
    /// The symbol of a whole sentence: the start rule, then the layout after the last token.
    pub root: Option<SymbolId>,
    /// The symbol that derives any sequence of layout tokens.
    pub layout: Option<SymbolId>,
    /// Whether the grammar has `@bytes`.
    pub bytes: bool,
    /// The tokens that count as allowed at each position. `@longest` sets them.
    pub competitors: Competitors,
    /// The brackets within which the end of a line is layout. [`None`] if the grammar has no `@line`
    /// rule.
    pub brackets: Option<Brackets>,
    /// The arguments of rules, uses, declarations and scopes of the grammar.
    pub annotations: Annotations,
    /// The index in [`Annotations::arguments`] of the arguments that new symbols can use.
    pub owner: u32,
    /// The class for each list of inclusive ranges, so that equal classes are stored once.
    class_of: HashMap<Vec<(u32, u32)>, ClassId>,
    /// The range of each text in `texts`.
    text_of: HashMap<Vec<u8>, Range<u32>>,
    /// For each rule, the number of its inner labels so far.
    groups: HashMap<Box<str>, u32>,
}

impl GrammarBuilder {
    pub fn symbol(&mut self, kind: Kind, label: impl Into<Box<str>>, span: Span) -> SymbolId {
        self.symbols.push(Symbol {
            kind,
            minimum: Size::NEVER,
            min_bytes: u32::MAX,
            max_bytes: u32::MAX,
        });
        self.labels.push(label.into());
        self.spans.push(span);
        self.annotations.owners.push(self.owner);
        SymbolId(self.symbols.len() as u32 - 1)
    }

    pub fn annotate(&mut self, symbol: SymbolId, annotation: Annotation) {
        self.annotations.symbols.insert(symbol, annotation);
    }

    /// Gives a symbol the arguments, the annotation and the guards of another symbol.
    pub fn annotate_as(&mut self, symbol: SymbolId, other: SymbolId) {
        let all = &mut self.annotations;
        all.owners[symbol.0 as usize] = all.owners[other.0 as usize];
        if let Some(annotation) = all.symbols.get(&other).cloned() {
            all.symbols.insert(symbol, annotation);
        }
        if let Some(guards) = all.guards.get(&other).cloned() {
            all.guards.insert(symbol, guards);
        }
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

    /// A new label for a symbol inside a rule: `rule/1`, `rule/2`, … `label` is the rule's name or
    /// another inner label of it.
    pub fn inner_label(&mut self, label: &str) -> Box<str> {
        let rule: Box<str> = label.split('/').next().unwrap_or(label).into();
        let count = self.groups.entry(rule.clone()).or_insert(0);
        *count += 1;
        format!("{rule}/{count}").into()
    }

    /// Adds the children of an alternative, and returns the alternative.
    /// [`GrammarBuilder::nonterminal`] adds it to the tables.
    pub fn sequence(
        &mut self,
        children: impl IntoIterator<Item = Child>,
        weight: f64,
        source: impl Into<Option<u32>>,
    ) -> Alternative {
        let from = self.children.len() as u32;
        self.children.extend(children);
        let children = from..self.children.len() as u32;
        Alternative {
            children,
            minimum: Size::NEVER,
            min_bytes: u32::MAX,
            source: source.into(),
            weight,
            span: NO_SPAN,
        }
    }

    /// Adds the span of an alternative in the source.
    pub fn at(&mut self, alternative: Alternative, span: Option<Span>) -> Alternative {
        let Some(span) = span else { return alternative };
        self.alternative_spans.push(span);
        Alternative {
            span: self.alternative_spans.len() as u32 - 1,
            ..alternative
        }
    }

    /// Adds alternatives to the tables. Returns the kind of a nonterminal with these alternatives.
    pub fn nonterminal(&mut self, alternatives: Vec<Alternative>, counted: bool) -> Kind {
        let from = self.alternatives.len() as u32;
        self.alternatives.extend(alternatives);
        Kind::Nonterminal {
            alternatives: from..self.alternatives.len() as u32,
            counted,
        }
    }

    /// The range of a text in the pool of texts. A text that is new is added to the pool.
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

    /// The class of the characters in some inclusive ranges. `None` if the class would be empty.
    pub fn class(&mut self, ranges: &[(u32, u32)]) -> Option<ClassId> {
        if let Some(&id) = self.class_of.get(ranges) {
            return Some(id);
        }
        let id = ClassId(self.classes.len() as u32);
        self.classes.push(Class::new(ranges, self.bytes)?);
        self.class_of.insert(ranges.to_vec(), id);
        Some(id)
    }

    /// Adds a position of a terminal.
    pub fn position(&mut self, terminal: TerminalId) -> PositionId {
        self.terminals.push(terminal);
        PositionId(self.terminals.len() as u32 - 1)
    }

    /// Whether the grammar has `@skip` rules.
    pub fn has_layout(&self) -> bool {
        !self.skips.is_empty()
    }

    /// Whether a table has more than [`MAX_ENTRIES`] entries.
    pub fn is_too_large(&self) -> bool {
        self.symbols.len() > MAX_ENTRIES
            || self.children.len() > MAX_ENTRIES
            || self.alternatives.len() > MAX_ENTRIES
    }

    /// The current tables, without bytes reserved for indentation and captures. `separator` is the
    /// length of the longest separator, in bytes.
    pub fn tables(&self, separator: u32) -> GrammarTables<'_> {
        GrammarTables {
            symbols: &self.symbols,
            alternatives: &self.alternatives,
            children: &self.children,
            classes: &self.classes,
            names: &self.names,
            texts: &self.texts,
            separator,
            indentation: 0,
            capture: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_and_classes_are_stored_once() {
        let mut builder = GrammarBuilder::default();
        let texts = ["let", "in", "let"].map(|text| builder.text(text.into()));
        assert_eq!(texts, [0..3, 3..5, 0..3]);
        assert_eq!(builder.texts, b"letin");
        let classes = [[(97, 99)], [(48, 57)], [(97, 99)], [(0xD800, 0xDFFF)]]
            .map(|ranges| builder.class(&ranges));
        assert_eq!(
            classes,
            [Some(ClassId(0)), Some(ClassId(1)), Some(ClassId(0)), None]
        );
    }

    #[test]
    fn inner_labels_count_the_symbols_of_a_rule() {
        let mut builder = GrammarBuilder::default();
        let labels = ["a", "a", "b", "a/2"].map(|label| builder.inner_label(label));
        assert_eq!(
            labels.each_ref().map(|label| &**label),
            ["a/1", "a/2", "b/1", "a/3"]
        );
    }

    #[test]
    fn alternatives_of_a_nonterminal_are_a_range_of_the_table() {
        let mut builder = GrammarBuilder::default();
        let text = builder.text(b"x".to_vec());
        let symbol = builder.symbol(Kind::Literal { text }, "\"x\"", 4..7);
        let child = Child {
            symbol,
            is_adjacent: false,
        };
        let one = vec![builder.sequence([], 1.0, 0)];
        let first = builder.nonterminal(one, true);
        let two = vec![
            builder.sequence([child, child], 1.0, 0),
            builder.sequence([child], 3.0, 1),
        ];
        let second = builder.nonterminal(two, false);
        assert_eq!(
            first,
            Kind::Nonterminal {
                alternatives: 0..1,
                counted: true
            }
        );
        assert_eq!(
            second,
            Kind::Nonterminal {
                alternatives: 1..3,
                counted: false
            }
        );
        let children: Vec<Range<u32>> = builder
            .alternatives
            .iter()
            .map(|alternative| alternative.children.clone())
            .collect();
        assert_eq!(children, [0..0, 0..2, 2..3]);
        assert_eq!(
            (builder.label(symbol).as_ref(), builder.span(symbol)),
            ("\"x\"", 4..7)
        );
    }

    #[test]
    fn each_table_has_a_maximum_number_of_entries() {
        let mut builder = GrammarBuilder::default();
        let child = Child {
            symbol: SymbolId(0),
            is_adjacent: false,
        };
        builder.children.resize(MAX_ENTRIES, child);
        assert!(!builder.is_too_large());
        builder.children.push(child);
        assert!(builder.is_too_large());
    }
}
