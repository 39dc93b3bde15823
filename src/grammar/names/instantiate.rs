//! Makes the grammar of all instances of the symbols of a grammar with names and arguments.

use super::annotations::{Annotations, Value, ValueTerm};
use super::copies::{add_copies, repetitions_to_split, split_repetitions};
use super::declared::{self, declared};
use super::instances::{Environment, Instances, Problem, Tables};
use super::naming::Naming;
use super::products::{CompletionInput, completion};
use super::usable::hidden;
use crate::grammar::sizes::SizeTable;
use crate::grammar::{
    Alternative, Child, Grammar, GrammarTables, Graph, Kind, NO_SPAN, Size, Symbol, SymbolId,
    captures, fingerprint, minimum_sizes, minimum_sizes_without_names, roles, span, unit_edges,
};

/// The maximum number of symbols of a cycle in a message.
const MAX_CYCLE: usize = 6;

/// Makes the instances of all symbols of a grammar with annotations.
///
/// # Errors
/// If there are too many instances, if an instance derives itself and nothing else, or if no
/// sentence can be derived.
pub(crate) fn instantiate(
    mut erased: Grammar,
    mut annotations: Annotations,
) -> Result<Grammar, Problem> {
    let mut tables = Instances::new(&erased, &annotations).all()?;
    let mut grammar = all_instances(&erased, &annotations, &tables)?;
    check_cycles(&grammar, &erased, &annotations, &tables)?;
    // Repetitions of elements that need names become alternatives, which can be forbidden where no
    // name is visible.
    let repetitions = repetitions_to_split(&grammar);
    if !repetitions.is_empty() {
        (erased, annotations) = split_repetitions(erased, annotations, &repetitions);
        tables.split(&erased, &repetitions);
        grammar = all_instances(&erased, &annotations, &tables)?;
    }
    let label = |(origin, values): &(SymbolId, Environment)| {
        label(erased.label(*origin), values, &annotations.values)
    };
    let nothing = std::iter::once("nothing".into());
    grammar.labels = tables.keys.iter().map(label).chain(nothing).collect();
    find_lengths(&mut grammar);
    grammar.roles = roles(grammar.tables(), grammar.start);
    let mut grammar = add_copies(grammar);
    if let Some(naming) = &mut grammar.naming {
        naming.erased = Some(Box::new(erased));
    }
    grammar.fingerprint = fingerprint(&grammar);
    Ok(grammar)
}

/// Makes the grammar of all instances, with the tables of completion. It has no labels.
fn all_instances(
    erased: &Grammar,
    annotations: &Annotations,
    tables: &Tables,
) -> Result<Grammar, Problem> {
    let naming = Instances::new(erased, annotations).naming(tables)?;
    let mut grammar = assemble(erased, tables, naming);
    if !grammar[grammar.start].minimum.is_finite() {
        return Err(Problem {
            symbol: erased.start,
            message: "no sentence can be derived with the arguments of its rules".into(),
            label:
                "each alternative of some rule is forbidden by the arguments, or contains itself"
                    .into(),
        });
    }
    if let Some(mut naming) = grammar.naming.take() {
        find_completion(grammar.tables().for_texts(), &mut naming);
        grammar.naming = Some(naming);
    }
    Ok(grammar)
}

/// Returns an error if an instance can derive itself and nothing else.
fn check_cycles(
    grammar: &Grammar,
    erased: &Grammar,
    annotations: &Annotations,
    tables: &Tables,
) -> Result<(), Problem> {
    let nothing = SymbolId(tables.keys.len() as u32);
    let texts = grammar.tables().for_texts();
    let (sizes, _) = minimum_sizes(texts, &|symbol| symbol == nothing);
    let edges = unit_edges(texts, &sizes);
    let Some(cycle) = Graph::new(grammar.symbols.len(), &edges).cycle() else {
        return Ok(());
    };
    // Groups within rules have no names of their own.
    let is_rule = |at: &u32| !erased.label(tables.keys[*at as usize].0).contains('/');
    let mut rules: Vec<u32> = cycle.iter().copied().filter(is_rule).collect();
    if rules.is_empty() {
        rules = cycle;
    }
    let name = |&at: &u32| {
        let (origin, values) = &tables.keys[at as usize];
        format!(
            "`{}`",
            label(erased.label(*origin), values, &annotations.values)
        )
    };
    let mut names: Vec<String> = rules.iter().map(name).collect();
    names.dedup();
    let first = names[0].clone();
    let more = names.len().saturating_sub(MAX_CYCLE);
    names.truncate(MAX_CYCLE);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.push(first.clone());
    Err(Problem {
        symbol: tables.keys[rules[0] as usize].0,
        message: format!("{first} can derive itself and nothing else"),
        label: format!(
            "{}: such a cycle gives one text infinitely many derivations; put a token into it, or use other values",
            names.join(" -> ")
        ),
    })
}

