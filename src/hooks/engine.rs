//! A mutator with the settings in the environment, for engines that have their own corpus and their
//! own loop, such as AFL++.

use super::settings::{self, Options};
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

/// Returns a mutator with the settings `ZESTER_BOUNDS` and `ZESTER_EXPERIMENT`.
///
/// # Errors
/// If a setting has a wrong value. The error is a message to print.
pub fn mutator_from_environment(grammar: &'static Grammar) -> Result<Mutator<'static>, Error> {
    Options::from_environment()?.mutator(Some(grammar))
}
