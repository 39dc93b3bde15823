//! Pass before `flatten`: replaces percentages by relative weights.
//!
//! The notation is that of Soremekun, Pavese, Havrikov, Grunske and Zeller, "Inputs from Hell" (TSE
//! 2020): alternatives without a percentage share the rest of 100 evenly. The mean weight of the
//! alternatives in a list becomes 1, as it is without percentages. So one definition of a rule can
//! have percentages while another definition of it, for other values of its arguments, has none.

use super::lexer::SyntaxError;
use super::report::Report;
use super::syntax::{
    Expression, ExpressionKind, File, Span, Statement, SyntaxAlternative, SyntaxWeight,
};

/// The maximum difference from 100 of a sum that counts as 100. Decimal fractions are rounded.
const ROUNDING: f64 = 1e-6;

/// Replaces all percentages of a source. Errors and warnings go to the report.
pub fn lower(file: &mut File, report: &mut Report) {
    let mut lists: Vec<&mut Vec<SyntaxAlternative>> = file
        .iter_mut()
        .filter_map(|statement| match statement {
            Statement::Rule(rule) => Some(&mut rule.body),
            _ => None,
        })
        .rev()
        .collect();
    let mut expressions: Vec<&mut Expression> = Vec::new();
    while let Some(list) = lists.pop() {
        lower_list(list, report);
        let terms = list.iter_mut().rev().flat_map(|one| &mut one.terms);
        expressions.extend(terms.map(|term| &mut term.expression));
        while let Some(expression) = expressions.pop() {
            match &mut expression.kind {
                ExpressionKind::Group(list)
                | ExpressionKind::Scope(list)
                | ExpressionKind::After(list)
                | ExpressionKind::Capture(_, list) => lists.push(list),
                ExpressionKind::Repeat { element, .. } => expressions.push(element),
                ExpressionKind::Difference(all, without) => {
                    expressions.extend([&mut **all, &mut **without])
                }
                _ => {}
            }
        }
    }
}

/// Replaces the percentages of alternatives, if there are any.
fn lower_list(all: &mut [SyntaxAlternative], report: &mut Report) {
    let percentages = || {
        all.iter()
            .filter_map(|alternative| match &alternative.weight {
                Some((SyntaxWeight::Percentage(percentage), span)) => Some((*percentage, span)),
                _ => None,
            })
    };
    let Some((_, last)) = percentages().next_back() else {
        return;
    };
    let mut sum = 0.0;
    let above = percentages().find(|(percentage, _)| {
        sum += percentage;
        sum > 100.0 + ROUNDING
    });
    let total: f64 = percentages().map(|(percentage, _)| percentage).sum();
    let rest = if total < 100.0 - ROUNDING {
        100.0 - total
    } else {
        0.0
    };
    let is_relative =
        |one: &&SyntaxAlternative| matches!(one.weight, Some((SyntaxWeight::Relative(_), _)));
    let mut unmarked = all.iter().filter(|one| one.weight.is_none()).peekable();
    let shown = rounded(total);
    if let Some((_, span)) = all
        .iter()
        .find(is_relative)
        .and_then(|one| one.weight.as_ref())
    {
        let label = "write weights such as @3 or percentages such as @30% for all of them";
        error(report, span, "a weight beside percentages".into(), label);
    } else if let Some((_, span)) = above {
        let label = "those of all alternatives are at most 100 together";
        error(
            report,
            span,
            format!("the percentages have the sum {shown}"),
            label,
        );
    } else if let Some(first) = unmarked.peek().filter(|_| rest == 0.0) {
        let span = first.span().unwrap_or_else(|| last.clone());
        let message = "the other percentages leave nothing for this alternative";
        let label = "it gets 0; write `@0%` if new sentences should not have it";
        report.warning(SyntaxError::new(span, message, label));
    } else if unmarked.peek().is_none() && rest > 0.0 {
        let label = "each alternative has one, so they must have the sum 100";
        error(
            report,
            last,
            format!("the percentages have the sum {shown}"),
            label,
        );
    }
    let each = rest / unmarked.count().max(1) as f64;
    let to_weight = all.len() as f64 / 100.0;
    for alternative in all {
        let (percentage, span) = match alternative.weight.take() {
            Some((SyntaxWeight::Percentage(percentage), span)) => (percentage, span),
            Some((SyntaxWeight::Relative(_), span)) => (0.0, span),
            None => (each, alternative.span().unwrap_or_default()),
        };
        alternative.weight = Some((SyntaxWeight::Relative(percentage * to_weight), span));
    }
}

/// The sum, rounded so that inexact digits are not shown.
fn rounded(sum: f64) -> f64 {
    (sum / ROUNDING).round() / ROUNDING.recip()
}

