//! Reads the grammars of tree-sitter: the file `src/grammar.json`.

mod build;
mod closed_ends;
mod contextual_keywords;
mod convert;
mod ends;
mod externals;
mod first_limits;
mod first_tokens;
mod followers;
mod indentation;
mod interpolations;
mod json;
mod layout;
mod line_ends;
mod lists;
mod operands;
mod overlaps;
mod pairs;
mod paths;
mod pattern;
mod precedence;
mod strings;
mod tails;
#[cfg(test)]
mod testing;
mod text;
mod units;

use std::collections::{HashMap, HashSet};

use self::convert::Converter;
use self::json::Json;
use super::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, ForeignRule, SourceLocation, Tokenization,
};
use super::sources::Sources;

/// Reads a grammar.
pub fn read(sources: &mut Sources, file: usize) -> Result<ForeignGrammar, Finding> {
    let source = json::parse(sources.text(file)).map_err(|(at, label)| {
        Finding::new(SourceLocation::new(file, at..at), "this is not JSON", label)
    })?;
    let rules = source.get("rules").map(Json::members).unwrap_or_default();
    if rules.is_empty() {
        return Err(Finding::new(
            SourceLocation::new(file, 0..0),
            "this is no grammar of tree-sitter",
            "it has no member `rules` with the rules",
        ));
    }
    let conflicts = conflicts(&source);
    let limited = line_ends::limit(&source, rules.to_vec());
    let limited = operands::limit(&source, &ends::limit(&limited, &conflicts));
    let limited = interpolations::limit(&source, limited);
    let limited = followers::limit(limited);
    let limited = lists::limit(limited, &conflicts);
    let limited = pairs::limit(limited, &conflicts);
    let overlaps = overlaps::find(&limited);
    let rules = &limited;
    let mut external = external_tokens(&source, rules, file);
    let indentation = indentation::find(&source);
    if let Some(indentation) = &indentation {
        external.inline.extend(indentation.tokens());
        external.is_known(|name| indentation.is_part(name));
    }
    let mut converter = Converter::new(file, rules);
    converter.inline = external.inline;
    converter.adjacent.extend(external.adjacent);
    let mut all = Vec::new();
    for (name, body) in rules {
        all.append(&mut converter.rule(name, body)?);
    }
    all.extend(external.rules);
    let mut grammar = ForeignGrammar {
        rules: all,
        start: rules.first().map(|(name, _)| name.clone()),
        tokenization: Tokenization::Contextual,
        warnings: external.warnings,
        ..ForeignGrammar::default()
    };
    overlaps::remove(&mut grammar, &overlaps);
    forbid_layout_before(&mut grammar, &converter.adjacent);
    paths::separate(&mut grammar, &source);
    if let Some(indentation) = &indentation {
        strings::complete(&mut grammar, &mut converter);
        indentation.add_line(&mut grammar, &source);
    }
    layout::add(&mut grammar, &source, &mut converter)?;
    let content = text::forbid_layout_in_texts(&mut grammar);
    layout::without_line_feeds(&mut grammar, &content);
    if let Some(indentation) = &indentation {
        indentation.add_layout(&mut grammar, &source, &mut converter);
        strings::narrow(&mut grammar, &content);
    }
    if let Some(word) = source.text_of("word") {
        grammar.contextual = contextual_keywords::find(rules, word);
        let is_token =
            |rule: &ForeignRule| rule.name == word && matches!(rule.kind, ForeignKind::Token(_));
        let is_used = |rule: &ForeignRule| {
            let mut uses = false;
            rule.body
                .visit(&mut |part| uses |= *part == Expression::name(word));
            rule.kind == ForeignKind::Syntax && uses
        };
        if grammar.rules.iter().any(is_token) && grammar.rules.iter().any(is_used) {
            grammar.identifiers.push(word.into());
        }
    }
    Ok(grammar)
}

/// The rules for which the parser tries several derivations at once.
fn conflicts(source: &Json) -> HashSet<&str> {
    let all = source.get("conflicts").map(Json::elements);
    let names = all.unwrap_or_default().iter().flat_map(Json::elements);
    names.filter_map(Json::text).collect()
}

/// The meaning of the tokens of the external scanner.
struct ExternalTokens {
    /// The expressions that replace names of tokens.
    inline: HashMap<String, Expression>,
    /// The tokens with a rule of their own.
    rules: Vec<ForeignRule>,
    /// The names of the rules without layout before them.
    adjacent: Vec<String>,
    /// Warnings about tokens that are left out.
    warnings: Vec<Finding>,
}

impl ExternalTokens {
    /// Removes the rules and the warnings of tokens for which `is` is true: their meaning is known.
    fn is_known(&mut self, is: impl Fn(&str) -> bool) {
        self.rules.retain(|rule| !is(&rule.name));
        self.adjacent.retain(|name| !is(name));
        let is_about = |finding: &Finding| finding.message.split('`').any(&is);
        self.warnings.retain(|finding| !is_about(finding));
    }
}

