//! The external tokens for lines and indentation, by the names that they have in many grammars.

use std::collections::{HashMap, HashSet};

use super::super::class::CharacterClass;
use super::super::expression::{Expression, ForeignGrammar, ForeignKind, ForeignRule, by_name};
use super::super::fixed_point::rules_with;
use super::super::regular::Automaton;
use super::convert::Converter;
use super::json::Json;
use super::layout;

/// The usual names of the end of a line.
const LINES: [&str; 7] = [
    "newline",
    "line_break",
    "eol",
    "end_of_line",
    "line_end",
    "layout_semicolon",
    "virtual_end_decl",
];

/// The usual names of the beginning of a block.
const INDENTS: [&str; 7] = [
    "indent",
    "begin_indent",
    "block_start",
    "block_open",
    "open_block",
    "layout_start",
    "virtual_open_section",
];

/// The usual names of the end of a block.
const DEDENTS: [&str; 9] = [
    "dedent",
    "outdent",
    "unindent",
    "end_indent",
    "block_end",
    "block_close",
    "close_block",
    "layout_end",
    "virtual_end_section",
];

/// The brackets in which lines have no meaning in most languages.
const BRACKETS: [[&str; 2]; 3] = [["(", ")"], ["[", "]"], ["{", "}"]];

/// The names of the tokens of a grammar.
pub struct IndentationTokens {
    line: String,
    indent: String,
    dedent: String,
}

/// Finds the tokens for lines and indentation. Returns [`None`] if one of them is missing.
pub fn find(source: &Json) -> Option<IndentationTokens> {
    let externals = source.get("externals").map(Json::elements)?;
    let find = |names: &[&str]| {
        let all = externals.iter().filter_map(|token| token.text_of("name"));
        let is_usual = |name: &&str| names.contains(&name.trim_start_matches('_'));
        all.into_iter().find(is_usual).map(ToString::to_string)
    };
    Some(IndentationTokens {
        line: find(&LINES)?,
        indent: find(&INDENTS)?,
        dedent: find(&DEDENTS)?,
    })
}

impl IndentationTokens {
    /// Whether a name is that of one of the tokens.
    pub fn is_part(&self, name: &str) -> bool {
        [&self.line, &self.indent, &self.dedent].contains(&&name.to_string())
    }

    /// The expressions of the tokens.
    pub fn tokens(&self) -> HashMap<String, Expression> {
        let line = Expression::name(self.line.clone());
        HashMap::from([
            (self.line.clone(), line),
            (self.indent.clone(), Expression::Indent),
            (self.dedent.clone(), Expression::Dedent),
        ])
    }

    /// Adds the rule for the end of a line. If a line does not end before a block, the token for the beginning of
    /// the block includes the end of the line. Blocks become lines, at least one.
    pub fn add_line(&self, grammar: &mut ForeignGrammar, source: &Json) {
        let line = Expression::name(self.line.clone());
        let is_included = !has_line_before_indent(grammar, &line);
        for rule in &mut grammar.rules {
            rule.body.visit_mut(&mut |part| match part {
                Expression::Indent if is_included => {
                    *part = Expression::Sequence(vec![line.clone(), Expression::Indent]);
                }
                Expression::Sequence(parts) => lines_before_dedent(parts),
                _ => {}
            });
            // Sequences in sequences are joined.
            rule.body.visit_mut(&mut |part| {
                if let Expression::Sequence(parts) = part {
                    *part = Expression::sequence(std::mem::take(parts));
                }
            });
        }
        let blanks = Expression::Class(CharacterClass::of(" \t\u{c}")).repeat(0, None);
        let extras = source.get("extras").map(Json::elements).unwrap_or_default();
        let mut names = extras.iter().filter_map(|extra| extra.text_of("name"));
        let comment = names.find_map(|name| layout::line_comment(grammar, name));
        let comment = comment.map(|sign| {
            let class = CharacterClass::any().minus(&CharacterClass::of("\0\r\n"));
            let text = Expression::Class(class).repeat(0, None);
            Expression::sequence([Expression::literal(sign), text]).optional()
        });
        let parts = [blanks].into_iter().chain(comment);
        let body = Expression::sequence(parts.chain([Expression::literal("\n")]));
        let start = grammar.start.clone();
        if let Some(first) = grammar
            .rules
            .iter_mut()
            .find(|rule| Some(&rule.name) == start.as_ref())
        {
            // A text may begin with blank lines.
            let body = std::mem::replace(&mut first.body, Expression::empty());
            first.body = Expression::sequence([line.optional(), body]);
        }
        grammar.rules.push(ForeignRule {
            comments: vec!["The end of a line, and the blank lines after it.".into()],
            ..ForeignRule::new(self.line.clone(), ForeignKind::Line, body.repeat(1, None))
        });
        grammar.brackets = BRACKETS.to_vec();
    }

