//! What the environment says of mutation, for engines that have their own corpus and their own loop, such as AFL++.

use super::settings::{self, Options};
use super::target;
use crate::grammar::Grammar;
use crate::mutate::MutatorFeedback;
use crate::parameters::Settings;
use crate::weights::Mix;

/// The grammar and the settings of a process that mutates.
pub struct MutationSettings {
    /// Lives until the process ends.
    pub grammar: &'static Grammar,
    /// `ZESTER_BOUNDS` and `ZESTER_PAST_END`.
    pub settings: Settings,
    /// `ZESTER_MUTATORS` and `ZESTER_SCHEDULE`.
    pub feedback: MutatorFeedback,
    /// `ZESTER_WEIGHTS` and `ZESTER_MIX`.
    pub mix: Option<Mix>,
}

impl MutationSettings {
    /// Reads the grammar that `ZESTER_GRAMMAR` names, and the settings.
    ///
    /// # Errors
    /// The grammar or a setting is wrong: a report to print.
    pub fn from_environment() -> Result<MutationSettings, String> {
        settings::warn_of_unknown_variables();
        let source = settings::named_grammar()?.ok_or("zester: no grammar; name one by ZESTER_GRAMMAR=FILE\n")?;
        MutationSettings::of(source.grammar()?)
    }

    /// Reads the settings, for a grammar.
    ///
    /// # Errors
    /// A setting is wrong: a report to print.
    pub fn of(grammar: &'static Grammar) -> Result<MutationSettings, String> {
        let options = Options::from_environment()?;
        let feedback = options.feedback(grammar)?;
        let mix = target::mix(grammar, &options, None)?;
        Ok(MutationSettings { grammar, settings: options.settings, feedback, mix })
    }
}
