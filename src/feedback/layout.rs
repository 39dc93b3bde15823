//! Constants and records that the Rust half and the C half of the validity feedback share.
//! `build.rs` includes this file and writes them to a C header, `zester_layout.h`.

/// The argument of `zester_report` for a valid run.
pub const VALID: i32 = 1;
/// The argument of `zester_report` for an invalid run.
pub const INVALID: i32 = -1;
/// The validity of a run without a report.
pub const UNKNOWN: i32 = 0;

/// The bit of the goal `time`.
pub const GOAL_TIME: i32 = 1;
/// The bit of the goal `exceptions`.
pub const GOAL_EXCEPTIONS: i32 = 2;

/// The maximum number of mutators that are counted.
pub const MUTATORS: usize = 24;

/// The number of counts for each mutator: tried, changed the sentence, found, kept.
pub const MUTATOR_COUNTS: usize = 4;

/// The maximum length of a reported reason in bytes. A longer one is cut.
pub const MAX_REASON: usize = 4096;

/// The maximum length of a recorded operand of a comparison in bytes. A longer one is cut.
#[allow(dead_code, reason = "only build.rs uses it")]
pub const MAX_OPERAND: usize = 40;

/// Defines a record of 64-bit numbers, and the list of its fields for the C header.
macro_rules! record {
    ($(#[$attribute:meta])* $name:ident, $names:ident; $($(#[$of_field:meta])* $field:ident),* $(,)?) => {
        $(#[$attribute])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$of_field])* pub $field: u64),*
        }

        /// The names of the fields, in their order in memory.
        #[allow(dead_code, reason = "only build.rs uses it")]
        pub const $names: &[&str] = &[$(stringify!($field)),*];
    };
}

record! {
    /// The statistics of all processes of a campaign.
    Totals, TOTALS;
    /// Runs of the program under test.
    executions,
    /// Runs that were reported valid.
    valid,
    /// Runs that were reported invalid.
    invalid,
    /// Runs without a report.
    unknown,
    /// Runs of edited sentences.
    edited,
    /// Runs of inputs that the engine read from a corpus, before it made its first mutant.
    replayed,
    /// Runs that panicked or reported a disagreement, and after which the process continued.
    panicked,
    /// Bytes of all sentences together.
    bytes,
    /// Edges that some run reached.
    edges,
    /// Edges that some valid run reached.
    valid_edges,
    /// Coverage counters of the program under test.
    counters,
    /// Milliseconds since the campaign began.
    milliseconds,
}