/// Reads the list of the external tokens.
fn external_tokens(source: &Json, rules: &[(String, Json)], file: usize) -> ExternalTokens {
    let mut tokens = ExternalTokens {
        inline: HashMap::new(),
        rules: Vec::new(),
        adjacent: Vec::new(),
        warnings: Vec::new(),
    };
    let has_rule: HashSet<&str> = rules.iter().map(|(name, _)| &**name).collect();
    for token in source
        .get("externals")
        .map(Json::elements)
        .unwrap_or_default()
    {
        let Some(name) = token
            .text_of("name")
            .filter(|name| !has_rule.contains(name))
        else {
            continue;
        };
        let Some(meaning) = externals::meaning(name) else {
            continue;
        };
        let location = SourceLocation::new(file, token.span.clone());
        if meaning == Expression::never() {
            tokens.warnings.push(Finding::new(
                location.clone(),
                format!("the token `{name}` of the external scanner was left out"),
                "sentences have nothing that needs it",
            ));
        }
        if matches!(meaning, Expression::Literal { .. } | Expression::Choice(_))
            || meaning == Expression::empty()
        {
            tokens.inline.insert(name.into(), meaning);
            continue;
        }
        tokens.adjacent.push(name.into());
        tokens.rules.push(ForeignRule {
            comments: vec![format!(
                "A token of the external scanner, by its name `{name}`."
            )],
            location,
            ..ForeignRule::new(name, ForeignKind::Fragment, meaning)
        });
    }
    tokens
}

/// Forbids layout before the tokens in `adjacent`.
fn forbid_layout_before(grammar: &mut ForeignGrammar, adjacent: &HashSet<String>) {
    for rule in grammar
        .rules
        .iter_mut()
        .filter(|rule| rule.kind == ForeignKind::Syntax)
    {
        rule.body.visit_mut(&mut |part| match part {
            Expression::Name(name) if adjacent.contains(name) => {
                *part = Expression::name(name.clone()).adjacent();
            }
            Expression::Adjacent(inner) if matches!(**inner, Expression::Adjacent(_)) => {
                *part = (**inner).clone();
            }
            _ => {}
        });
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn grammar(rules: &str, rest: &str) -> Result<ForeignGrammar, Finding> {
        let mut sources = Sources::default();
        let text = format!("{{\"name\": \"x\", {rest} \"rules\": {{{rules}}}}}");
        let file = sources.add(Path::new("grammar.json"), text);
        read(&mut sources, file)
    }

    fn rule<'a>(grammar: &'a ForeignGrammar, name: &str) -> &'a ForeignRule {
        grammar.rules.iter().find(|rule| rule.name == name).unwrap()
    }

    #[test]
    fn rules_keep_their_order_and_tokens_are_found() {
        let grammar = grammar(
            r#""z": {"type": "SEQ", "members": [{"type": "SYMBOL", "name": "name"},
                {"type": "PATTERN", "value": "[0-9]"}, {"type": "STRING", "value": "="}]},
               "name": {"type": "PATTERN", "value": "[a-z]+"}"#,
            r#""word": "name", "extras": [{"type": "PATTERN", "value": "\\s"}],"#,
        )
        .unwrap();
        let names: Vec<&str> = grammar.rules.iter().map(|rule| &*rule.name).collect();
        assert_eq!(names, ["z", "z_token", "name", "layout"]);
        assert_eq!(grammar.identifiers, ["name"]);
        assert_eq!(
            rule(&grammar, "z").body,
            Expression::sequence([
                Expression::name("name"),
                Expression::name("z_token"),
                Expression::literal("="),
            ])
        );
        assert_eq!(rule(&grammar, "name").kind, ForeignKind::Token(0));
        assert!(matches!(
            rule(&grammar, "layout").kind,
            ForeignKind::Layout(_)
        ));
    }

    #[test]
    fn texts_have_no_layout_in_them() {
        let grammar = grammar(
            r#""s": {"type": "SEQ", "members": [{"type": "STRING", "value": "'"},
                {"type": "REPEAT", "content": {"type": "SYMBOL", "name": "_string_content"}},
                {"type": "STRING", "value": "'"}]}"#,
            r#""externals": [{"type": "SYMBOL", "name": "_string_content"}],"#,
        )
        .unwrap();
        let Expression::Sequence(parts) = &rule(&grammar, "s").body else {
            panic!("no sequence");
        };
        assert_eq!(parts[0], Expression::literal("'"));
        assert_eq!(parts[2], Expression::literal("'").adjacent());
    }

    #[test]
    fn tokens_that_are_left_out_are_warnings() {
        let grammar = grammar(
            r#""s": {"type": "CHOICE", "members": [{"type": "STRING", "value": "a"},
                {"type": "SYMBOL", "name": "heredoc_start"}]}"#,
            r#""externals": [{"type": "SYMBOL", "name": "heredoc_start"}],"#,
        )
        .unwrap();
        assert_eq!(grammar.warnings.len(), 1);
        assert!(grammar.warnings[0].message.contains("heredoc_start"));
    }

    #[test]
    fn wrong_grammars_are_errors() {
        assert!(grammar("", "").is_err());
        let error = grammar(r#""a": {"type": "WHAT"}"#, "").unwrap_err();
        assert!(error.message.contains("WHAT"), "{error:?}");
        let error = grammar(r#""a": {"type": "PATTERN", "value": "("}"#, "").unwrap_err();
        assert!(error.label.contains("unclosed"), "{error:?}");
        let mut deep = r#"{"type": "BLANK"}"#.to_string();
        for _ in 0..180 {
            deep = format!(r#"{{"type": "REPEAT", "content": {deep}}}"#);
        }
        assert!(grammar(&format!("\"a\": {deep}"), "").is_err());
    }
}
