//! The file of the words that a campaign confirmed. The other processes of the campaign read the
//! file, and so does the next start of the campaign. The author of the grammar may add the words to
//! the grammar.
//!
//! ```text
//! # zester words 1
//! name in filter: "upper"
//! ```
//!
//! A line has the rule of a token, the rule in which the token occurs, and the text. Without `in`, the text
//! is a word of all occurrences of the token. A text may have the escapes `\"`, `\\`, `\n`, `\r`, `\t` and
//! `\x` with two hexadecimal digits. Lines that begin with `#` are comments.

use std::fmt::Write as _;

use super::TokenOccurrence;
use crate::error::Error;
use crate::grammar::{Grammar, Kind, Role, SymbolId};

/// The first line of a file.
pub const HEADER: &str = "# zester words 1\n";

#[derive(Debug, Default)]
pub struct OccurrenceNames {
    /// Each occurrence with the symbol of the rule around it.
    occurrences: Vec<(TokenOccurrence, Option<SymbolId>)>,
}

/// A line of a file: the name of a token, the name of the rule around it, and a text.
type WordLine = (String, Option<String>, Vec<u8>);

impl OccurrenceNames {
    /// Returns the names of all occurrences in a grammar.
    pub fn new(grammar: &Grammar) -> OccurrenceNames {
        let symbols = || (0..grammar.symbols().len() as u32).map(SymbolId);
        let mut around: Vec<Option<SymbolId>> = vec![None; grammar.symbols().len()];
        for symbol in symbols() {
            for child in children(grammar, symbol) {
                around[child.0 as usize].get_or_insert(symbol);
            }
        }
        let mut occurrences = Vec::new();
        for lexeme in symbols() {
            let outer = around[lexeme.0 as usize];
            let body = match grammar[lexeme].kind {
                Kind::Lexeme { body, .. } => body,
                _ if grammar.layout().is_none() && grammar.role(lexeme) == Role::Token => lexeme,
                _ => continue,
            };
            let (mut open, mut at) = (vec![body], 0);
            while let Some(&symbol) = open.get(at) {
                at += 1;
                for child in children(grammar, symbol) {
                    if !open.contains(&child) {
                        open.push(child);
                    }
                }
            }
            occurrences.extend(
                open.into_iter()
                    .map(|symbol| (TokenOccurrence { lexeme, symbol }, outer)),
            );
        }
        OccurrenceNames { occurrences }
    }

    pub fn write(
        &self,
        grammar: &Grammar,
        occurrence: TokenOccurrence,
        text: &[u8],
        to: &mut String,
    ) {
        to.push_str(grammar.label(occurrence.symbol));
        let outer = self.occurrences.iter().find(|(of, _)| *of == occurrence);
        if let Some((_, Some(outer))) = outer {
            _ = write!(to, " in {}", rule(grammar.label(*outer)));
        }
        to.push_str(": \"");
        for chunk in text.utf8_chunks() {
            for character in chunk.valid().chars() {
                match character {
                    '"' | '\\' => to.extend(['\\', character]),
                    '\n' => to.push_str("\\n"),
                    '\r' => to.push_str("\\r"),
                    '\t' => to.push_str("\\t"),
                    control if control.is_ascii_control() => {
                        _ = write!(to, "\\x{:02x}", control as u32);
                    }
                    other => to.push(other),
                }
            }
            for byte in chunk.invalid() {
                _ = write!(to, "\\x{byte:02x}");
            }
        }
        to.push_str("\"\n");
    }

    /// Returns the occurrences that a line of a file names.
    fn named(&self, grammar: &Grammar, line: &WordLine) -> impl Iterator<Item = TokenOccurrence> {
        let (token, outer, _) = line;
        let fits = move |&(occurrence, around): &(TokenOccurrence, Option<SymbolId>)| {
            let around = around.map(|around| rule(grammar.label(around)));
            grammar.label(occurrence.symbol) == token
                && outer.as_deref().is_none_or(|outer| around == Some(outer))
        };
        self.occurrences
            .iter()
            .filter(move |named| fits(named))
            .map(|(occurrence, _)| *occurrence)
    }

