//! Converts inputs to texts and texts to inputs, without running the program under test. `zester
//! decode`, `zester encode` and `cargo fuzz fmt` use it.

use std::io::Write;
use std::path::Path;

use super::settings::Options;
use super::target::Target;
use crate::corpus::seeds;
use crate::error::Error;

/// Decodes the inputs on the command line. Writes the results to files of the same names in the
/// directory `to`, or as lines to standard output if `to` is `-`.
///
/// # Errors
/// If a file cannot be read or written. The message names the file.
pub(super) fn decode(target: &Target, options: &Options, to: &Path) -> Result<(), Error> {
    for file in &options.inputs {
        let bytes = std::fs::read(file)
            .map_err(|error| format!("zester: {}: {error}\n", file.display()))?;
        let mut text = target.show(&options.settings, &bytes);
        if to == Path::new("-") {
            text.push(b'\n');
        }
        write_to(to, file, &text)?;
    }
    Ok(())
}

/// Encodes the texts on the command line. Writes their parameters to files of the same names in the
/// directory `to`, or to standard output if `to` is `-`. Prints a message for every text that the
/// grammar does not derive. Returns the exit status: 0, or 2 if no text was encoded.
///
/// # Errors
/// If the target has no grammar, or if a file cannot be written.
pub(super) fn encode(target: &Target, options: &Options, to: &Path) -> Result<i32, Error> {
    let Some(grammar) = target.grammar() else {
        return Err(format!(
            "zester: ZESTER_ENCODE: the inputs of this target are values of {}\n",
            target.name()
        )
        .into());
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
            Err(refusal) => eprintln!("zester: {}", refusal.in_file(file.display())),
        }
    }
    Ok(if count == 0 { 2 } else { 0 })
}

/// Writes to a file of the same name as `file` in the directory `to`, or to standard output if `to`
/// is `-`.
fn write_to(to: &Path, file: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = match to == Path::new("-") {
        true => std::io::stdout().lock().write_all(bytes),
        false => std::fs::write(to.join(file.file_name().unwrap_or("-".as_ref())), bytes),
    };
    written.map_err(|error| format!("zester: {}: {error}\n", to.display()).into())
}

/// Writes a decoded input to the file that `cargo fuzz fmt`, `run` and `tmin` read.
pub(super) fn write(target: &Target, options: &Options, bytes: &[u8], path: &Path) {
    let mut text = target.show(&options.settings, bytes);
    text.push(b'\n');
    if let Err(error) = std::fs::write(path, text) {
        eprintln!("zester: {}: {error}", path.display());
    }
}
