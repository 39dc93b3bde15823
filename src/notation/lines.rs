//! Pass before `flatten`: lowers lines, indentation and brackets to rules with marks. A mark is a
//! reserved character (see [`LineMark`]).
//!
//! `@line newline = …` becomes a `@token` rule that ends with a mark, and `@indent` and `@dedent` become
//! uses of two `@token` rules of marks. With `@brackets`, a `@skip` rule is added: a mark, then the
//! text of the `@line` rule.

use super::lexer::SyntaxError;
use super::report::Report;
use super::syntax::{
    Expression, ExpressionKind, File, Rule, RuleKind, Span, Statement, SyntaxAlternative,
    SyntaxWeight, Term,
};
use crate::grammar::{Brackets, LineMark, WIDTHS};

// The names of the rules that this pass adds. A rule of a source cannot have such a name.
pub const INDENT: &str = "@indent";
pub const DEDENT: &str = "@dedent";
const TEXT: &str = "@line";
const OTHER: &str = "@indent by another width";
pub const INNER: &str = "@line in brackets";

/// The weight of the usual width of an indent. All other widths together have weight 1.
const USUAL: f64 = 30.0;

/// Replaces the statements of a source about lines. Returns the brackets, or [`None`] if the source
/// has no `@line` rule. Errors go to the report.
pub fn lower(file: &mut File, report: &mut Report) -> Option<Brackets> {
    let is_line = |statement: &&mut Statement| matches!(statement, Statement::Rule(rule) if rule.kind == RuleKind::Line);
    let has_skip = file
        .iter()
        .any(|statement| matches!(statement, Statement::Rule(rule) if rule.kind == RuleKind::Skip));
    let has_bytes = file
        .iter()
        .any(|statement| matches!(statement, Statement::Bytes));
    let mut lines = file.iter_mut().filter(is_line);
    let line = match lines.next() {
        Some(Statement::Rule(line)) => line,
        _ => {
            for statement in file.iter() {
                if let Statement::Brackets(_, at) = statement {
                    error(report, at, "`@brackets` without lines", NO_LINE);
                }
            }
            return None;
        }
    };
    let mut more = Vec::new();
    for statement in lines {
        if let Statement::Rule(other) = statement {
            let label = "another rule is already marked @line; write one with alternatives";
            error(report, &other.span, "two @line rules", label);
            // After this error, the rule counts as a token rule.
            other.kind = RuleKind::Token;
        }
    }
    let (span, body) = (line.span.clone(), std::mem::take(&mut line.body));
    line.kind = RuleKind::Token;
    if has_bytes {
        let label = "lines and indentation consist of characters";
        error(report, &span, "`@line` and `@bytes`", label);
    }
    let mark = ExpressionKind::Mark;
    line.body = vec![sequence(&span, vec![name(TEXT), mark(LineMark::Line)], 1.0)];
    let rule = |kind: RuleKind, name: &str, body| {
        Statement::Rule(Rule {
            kind,
            name: name.into(),
            span: span.clone(),
            arguments: Vec::new(),
            body,
        })
    };
    more.push(rule(RuleKind::Token, TEXT, body));
    // If the layout of a language has no tabs, its indentation has none either.
    let has_tabs = !has_skip || layout_has_tabs(file);
    let allowed = |width: &u8| has_tabs || !WIDTHS[*width as usize].contains('\t');
    let others = (1..WIDTHS.len() as u8).filter(allowed);
    let others = others.map(|width| sequence(&span, vec![mark(LineMark::Indent(width))], 1.0));
    more.push(rule(RuleKind::Token, OTHER, others.collect()));
    // All other widths together are one alternative. So half of the values of a byte choose the
    // usual width.
    let usual = sequence(&span, vec![mark(LineMark::Indent(0))], USUAL);
    let other = sequence(&span, vec![name(OTHER)], 1.0);
    more.push(rule(RuleKind::Token, INDENT, vec![usual, other]));
    let dedent = sequence(&span, vec![mark(LineMark::Dedent)], 1.0);
    more.push(rule(RuleKind::Token, DEDENT, vec![dedent]));
    let mut brackets = Brackets::default();
    let mut has_brackets = false;
    for statement in file.iter() {
        if let Statement::Brackets(pairs, at) = statement {
            has_brackets = true;
            read_pairs(pairs, at, &mut brackets, report);
        }
    }
    if has_brackets && !has_skip {
        let label = "within brackets, the end of a line is layout; add a @skip rule for blanks";
        error(report, &span, "`@brackets` without layout", label);
    } else if has_brackets {
        let body = sequence(&span, vec![mark(LineMark::Inner), name(TEXT)], 1.0);
        more.push(rule(RuleKind::Skip, INNER, vec![body]));
    }
    file.extend(more);
    Some(brackets)
}

