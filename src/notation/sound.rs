//! Fourth pass: every alternative can be completed, and no symbol derives itself alone.
//!
//! After it alternatives that can never be completed are gone, each with a warning; a start rule that derives nothing and a
//! cycle `A = A | …` are errors; rules that no sentence uses have a warning.

use super::draft::Draft;
use super::lexer::Mistake;
use super::report::Report;
use super::syntax::RuleKind;
use crate::grammar::{Graph, Kind, Size, SymbolId, components, least, parts, span};

/// Drops what cannot be derived and reports it.
pub fn sound(draft: &mut Draft, start: SymbolId, report: &mut Report) {
    let (sizes, alternatives) = least(draft.tables(0), |_| false);
    unproductive(draft, start, &sizes, &alternatives, report);
    cycles(draft, &sizes, report);
}

fn unproductive(draft: &mut Draft, start: SymbolId, sizes: &[Size], alternatives: &[Size], report: &mut Report) {
    for rule in &draft.rules {
        if !sizes[rule.symbol.0 as usize].is_finite() {
            let message = format!("rule `{}` derives no sentence", rule.name);
            let label = "every alternative needs itself, so none can be completed";
            let mistake = Mistake::new(rule.span.clone(), message, label);
            let needed = rule.symbol == start || rule.kind == RuleKind::Skip;
            if needed { report.error(mistake) } else { report.warning(mistake) }
        }
    }
    for at in 0..draft.symbols.len() {
        match draft.symbols[at].kind.clone() {
            Kind::Nonterminal { alternatives: range, counted } => {
                let all: Vec<_> = range.clone().filter(|&at| alternatives[at as usize].is_finite()).collect();
                if all.len() < range.len() {
                    let kept = all.into_iter().map(|at| draft.alternatives[at as usize].clone()).collect();
                    draft.symbols[at].kind = draft.nonterminal(kept, counted);
                }
            }
            Kind::Repeat { element, .. } if !sizes[element.symbol.0 as usize].is_finite() => {
                let empty = draft.sequence([], 1.0, 0);
                draft.symbols[at].kind = draft.nonterminal(vec![empty], false);
            }
            _ => {}
        }
    }
}

/// Symbols that derive exactly one symbol more, all else being empty, must not come back to themselves.
fn cycles(draft: &Draft, sizes: &[Size], report: &mut Report) {
    let nullable = |symbol: SymbolId| sizes.get(symbol.0 as usize).is_some_and(|size| size.bytes == 0);
    let mut edges = Vec::new();
    for (id, symbol) in (0..).zip(&draft.symbols) {
        match &symbol.kind {
            Kind::Nonterminal { alternatives, .. } => {
                for alternative in &draft.alternatives[span(alternatives)] {
                    let children = &draft.children[span(&alternative.children)];
                    let full = children.iter().filter(|child| !nullable(child.symbol)).count();
                    let alone = children.iter().filter(|child| full == 0 || full == 1 && !nullable(child.symbol));
                    edges.extend(alone.map(|child| (id, child.symbol.0)));
                }
            }
            Kind::Repeat { element, at_least: 0 | 1, .. } => edges.push((id, element.symbol.0)),
            Kind::Lexeme { body, .. } => edges.push((id, body.0)),
            Kind::Identifier { escape, .. } => edges.push((id, escape.0)),
            _ => {}
        }
    }
    let (_, cyclic) = components(&Graph::new(draft.symbols.len(), &edges));
    let mut told = false;
    for rule in draft.rules.iter().filter(|rule| cyclic[rule.symbol.0 as usize]) {
        let message = format!("rule `{}` derives itself alone", rule.name);
        report.error(Mistake::new(rule.span.clone(), message, "it comes back here without having derived anything else"));
        told = true;
    }
    if let (false, Some(at)) = (told, cyclic.iter().position(|&cyclic| cyclic)) {
        let message = format!("`{}` derives itself alone", draft.labels[at]);
        report.error(Mistake::new(draft.spans[at].clone(), message, "it comes back here without having derived anything else"));
    }
}

/// Warns of rules that no sentence needs.
pub fn unused(draft: &Draft, start: SymbolId, report: &mut Report) {
    let mut edges = parts(draft.tables(0));
    edges.extend(draft.skips.iter().chain(&draft.operands).map(|used| (start.0, used.0)));
    let used = Graph::new(draft.symbols.len(), &edges).reachable(start.0);
    for rule in &draft.rules {
        if !used[rule.symbol.0 as usize] {
            let message = format!("rule `{}` is never used", rule.name);
            report.warning(Mistake::new(rule.span.clone(), message, "no sentence needs it"));
        }
    }
}
