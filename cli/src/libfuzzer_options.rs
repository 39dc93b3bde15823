//! The file `CORPUS.options` next to a corpus. It sets the maximum input length of libFuzzer for
//! ClusterFuzz and OSS-Fuzz.

use std::path::Path;

use crate::output::{self, Existing, Found};
use crate::problem::Problem;

/// Whether the file allows inputs of the wanted length.
#[derive(Debug, PartialEq, Eq)]
pub enum MaxLen {
    /// The file sets `max_len` to the wanted value or more.
    Sufficient,
    /// The file was edited by hand, so it was not changed. It sets `max_len` to this value, which is
    /// smaller, or does not set it.
    Insufficient(Option<u64>),
}

/// Writes the file, so that inputs may have `max_len` bytes.
///
/// A file that was edited by hand is changed only if `existing` has `force`. Only its `max_len` is
/// changed.
pub fn write(path: &Path, max_len: u64, existing: Existing) -> Result<MaxLen, Problem> {
    let text = content(max_len);
    if let Found::Nothing | Found::Same =
        output::examine(path, text.as_bytes()).map_err(|error| Problem::with(path, error))?
    {
        existing.write_file(path, text.as_bytes())?;
        return Ok(MaxLen::Sufficient);
    }
    let old = std::fs::read_to_string(path).map_err(|error| Problem::with(path, error))?;
    let current = old.lines().find_map(max_len_of);
    if current.is_some_and(|current| current >= max_len) {
        return Ok(MaxLen::Sufficient);
    }
    let is_generated = current.is_some_and(|current| old == content(current));
    if !is_generated && !existing.force {
        return Ok(MaxLen::Insufficient(current));
    }
    Existing { force: true }.write_file(path, with_max_len(&old, max_len).as_bytes())?;
    Ok(MaxLen::Sufficient)
}

/// Returns the content of a file that zester writes.
fn content(max_len: u64) -> String {
    format!("[libfuzzer]\nmax_len = {max_len}\n")
}

/// Returns the value of `max_len` if a line sets it.
fn max_len_of(line: &str) -> Option<u64> {
    let (key, value) = line.split_once('=')?;
    value
        .trim()
        .parse()
        .ok()
        .filter(|_| key.trim() == "max_len")
}

/// Returns the content of a file with another `max_len`. The line that sets it is replaced. If there
/// is none, a line is added to the section `[libfuzzer]`.
fn with_max_len(text: &str, max_len: u64) -> String {
    let line = format!("max_len = {max_len}");
    let mut lines: Vec<&str> = text.lines().collect();
    if let Some(old) = lines.iter().position(|line| max_len_of(line).is_some()) {
        lines[old] = &line;
    } else if let Some(section) = lines.iter().position(|line| line.trim() == "[libfuzzer]") {
        lines.insert(section + 1, &line);
    } else {
        lines.extend(["[libfuzzer]", &line]);
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_file_keeps_its_other_lines() {
        let before = "# mine\n[libfuzzer]\nmax_len = 10\nonly_ascii = 1\n[env]\nA = b\n";
        assert_eq!(
            with_max_len(before, 99),
            before.replace("max_len = 10", "max_len = 99")
        );
        assert_eq!(
            with_max_len("[libfuzzer]\na = 1\n", 99),
            "[libfuzzer]\nmax_len = 99\na = 1\n"
        );
        assert_eq!(
            with_max_len("[env]\na = 1\n", 99),
            "[env]\na = 1\n[libfuzzer]\nmax_len = 99\n"
        );
    }
}
