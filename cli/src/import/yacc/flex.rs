//! Reads what is simple of a lexer of Lex or Flex: the patterns of tokens, and layout.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::super::expression::{Expression, Finding, ForeignKind, ForeignRule, SourcePlace};
use super::super::regex;
use super::super::sources::{MAX_FILE, Sources};
use super::{flex_pattern, scan};
use crate::input;

/// The tokens of a lexer.
#[derive(Debug, Default)]
pub struct FlexTokens {
    /// The tokens that are a text, by their names.
    pub texts: HashMap<String, Expression>,
    /// The other tokens, and layout.
    pub rules: Vec<ForeignRule>,
    pub warnings: Vec<Finding>,
}

impl FlexTokens {
    /// Whether the lexer has a token of this name.
    pub fn has(&self, name: &str) -> bool {
        self.texts.contains_key(name) || self.rules.iter().any(|rule| rule.name == name)
    }
}

/// Reads the lexer that lies beside a grammar, if there is one.
pub fn beside(sources: &mut Sources, file: usize) -> FlexTokens {
    let Some(path) = lexer_of(sources.path(file)) else {
        return FlexTokens::default();
    };
    let text = input::read(&path, MAX_FILE).ok();
    let Some(text) = text.and_then(|bytes| String::from_utf8(bytes).ok()) else {
        return FlexTokens::default();
    };
    let file = sources.add(&path, text);
    tokens(sources.text(file), file)
}