    /// Adds the continuation of lines to the layout, if it is one of the extras.
    pub fn add_layout(
        &self,
        grammar: &mut ForeignGrammar,
        source: &Json,
        converter: &mut Converter,
    ) {
        let rules = by_name(&grammar.rules);
        let joins = |name: &str| {
            let body = rules.get(name)?;
            Some(Automaton::new(body, &rules).ok()?.accepts("\\\n"))
        };
        let extras = source.get("extras").map(Json::elements).unwrap_or_default();
        let mut names = extras.iter().filter_map(|extra| extra.text_of("name"));
        if names.any(|name| joins(name) == Some(true)) {
            grammar.rules.push(ForeignRule::new(
                converter.unused("joined_lines"),
                ForeignKind::Layout(0),
                Expression::literal("\\\n"),
            ));
        }
    }
}

/// Requires at least one line in a block.
fn lines_before_dedent(parts: &mut [Expression]) {
    for at in 1..parts.len() {
        if parts[at] != Expression::Dedent {
            continue;
        }
        if let Expression::Repeat {
            at_least: at_least @ 0,
            ..
        } = &mut parts[at - 1]
        {
            *at_least = 1;
        }
    }
}

/// Whether a line ends before a block somewhere.
fn has_line_before_indent(grammar: &ForeignGrammar, line: &Expression) -> bool {
    let ends = rules_with(&grammar.rules, |body, names| is_at_end(body, line, names));
    let begins = rules_with(&grammar.rules, begins_block);
    let mut has = false;
    for rule in &grammar.rules {
        rule.body.visit(&mut |part| {
            if let Expression::Sequence(parts) = part {
                has |= parts.windows(2).any(|pair| {
                    is_at_end(&pair[0], line, &ends) && begins_block(&pair[1], &begins)
                });
            }
        });
    }
    has
}

/// Whether an expression, or a rule in `names`, can end with the end of a line.
fn is_at_end(expression: &Expression, line: &Expression, names: &HashSet<String>) -> bool {
    match expression {
        Expression::Name(name) => expression == line || names.contains(name),
        Expression::Sequence(parts) => parts
            .last()
            .is_some_and(|last| is_at_end(last, line, names)),
        other => other
            .parts()
            .iter()
            .any(|part| is_at_end(part, line, names)),
    }
}

/// Whether an expression, or a rule in `names`, can begin with a block.
fn begins_block(expression: &Expression, names: &HashSet<String>) -> bool {
    match expression {
        Expression::Indent => true,
        Expression::Name(name) => names.contains(name),
        Expression::Sequence(parts) => parts
            .first()
            .is_some_and(|first| begins_block(first, names)),
        other => other.parts().iter().any(|part| begins_block(part, names)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;

    fn tokens(names: &[&str]) -> Option<IndentationTokens> {
        let token = |name: &&str| format!("{{\"type\": \"SYMBOL\", \"name\": \"{name}\"}}");
        let tokens: Vec<String> = names.iter().map(token).collect();
        let source = format!("{{\"externals\": [{}]}}", tokens.join(","));
        find(&json::parse(&source).unwrap())
    }

    /// The body of a rule with a block, after the rule for the end of a line has been added.
    fn body(parts: Vec<Expression>) -> Expression {
        let mut grammar = ForeignGrammar {
            rules: vec![ForeignRule::new(
                "s",
                ForeignKind::Syntax,
                Expression::Sequence(parts),
            )],
            ..ForeignGrammar::default()
        };
        let tokens = tokens(&["_newline", "_indent", "_dedent"]).unwrap();
        tokens.add_line(&mut grammar, &json::parse("{}").unwrap());
        assert_eq!(grammar.rules[1].kind, ForeignKind::Line);
        grammar.rules.remove(0).body
    }

    #[test]
    fn all_of_the_tokens_are_needed() {
        assert!(tokens(&["_newline", "_indent"]).is_none());
        assert!(tokens(&["_automatic_semicolon", "_indent", "_outdent"]).is_none());
        let found = tokens(&["_eol", "_layout_start", "_layout_end"]).unwrap();
        assert!(found.is_part("_layout_start") && !found.is_part("layout_start"));
    }

    #[test]
    fn a_line_ends_before_a_block() {
        let lines = |at_least| Expression::name("a").repeat(at_least, None);
        let line = Expression::name("_newline");
        let with_line = vec![line, Expression::Indent, lines(1), Expression::Dedent];
        let without = vec![Expression::Indent, lines(0), Expression::Dedent];
        let expected = Expression::Sequence(with_line.clone());
        assert_eq!(body(without), expected);
        assert_eq!(body(with_line), expected);
    }
}
