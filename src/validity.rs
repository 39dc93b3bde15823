//! What the program under test says of a sentence.

/// Whether a run found its input semantically valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Validity {
    /// The input got through the semantic stage.
    Valid,
    /// It did not.
    Invalid,
    /// Nobody said.
    Unknown,
}

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The length of the text that was run.
    pub bytes: usize,
    /// Whether it was reported valid.
    pub valid: bool,
    /// Whether it reached an edge for the first time, or for the first time with a valid input.
    pub found: bool,
}

impl From<()> for Validity {
    fn from((): ()) -> Validity {
        Validity::Unknown
    }
}

impl From<bool> for Validity {
    fn from(valid: bool) -> Validity {
        if valid { Validity::Valid } else { Validity::Invalid }
    }
}

impl<T, E> From<Result<T, E>> for Validity {
    fn from(result: Result<T, E>) -> Validity {
        result.is_ok().into()
    }
}
