//! A mutator with the settings in the environment, for engines that have their own corpus and their
//! own loop, such as AFL++.

use super::settings::{self, Options};
use super::target;
use crate::error::Error;
use crate::grammar::Grammar;
use crate::mutate::Mutator;

/// Returns the grammar in the file that `ZESTER_GRAMMAR` names. Warns of environment variables that
/// are no settings.
///
/// # Errors
/// If `ZESTER_GRAMMAR` is not set, or if the file is no grammar. The error is a message to print.
pub fn grammar_from_environment() -> Result<&'static Grammar, Error> {
    settings::warn_of_unknown_variables();
    let source = settings::named_grammar()?
        .ok_or("zester: no grammar; name one by ZESTER_GRAMMAR=FILE\n")?;
    Ok(source.grammar()?)
}

/// Returns a mutator with the settings `ZESTER_BOUNDS`, `ZESTER_EXPERIMENT`, `ZESTER_WEIGHTS` and
/// `ZESTER_MIX`.
///
/// # Errors
/// If a setting has a wrong value. The error is a message to print.
pub fn mutator_from_environment(grammar: &'static Grammar) -> Result<Mutator<'static>, Error> {
    let options = Options::from_environment()?;
    let mutator = options.mutator(Some(grammar))?;
    Ok(match target::mix(grammar, &options, None)? {
        Some(mix) => mutator.mix(mix),
        None => mutator,
    })
}
