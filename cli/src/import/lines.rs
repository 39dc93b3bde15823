//! Removes indentation and brackets that zester's notation cannot have there.

use std::collections::HashSet;

use super::expression::{Expression, ForeignGrammar, ForeignKind, ForeignRule};

/// Leaves out indentation where zester's notation has none: in tokens, in repetitions of indentation alone,
/// and in grammars without a rule for the end of a line.
pub fn check(grammar: &mut ForeignGrammar) {
    let is_line = |rule: &ForeignRule| rule.kind == ForeignKind::Line;
    let has_lines = grammar.rules.iter().any(is_line);
    let empty = Expression::empty();
    for rule in &mut grammar.rules {
        let is_syntax = rule.kind == ForeignKind::Syntax && has_lines;
        rule.body.visit_mut(&mut |part| match part {
            Expression::Indent | Expression::Dedent if !is_syntax => *part = Expression::empty(),
            Expression::Repeat { element, .. } | Expression::Adjacent(element)
                if matches!(**element, Expression::Indent | Expression::Dedent)
                    || **element == empty =>
            {
                *part = (**element).clone();
            }
            _ => {}
        });
    }
}

/// Leaves out the brackets that are no literals of syntax rules.
pub fn check_brackets(grammar: &mut ForeignGrammar) {
    let is_line = |rule: &ForeignRule| rule.kind == ForeignKind::Line;
    let is_layout = |rule: &ForeignRule| matches!(rule.kind, ForeignKind::Layout(_));
    let mut literals: HashSet<&str> = HashSet::new();
    let is_syntax = |rule: &&ForeignRule| rule.kind == ForeignKind::Syntax;
    for rule in grammar.rules.iter().filter(is_syntax) {
        rule.body.visit(&mut |part| {
            if let Expression::Literal { text, .. } = part {
                literals.insert(text);
            }
        });
    }
    let can_have = grammar.rules.iter().any(is_line) && grammar.rules.iter().any(is_layout);
    grammar
        .brackets
        .retain(|pair| can_have && pair.iter().all(|one| literals.contains(one)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grammar(kinds: [ForeignKind; 3]) -> ForeignGrammar {
        let block = Expression::sequence([
            Expression::literal("("),
            Expression::Indent.repeat(0, None),
            Expression::literal(")"),
            Expression::Dedent,
        ]);
        let bodies = [block, Expression::literal("\n"), Expression::literal(" ")];
        let rule = |(body, kind)| ForeignRule::new("a", kind, body);
        ForeignGrammar {
            rules: bodies.into_iter().zip(kinds).map(rule).collect(),
            brackets: vec![["(", ")"], ["[", "]"]],
            ..ForeignGrammar::default()
        }
    }

    #[test]
    fn indentation_needs_lines_and_syntax() {
        let (syntax, layout) = (ForeignKind::Syntax, ForeignKind::Layout(0));
        for (kinds, brackets, parts) in [
            ([syntax, ForeignKind::Line, layout], 1, 4),
            ([syntax, ForeignKind::Token(0), layout], 0, 2),
            ([ForeignKind::Token(0), ForeignKind::Line, layout], 0, 2),
        ] {
            let mut grammar = grammar(kinds);
            check(&mut grammar);
            check_brackets(&mut grammar);
            assert_eq!(grammar.brackets.len(), brackets);
            let has_text = |part: &&Expression| **part != Expression::empty();
            let parts_of_body = grammar.rules[0].body.parts().into_iter().filter(has_text);
            assert_eq!(parts_of_body.count(), parts);
        }
    }
}
