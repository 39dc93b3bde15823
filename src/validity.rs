//! Validity: whether the program under test accepted a sentence.

use std::time::Duration;

/// Whether the program under test found its input semantically valid.
///
/// The body of a [`fuzz_target!`](crate::fuzz_target!) returns a `Validity`, or a value that
/// converts to it: `bool`, a `Result`, or `()`.
///
/// ```
/// use zester::Validity;
///
/// assert_eq!(Validity::from("17".parse::<u8>()), Validity::Valid);
/// assert_eq!(Validity::from(false), Validity::Invalid);
/// assert_eq!(Validity::from(()), Validity::Unknown);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Validity {
    /// The input passed the semantic checks.
    Valid,
    /// The input did not pass the semantic checks.
    Invalid,
    /// The target does not report validity.
    Unknown,
}

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunFeedback {
    /// The length of the sentence in bytes.
    pub bytes: usize,
    /// Whether the sentence was reported valid.
    pub valid: bool,
    /// Whether the run reached an edge that no run reached before. A valid run also counts if it
    /// reached an edge that no valid run reached before.
    pub found: bool,
    /// The time from the end of the run before it, if it is known.
    pub time: Option<Duration>,
}

impl RunFeedback {
    /// Returns the outcome of a run on a sentence of `bytes` bytes.
    pub fn new(bytes: usize, valid: bool, found: bool) -> RunFeedback {
        RunFeedback {
            bytes,
            valid,
            found,
            time: None,
        }
    }
}

impl From<()> for Validity {
    fn from((): ()) -> Validity {
        Validity::Unknown
    }
}

impl From<bool> for Validity {
    fn from(valid: bool) -> Validity {
        if valid {
            Validity::Valid
        } else {
            Validity::Invalid
        }
    }
}

impl<T, E> From<Result<T, E>> for Validity {
    fn from(result: Result<T, E>) -> Validity {
        result.is_ok().into()
    }
}
