//! The file `CORPUS.options` next to a corpus, which sets the maximum input length for libFuzzer's
//! runners (ClusterFuzz, OSS-Fuzz).

use std::path::Path;

use crate::output::{self, Existing, Found};
use crate::problem::Problem;

/// The result of writing the file.
#[derive(Debug, PartialEq, Eq)]
pub enum MaxLen {
    /// The file sets `max_len` to the wanted value or more.
    Sufficient,
    /// The file was edited by hand and stays as it is. It sets `max_len` to this value, or not at
    /// all.
    Insufficient(Option<u64>),
}

/// Writes the file so that inputs may have `max_len` bytes.
///
/// A file that was edited by hand is changed only with --force, and then only its `max_len`.
pub fn write(path: &Path, max_len: u64, existing: Existing) -> Result<MaxLen, Problem> {
    let text = ours(max_len);
    if let Found::Nothing | Found::Same =
        output::examine(path, text.as_bytes()).map_err(|error| Problem::with(path, error))?
    {
        existing.write_file(path, text.as_bytes())?;
        return Ok(MaxLen::Sufficient);
    }
    let there = std::fs::read_to_string(path).map_err(|error| Problem::with(path, error))?;
    let says = there.lines().find_map(max_len_of);
    if says.is_some_and(|says| says >= max_len) {
        return Ok(MaxLen::Sufficient);
    }
    let is_ours = says.is_some_and(|says| there == ours(says));
    if !is_ours && !existing.force {
        return Ok(MaxLen::Insufficient(says));
    }
    Existing { force: true }.write_file(path, with_max_len(&there, max_len).as_bytes())?;
    Ok(MaxLen::Sufficient)
}

/// Returns the file as this command writes it.
fn ours(max_len: u64) -> String {
    format!("[libfuzzer]\nmax_len = {max_len}\n")
}

fn max_len_of(line: &str) -> Option<u64> {
    let (key, value) = line.split_once('=')?;
    value
        .trim()
        .parse()
        .ok()
        .filter(|_| key.trim() == "max_len")
}

/// Returns a text with another `max_len`: in the line of the old one, or else in the section
/// `[libfuzzer]`.
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
