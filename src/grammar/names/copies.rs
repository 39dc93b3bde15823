//! Changes a grammar with names so that it also derives texts with undeclared names.
//!
//! An alternative that needs a visible name is forbidden where none is visible. If its nonterminal
//! has other alternatives, the alternative gets a copy that is always allowed and derives
//! undeclared names.
//!
//! Before that, a repetition `x*` whose elements need visible names becomes a choice between no
//! elements and at least one element. So the expander can forbid the elements where no name is
//! visible.

use std::collections::{BTreeSet, HashMap};

use super::annotations::Annotations;
use crate::grammar::{
    Alternative, Child, Grammar, Kind, NO_SPAN, Size, Symbol, SymbolId, captures, fingerprint,
    roles, span,
};

/// The weight of a copy for undeclared names, as a factor of the weight of the copied alternative.
const COPY_WEIGHT: f64 = 0.01;

/// Returns the repetitions `x*` of the erased grammar whose elements need visible names in some
/// instance.
pub(super) fn repetitions_to_split(grammar: &Grammar) -> BTreeSet<SymbolId> {
    let Some(naming) = &grammar.naming else {
        return BTreeSet::new();
    };
    let needs_names = |symbol: &Symbol| match &symbol.kind {
        Kind::Repeat {
            element,
            at_least: 0,
            ..
        } => !naming.base.vertex(element.symbol.0).is_finite(),
        _ => false,
    };
    let all = grammar.symbols.iter().zip(&naming.origins);
    all.filter(|(symbol, _)| needs_names(symbol))
        .map(|(_, &origin)| origin)
        .collect()
}

/// Replaces each of these repetitions `x*` by `"" | x+`.
pub(super) fn split_repetitions(
    mut erased: Grammar,
    mut annotations: Annotations,
    repetitions: &BTreeSet<SymbolId>,
) -> (Grammar, Annotations) {
    let (mut symbols, mut labels) = (erased.symbols.to_vec(), erased.labels.to_vec());
    let (mut alternatives, mut children) = (erased.alternatives.to_vec(), erased.children.to_vec());
    let mut spans = erased.spans.to_vec();
    for &symbol in repetitions {
        let old = symbols[symbol.0 as usize].clone();
        let Kind::Repeat {
            element,
            at_most,
            items,
            ..
        } = old.kind
        else {
            continue;
        };
        let element_size = &erased.symbols[element.symbol.0 as usize];
        let repeated = Symbol {
            kind: Kind::Repeat {
                element,
                at_least: 1,
                at_most,
                items,
            },
            minimum: element_size.minimum.plus(Size { bytes: 0, nodes: 1 }),
            min_bytes: element_size.min_bytes,
            max_bytes: old.max_bytes,
        };
        let child = children.len() as u32;
        children.push(Child {
            symbol: SymbolId(symbols.len() as u32),
            is_adjacent: false,
        });
        let minimum = repeated.minimum.plus(Size { bytes: 0, nodes: 1 });
        let from = alternatives.len() as u32;
        let empty = Size { bytes: 0, nodes: 1 };
        alternatives.push(Alternative {
            children: child..child,
            minimum: empty,
            min_bytes: 0,
            source: Some(0),
            weight: 1.0,
            span: NO_SPAN,
        });
        let min_bytes = repeated.min_bytes;
        alternatives.push(Alternative {
            children: child..child + 1,
            minimum,
            min_bytes,
            source: Some(1),
            weight: 1.0,
            span: NO_SPAN,
        });
        symbols[symbol.0 as usize].kind = Kind::Nonterminal {
            alternatives: from..from + 2,
            counted: false,
        };
        symbols.push(repeated);
        labels.push(labels[symbol.0 as usize].clone());
        spans.push(spans[symbol.0 as usize].clone());
        annotations
            .owners
            .push(annotations.owners[symbol.0 as usize]);
    }
    (erased.symbols, erased.labels) = (symbols.into(), labels.into());
    erased.spans = spans.into();
    (erased.alternatives, erased.children) = (alternatives.into(), children.into());
    erased.roles = roles(erased.tables(), erased.start);
    erased.captures = captures(&erased);
    erased.fingerprint = fingerprint(&erased);
    (erased, annotations)
}

/// Adds to each nonterminal copies of its alternatives that need visible names in some instance.
/// The copies need no visible names.
pub(super) fn add_copies(mut grammar: Grammar) -> Grammar {
    let Some(mut naming) = grammar.naming.take() else {
        return grammar;
    };
    // By symbol of the erased grammar: the alternatives to copy.
    let mut copied: HashMap<SymbolId, BTreeSet<u32>> = HashMap::new();
    for (symbol, origin) in grammar.symbols.iter().zip(&naming.origins) {
        if let Kind::Nonterminal { alternatives, .. } = &symbol.kind
            && alternatives.len() > 1
        {
            let needy = (0..)
                .zip(alternatives.clone())
                .filter(|&(_, at)| naming.needs_names(at));
            copied
                .entry(*origin)
                .or_default()
                .extend(needy.map(|(index, _)| index));
        }
    }
    let (mut all, mut product_of, mut declares, mut sources) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut regular, mut copies) = (Vec::new(), Vec::new());
    for (symbol, origin) in grammar.symbols.iter_mut().zip(&naming.origins) {
        let Kind::Nonterminal { alternatives, .. } = &mut symbol.kind else {
            regular.push(0);
            continue;
        };
        let old = alternatives.clone();
        let from = all.len() as u32;
        for at in span(&old) {
            all.push(grammar.alternatives[at].clone());
            product_of.push(naming.product_of[at]);
            declares.push(naming.alternative_declares[at]);
            sources.push(naming.sources[at]);
            copies.push(0);
        }
        for &index in copied
            .get(origin)
            .into_iter()
            .flatten()
            .filter(|&&index| index < old.end - old.start)
        {
            let at = (old.start + index) as usize;
            let copy = grammar.alternatives[at].clone();
            copies[(from + index) as usize] = all.len() as u32 - from;
            copies.push(0);
            all.push(Alternative {
                weight: copy.weight * COPY_WEIGHT,
                ..copy
            });
            product_of.push(u32::MAX);
            declares.push(naming.alternative_declares[at]);
            sources.push(naming.sources[at]);
        }
        regular.push(old.end - old.start);
        *alternatives = from..all.len() as u32;
    }
    naming.product_of = product_of.into();
    naming.alternative_declares = declares.into();
    naming.sources = sources.into();
    naming.regular = regular.into();
    naming.copies = copies.into();
    grammar.alternatives = all.into();
    // The copies change the indices of alternatives. The tables of lines contain such an index, so
    // they are computed again.
    let lines = grammar.lines.take().map(|lines| lines.of(&grammar));
    grammar.lines = lines.map(Box::new);
    let mut by_size = vec![0; grammar.alternatives.len()];
    for (symbol, &regular) in grammar.symbols.iter().zip(&naming.regular) {
        if let Kind::Nonterminal { alternatives, .. } = &symbol.kind {
            let from = alternatives.start as usize;
            let mut order: Vec<u32> = (0..regular).collect();
            let size = |at: u32| {
                (
                    naming.size(&naming.base, at),
                    grammar.alternatives[at as usize].minimum,
                )
            };
            order.sort_by_key(|&index| size(alternatives.start + index));
            by_size[from..from + order.len()].copy_from_slice(&order);
        }
    }
    naming.by_size = by_size.into();
    grammar.naming = Some(naming);
    grammar
}
