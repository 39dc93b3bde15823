//! The numbers of terminals, and of their positions in rules.

/// The number of a position: one occurrence of a token in the syntax rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PositionId(pub u32);

/// The number of a terminal: a token rule, a literal, or a token that is written in a syntax rule.
/// Layout has number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TerminalId(pub u32);

/// The terminal of layout.
pub(crate) const LAYOUT: TerminalId = TerminalId(0);
