//! The names of the target, its directories and its files in messages.

/// The names and commands in messages, as the user writes them.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The name of the target.
    pub name: String,
    /// The command that runs the target, to which an input is added.
    pub run: String,
    /// The target in other commands, such as `zester why TARGET`.
    pub target: String,
    /// Whether the target has a grammar.
    pub has_grammar: bool,
    pub corpus: String,
    /// The file of words.
    pub words: String,
    /// The file of statistics.
    pub statistics: String,
    /// The command that continues the campaign.
    pub again: String,
    /// The command that groups the artifacts by fault.
    pub triage: String,
}
