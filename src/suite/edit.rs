//! Edits of sentences and productions.

use std::fmt;

/// A kind of edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EditOperator {
    /// Removes a token or a symbol.
    Deletion,
    /// Adds a token or a symbol.
    Insertion,
    /// Replaces a token or a symbol by another one.
    Substitution,
    /// Exchanges two neighbouring tokens or symbols.
    Transposition,
}

impl EditOperator {
    /// All operators.
    pub const ALL: [EditOperator; 4] = [
        EditOperator::Deletion,
        EditOperator::Insertion,
        EditOperator::Substitution,
        EditOperator::Transposition,
    ];
}

impl fmt::Display for EditOperator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            EditOperator::Deletion => "deletion",
            EditOperator::Insertion => "insertion",
            EditOperator::Substitution => "substitution",
            EditOperator::Transposition => "transposition",
        })
    }
}

/// An edit of a position: the operator, and the number of the symbol or terminal that is added.
pub type Edit = (EditOperator, Option<usize>);

/// The position of an edit: the number of a sentence or production, and the index of a token or part
/// in it.
pub type EditPosition = (usize, usize);
