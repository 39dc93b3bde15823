//! Fourth pass: removes alternatives that derive no finite text, and finds cycles.
//!
//! A cycle is a symbol that can derive itself and nothing else, such as `a` in `a = a | "x"`. After this pass every alternative
//! derives a finite text, and there are no cycles.
//!
//! The pass reports an error for each cycle, and for a start rule or a `@skip` rule that derives no finite text. It reports a
//! warning for every other rule that derives no finite text. [`unused`] reports a warning for each rule that no sentence uses.

use super::draft::Draft;
use super::lexer::Mistake;
use super::report::Report;
use super::syntax::RuleKind;
use crate::grammar::{Graph, Kind, Size, SymbolId, components, least, parts, span};

/// Runs the pass.
pub fn sound(draft: &mut Draft, start: SymbolId, report: &mut Report) {
    let (sizes, alternatives) = least(draft.tables(0), |_| false);
    unproductive(draft, start, &sizes, &alternatives, report);
    cycles(draft, &sizes, report);
}

/// Removes alternatives that derive no finite text. A repetition of an element without a finite text becomes the empty text.
fn unproductive(draft: &mut Draft, start: SymbolId, sizes: &[Size], alternatives: &[Size], report: &mut Report) {
    for rule in &draft.rules {
        if !sizes[rule.symbol.0 as usize].is_finite() {
            let message = format!("rule `{}` derives no finite text", rule.name);
            let label = "every alternative contains the rule itself, so no derivation of it ends";
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

/// Reports cycles. Edges lead from each symbol to every symbol that it can derive with only empty texts beside it.
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
        let message = format!("rule `{}` can derive itself and nothing else", rule.name);
        report.error(Mistake::new(rule.span.clone(), message, "such a cycle would make derivations of one text without end"));
        told = true;
    }
    if let (false, Some(at)) = (told, cyclic.iter().position(|&cyclic| cyclic)) {
        let message = format!("`{}` can derive itself and nothing else", draft.labels[at]);
        report.error(Mistake::new(
            draft.spans[at].clone(),
            message,
            "such a cycle would make derivations of one text without end",
        ));
    }
}

/// Reports a warning for each rule that no sentence uses.
pub fn unused(draft: &Draft, start: SymbolId, report: &mut Report) {
    let mut edges = parts(draft.tables(0));
    edges.extend(draft.skips.iter().chain(&draft.operands).map(|used| (start.0, used.0)));
    let used = Graph::new(draft.symbols.len(), &edges).reachable(start.0);
    for rule in &draft.rules {
        if !used[rule.symbol.0 as usize] {
            let message = format!("rule `{}` is never used", rule.name);
            report.warning(Mistake::new(rule.span.clone(), message, "no sentence uses it"));
        }
    }
}
