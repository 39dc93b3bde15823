//! Fourth pass: removes alternatives that derive no finite text, and finds cycles.
//!
//! A cycle is a symbol that can derive itself and nothing else, such as `a` in `a = a | "x"`. After
//! this pass every alternative derives a finite text, and there are no cycles.
//!
//! The pass reports an error for each cycle, and for a start rule or a `@skip` rule that derives no
//! finite text. It reports a warning for every other rule that derives no finite text. [`unused`]
//! reports a warning for each rule that no sentence uses.

use super::builder::GrammarBuilder;
use super::lexer::SyntaxError;
use super::report::Report;
use super::syntax::RuleKind;
use crate::grammar::{
    Annotation, Graph, Kind, Size, SymbolId, components, minimum_sizes, parts, unit_edges,
};

/// Removes alternatives that derive no finite text, and reports cycles.
pub fn sound(builder: &mut GrammarBuilder, start: SymbolId, report: &mut Report) {
    let (sizes, alternatives) = minimum_sizes(builder.tables(0), &|_| false);
    unproductive(builder, start, &sizes, &alternatives, report);
    cycles(builder, &sizes, report);
}

/// Removes alternatives that derive no finite text. A repetition of an element without a finite
/// text becomes the empty text.
fn unproductive(
    builder: &mut GrammarBuilder,
    start: SymbolId,
    sizes: &[Size],
    alternatives: &[Size],
    report: &mut Report,
) {
    for rule in &builder.rules {
        if !sizes[rule.symbol.0 as usize].is_finite() {
            let message = format!("rule `{}` derives no finite text", rule.name);
            let label = match rule.kind {
                RuleKind::Identifier => {
                    "a name is not empty, and no derivation of another text ends"
                }
                _ => {
                    "every alternative contains this rule or another rule that derives no finite text"
                }
            };
            let error = SyntaxError::new(rule.span.clone(), message, label);
            let needed = rule.symbol == start || rule.kind == RuleKind::Skip;
            if needed {
                report.error(error)
            } else {
                report.warning(error)
            }
        }
    }
    for at in 0..builder.symbols.len() {
        match builder.symbols[at].kind.clone() {
            Kind::Nonterminal {
                alternatives: range,
                counted,
            } => {
                let all: Vec<_> = range
                    .clone()
                    .filter(|&at| alternatives[at as usize].is_finite())
                    .collect();
                if all.len() < range.len() {
                    let finite = all
                        .into_iter()
                        .map(|at| builder.alternatives[at as usize].clone())
                        .collect();
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

/// Reports cycles. The graph has an edge from each symbol to every symbol that it can derive with
/// only empty texts around it. Calls of rules with arguments are omitted, because `instantiate`
/// finds cycles of instances.
fn cycles(builder: &GrammarBuilder, sizes: &[Size], report: &mut Report) {
    let mut edges = unit_edges(builder.tables(0), sizes);
    let annotations = &builder.annotations.symbols;
    edges.retain(|&(from, _)| {
        !matches!(annotations.get(&SymbolId(from)), Some(Annotation::Call(_)))
    });
    let (_, cyclic) = components(&Graph::new(builder.symbols.len(), &edges));
    let mut is_reported = false;
    for rule in builder
        .rules
        .iter()
        .filter(|rule| cyclic[rule.symbol.0 as usize])
    {
        let message = format!("rule `{}` can derive itself and nothing else", rule.name);
        report.error(SyntaxError::new(
            rule.span.clone(),
            message,
            "such a cycle gives one text infinitely many derivations",
        ));
        is_reported = true;
    }
    if let (false, Some(at)) = (is_reported, cyclic.iter().position(|&cyclic| cyclic)) {
        let message = format!(
            "`{}` can derive itself and nothing else",
            builder.labels[at]
        );
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
    edges.extend(
        builder
            .skips
            .iter()
            .chain(&builder.operands)
            .map(|used| (start.0, used.0)),
    );
    let used = Graph::new(builder.symbols.len(), &edges).reachable(start.0);
    for rule in &builder.rules {
        // The pass `lines` added the rules whose names begin with `@`; the source need not use them.
        if !used[rule.symbol.0 as usize] && !rule.name.starts_with('@') {
            let message = format!("rule `{}` is never used", rule.name);
            report.warning(SyntaxError::new(
                rule.span.clone(),
                message,
                "no sentence uses it",
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::exhaustive::texts;
    use crate::grammar::span;
    use crate::notation::nonempty::nonempty;
    use crate::notation::testing::{lowered, symbol};

    /// Runs the pass on a source, and returns the builder and the report.
    fn run(source: &str) -> (GrammarBuilder, Report) {
        let mut builder = lowered(source);
        let (start, mut report) = (symbol(&builder, "s"), Report::new("g", source));
        unused(&builder, start, &mut report);
        nonempty(
            &mut builder,
            &mut crate::notation::report::Report::default(),
        );
        sound(&mut builder, start, &mut report);
        (builder, report)
    }

    #[test]
    fn alternatives_without_a_finite_text_are_removed_and_languages_stay_equal() {
        for (source, removed) in [
            (r#"s = "a" s | "b" | t ; t = "c" t ;"#, 2),
            (
                r#"s = ( "a" | "b" t )* u ; t = t "x" | u t ; u = "c"? ;"#,
                3,
            ),
            (r#"s = t* "a" ; t = "b" t ;"#, 1),
            (r#"s = "a" ( s | "b" ) ;"#, 0),
        ] {
            let before = {
                let mut builder = lowered(source);
                nonempty(
                    &mut builder,
                    &mut crate::notation::report::Report::default(),
                );
                let start = symbol(&builder, "s");
                texts(builder.tables(0), 5)[start.0 as usize].clone()
            };
            let (builder, report) = run(source);
            assert_eq!(report.errors(), 0, "{report}");
            let start = symbol(&builder, "s");
            assert_eq!(
                texts(builder.tables(0), 5)[start.0 as usize],
                before,
                "{source}"
            );
            let (_, sizes) = minimum_sizes(builder.tables(0), &|_| false);
            let mut count = 0;
            for symbol in &builder.symbols {
                let Kind::Nonterminal { alternatives, .. } = &symbol.kind else {
                    continue;
                };
                count += alternatives.len();
                assert!(
                    sizes[span(alternatives)]
                        .iter()
                        .all(|size| size.is_finite()),
                    "{source}"
                );
            }
            let all = {
                let mut builder = lowered(source);
                nonempty(
                    &mut builder,
                    &mut crate::notation::report::Report::default(),
                );
                builder
                    .symbols
                    .iter()
                    .map(|symbol| match &symbol.kind {
                        Kind::Nonterminal { alternatives, .. } => alternatives.len(),
                        // A repetition of an element without a finite text becomes a nonterminal
                        // with one alternative.
                        Kind::Repeat { .. } if source.contains("t*") => 1,
                        _ => 0,
                    })
                    .sum::<usize>()
            };
            assert_eq!(all - count, removed, "{source}");
        }
    }

    #[test]
    fn rules_without_a_finite_text_are_reported() {
        let (_, report) = run(r#"s = "a" | t ; t = "c" t ;"#);
        assert!(
            report
                .to_string()
                .starts_with("g:1:15: warning: rule `t` derives no finite text"),
            "{report}"
        );
        for source in [r#"s = "a" s ;"#, r#"@skip w = " " w ; s = "a" ;"#] {
            let (_, report) = run(source);
            assert!(
                report.errors() == 1 && report.to_string().contains("error: rule "),
                "{report}"
            );
        }
    }

    #[test]
    fn cycles_are_errors_and_other_recursion_is_not() {
        for (source, cycles) in [
            (r#"s = "x" s s | "y" | ( s ) "z" ;"#, 0),
            (r#"s = s | "x" ;"#, 1),
            (r#"s = t ; t = u ; u = s | "x" ;"#, 3),
            (r#"s = t s u | "x" ; t = "a"? ; u = "b"* ;"#, 1),
            (r#"s = t s u | "x" ; t = "a" ; u = "b"* ;"#, 0),
            (r#"s = s{1,2} | "x" ;"#, 1),
            (r#"s = s{2,3} | "x" ;"#, 0),
            (r#"s = t ; @token t = ( t | "x" ) ;"#, 1),
        ] {
            let (_, report) = run(source);
            assert_eq!(report.errors(), cycles, "{source}\n{report}");
            assert!(
                cycles == 0
                    || report
                        .to_string()
                        .contains("can derive itself and nothing else"),
                "{report}"
            );
        }
    }

    #[test]
    fn rules_that_no_sentence_uses_are_warnings() {
        let (_, report) = run(
            r#"@skip w = " " ; s = t - u ; @token t = [ab] ; @token u = "a" ; v = x ; x = "x" ;"#,
        );
        let text = report.to_string();
        let warnings: Vec<&str> = text
            .lines()
            .filter(|line| line.contains(" is never used"))
            .collect();
        assert_eq!(
            warnings,
            [
                "g:1:64: warning: rule `v` is never used",
                "g:1:72: warning: rule `x` is never used"
            ]
        );
    }
}
