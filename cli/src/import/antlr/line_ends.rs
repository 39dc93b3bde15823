//! Adds a line feed to comments that run to the end of the line, and leaves out layout without an end.

use std::collections::HashMap;

use crate::import::class::CharacterClass;
use crate::import::expression::{Expression, Finding, ForeignKind, ForeignRule, by_name};
use crate::import::regular::Automaton;

/// The maximum depth to which names are followed.
const DEPTH: usize = 12;

/// Adds a line feed to each layout rule that runs to the end of the line, if a line feed is layout,
/// too. If it is not, the rule is left out.
///
/// Layout that runs over lines without an end, such as `'~' ~'|'*`, is left out, too, because it would
/// contain the tokens after it.
///
/// Returns a warning for each rule that was left out.
pub fn close(rules: &mut [ForeignRule]) -> Vec<Finding> {
    let mut warnings = Vec::new();
    let copies = rules.to_vec();
    let by_name = by_name(&copies);
    let is_layout = |rule: &ForeignRule| matches!(rule.kind, ForeignKind::Layout(_));
    let has_line_feed = rules.iter().filter(|rule| is_layout(rule)).any(|rule| {
        Automaton::new(&rule.body, &by_name).is_ok_and(|automaton| automaton.accepts("\n"))
    });
    for rule in rules.iter_mut().filter(|rule| is_layout(rule)) {
        if is_open(&rule.body, &by_name, runs_over_lines, 0) {
            warnings.push(leave_out(
                rule,
                "runs over lines and has no end",
                "it takes the tokens after it",
            ));
        } else if !is_open(&rule.body, &by_name, runs_to_line_end, 0) {
            continue;
        } else if let Some(body) = required(&rule.body) {
            rule.body = body;
        } else if has_line_feed {
            let body = std::mem::replace(&mut rule.body, Expression::empty());
            rule.body = Expression::sequence([body, Expression::literal("\n")]);
        } else {
            warnings.push(leave_out(
                rule,
                "runs to the end of the line",
                "the line feed after it is no layout",
            ));
        }
    }
    warnings
}

/// Leaves out a layout rule. It becomes a fragment, which tokens may still use. Returns the warning.
fn leave_out(rule: &mut ForeignRule, problem: &str, reason: &str) -> Finding {
    rule.kind = ForeignKind::Fragment;
    Finding::new(
        rule.location.clone(),
        format!("`{}` {problem}", rule.name),
        format!("it was left out, because {reason}"),
    )
}

/// Makes an optional line feed at the end a required one.
fn required(body: &Expression) -> Option<Expression> {
    let Expression::Sequence(parts) = body else {
        return None;
    };
    let (
        Expression::Repeat {
            element,
            at_least: 0,
            ..
        },
        rest,
    ) = parts.split_last()?
    else {
        return None;
    };
    let is_line_feed = match &**element {
        Expression::Literal { text, .. } => text.ends_with('\n'),
        Expression::Class(class) => class.contains('\n'),
        _ => false,
    };
    let end = Expression::literal("\n");
    is_line_feed.then(|| Expression::sequence(rest.iter().cloned().chain([end])))
}

/// Whether a repeated class takes nearly all characters of a line.
fn runs_to_line_end(class: &CharacterClass) -> bool {
    class.contains('a') && class.contains('"') && !class.contains('\n')
}

/// Whether a repeated class takes nearly all characters, line feeds too.
fn runs_over_lines(class: &CharacterClass) -> bool {
    class.contains('a') && class.contains('"') && class.contains('\n')
}

/// Whether a text of the expression may go on with characters of a repeated class for which `is_long` holds.
fn is_open(
    expression: &Expression,
    rules: &HashMap<&str, &Expression>,
    is_long: fn(&CharacterClass) -> bool,
    depth: usize,
) -> bool {
    if depth > DEPTH {
        return false;
    }
    let is_open = |part: &Expression, deeper: usize| is_open(part, rules, is_long, depth + deeper);
    match expression {
        Expression::Literal { .. } | Expression::Class(_) => false,
        Expression::Name(name) => rules.get(&**name).is_some_and(|body| is_open(body, 1)),
        Expression::Sequence(parts) => {
            for part in parts.iter().rev() {
                if is_open(part, 0) {
                    return true;
                }
                if !matches!(part, Expression::Repeat { at_least: 0, .. }) {
                    return false;
                }
            }
            false
        }
        Expression::Choice(parts) => parts.iter().any(|part| is_open(part, 0)),
        Expression::Repeat {
            element, at_most, ..
        } => match &**element {
            Expression::Class(class) if *at_most != Some(1) => is_long(class),
            Expression::Name(name) if *at_most != Some(1) => rules
                .get(&**name)
                .is_some_and(|body| matches!(body, Expression::Class(class) if is_long(class))),
            inner => is_open(inner, 0),
        },
        Expression::Adjacent(part)
        | Expression::Difference(part, _)
        | Expression::Capture(_, part) => is_open(part, 0),
        Expression::Indent | Expression::Dedent | Expression::Same(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::antlr::{lower::lower, parser};

    fn layout(rule: &str) -> ForeignRule {
        let text = format!("grammar A; r : 'a' ; {rule} WS : [ \\n]+ -> skip ;");
        let grammar = lower(parser::parse(&text, 0).unwrap());
        let mut rules = grammar.rules.into_iter();
        rules.find(|rule| rule.name == "C").unwrap()
    }

    #[test]
    fn a_comment_of_a_line_has_a_line_feed() {
        let rule = layout("C : '#' ~'\\n'* -> skip ;");
        let end = Some(Expression::literal("\n"));
        assert!(matches!(rule.body, Expression::Sequence(parts) if parts.last() == end.as_ref()));
    }

    #[test]
    fn layout_over_lines_without_an_end_is_left_out() {
        let rule = layout("C : '~' ~'|'* -> skip ;");
        assert_eq!(rule.kind, ForeignKind::Fragment);
        let closed = layout("C : '{' ~'}'* '}' -> skip ;");
        assert_eq!(closed.kind, ForeignKind::Layout(0));
    }
}
