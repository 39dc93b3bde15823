//! Fourth pass: removes alternatives that derive no finite text, and finds cycles.
//!
//! A cycle is a symbol that can derive itself and nothing else, such as `a` in `a = a | "x"`. After this pass every alternative
//! derives a finite text, and there are no cycles.
//!
//! The pass reports an error for each cycle, and for a start rule or a `@skip` rule that derives no finite text. It reports a
//! warning for every other rule that derives no finite text. [`unused`] reports a warning for each rule that no sentence uses.

use super::builder::GrammarBuilder;
use super::lexer::SyntaxError;
use super::report::Report;
use super::syntax::RuleKind;
use crate::grammar::{Graph, Kind, Size, SymbolId, components, minimum_sizes, parts, span};

/// Removes alternatives that derive no finite text, and reports cycles.
pub fn sound(builder: &mut GrammarBuilder, start: SymbolId, report: &mut Report) {
    let (sizes, alternatives) = minimum_sizes(builder.tables(0), |_| false);
    unproductive(builder, start, &sizes, &alternatives, report);
    cycles(builder, &sizes, report);
}

/// Removes alternatives that derive no finite text. A repetition of an element without a finite text becomes the empty text.
fn unproductive(builder: &mut GrammarBuilder, start: SymbolId, sizes: &[Size], alternatives: &[Size], report: &mut Report) {
    for rule in &builder.rules {
        if !sizes[rule.symbol.0 as usize].is_finite() {
            let message = format!("rule `{}` derives no finite text", rule.name);
            let label = "every alternative contains the rule itself, so no derivation of it ends";
            let error = SyntaxError::new(rule.span.clone(), message, label);
            let needed = rule.symbol == start || rule.kind == RuleKind::Skip;
            if needed { report.error(error) } else { report.warning(error) }
        }
    }
    for at in 0..builder.symbols.len() {
        match builder.symbols[at].kind.clone() {
            Kind::Nonterminal { alternatives: range, counted } => {
                let all: Vec<_> = range.clone().filter(|&at| alternatives[at as usize].is_finite()).collect();
                if all.len() < range.len() {
                    let finite = all.into_iter().map(|at| builder.alternatives[at as usize].clone()).collect();
                    builder.symbols[at].kind = builder.nonterminal(finite, counted);
                }
            }
            Kind::Repeat { element, .. } if !sizes[element.symbol.0 as usize].is_finite() => {
                let empty = builder.sequence([], 1.0, 0);
                builder.symbols[at].kind = builder.nonterminal(vec![empty], false);
            }
            _ => {}
        }
    }
}

/// Reports cycles. The graph has an edge from each symbol to every symbol that it can derive with only empty texts around it.
fn cycles(builder: &GrammarBuilder, sizes: &[Size], report: &mut Report) {
    let nullable = |symbol: SymbolId| sizes.get(symbol.0 as usize).is_some_and(|size| size.bytes == 0);
    let mut edges = Vec::new();
    for (id, symbol) in (0..).zip(&builder.symbols) {
        match &symbol.kind {
            Kind::Nonterminal { alternatives, .. } => {
                for alternative in &builder.alternatives[span(alternatives)] {
                    let children = &builder.children[span(&alternative.children)];
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
    let (_, cyclic) = components(&Graph::new(builder.symbols.len(), &edges));
    let mut is_reported = false;
    for rule in builder.rules.iter().filter(|rule| cyclic[rule.symbol.0 as usize]) {
        let message = format!("rule `{}` can derive itself and nothing else", rule.name);
        report.error(SyntaxError::new(rule.span.clone(), message, "such a cycle gives one text infinitely many derivations"));
        is_reported = true;
    }
    if let (false, Some(at)) = (is_reported, cyclic.iter().position(|&cyclic| cyclic)) {
        let message = format!("`{}` can derive itself and nothing else", builder.labels[at]);
        report.error(SyntaxError::new(
            builder.spans[at].clone(),
            message,
            "such a cycle gives one text infinitely many derivations",
        ));
    }
}

/// Reports a warning for each rule that no sentence uses.
pub fn unused(builder: &GrammarBuilder, start: SymbolId, report: &mut Report) {
    let mut edges = parts(builder.tables(0));
    edges.extend(builder.skips.iter().chain(&builder.operands).map(|used| (start.0, used.0)));
    let used = Graph::new(builder.symbols.len(), &edges).reachable(start.0);
    for rule in &builder.rules {
        if !used[rule.symbol.0 as usize] {
            let message = format!("rule `{}` is never used", rule.name);
            report.warning(SyntaxError::new(rule.span.clone(), message, "no sentence uses it"));
        }
    }
}