/// Finds which names all alternatives and symbols declare, and how they can be completed. `tables`
/// must be without separators, because the sizes are compared with lengths of texts.
fn find_completion(tables: GrammarTables<'_>, naming: &mut Naming) {
    let (hidden, taken) = (hidden(tables, naming, false), hidden(tables, naming, true));
    let all = declared(tables, naming, &taken);
    // Without this, a symbol without a finite derivation would count as declaring all names.
    let when = |size: Size, bits: u64| if size.is_finite() { bits } else { 0 };
    let of_symbol = |(symbol, declared): (&Symbol, &declared::Declared)| {
        when(symbol.minimum, declared.namespaces)
    };
    naming.symbol_declares = tables.symbols.iter().zip(&all).map(of_symbol).collect();
    let of_alternative = |(at, alternative): (usize, &Alternative)| {
        when(
            alternative.minimum,
            declared::of_alternative(tables, &taken, &all, at).namespaces,
        )
    };
    naming.alternative_declares = tables
        .alternatives
        .iter()
        .enumerate()
        .map(of_alternative)
        .collect();
    // First compute the sizes as if earlier children declared nothing, to find the symbols that
    // need no names. Earlier declarations matter only to the others.
    let count = tables.symbols.len();
    let input = CompletionInput {
        tables,
        naming,
        declared: &all,
        hidden: &hidden,
        taken: &taken,
    };
    let without = SizeTable::new(&completion(input, vec![true; count]).0);
    let is_nameless = (0..count as u32)
        .map(|symbol| without.vertex(symbol).is_finite())
        .collect();
    let (completion, product_of) = completion(input, is_nameless);
    naming.base = SizeTable::new(&completion);
    (naming.completion, naming.product_of) = (completion, product_of.into());
}

