//! Writes the text of a target's grammar to the file that `ZESTER_GRAMMAR_OUT` names. So the
//! `zester` command needs only the target, and no file with its grammar.

use std::io::Write;
use std::path::Path;

use super::target::{Target, TargetInput, used};
use crate::error::Error;

/// Writes the target's grammar to a file, or to standard output for `-`.
///
/// # Errors
/// If the target has no grammar, or if the file or standard output cannot be written.
pub(super) fn write(target: &Target, to: &Path) -> Result<(), Error> {
    let TargetInput::Sentence { source, .. } = target.input() else {
        return Err(format!(
            "zester: ZESTER_GRAMMAR_OUT: this target has no grammar, because its inputs are values of the type {}\n",
            target.name()
        ).into());
    };
    let source = used(source)?;
    let written = if to == Path::new("-") {
        std::io::stdout().lock().write_all(source.text())
    } else {
        std::fs::write(to, source.text())
    };
    written.map_err(|error| {
        format!(
            "zester: cannot write the grammar to {}: {error}\n",
            to.display()
        )
        .into()
    })
}
