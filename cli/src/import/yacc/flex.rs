//! Reads the simple patterns of a lexer of Lex or Flex: those of tokens, and layout.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::class::CharacterClass;
use super::super::code;
use super::super::expression::{Expression, Finding, ForeignKind, ForeignRule, SourceLocation};
use super::super::names;
use super::super::sources::{self, Sources};
use super::flex_file;
use super::flex_pattern::FlexPatterns;
use super::flex_scan::{self, FlexRule};

/// The maximum number of patterns of one character that are remembered.
const MAX_CHARACTERS: usize = 256;

/// The tokens of a lexer.
#[derive(Debug, Default)]
pub struct FlexTokens {
    /// The names of the tokens.
    tokens: HashSet<String>,
    /// The literals of tokens with one text, by the names of the tokens.
    pub texts: HashMap<String, Expression>,
    /// The other tokens, layout, and the definitions that they use.
    pub rules: Vec<ForeignRule>,
    /// The patterns of one character, in the order of the source, and whether the lexer returns the character.
    characters: Vec<(CharacterClass, bool)>,
    /// The words in the actions of patterns that were left out. Some are names of tokens.
    pub unread: HashSet<String>,
    pub warnings: Vec<Finding>,
}

impl FlexTokens {
    /// Whether the lexer has a token of this name.
    pub fn has(&self, name: &str) -> bool {
        self.tokens.contains(name)
    }

    /// Whether the lexer reads a character as another token or as layout, so that the parser never gets the
    /// character.
    pub fn reads_otherwise(&self, text: &str) -> bool {
        let mut characters = text.chars();
        let (Some(character), None) = (characters.next(), characters.next()) else {
            return false;
        };
        let mut patterns = self.characters.iter();
        let first = patterns.find(|(class, _)| class.contains(character));
        first.is_some_and(|(_, is_returned)| !is_returned)
    }
}

/// Reads the lexer that lies beside a grammar, if there is one. `taken` has the names of the grammar.
pub fn beside(sources: &mut Sources, file: usize, taken: HashSet<String>) -> FlexTokens {
    let Some(path) = flex_file::beside(sources.path(file)) else {
        return FlexTokens::default();
    };
    let Some(text) = sources::neighbour(&path) else {
        return FlexTokens::default();
    };
    let file = sources.add(&path, text);
    tokens(sources.text(file), file, taken)
}

/// What an action of a lexer does.
#[derive(Debug, PartialEq, Eq)]
enum FlexAction {
    Token(String),
    /// It returns the character that was read.
    Itself,
    Nothing,
    Unknown,
}

/// Reads the tokens of a lexer.
fn tokens(text: &str, file: usize, mut taken: HashSet<String>) -> FlexTokens {
    let source = flex_scan::split(text);
    let location = |span: Range<usize>| SourceLocation::new(file, span);
    taken.extend(source.rules.iter().flat_map(|rule| {
        match action_of(&text[rule.action.clone()]) {
            FlexAction::Token(name) => Some(name),
            _ => None,
        }
    }));
    let definitions = source.definitions.into_iter().map(|(name, pattern)| {
        let at = location(name.clone());
        (text[name].to_string(), text[pattern].to_string(), at)
    });
    let patterns = FlexPatterns::new(definitions.collect(), source.insensitive, |name| {
        names::take(name, &mut taken)
    });
    let mut result = FlexTokens::default();
    let mut skipped: Vec<Range<usize>> = Vec::new();
    // The patterns with the action `|`, which take the action of the next pattern.
    let mut waiting: Vec<FlexRule> = Vec::new();
    let mut bodies: Vec<(String, Vec<Expression>, Range<usize>)> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    for rule in source.rules {
        let code = &text[rule.action.clone()];
        waiting.push(rule);
        if code.trim() == "|" {
            continue;
        }
        let action = action_of(code);
        for rule in std::mem::take(&mut waiting) {
            let pattern = rule.pattern;
            let expression = first_state(&text[pattern.clone()])
                .filter(|_| !rule.is_elsewhere)
                // Comments that are at the beginning of a line only are no layout elsewhere.
                .filter(|pattern| action != FlexAction::Nothing || !pattern.starts_with('^'))
                .and_then(|pattern| patterns.read(pattern));
            let class = expression.as_ref().and_then(one_character);
            if let Some(class) = class.filter(|_| result.characters.len() < MAX_CHARACTERS) {
                let is_returned = match &action {
                    FlexAction::Token(name) => {
                        let only = class.only().map(|only| format!("'{only}'"));
                        only.as_ref() == Some(name)
                    }
                    FlexAction::Itself | FlexAction::Unknown => true,
                    FlexAction::Nothing => false,
                };
                result.characters.push((class, is_returned));
            }
            let (name, expression) = match (&action, expression) {
                (FlexAction::Token(name), Some(expression)) => (name.clone(), expression),
                (FlexAction::Nothing, Some(expression)) => ("%layout".into(), expression),
                (FlexAction::Itself, Some(_)) => continue,
                _ => {
                    let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                    result.unread.extend(words.map(String::from));
                    skipped.push(pattern);
                    continue;
                }
            };
            match index.get(&name) {
                Some(&at) => bodies[at].1.push(expression),
                None => {
                    index.insert(name.clone(), bodies.len());
                    bodies.push((name, vec![expression], pattern));
                }
            }
        }
    }
    if let Some(span) = skipped.first() {
        result.warnings.push(Finding::new(location(span.clone()), match skipped.len() {
                1 => "a pattern of the lexer was left out".into(),
                count => format!("{count} patterns of the lexer were left out"),
            }, match skipped.len() {
                1 => "its state, pattern or code is not understood; a table of tokens can give the token",
                _ => "this is the first one; its state, pattern or code is not understood, and a table of tokens can give the tokens",
            }));
    }
    for (name, mut all, span) in bodies {
        let is_layout = name == "%layout";
        if !is_layout {
            result.tokens.insert(name.clone());
        }
        if let ([Expression::Literal { .. }], false) = (&all[..], is_layout) {
            result.texts.insert(name, all.remove(0));
            continue;
        }
        let (name, kind) = match is_layout {
            true => ("layout".into(), ForeignKind::Layout(0)),
            false => (name, ForeignKind::Token(0)),
        };
        result.rules.push(ForeignRule {
            location: location(span),
            ..ForeignRule::new(name, kind, Expression::choice(all))
        });
    }
    result.rules.extend(patterns.used_by(&result.rules));
    result
}

