//! Separates paths, which an external scanner reads, from the tokens beside them.
//!
//! The scanner reads all characters that a path can have as parts of the path. So in Nix, `a /-b` has the path `/-b`,
//! and `./a+b` is one path. So a blank is added after a path, and after a slash that is no path.

use super::super::expression::{Expression, ForeignGrammar, ForeignKind};
use super::json::Json;

/// Adds the blanks if the scanner has a token for the beginning of a path.
pub fn separate(grammar: &mut ForeignGrammar, source: &Json) {
    let externals = source.get("externals").map(Json::elements);
    let mut names = externals
        .unwrap_or_default()
        .iter()
        .filter_map(|token| token.text_of("name"));
    if !names.any(|name| name.trim_start_matches('_') == "path_start") {
        return;
    }
    let is_syntax = |kind| kind == ForeignKind::Syntax;
    for rule in grammar.rules.iter_mut().filter(|rule| is_syntax(rule.kind)) {
        let mut is_path = false;
        rule.body.visit_mut(&mut |part| match part {
            Expression::Literal { text, .. } if text == "/" || text == "//" => {
                *part = Expression::literal(format!("{text} "));
            }
            Expression::Name(name) => is_path |= name.contains("path_fragment"),
            _ => {}
        });
        if is_path {
            let body = std::mem::replace(&mut rule.body, Expression::empty());
            rule.body = Expression::sequence([body, Expression::literal(" ").adjacent()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::expression::ForeignRule;
    use super::super::json;
    use super::*;

    #[test]
    fn a_path_and_a_slash_have_a_blank_after_them() {
        let rule = |name: &str, parts: Vec<Expression>| {
            ForeignRule::new(name, ForeignKind::Syntax, Expression::Sequence(parts))
        };
        let (a, slash) = (|| Expression::name("a"), Expression::literal("/"));
        let fragment = || Expression::name("path_fragment");
        let mut grammar = ForeignGrammar {
            rules: vec![
                rule("quotient", vec![a(), slash, a()]),
                rule("path", vec![Expression::literal("./a"), fragment()]),
            ],
            ..ForeignGrammar::default()
        };
        let source = r#"{"externals": [{"type": "SYMBOL", "name": "_path_start"}]}"#;
        separate(&mut grammar, &json::parse("{}").unwrap());
        assert_eq!(
            grammar.rules[1].body,
            Expression::Sequence(vec![Expression::literal("./a"), fragment()])
        );
        separate(&mut grammar, &json::parse(source).unwrap());
        let quotient = vec![a(), Expression::literal("/ "), a()];
        assert_eq!(grammar.rules[0].body, Expression::Sequence(quotient));
        let blank = Expression::literal(" ").adjacent();
        let path = vec![Expression::literal("./a"), fragment(), blank];
        assert_eq!(grammar.rules[1].body, Expression::Sequence(path));
    }
}
