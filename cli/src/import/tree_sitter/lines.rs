//! Forbids layout at the beginning of lines where it has a meaning: it is indentation.

use std::collections::HashSet;

use super::super::expression::{Expression, ForeignGrammar, ForeignKind};

/// Forbids layout before what follows a line feed.
pub fn adjoin(grammar: &mut ForeignGrammar) {
    // The rules whose texts may end with a line feed.
    let mut lines: HashSet<String> = HashSet::new();
    loop {
        let before = lines.len();
        for rule in &grammar.rules {
            if ends_line(&rule.body, &lines) {
                lines.insert(rule.name.clone());
            }
        }
        if lines.len() == before {
            break;
        }
    }
    let is_syntax = |kind| kind == ForeignKind::Syntax;
    for rule in grammar.rules.iter_mut().filter(|rule| is_syntax(rule.kind)) {
        rule.body.visit_mut(&mut |part| match part {
            Expression::Sequence(parts) => {
                for at in 1..parts.len() {
                    if ends_line(&parts[at - 1], &lines) {
                        let part = std::mem::replace(&mut parts[at], Expression::empty());
                        parts[at] = adjacent(part);
                    }
                }
            }
            Expression::Repeat {
                element,
                at_most: None,
                ..
            } if ends_line(element, &lines) => {
                **element = adjacent((**element).clone());
            }
            _ => {}
        });
    }
}

/// The expression without layout before it; repetitions keep it between their elements.
fn adjacent(expression: Expression) -> Expression {
    match expression {
        Expression::Repeat {
            element,
            at_least,
            at_most,
        } => element.adjacent().repeat(at_least, at_most),
        other => other.adjacent(),
    }
}

/// Whether a text of an expression may end with a line feed. `lines` are rules of which texts do.
fn ends_line(expression: &Expression, lines: &HashSet<String>) -> bool {
    match expression {
        Expression::Literal { text, .. } => text.ends_with('\n'),
        Expression::Name(name) => lines.contains(name),
        Expression::Class(_) => false,
        Expression::Sequence(parts) => {
            // What may be empty is passed over.
            for part in parts.iter().rev() {
                if ends_line(part, lines) {
                    return true;
                }
                if !matches!(part, Expression::Repeat { at_least: 0, .. }) {
                    return false;
                }
            }
            false
        }
        Expression::Choice(parts) => parts.iter().any(|part| ends_line(part, lines)),
        Expression::Repeat { element, .. } | Expression::Adjacent(element) => {
            ends_line(element, lines)
        }
        Expression::Difference(from, _) => ends_line(from, lines),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::expression::{ForeignRule, SourcePlace};
    use super::*;

    #[test]
    fn lines_begin_without_layout() {
        let rule = |name: &str, body| ForeignRule {
            name: name.into(),
            kind: ForeignKind::Syntax,
            comments: Vec::new(),
            place: SourcePlace::default(),
            body,
            warnings: Vec::new(),
        };
        let line = [Expression::literal("a"), Expression::literal("\n")];
        let mut grammar = ForeignGrammar {
            rules: vec![
                rule("all", Expression::name("line").repeat(0, None)),
                rule("line", Expression::sequence(line)),
            ],
            ..ForeignGrammar::default()
        };
        adjoin(&mut grammar);
        assert_eq!(
            grammar.rules[0].body,
            Expression::name("line").adjacent().repeat(0, None)
        );
    }
}