/// Finds the lexer of a grammar.
fn lexer_of(grammar: &Path) -> Option<PathBuf> {
    let stem = grammar.file_stem()?.to_string_lossy().into_owned();
    let parent = grammar.parent()?;
    let folder = if parent == Path::new("") {
        Path::new(".")
    } else {
        parent
    };
    // `parse-gram.y` belongs to `scan-gram.l`.
    let part = stem.split_once(['-', '_']).map_or("", |(_, part)| part);
    let rank = |path: &PathBuf| {
        let name = path.file_stem().and_then(OsStr::to_str)?;
        let extension = path.extension().and_then(OsStr::to_str)?;
        if !["l", "ll", "lex", "flex"].contains(&extension) {
            return None;
        }
        let is_scanner = ["scan", "lex"].iter().any(|start| name.starts_with(start));
        if name == stem {
            Some(0)
        } else if is_scanner && !part.is_empty() && name.ends_with(part) {
            Some(1)
        } else if ["scan", "scanner", "lexer", "lex"].contains(&name) {
            Some(2)
        } else if name.ends_with("_scanner") || name.ends_with("_lexer") {
            Some(3)
        } else {
            None
        }
    };
    let entries = std::fs::read_dir(folder).ok()?;
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .filter_map(|path| Some((rank(&path)?, path)))
        .min()
        .map(|(_, path)| path)
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
fn tokens(text: &str, file: usize) -> FlexTokens {
    let mut result = FlexTokens::default();
    let mut definitions: HashMap<String, String> = HashMap::new();
    let (mut section, mut at, mut skipped) = (0, 0, 0_usize);
    let mut in_prologue = false;
    // The patterns whose action is that of the next one.
    let mut waiting: Vec<Range<usize>> = Vec::new();
    let mut first_skipped = None;
    let mut bodies: Vec<(String, Vec<Expression>, Range<usize>)> = Vec::new();
    while at < text.len() {
        let end = text[at..]
            .find('\n')
            .map_or(text.len(), |length| at + length + 1);
        let line = text[at..end].trim_end();
        let from = at;
        at = end;
        if in_prologue || line.starts_with("%{") {
            in_prologue = line != "%}" && !line.ends_with("%}");
        } else if line.starts_with("%%") {
            section += 1;
            if section == 2 {
                break;
            }
        } else if let Some(length) =
            scan::comment_length(line.trim_start()).filter(|_| !line.starts_with("//"))
        {
            let rest = line.trim_start()[length..].len();
            at = from + line.len() - rest;
        } else if line.trim_start().starts_with("/*") {
            at = text[from..]
                .find("*/")
                .map_or(text.len(), |length| from + length + 2);
        } else if line.is_empty() || line.starts_with([' ', '\t', '%', '}', '#']) && section == 0 {
        } else if section == 0 {
            if let Some((name, pattern)) = line.split_once([' ', '\t']) {
                definitions.insert(name.into(), pattern.trim().into());
            }
        } else if !line.starts_with([' ', '\t', '}', '#'])
            || line.trim_start().starts_with("<INITIAL>")
        {
            let length = pattern_length(line);
            let pattern = from..from + length;
            let (action, next) = action_text(text, pattern.end);
            at = next;
            if action.trim() == "|" {
                waiting.push(pattern);
                continue;
            }
            let action = action_of(action);
            waiting.push(pattern);
            for pattern in std::mem::take(&mut waiting) {
                let expression = expression_of(&text[pattern.clone()], &definitions);
                let name = match (&action, &expression) {
                    (FlexAction::Token(name), Some(_)) => name.clone(),
                    (FlexAction::Nothing, Some(_)) => "%layout".into(),
                    (FlexAction::Itself, Some(_)) => continue,
                    _ => {
                        skipped += 1;
                        first_skipped.get_or_insert(pattern);
                        continue;
                    }
                };
                let expression = expression.unwrap_or_else(Expression::never);
                match bodies.iter_mut().find(|body| body.0 == name) {
                    Some(body) => body.1.push(expression),
                    None => bodies.push((name, vec![expression], pattern)),
                }
            }
        }
    }
    if let Some(span) = first_skipped {
        result.warnings.push(Finding {
            place: SourcePlace { file, span },
            message: format!("{skipped} patterns of the lexer were left out"),
            label: "this is the first one; its state, pattern or code is not understood, and a table of tokens can give the tokens".into(),
        });
    }
    for (name, mut all, span) in bodies {
        if let ([Expression::Literal { .. }], true) = (&all[..], name != "%layout") {
            result.texts.insert(name, all.remove(0));
            continue;
        }
        let is_layout = name == "%layout";
        result.rules.push(ForeignRule {
            name: if is_layout { "layout".into() } else { name },
            kind: if is_layout {
                ForeignKind::Layout(0)
            } else {
                ForeignKind::Token(0)
            },
            comments: Vec::new(),
            place: SourcePlace { file, span },
            body: Expression::choice(all),
            warnings: Vec::new(),
        });
    }
    result
}

/// The expression of a pattern, if it is one of the first state.
fn expression_of(pattern: &str, definitions: &HashMap<String, String>) -> Option<Expression> {
    let pattern = pattern.strip_prefix("<INITIAL>").unwrap_or(pattern);
    let pattern = pattern.strip_prefix("<*>").unwrap_or(pattern);
    if pattern.is_empty() || pattern.starts_with('<') {
        return None;
    }
    let translated = flex_pattern::translate(pattern, definitions)?;
    let (expression, _) = regex::read(&translated, false).ok()?;
    Some(expression)
}

/// The length of the pattern at the beginning of a line.
fn pattern_length(line: &str) -> usize {
    let mut at = 0;
    let mut in_class = false;
    while let Some(c) = line[at..].chars().next() {
        let length = match c {
            '\\' => 1 + line[at + 1..].chars().next().map_or(0, char::len_utf8),
            '"' if !in_class => scan::quoted_length(&line[at..]).unwrap_or(1),
            '[' if in_class && line[at..].starts_with("[:") => {
                line[at..].find(":]").map_or(1, |end| end + 2)
            }
            '[' if !in_class => {
                in_class = true;
                let inner = line[at + 1..].trim_start_matches('^');
                let skipped = line.len() - at - inner.len();
                skipped + usize::from(inner.starts_with(']'))
            }
            ']' if in_class => {
                in_class = false;
                1
            }
            ' ' | '\t' if !in_class => return at,
            c => c.len_utf8(),
        };
        at += length;
    }
    at.min(line.len())
}

/// The code after a pattern, and where the next line begins.
fn action_text(text: &str, from: usize) -> (&str, usize) {
    let mut depth = 0_usize;
    let mut at = from;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match c {
            '"' | '\'' => scan::quoted_length(rest).unwrap_or(1),
            '/' => scan::comment_length(rest).unwrap_or(1),
            c => c.len_utf8(),
        };
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '\n' if depth == 0 => return (&text[from..at], at + 1),
            _ => {}
        }
        at += length;
    }
    (&text[from..], text.len())
}

/// What code does, as far as it is simple.
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
        Some((rest, _)) if rest.starts_with('\'') => match scan::quoted_length(rest) {
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
        let tokens = tokens(text, 0);
        assert_eq!(tokens.texts["IF"], Expression::literal("if"));
        let names: Vec<&str> = tokens.rules.iter().map(|rule| &*rule.name).collect();
        assert_eq!(names, ["NUMBER", "layout"]);
        assert!(matches!(&tokens.rules[1].body, Expression::Choice(all) if all.len() == 2));
        assert_eq!(tokens.warnings.len(), 1);
        assert!(tokens.warnings[0].message.starts_with("2 patterns"));
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
            let _ = tokens(text, 0);
        }
    }
}
