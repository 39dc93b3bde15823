//! The error type of everything except reading a grammar and parsing a text.

use std::fmt;

/// An error with a message for people: a setting that cannot be read, weights of another grammar,
/// or a program that does not start.
///
/// Errors of a grammar are a [`Report`](crate::Report), and those of a text that has no derivation
/// a [`ParseError`](crate::ParseError).
///
/// ```
/// use zester::Bounds;
///
/// let error = "m=x".parse::<Bounds>().unwrap_err();
/// assert!(error.to_string().starts_with("expected identifiers,items,depth"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    message: Box<str>,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// Writes the message, so that a program that ends with this error prints it as it is.
impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for Error {}

impl From<String> for Error {
    fn from(message: String) -> Error {
        Error {
            message: message.into(),
        }
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Error {
        Error {
            message: message.into(),
        }
    }
}
