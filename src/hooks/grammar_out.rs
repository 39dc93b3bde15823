//! Writes the text of a target's grammar, so that the command line needs only the target and no grammar file.

use std::io::Write;
use std::path::Path;

use super::target::{Target, TargetInput};

/// Writes the target's grammar to a file, or to standard output for `-`.
///
/// # Errors
/// If the target has no grammar, or if the file cannot be written.
pub(super) fn write(target: &Target, to: &Path) -> Result<(), String> {
    let TargetInput::Sentence { source, .. } = target.input() else {
        return Err(format!("zester: this target has no grammar: its inputs are values of {}\n", target.name()));
    };
    let written =
        if to == Path::new("-") { std::io::stdout().lock().write_all(source.text()) } else { std::fs::write(to, source.text()) };
    written.map_err(|error| format!("zester: {}: {error}\n", to.display()))
}
