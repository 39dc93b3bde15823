//! Inputs to texts and back, without running the program under test: for `zester decode`, `zester encode` and `cargo fuzz fmt`.

use std::io::Write;
use std::path::Path;

use super::settings::Options;
use super::target::Target;
use crate::corpus::seeds;

/// Writes what the inputs of the command line decode to: to files of the same names in a directory, or, if `to` is `-`, as lines to
/// standard output.
///
/// # Errors
/// The file that could not be read or written.
pub(super) fn decode(target: &Target, options: &Options, to: &Path) -> Result<(), String> {
    for file in &options.inputs {
        let bytes = std::fs::read(file).map_err(|error| format!("zester: {}: {error}\n", file.display()))?;
        let mut text = target.show(&options.settings, &bytes);
        if to == Path::new("-") {
            text.push(b'\n');
        }
        write_to(to, file, &text)?;
    }
    Ok(())
}

/// Writes the parameters of the texts that the command line names: to files of the same names in a directory, or, if `to` is `-`, to
/// standard output. Prints which texts the grammar does not derive, and why. Returns the exit status: 0, or 2 if no text was encoded.
///
/// # Errors
/// That the target has no grammar, or the file that could not be written.
pub(super) fn encode(target: &Target, options: &Options, to: &Path) -> Result<i32, String> {
    let Some(grammar) = target.grammar() else {
        return Err(format!("zester: ZESTER_ENCODE: the inputs of this target are values of {}\n", target.name()));
    };
    let mut encoder = target.encoder(grammar, options.settings, false);
    let mut count = 0;
    for file in &options.inputs {
        let text = seeds::read(std::fs::File::open(file), options.settings.caps.bytes);
        match text.and_then(|text| encoder.encode(&text)) {
            Ok(seed) => {
                write_to(to, file, &seed.parameters)?;
                count += 1;
            }
            Err(refusal) => eprintln!("zester: {}:{}", file.display(), refusal.message),
        }
    }
    Ok(if count == 0 { 2 } else { 0 })
}

/// Writes to a file of the same name as `file` in the directory `to`, or to standard output if `to` is `-`.
fn write_to(to: &Path, file: &Path, bytes: &[u8]) -> Result<(), String> {
    let written = match to == Path::new("-") {
        true => std::io::stdout().lock().write_all(bytes),
        false => std::fs::write(to.join(file.file_name().unwrap_or("-".as_ref())), bytes),
    };
    written.map_err(|error| format!("zester: {}: {error}\n", to.display()))
}

/// Writes what an input decodes to into the file that `cargo fuzz fmt`, `run` and `tmin` read.
pub(super) fn write(target: &Target, options: &Options, bytes: &[u8], path: &Path) {
    let mut text = target.show(&options.settings, bytes);
    text.push(b'\n');
    if let Err(error) = std::fs::write(path, text) {
        eprintln!("zester: {}: {error}", path.display());
    }
}