/// Returns the grammar of all instances, without the tables of completion.
fn assemble(erased: &Grammar, new: &Tables, mut naming: Naming) -> Grammar {
    let nothing = SymbolId(new.keys.len() as u32);
    let mut symbols: Vec<Symbol> = Vec::with_capacity(new.keys.len() + 1);
    let mut alternatives: Vec<Alternative> = Vec::with_capacity(new.alternatives.len() + 1);
    let mut children: Vec<Child> = Vec::with_capacity(new.children.len() + alternatives.capacity());
    let mut sources = Vec::with_capacity(alternatives.capacity());
    for (at, (origin, _)) in new.keys.iter().enumerate() {
        let mut symbol = erased[*origin].clone();
        match &mut symbol.kind {
            Kind::Nonterminal {
                alternatives: range,
                ..
            } => {
                let from = alternatives.len() as u32;
                let first_source = range.start;
                for alternative in &new.alternatives[span(&new.ranges[at])] {
                    sources.push(alternative.of as u32 - first_source);
                    let first = children.len() as u32;
                    match alternative.is_forbidden {
                        true => children.push(Child {
                            symbol: nothing,
                            is_adjacent: false,
                        }),
                        false => children.extend(&new.children[span(&alternative.children)]),
                    }
                    let children = first..children.len() as u32;
                    alternatives.push(Alternative {
                        children,
                        ..erased.alternatives[alternative.of].clone()
                    });
                }
                *range = from..alternatives.len() as u32;
            }
            Kind::Repeat { element, .. } => element.symbol = new.parts[at].unwrap_or(nothing),
            Kind::Lexeme { body, .. } => *body = new.parts[at].unwrap_or(nothing),
            // A token takes no arguments, so it has one instance.
            Kind::Same { of, .. } => {
                let instance = new.keys.iter().position(|(origin, _)| origin == of);
                *of = instance.map_or(nothing, |at| SymbolId(at as u32));
            }
            Kind::Identifier { escape, .. } => *escape = new.parts[at].unwrap_or(nothing),
            _ => {}
        }
        symbols.push(symbol);
    }
    // The last symbol, [`Naming::nothing`], is never allowed. It has an empty alternative, so that
    // a derivation from it would end.
    let from = alternatives.len() as u32;
    let end = children.len() as u32;
    alternatives.push(Alternative {
        children: end..end,
        minimum: Size::NEVER,
        min_bytes: u32::MAX,
        source: None,
        weight: 1.0,
        span: NO_SPAN,
    });
    sources.push(0);
    let kind = Kind::Nonterminal {
        alternatives: from..from + 1,
        counted: false,
    };
    symbols.push(Symbol {
        kind,
        minimum: Size::NEVER,
        min_bytes: u32::MAX,
        max_bytes: 0,
    });
    naming.sources = sources.into();
    // An alternative without a finite derivation gets this child alone, so that its derivation
    // would end at once.
    let child = children.len() as u32;
    children.push(Child {
        symbol: nothing,
        is_adjacent: false,
    });
    let mut grammar = Grammar {
        symbols: symbols.into(),
        alternatives: alternatives.into(),
        children: children.into(),
        classes: erased.classes.clone(),
        texts: erased.texts.clone(),
        names: erased.names.clone(),
        labels: Box::default(),
        start: new.start,
        layout: erased.layout.clone(),
        boundaries: erased.boundaries.clone(),
        unseparated: erased.unseparated.clone(),
        roles: Box::default(),
        bytes: erased.bytes,
        utf8: erased.utf8,
        fingerprint: 0,
        alternative_spans: erased.alternative_spans.clone(),
        spans: Box::default(),
        lines: None,
        captures: None,
        naming: Some(Box::new(naming)),
        equivalences: Box::default(),
        unequal: Vec::new(),
    };
    if let (Some(layout), Some(token)) = (&mut grammar.layout, new.layout) {
        layout.token = token;
    }
    let lines = erased.lines.as_ref().map(|lines| lines.of(&grammar));
    grammar.lines = lines.map(Box::new);
    grammar.captures = captures(&grammar);
    let (sizes, alternative_sizes) = minimum_sizes(grammar.tables(), &|symbol| symbol == nothing);
    for (symbol, size) in grammar.symbols.iter_mut().zip(sizes) {
        symbol.minimum = size;
    }
    for (alternative, size) in grammar.alternatives.iter_mut().zip(alternative_sizes) {
        alternative.minimum = size;
    }
    for (at, alternative) in (0..).zip(&mut grammar.alternatives) {
        if !alternative.minimum.is_finite() && at != from {
            alternative.children = child..child + 1;
        }
    }
    grammar
}

/// Finds the minimum lengths of texts, which are estimates for generators. If a symbol has texts
/// without uses of names, only these count.
fn find_lengths(grammar: &mut Grammar) {
    let Some(naming) = &grammar.naming else {
        return;
    };
    let tables = grammar.tables().for_texts();
    let is_nothing = |symbol| symbol == naming.nothing();
    // A use of a kind without names has no text.
    let is_name = |symbol: SymbolId| matches!(grammar[symbol].kind, Kind::Identifier { .. });
    let uses_name = |symbol: SymbolId| naming.uses_name(symbol) && is_name(symbol);
    let (texts, alternative_texts) = minimum_sizes_without_names(tables, &is_nothing, &uses_name);
    for (symbol, text) in grammar.symbols.iter_mut().zip(texts) {
        symbol.min_bytes = text.bytes;
    }
    for (alternative, text) in grammar.alternatives.iter_mut().zip(alternative_texts) {
        alternative.min_bytes = text.bytes;
    }
}

/// Adds the values to the label of a symbol.
fn label(label: &str, values: &[Value], all: &[ValueTerm]) -> Box<str> {
    if values.is_empty() {
        return label.into();
    }
    let values: Vec<&str> = values
        .iter()
        .map(|&value| all.get(value as usize).map_or("_", |term| &*term.name))
        .collect();
    format!("{label}<{}>", values.join(", ")).into()
}