/// Returns the characters of an expression whose texts are all one character.
fn one_character(expression: &Expression) -> Option<CharacterClass> {
    match expression {
        Expression::Class(class) => Some(class.clone()),
        Expression::Literal { text, .. } if text.chars().count() == 1 => {
            Some(CharacterClass::of(text))
        }
        _ => None,
    }
}

/// Returns a pattern without its start conditions, if it is active in `INITIAL`.
fn first_state(pattern: &str) -> Option<&str> {
    let rest = match pattern.strip_prefix('<') {
        Some(rest) => {
            let (states, rest) = rest.split_once('>')?;
            flex_scan::has_initial(states).then_some(rest)?
        }
        None => pattern,
    };
    (!rest.is_empty()).then_some(rest)
}

/// Finds out what the code of an action does.
fn action_of(code: &str) -> FlexAction {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if code.contains("BEGIN")
        || code.contains("yy_push_state")
        || code.contains("REJECT")
        || code.contains("yyless")
    {
        return FlexAction::Unknown;
    }
    let mut names = code.split("return").skip(1).map(|rest| {
        let rest = rest.trim_start_matches([' ', '\t', '\n', '(']);
        let rest = rest.trim_start_matches("token::");
        (
            rest,
            &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())],
        )
    });
    match names.next() {
        Some((rest, _)) if rest.starts_with('\'') => match code::quoted_length(rest, '\'') {
            Some(length) => FlexAction::Token(rest[..length].into()),
            None => FlexAction::Unknown,
        },
        Some((rest, _)) if rest.starts_with("yytext[0]") || rest.starts_with("*yytext") => {
            FlexAction::Itself
        }
        Some((_, name))
            if !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') =>
        {
            FlexAction::Token(name.into())
        }
        Some((rest, name))
            if !name.is_empty()
                && name.chars().any(|c| c.is_ascii_uppercase())
                && !rest[name.len()..].starts_with('(') =>
        {
            FlexAction::Token(name.into())
        }
        Some(_) => FlexAction::Unknown,
        None => {
            let is_error = code.to_ascii_lowercase().contains("err") || code.contains("complain");
            // A macro such as `RETURN_VALUE (…)` may return.
            let may_return = code.contains("RETURN")
                || code.contains("ECHO")
                || code.contains("unput")
                || is_error;
            if may_return {
                FlexAction::Unknown
            } else {
                FlexAction::Nothing
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_tokens_and_layout_are_read() {
        let text = "%{\n%}\nD [0-9]\n%x C\n%%\n\"if\" { return IF; }\n{D}+ {\n  if (x) { y(); }\n  return NUMBER; }\n\
                    [ \\t]+ |\n\"#\"[^\\n]* ;\n\"/*\" BEGIN(C);\n<C>x ;\n\"+\" return yytext[0];\n%%\nint x;\n";
        let tokens = tokens(text, 0, HashSet::new());
        assert_eq!(tokens.texts["IF"], Expression::literal("if"));
        let names: Vec<&str> = tokens.rules.iter().map(|rule| &*rule.name).collect();
        assert_eq!(names, ["NUMBER", "layout"]);
        assert!(matches!(&tokens.rules[1].body, Expression::Choice(all) if all.len() == 2));
        assert_eq!(tokens.warnings.len(), 1);
        assert!(tokens.warnings[0].message.starts_with("2 patterns"));
    }

    #[test]
    fn a_character_that_is_another_token_is_not_returned() {
        let text = "%%\n[@] return EOF;\n\"+\" return '+';\n[ ] ;\n[-*] return *yytext;\n\"/\" f();\n. return yytext[0];\n";
        let tokens = tokens(text, 0, HashSet::new());
        let others: Vec<&str> = ["@", "+", " ", "-", "/", "a", "ab"]
            .into_iter()
            .filter(|text| tokens.reads_otherwise(text))
            .collect();
        assert_eq!(others, ["@", " ", "/"]);
    }

    #[test]
    fn rules_in_scopes_have_the_states_of_the_scope() {
        let text = "%x C D\n%%\n<C>{\n. ;\n  x { return X;\n  }\n<D>{\ny return Y;\n}\n}\n<*>{\n  \"a\" return A;\n}\nb return B;\n";
        let tokens = tokens(text, 0, HashSet::new());
        let mut names: Vec<&str> = tokens.tokens.iter().map(|name| &**name).collect();
        names.sort_unstable();
        assert_eq!(names, ["A", "B"]);
        assert_eq!(tokens.rules.len(), 0);
    }

    #[test]
    fn any_text_is_read() {
        for text in [
            "%%\n[",
            "%%\n\"",
            "%%\na {",
            "%%\n<",
            "%%\n\\",
            "%{",
            "/*",
            "%%\na return '",
            "%%\n{x} |",
        ] {
            let _ = tokens(text, 0, HashSet::new());
        }
    }
}
