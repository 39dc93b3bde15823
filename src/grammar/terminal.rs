//! Numbers of terminals, of their positions in rules, and of sets of terminals.

/// An occurrence of a token in a syntax rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(pub u32);

/// A terminal: a token rule, a literal, or layout (number 0). It may occur in several places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TerminalId(pub u32);

/// The terminal that stands for layout.
pub(crate) const LAYOUT: TerminalId = TerminalId(0);

/// The number of a set of terminals that may stand at some position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row(pub(super) u32);
