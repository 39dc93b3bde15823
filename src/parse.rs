//! Text to derivations, for any grammar: left recursion, ambiguity, empty rules, layout, exclusions, escapes of names.
//!
//! What holds: `decode(encode(parse(text))) == text`, byte for byte, white space and comments included; the same text has the
//! same derivation; no stack grows with the text. Memory and time grow with the text alone where the grammar, read one token
//! ahead, is unambiguous, and at most with the cube of its tokens. Of several derivations the one is taken that people mean:
//!
//! 1. of a symbol over the same text, the alternative that stands first in the grammar;
//! 2. then the one in which parts take as much text as they can, those in front first: operators associate to the left, an
//!    `else` belongs to the last `if`;
//! 3. unless tokens meet that would be separated when they are written: then the first that can be written.
//!
//! Not promised: that a text is found whose layout could be tokens as well (`@skip s = [a-z]+`), nor one with a token within
//! itself that takes too many steps to match ([`Error::Unclear`]), nor one with a repetition of at least 1,048,577 elements.
//!
//! Texts are parsed by Earley's algorithm, from tokens that are found by one automaton where the grammar lets them stand.

mod adjoin;
mod chart;
mod extract;
mod fuel;
mod known;
mod literals;
mod matcher;
mod recover;
mod scan;
mod tables;

use std::ops::Range;
use std::sync::Arc;

use self::chart::{Chart, Recogniser};
use self::extract::Parts;
pub use self::fuel::Effort;
use self::fuel::Fuel;
pub use self::matcher::Matcher;
use self::scan::Scanner;
use self::tables::Tables;
use crate::derivation::Derivation;
use crate::grammar::Grammar;

/// Why a text has no derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It is a beginning of a sentence up to this byte, but not with what comes there.
    Unexpected(usize),
    /// It is a sentence, but tokens that meet at this byte would be separated when it is written.
    Glued(usize),
    /// The token at this byte could not be matched within the steps that there are.
    Unclear(usize),
    /// It takes more steps than the [`Effort`] allows; they ran out at this byte.
    TooAmbiguous(usize),
    /// It takes more memory than the [`Effort`] allows, or is longer than 4 GiB; the memory ended at this byte.
    TooLarge(usize),
}

impl Error {
    /// The byte that is told.
    pub fn at(self) -> usize {
        match self {
            Error::Unexpected(at) | Error::Glued(at) | Error::Unclear(at) | Error::TooAmbiguous(at) | Error::TooLarge(at) => at,
        }
    }
}

/// What to tell people of an [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// From 1 on.
    pub line: usize,
    /// In characters, from 1 on.
    pub column: usize,
    /// The same for texts that fail for the same.
    pub cause: String,
    /// What could have come, if that is known.
    pub expected: Vec<String>,
}

impl std::fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}: {}", self.line, self.column, self.cause)?;
        let (shown, left) = (self.expected.len().min(EXPECTED), self.expected.len().saturating_sub(EXPECTED));
        if shown > 0 {
            write!(formatter, "; expected {}", self.expected[..shown].join(", "))?;
        }
        if left > 0 { write!(formatter, " or {left} others") } else { Ok(()) }
    }
}

/// Terminals that a message tells.
const EXPECTED: usize = 8;

/// Characters of the text that a message tells.
const SHOWN: usize = 20;

/// A text, and what is known of its grammar.
#[derive(Clone, Copy)]
struct Input<'a> {
    grammar: &'a Grammar,
    tables: &'a Tables,
    scanner: &'a Scanner,
    text: &'a [u8],
    /// What pays for the work.
    fuel: &'a Fuel,
}

/// How often a text is read, if tokens turn out to be part of longer ones.
const ATTEMPTS: u32 = 64;

/// Reads texts by a grammar.
///
/// A clone shares what is known of the grammar, and has memory of its own.
#[derive(Debug)]
pub struct Parser<'a> {
    grammar: &'a Grammar,
    known: Arc<(Tables, Scanner)>,
    effort: Effort,
    chart: Chart,
    parts: Parts,
}

