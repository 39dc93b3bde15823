//! Keeps texts from beginning with the sign of a comment.
//!
//! The lexer reads the longest token. In JavaScript, it would read the regex `/*a/` as the beginning of a comment. So the
//! pattern, which follows the `/` of a regex, must not begin with `*` or `/`.

use std::collections::HashMap;

use super::super::class::CharacterClass;
use super::super::expression::{Expression, ForeignGrammar, ForeignKind};

/// Limits the tokens that directly follow the beginning of a sign.
pub fn avoid(grammar: &mut ForeignGrammar) {
    let signs = signs(grammar);
    // The characters that a token must not begin with.
    let mut limits: HashMap<String, String> = HashMap::new();
    for rule in grammar
        .rules
        .iter()
        .filter(|rule| rule.kind == ForeignKind::Syntax)
    {
        rule.body.visit(&mut |part| {
            let Expression::Sequence(parts) = part else {
                return;
            };
            for pair in parts.windows(2) {
                let (Expression::Literal { text, .. }, Expression::Adjacent(next)) =
                    (&pair[0], &pair[1])
                else {
                    continue;
                };
                if let Expression::Name(name) = &**next {
                    let rest = signs.iter().filter_map(|sign| sign.strip_prefix(&**text));
                    let rest = rest.filter_map(|rest| rest.chars().next());
                    limits.entry(name.clone()).or_default().extend(rest);
                }
            }
        });
    }
    for rule in &mut grammar.rules {
        let is_token = matches!(rule.kind, ForeignKind::Token(_) | ForeignKind::Fragment);
        let limit = limits
            .get(&rule.name)
            .filter(|limit| is_token && !limit.is_empty());
        if let Some(limit) = limit {
            let rest = Expression::Class(CharacterClass::any()).repeat(0, None);
            let first = Expression::Class(CharacterClass::of(limit));
            let body = std::mem::replace(&mut rule.body, Expression::empty());
            let without = Expression::sequence([first, rest]);
            rule.body = Expression::Difference(Box::new(body), Box::new(without));
        }
    }
}

/// The signs at the beginnings of comments.
fn signs(grammar: &ForeignGrammar) -> Vec<String> {
    let is_layout = |kind| matches!(kind, ForeignKind::Layout(_));
    let mut signs = Vec::new();
    for rule in grammar.rules.iter().filter(|rule| is_layout(rule.kind)) {
        let mut open = vec![&rule.body];
        while let Some(part) = open.pop() {
            match part {
                Expression::Literal { text, .. } => signs.push(text.trim_end().to_string()),
                Expression::Sequence(parts) => open.extend(parts.first()),
                Expression::Choice(parts) => open.extend(parts),
                _ => {}
            }
        }
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::super::super::expression::ForeignRule;
    use super::super::super::regular::Automaton;
    use super::*;

    #[test]
    fn a_regex_does_not_begin_like_a_comment() {
        let slash = || Expression::literal("/");
        let pattern = || Expression::name("pattern").adjacent();
        let regex = Expression::sequence([slash(), pattern(), slash()]);
        let comment = Expression::sequence([Expression::literal("/* "), slash()]);
        let mut grammar = ForeignGrammar {
            rules: vec![
                ForeignRule::new("regex", ForeignKind::Syntax, regex),
                ForeignRule::new(
                    "pattern",
                    ForeignKind::Fragment,
                    Expression::Class(CharacterClass::any()),
                ),
                ForeignRule::new("comment", ForeignKind::Layout(0), comment),
                ForeignRule::new("other", ForeignKind::Fragment, slash()),
            ],
            ..ForeignGrammar::default()
        };
        avoid(&mut grammar);
        let Expression::Difference(_, without) = &grammar.rules[1].body else {
            panic!("{:?}", grammar.rules[1].body);
        };
        let automaton = Automaton::new(without, &HashMap::new()).unwrap();
        assert!(automaton.accepts("*") && automaton.accepts("*a") && !automaton.accepts("a*"));
        assert_eq!(grammar.rules[3].body, slash());
    }
}
