//! The numbers of terminals and of the positions where terminals stand in rules.

/// The position of a token in a syntax rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PositionId(pub u32);

/// A terminal: a token rule, a literal, or layout, which has number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TerminalId(pub u32);

/// The terminal of layout.
pub(crate) const LAYOUT: TerminalId = TerminalId(0);