impl Clone for Parser<'_> {
    fn clone(&self) -> Self {
        let Parser { grammar, effort, .. } = *self;
        Parser { grammar, effort, known: self.known.clone(), chart: Chart::default(), parts: Parts::default() }
    }
}

impl<'a> Parser<'a> {
    /// A parser for the sentences of a grammar.
    pub fn new(grammar: &'a Grammar) -> Parser<'a> {
        let tables = Tables::new(grammar);
        let scanner = Scanner::new(grammar, &tables);
        let known = Arc::new((tables, scanner));
        Parser { grammar, effort: Effort::default(), known, chart: Chart::default(), parts: Parts::default() }
    }

    /// The same parser with other limits on the work and the memory that a text may take.
    #[must_use]
    pub fn with_effort(self, effort: Effort) -> Parser<'a> {
        Parser { effort, ..self }
    }

    /// The derivation of a whole text.
    ///
    /// # Errors
    /// Why it has none.
    pub fn parse(&mut self, text: &[u8], derivation: &mut Derivation) -> Result<(), Error> {
        let Parser { grammar, known, effort, chart, parts } = self;
        let fuel = &Fuel::new(*effort, text.len());
        let (tables, scanner) = &**known;
        let input = Input { grammar, tables, scanner, text, fuel };
        chart.vetoes.clear();
        chart.tokens.matcher.gave_up = false;
        if !grammar.derives_bytes() {
            std::str::from_utf8(text).map_err(|error| Error::Unexpected(error.valid_up_to()))?;
        }
        if !Recogniser::run(input, chart)? {
            let at = chart.sets.last().map_or(0, |set| set.token as usize);
            return Err(if chart.tokens.matcher.gave_up { Error::Unclear(at) } else { Error::Unexpected(at) });
        }
        for _ in 0..ATTEMPTS {
            let result = extract::extract(input, chart, parts, derivation);
            if !matches!(result, Err(Error::Glued(_))) {
                return result;
            }
            let vetoes = chart.vetoes.clone();
            let mut is_sentence = false;
            // All conflicts at once, then one alone.
            let several = parts.conflicts.len();
            for (count, culprit) in [several, 1].into_iter().flat_map(|count| (0..3).map(move |culprit| (count, culprit))) {
                let conflicts = parts.conflicts[..count].iter();
                chart.vetoes.clone_from(&vetoes);
                chart.vetoes.extend(conflicts.filter_map(|conflict| conflict.culprits[culprit..].iter().flatten().next()));
                chart.vetoes.sort_unstable();
                chart.vetoes.dedup();
                is_sentence = chart.vetoes.len() > vetoes.len() && Recogniser::run(input, chart)?;
                if is_sentence {
                    break;
                }
            }
            if !is_sentence {
                return result;
            }
        }
        Err(Error::Unclear(0))
    }

    /// The derivation of what is left of a text that has none if parts of it are cut out: as small ones as it finds, elements of
    /// repetitions, which it returns; `derivation.text()` is the rest. For a sentence there is nothing to cut out.
    ///
    /// # Errors
    /// Why the text has no derivation, if nothing would be left, or nothing was found.
    pub fn recover(&mut self, text: &[u8], derivation: &mut Derivation) -> Result<Vec<Range<usize>>, Error> {
        let Err(error) = self.parse(text, derivation) else { return Ok(Vec::new()) };
        let (tables, scanner) = &*self.known.clone();
        let Error::Unexpected(at) = error else { return Err(error) };
        let whole = text.len();
        // What is in no text at all ends it.
        let is_readable = self.grammar.derives_bytes() || std::str::from_utf8(text).is_ok();
        let text = if is_readable { text } else { &text[..at] };
        let fuel = &Fuel::new(self.effort, text.len());
        let input = Input { grammar: self.grammar, tables, scanner, text, fuel };
        let is_sentence = !is_readable && Recogniser::run(input, &mut self.chart)?;
        let cuts = (!is_sentence).then(|| recover::cuts(input, &mut self.chart).ok_or(error));
        let mut cuts = cuts.transpose()?.unwrap_or_default();
        let mut rest = Vec::with_capacity(text.len());
        let mut from = 0;
        for cut in &cuts {
            rest.extend_from_slice(&text[from..cut.start]);
            from = cut.end;
        }
        rest.extend_from_slice(&text[from..]);
        if rest.trim_ascii().is_empty() {
            return Err(error);
        }
        self.parse(&rest, derivation).map_err(|_| error)?;
        if !is_readable {
            cuts.push(at..whole);
        }
        Ok(cuts)
    }

