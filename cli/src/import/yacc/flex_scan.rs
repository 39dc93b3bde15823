//! Splits a lexer of Lex or Flex into its definitions and its rules.

use std::ops::Range;

use super::super::code;

/// The parts of a lexer, as ranges of its text in bytes.
#[derive(Debug, Default)]
pub struct FlexSource {
    /// The names of definitions, such as `DIGIT`, and their patterns.
    pub definitions: Vec<(Range<usize>, Range<usize>)>,
    /// Whether the lexer has the option `case-insensitive`.
    pub insensitive: bool,
    pub rules: Vec<FlexRule>,
}

/// A rule.
#[derive(Debug)]
pub struct FlexRule {
    pub pattern: Range<usize>,
    /// With the action `|`, the pattern takes the action of the next rule.
    pub action: Range<usize>,
    /// Whether the rule is in a scope, such as `<COMMENT>{`, that does not name `INITIAL`.
    pub is_elsewhere: bool,
}

/// Splits a lexer.
pub fn split(text: &str) -> FlexSource {
    let mut source = FlexSource::default();
    let (mut section, mut at) = (0, 0);
    let mut in_prologue = false;
    // Whether each scope around the line names `INITIAL`.
    let mut scopes: Vec<bool> = Vec::new();
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
            code::comment_length(line.trim_start()).filter(|_| !line.starts_with("//"))
        {
            let rest = line.trim_start()[length..].len();
            at = from + line.len() - rest;
        } else if line.trim_start().starts_with("/*") {
            at = text[from..]
                .find("*/")
                .map_or(text.len(), |length| from + length + 2);
        } else if line.is_empty() {
        } else if section == 0 {
            if let Some(options) = line.strip_prefix("%option") {
                source.insensitive |= options
                    .split([' ', '\t'])
                    .any(|option| ["case-insensitive", "caseless"].contains(&option));
            } else if !line.starts_with([' ', '\t', '%', '}', '#']) {
                let Some((name, pattern)) = line.split_once([' ', '\t']) else {
                    continue;
                };
                let to = from + line.len();
                let pattern = to - pattern.trim_start().len()..to;
                source.definitions.push((from..from + name.len(), pattern));
            }
        } else if line.trim_start().starts_with('}') {
            scopes.pop();
        } else if !scopes.is_empty()
            || !line.starts_with([' ', '\t', '#'])
            || line.trim_start().starts_with("<INITIAL>")
        {
            let from = from + line.len() - line.trim_start().len();
            let pattern = from..from + pattern_length(line.trim_start());
            if let Some(states) = states_of_scope(&text[pattern.clone()]) {
                scopes.push(has_initial(states));
                continue;
            }
            let (action, next) = action(text, pattern.end);
            at = next;
            source.rules.push(FlexRule {
                pattern,
                action,
                is_elsewhere: !scopes.is_empty() && !scopes.contains(&true),
            });
        }
    }
    source
}

/// The states of a line that begins a scope, such as `<COMMENT>{`.
fn states_of_scope(pattern: &str) -> Option<&str> {
    let states = pattern.strip_prefix('<')?.strip_suffix(">{")?;
    (!states.contains(['<', '>'])).then_some(states)
}

/// Whether a list of states names `INITIAL`.
pub fn has_initial(states: &str) -> bool {
    let mut states = states.split(',').map(str::trim);
    states.any(|state| ["INITIAL", "*"].contains(&state))
}

/// The length of the pattern at the beginning of a line.
fn pattern_length(line: &str) -> usize {
    let mut at = 0;
    let mut in_class = false;
    while let Some(c) = line[at..].chars().next() {
        let length = match c {
            '\\' => 1 + line[at + 1..].chars().next().map_or(0, char::len_utf8),
            '"' if !in_class => code::quoted_length(&line[at..], '"').unwrap_or(1),
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
fn action(text: &str, from: usize) -> (Range<usize>, usize) {
    let mut depth = 0_usize;
    let mut at = from;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match c {
            '"' | '\'' => code::quoted_length(rest, c).unwrap_or(1),
            '/' => code::comment_length(rest).unwrap_or(1),
            c => c.len_utf8(),
        };
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '\n' if depth == 0 => return (from..at, at + 1),
            _ => {}
        }
        at += length;
    }
    (from..text.len(), text.len())
}