    /// Calls a function with each word of a file and its occurrences. Words of rules that the
    /// grammar does not have are omitted.
    ///
    /// # Errors
    /// If a line cannot be read. The message has its number, which counts from `first`.
    pub fn read(
        &self,
        grammar: &Grammar,
        text: &str,
        first: usize,
        mut add: impl FnMut(TokenOccurrence, &[u8]),
    ) -> Result<(), Error> {
        for (number, line) in (first..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let line = parse(line).ok_or_else(|| {
                Error::from(format!(
                    "{number}: expected a line such as `name in rule: \"text\"`"
                ))
            })?;
            for occurrence in self.named(grammar, &line) {
                add(occurrence, &line.2);
            }
        }
        Ok(())
    }
}

fn parse(line: &str) -> Option<WordLine> {
    let (tokens, quoted) = line.split_once(": \"")?;
    let (token, outer) = match tokens.split_once(" in ") {
        Some((token, outer)) => (token, Some(outer.trim().to_owned())),
        None => (tokens, None),
    };
    let (mut text, mut characters) = (Vec::new(), quoted.strip_suffix('"')?.chars());
    while let Some(character) = characters.next() {
        let mut utf8 = [0; 4];
        match character {
            '"' => return None,
            '\\' => text.push(match characters.next()? {
                'n' => b'\n',
                'r' => b'\r',
                't' => b'\t',
                'x' => {
                    let digits: String = characters.by_ref().take(2).collect();
                    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                    u8::from_str_radix(&digits, 16)
                        .ok()
                        .filter(|_| is_hex && digits.len() == 2)?
                }
                escaped @ ('"' | '\\') => escaped as u8,
                _ => return None,
            }),
            other => text.extend_from_slice(other.encode_utf8(&mut utf8).as_bytes()),
        }
    }
    Some((token.trim().to_owned(), outer, text))
}

/// Returns the name of a rule from the label of one of its groups.
fn rule(label: &str) -> &str {
    label.split('/').next().unwrap_or(label)
}

/// Returns the symbols that a symbol contains, but not the token of a lexeme.
fn children(grammar: &Grammar, symbol: SymbolId) -> Vec<SymbolId> {
    match &grammar[symbol].kind {
        Kind::Nonterminal { .. } => {
            let alternatives = grammar.alternatives(symbol).iter();
            alternatives
                .flat_map(|alternative| grammar.children(alternative))
                .map(|child| child.symbol)
                .collect()
        }
        Kind::Repeat { element, .. } => vec![element.symbol],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;

    const SOURCE: &str = r#"
        @skip blank = " "+ ;
        @start all = ( call | variable )* ;
        call = name "(" name ")" ;
        variable = "$" name string ;
        @identifier name = [a-z]+ ;
        @token string = "'" [^']* "'" ;
    "#;

    fn words(text: &str) -> Result<Vec<String>, String> {
        let (grammar, _) = notation::read("words", SOURCE.as_bytes(), &Caps::default()).unwrap();
        let (names, mut lines) = (OccurrenceNames::new(&grammar), Vec::new());
        names
            .read(&grammar, text, 1, |occurrence, text| {
                let mut line = String::new();
                names.write(&grammar, occurrence, text, &mut line);
                lines.push(line);
            })
            .map(|()| lines)
            .map_err(|problem| problem.to_string())
    }

    #[test]
    fn words_are_written_as_they_are_read() {
        let line = "name in variable: \"a\\\"\\\\\\n\\x00\u{E9}\\xff\"\n";
        assert_eq!(words(&format!("{HEADER}\n{line}")).unwrap(), [line]);
        // The rule has two occurrences.
        assert_eq!(words("name in call: \"ab\"").unwrap().len(), 2);
        assert_eq!(words("name: \"ab\"").unwrap().len(), 3);
        // The part of a token between the quotes.
        assert_eq!(
            words("string/1 in variable: \"ab\"").unwrap(),
            ["string/1 in variable: \"ab\"\n"]
        );
        assert_eq!(words("other in call: \"ab\"").unwrap().len(), 0);
    }

    #[test]
    fn the_number_of_a_wrong_line_is_in_the_message() {
        for wrong in [
            "name",
            "name: ab",
            "name: \"a\"b\"",
            "name: \"\\q\"",
            "name: \"\\x1\"",
        ] {
            let problem = words(&format!("# comment\n{wrong}\n")).unwrap_err();
            assert!(
                problem.starts_with("2: expected a line such as"),
                "{problem}"
            );
        }
    }
}
