//! Makes captures non-empty. For example, `@capture x( "="* ) a @same x` becomes two alternatives:
//! one whose capture is not empty, and `a`.
//!
//! This has two reasons: the parser finds a non-empty token for each repeated capture, and captures
//! do not make the elements of repetitions empty.

use std::collections::HashSet;

use super::Twins;
use crate::grammar::{Alternative, Child, Kind, SymbolId, span};
use crate::notation::builder::GrammarBuilder;
use crate::notation::lexer::SyntaxError;
use crate::notation::report::Report;

/// The maximum number of captures of one sequence that can be empty. Each of them doubles the
/// number of alternatives.
const MAX_NULLABLE: usize = 6;

/// Splits each alternative with a capture that can be empty. Reports an alternative with too many.
pub fn split(twins: &mut Twins, builder: &mut GrammarBuilder, report: &mut Report) {
    let of = |kind: &Kind| match *kind {
        Kind::Same { of, .. } => Some(of),
        _ => None,
    };
    let symbols = builder.symbols.iter();
    let nullable: HashSet<SymbolId> = symbols
        .filter_map(|symbol| of(&symbol.kind))
        .filter(|&capture| twins.is_nullable(capture))
        .collect();
    for at in 0..builder.symbols.len() {
        let Kind::Nonterminal {
            ref alternatives,
            counted,
        } = builder.symbols[at].kind
        else {
            continue;
        };
        if nullable.is_empty() || builder.is_too_large() {
            return;
        }
        let all = builder.alternatives[span(alternatives)].to_vec();
        let mut found = Vec::new();
        let mut is_split = false;
        for alternative in all {
            let children = builder.children[span(&alternative.children)].to_vec();
            let mut versions = vec![children];
            let captures: Vec<SymbolId> = versions[0]
                .iter()
                .map(|child| body(builder, child.symbol))
                .filter(|body| nullable.contains(body))
                .collect();
            if let Some(&capture) = captures.get(MAX_NULLABLE) {
                let message = "too many captures of a sequence can be empty";
                let label = format!("at most {MAX_NULLABLE}; write an alternative for each form");
                report.error(SyntaxError::new(builder.span(capture), message, label));
                return;
            }
            for capture in captures {
                versions = versions
                    .into_iter()
                    .flat_map(|children| {
                        let with = with_text(twins, builder, capture, &children);
                        with.into_iter()
                            .chain([without(builder, capture, children)])
                    })
                    .collect();
                is_split = true;
            }
            for children in versions {
                let new = builder.sequence(children, alternative.weight, alternative.source);
                found.push(Alternative {
                    span: alternative.span,
                    ..new
                });
            }
        }
        if is_split {
            builder.symbols[at].kind = builder.nonterminal(found, counted);
        }
    }
}

/// Returns the body of a lexeme. Other symbols are parts of tokens, which are bodies themselves.
fn body(builder: &GrammarBuilder, symbol: SymbolId) -> SymbolId {
    match *builder.kind(symbol) {
        Kind::Lexeme { body, .. } => body,
        _ => symbol,
    }
}

/// Returns the children of a sequence without a capture and the texts that repeat it.
fn without(builder: &GrammarBuilder, capture: SymbolId, mut children: Vec<Child>) -> Vec<Child> {
    children.retain(|child| {
        let body = body(builder, child.symbol);
        let is_same = matches!(builder.kind(body), Kind::Same { of, .. } if *of == capture);
        body != capture && !is_same
    });
    children
}

/// Returns the children of a sequence in which a capture is replaced by its twin, which is not
/// empty. [`None`] if the capture is always empty.
fn with_text(
    twins: &mut Twins,
    builder: &mut GrammarBuilder,
    capture: SymbolId,
    children: &[Child],
) -> Option<Vec<Child>> {
    let mut found = children.to_vec();
    let mut twin = None;
    for child in &mut found {
        let body = body(builder, child.symbol);
        if body == capture {
            child.symbol = twins.twin(builder, child.symbol)?;
            twin = Some(self::body(builder, child.symbol));
        }
        let (Kind::Same { of, is_last }, Some(twin)) = (builder.kind(body).clone(), twin) else {
            continue;
        };
        if of == capture {
            let label = builder.label(body);
            let kind = Kind::Same { of: twin, is_last };
            let mut symbol = builder.symbol(kind, label, builder.span(body));
            if let Kind::Lexeme {
                position, layout, ..
            } = *builder.kind(child.symbol)
            {
                let position = builder.position(builder.terminals[position.0 as usize]);
                let kind = Kind::Lexeme {
                    body: symbol,
                    position,
                    layout,
                };
                symbol = builder.symbol(
                    kind,
                    builder.label(child.symbol),
                    builder.span(child.symbol),
                );
            }
            child.symbol = symbol;
        }
    }
    Some(found)
}
