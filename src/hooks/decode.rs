//! What inputs decode to, for those who want to read them: files by `ZESTER_DECODE`, `cargo fuzz fmt`, single inputs.

use std::io::Write;
use std::path::Path;

use super::settings::Options;
use super::target::Target;

/// Writes what the inputs of the command line decode to: files of the same names in a directory, or, for `-`, lines on standard
/// output. This is how `zester decode` reads through a target.
///
/// # Errors
/// The file that could not be read or written.
pub(super) fn decode(target: &Target, options: &Options, to: &Path) -> Result<(), String> {
    for file in &options.inputs {
        let bytes = std::fs::read(file).map_err(|error| format!("zester: {}: {error}\n", file.display()))?;
        let mut text = target.show(&options.settings, &bytes);
        let written = if to == Path::new("-") {
            text.push(b'\n');
            std::io::stdout().lock().write_all(&text)
        } else {
            std::fs::write(to.join(file.file_name().unwrap_or("-".as_ref())), &text)
        };
        written.map_err(|error| format!("zester: {}: {error}\n", to.display()))?;
    }
    Ok(())
}

/// For `cargo fuzz fmt`, `run` and `tmin`, which show what a file holds.
pub(super) fn write(target: &Target, options: &Options, bytes: &[u8], path: &Path) {
    let mut text = target.show(&options.settings, bytes);
    text.push(b'\n');
    if let Err(error) = std::fs::write(path, text) {
        eprintln!("zester: {}: {error}", path.display());
    }
}
