//! Errors of parsing a text: [`Failure`], which is cheap to make, and [`ParseError`], which has a
//! message.

use std::fmt;

use crate::error::Error;

/// The reason why a text has no derivation. Each variant has an offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The text before this offset is the beginning of a sentence, but no sentence continues with
    /// the next token.
    Unexpected(usize),
    /// The tokens of the text form a sentence, but zester would write a separator between
    /// the two tokens that meet at this offset.
    MissingSeparator(usize),
    /// The matcher ran out of steps for the token at this offset.
    Unclear(usize),
    /// The text takes more steps than the [`Effort`](super::Effort) allows. They ran out at this offset.
    TooAmbiguous(usize),
    /// The text takes more memory than the [`Effort`](super::Effort) allows, or is longer than 4 GiB. The limit
    /// was reached at this offset.
    TooLarge(usize),
    /// The text at this offset differs from the capture that it repeats, or is a capture that is
    /// too long.
    Different(usize),
    /// The text is a sentence of the erased grammar, but the part at this offset fits no values of
    /// the arguments.
    Misfit(usize),
}

impl Failure {
    /// Returns the offset of the error in the text, in bytes.
    pub fn at(mut self) -> usize {
        *self.at_mut()
    }

    pub(super) fn at_mut(&mut self) -> &mut usize {
        match self {
            Failure::Unexpected(at)
            | Failure::MissingSeparator(at)
            | Failure::Unclear(at)
            | Failure::TooAmbiguous(at)
            | Failure::TooLarge(at)
            | Failure::Different(at)
            | Failure::Misfit(at) => at,
        }
    }
}

/// The error of a text that is no sentence of a grammar: the position, the cause, and what the
/// grammar allows there.
///
/// ```
/// use zester::Grammar;
///
/// let grammar = Grammar::read("list.ebnf", br#"list = "[" [0-9]* "]" ;"#).unwrap();
/// let error = grammar.parse(b"[1x]").unwrap_err();
/// assert_eq!((error.line, error.column, error.cause.as_str()), (1, 3, "unexpected \"x\""));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseError {
    /// The offset in bytes.
    pub offset: usize,
    /// The line number, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The reason, without the position. So the causes of many errors can be grouped and counted.
    pub cause: String,
    /// Descriptions of the tokens that the grammar allows at this position, sorted. Empty if they
    /// are unknown.
    pub expected: Vec<String>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.line, self.column, self.cause)?;
        let (shown, left) = (
            self.expected.len().min(EXPECTED),
            self.expected.len().saturating_sub(EXPECTED),
        );
        if shown > 0 {
            write!(
                formatter,
                "; expected {}",
                self.expected[..shown].join(", ")
            )?;
        }
        if left > 0 {
            write!(formatter, " or {left} others")
        } else {
            Ok(())
        }
    }
}

impl std::error::Error for ParseError {}

impl From<ParseError> for Error {
    fn from(error: ParseError) -> Error {
        error.to_string().into()
    }
}

/// The maximum number of expected tokens in a message.
const EXPECTED: usize = 8;