/// Whether a token of the layout may contain a tab. Classes are not parsed, so every negated class
/// counts as containing a tab.
fn layout_has_tabs(file: &File) -> bool {
    let rules = file.iter().filter_map(|statement| match statement {
        Statement::Rule(rule) => Some(rule),
        _ => None,
    });
    let rules: Vec<&Rule> = rules.collect();
    let mut bodies: Vec<&[SyntaxAlternative]> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut expressions: Vec<&Expression> = Vec::new();
    let layout = rules.iter().filter(|rule| rule.kind == RuleKind::Skip);
    bodies.extend(layout.map(|rule| &*rule.body));
    loop {
        if let Some(body) = bodies.pop() {
            let terms = body.iter().flat_map(|alternative| &alternative.terms);
            expressions.extend(terms.map(|term| &term.expression));
        }
        let Some(expression) = expressions.pop() else {
            if bodies.is_empty() {
                return false;
            }
            continue;
        };
        match &expression.kind {
            ExpressionKind::Literal { text, .. } if text.contains(&b'\t') => return true,
            ExpressionKind::Class(class) => {
                let tabs = ["[^", "\t", "\\t", "\\s", "\\x09"];
                if tabs.iter().any(|tab| class.contains(tab)) {
                    return true;
                }
            }
            ExpressionKind::Name(name, _) if seen.insert(name) => {
                let named = rules.iter().filter(|rule| rule.name == *name);
                bodies.extend(named.map(|rule| &*rule.body));
            }
            ExpressionKind::Group(body)
            | ExpressionKind::Capture(_, body)
            | ExpressionKind::Scope(body)
            | ExpressionKind::After(body) => bodies.push(body),
            ExpressionKind::Repeat { element, .. } => expressions.push(element),
            ExpressionKind::Difference(all, _) => expressions.push(all),
            _ => {}
        }
    }
}

/// The label of errors about lines in a grammar without a `@line` rule.
pub const NO_LINE: &str = "add a rule for the end of a line, such as `@line newline = \"\\n\"+ ;`";

fn read_pairs(
    pairs: &[SyntaxAlternative],
    at: &Span,
    brackets: &mut Brackets,
    report: &mut Report,
) {
    for pair in pairs {
        let texts: Vec<&[u8]> = pair.terms.iter().filter_map(literal).collect();
        match texts[..] {
            [open, close] if pair.terms.len() == 2 && pair.weight.is_none() && open != close => {
                brackets[0].insert(open.into());
                brackets[1].insert(close.into());
            }
            _ => {
                let span = pair.span().unwrap_or_else(|| at.clone());
                let label = "write two literals for each pair, such as `@brackets \"(\" \")\" | \"[\" \"]\" ;`";
                error(report, &span, "not a pair of brackets", label);
            }
        }
    }
}

/// The text of a term that is a literal.
fn literal(term: &Term) -> Option<&[u8]> {
    match &term.expression.kind {
        ExpressionKind::Literal { text, .. } if !text.is_empty() && !term.is_adjacent => Some(text),
        _ => None,
    }
}

fn error(report: &mut Report, at: &Span, message: &str, label: &str) {
    report.error(SyntaxError::new(at.clone(), message, label));
}

/// An alternative of these expressions. It has the span of the `@line` rule.
fn sequence(at: &Span, kinds: Vec<ExpressionKind>, weight: f64) -> SyntaxAlternative {
    let term = |kind| Term {
        is_adjacent: false,
        expression: Expression {
            kind,
            span: at.clone(),
        },
    };
    SyntaxAlternative {
        weight: Some((SyntaxWeight::Relative(weight), at.clone())),
        terms: kinds.into_iter().map(term).collect(),
    }
}

fn name(name: &str) -> ExpressionKind {
    ExpressionKind::Name(name.into(), Vec::new())
}