fn error(report: &mut Report, at: &Span, message: String, label: &str) {
    report.error(SyntaxError::new(at.clone(), message, label));
}

#[cfg(test)]
mod tests {
    use crate::bounds::Caps;
    use crate::grammar::SymbolId;
    use crate::notation::{Report, read};

    fn weights(source: &str, rule: &str) -> Result<(Vec<f64>, String), Report> {
        let (grammar, report) = read("g", source.as_bytes(), &Caps::default())?;
        let mut symbols = (0..grammar.symbols().len() as u32).map(SymbolId);
        let symbol = symbols.find(|&symbol| grammar.label(symbol) == rule);
        let mut all = grammar.alternatives(symbol.unwrap()).to_vec();
        all.sort_by_key(|alternative| alternative.source);
        let of = |weight: f64| (weight * 1e4).round() / 1e4;
        let weights = all.iter().map(|alternative| of(alternative.weight));
        Ok((weights.collect(), report.to_string()))
    }

    #[test]
    fn percentages_become_weights_of_mean_1() {
        for (body, expected) in [
            ("@30% 'a' | @10% 'b' | 'c' | 'd'", vec![1.2, 0.4, 1.2, 1.2]),
            ("@2.5% 'a' | 'b'", vec![0.05, 1.95]),
            ("@0% 'a' | 'b' | 'c'", vec![0.0, 1.5, 1.5]),
            ("@100% 'a'", vec![1.0]),
            (
                "@33.3% 'a' | @33.3% 'b' | @33.4% 'c'",
                vec![0.999, 0.999, 1.002],
            ),
            ("'a' | @25%", vec![1.5, 0.5]),
            ("@3 'a' | 'b'", vec![3.0, 1.0]),
        ] {
            let (weights, warnings) = weights(&format!("r = {body} ;"), "r").unwrap();
            assert_eq!((weights, &*warnings), (expected, ""), "{body}");
        }
    }

    #[test]
    fn groups_have_percentages_of_their_own() {
        for body in [
            "( @80% 'a' | 'b' )",
            "( 'x' | 'y' ( @80% 'a' | 'b' ) )",
            "'x' ( @80% 'a' | 'b' ){2}",
        ] {
            let source = format!("r = @40% {body} | @60% 'z' ;");
            assert_eq!(weights(&source, "r").unwrap().0, [0.8, 1.2], "{body}");
            let inner = match body {
                body if body.starts_with("( @") => "r/1",
                _ => "r/2",
            };
            assert_eq!(weights(&source, inner).unwrap().0, [1.6, 0.4], "{body}");
        }
    }

    #[test]
    fn definitions_have_percentages_of_their_own() {
        let source = "@domain d = u | v ; @start s = r<u> r<v> ;
            r<x: d> = @75% 'a' | 'b' ; r<u> = 'c' | @10% 'd' | 'e' ;";
        let (all, _) = weights(source, "r<u>").unwrap();
        assert_eq!(all, [1.5, 0.5, 1.35, 0.3, 1.35]);
    }

    #[test]
    fn errors_have_the_position_of_their_cause() {
        for (source, expected) in [
            (
                "r = @70% 'a' | @50% 'b' | 'c' ;",
                "g:1:16: error: the percentages have the sum 120",
            ),
            (
                "r = @33.3% 'a' | @66.6% 'b' ;",
                "g:1:18: error: the percentages have the sum 99.9",
            ),
            (
                "r = @0% 'a' ;",
                "g:1:5: error: the percentages have the sum 0",
            ),
            (
                "r = @30% 'a' | @2 'b' | 'c' ;",
                "g:1:16: error: a weight beside percentages",
            ),
            (
                "r = @0 'a' | @30% 'b' | 'c' ;",
                "g:1:5: error: a weight beside percentages",
            ),
            (
                "r = 'x' ( @3% 'a' | @4% 'b' )? ;",
                "g:1:21: error: the percentages have the sum 7",
            ),
            ("r = @101% 'a' | 'b' ;", "g:1:5: error: not a percentage"),
            ("r = @10% @3 'a' | 'b' ;", "g:1:10: error: unexpected token"),
        ] {
            let report = weights(source, "r").unwrap_err().to_string();
            assert!(report.starts_with(expected), "{source}\n{report}");
        }
    }

    #[test]
    fn alternatives_for_which_nothing_is_left_cause_a_warning() {
        let (weights, report) = weights("r = @40% 'a' | @60% 'b' | 'c' ;", "r").unwrap();
        assert_eq!(weights, [1.2, 1.8, 0.0]);
        let expected = "g:1:27: warning: the other percentages leave nothing for this alternative";
        assert!(report.starts_with(expected), "{report}");
    }
}