    /// What to tell people of why the text that was read last has no derivation.
    pub fn explain(&self, text: &[u8], error: Error) -> Explanation {
        let at = error.at().min(text.len());
        let before = String::from_utf8_lossy(&text[..at]);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&char| char != '\n').count() + 1;
        let rest = String::from_utf8_lossy(&text[at..(at + 4 * SHOWN).min(text.len())]);
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let word = rest.char_indices().find(|&(_, char)| !is_word(char)).map_or(rest.len(), |(at, _)| at);
        let word = word.max(rest.chars().next().map_or(0, char::len_utf8));
        let found: String = rest[..word].chars().take(SHOWN).collect();
        let mut expected = Vec::new();
        let cause: String = match error {
            Error::Unexpected(at) if at >= text.len() => "unexpected end".into(),
            Error::Unexpected(at)
                if !self.grammar.derives_bytes()
                    && std::str::from_utf8(&text[at..text.len().min(at + 4)]).is_err_and(|e| e.valid_up_to() == 0) =>
            {
                "not UTF-8".into()
            }
            Error::Unexpected(_) => format!("unexpected {found:?}"),
            Error::Glued(_) => format!("{found:?} would be separated from what is before it"),
            Error::Unclear(_) => format!("no way to read the token {found:?} was found"),
            Error::TooAmbiguous(_) => "too ambiguous here".into(),
            Error::TooLarge(_) => "too large: the parser's memory ends here".into(),
        };
        if matches!(error, Error::Unexpected(_)) && cause != "not UTF-8" {
            expected = self
                .chart
                .expected()
                .filter(|&symbol| self.known.0.terminal(symbol).is_some())
                .map(|symbol| self.grammar.describe(symbol))
                .collect();
            expected.sort();
            expected.dedup();
        }
        Explanation { line, column, cause, expected }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;

    #[test]
    fn terminals_that_share_a_bit_change_no_derivation() {
        for name in ["css", "javascript", "sqlite", "wgsl"] {
            let source = std::fs::read(format!("grammars/{name}.ebnf")).unwrap();
            let (grammar, _) = notation::read(name, &source, &Caps::default()).unwrap_or_else(|report| panic!("{report}"));
            let mut exact = Parser::new(&grammar);
            let tables = Tables::within(&grammar, 0);
            assert!(tables.words() == 2 && tables.terminal_count > 2 * 64, "{name}: {} terminals", tables.terminal_count);
            let scanner = Scanner::new(&grammar, &tables);
            let mut folded = Parser { known: Arc::new((tables, scanner)), ..Parser::new(&grammar) };
            let (mut one, mut other) = (Derivation::default(), Derivation::default());
            for file in std::fs::read_dir(format!("corpus/{name}")).unwrap().flatten() {
                let text = std::fs::read(file.path()).unwrap();
                exact.parse(&text, &mut one).unwrap();
                assert_eq!(folded.parse(&text, &mut other), Ok(()), "{}", file.path().display());
                assert_eq!(one.nodes(), other.nodes(), "{}", file.path().display());
                let wrong = [&text[..], b" \0"].concat();
                assert_eq!(exact.parse(&wrong, &mut one), folded.parse(&wrong, &mut other));
            }
        }
    }
}
