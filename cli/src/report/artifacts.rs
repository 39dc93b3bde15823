//! The artifacts of a campaign: files of parameters that made the target fail.

use std::path::{Path, PathBuf};

use zester::corpus::records;

use crate::output::parent_of;

/// The beginnings of the names of libFuzzer's artifacts, after the prefix of the campaign.
const KINDS: [&str; 5] = ["crash-", "leak-", "oom-", "slow-unit-", "timeout-"];

/// Returns the artifacts of a prefix such as `/artifacts/json/`, the smallest first.
pub fn artifacts(prefix: &str) -> Vec<PathBuf> {
    let (directory, begin) = prefix.rsplit_once('/').unwrap_or((".", prefix));
    let directory = if directory.is_empty() { "/" } else { directory };
    let is_artifact = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kind = name.strip_prefix(begin);
        path.is_file() && kind.is_some_and(|kind| KINDS.iter().any(|of| kind.starts_with(of)))
    };
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(is_artifact);
    files.sort_by_cached_key(|path| (path.metadata().map_or(0, |file| file.len()), path.clone()));
    files
}

/// Returns the text that was recorded for an artifact when the target failed. If several grammars
/// have recorded a text, returns the newest one.
pub fn recorded_text(artifact: &Path) -> Option<Vec<u8>> {
    let mut name = artifact.file_name()?.to_os_string();
    name.push(".txt");
    let records = records::all(parent_of(artifact)).into_iter();
    let texts = records.map(|directory| directory.join(&name));
    let last = texts.max_by_key(|text| text.metadata().and_then(|file| file.modified()).ok())?;
    std::fs::read(last).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_have_the_prefix_and_are_sorted_by_size() {
        let directory = tempfile::tempdir().unwrap();
        for (name, size) in [
            ("a-crash-1", 5),
            ("a-oom-2", 3),
            ("b-crash-3", 1),
            ("a-text", 1),
        ] {
            std::fs::write(directory.path().join(name), vec![0; size]).unwrap();
        }
        let prefix = directory.path().join("a-");
        let found = artifacts(prefix.to_str().unwrap());
        let names = ["a-oom-2", "a-crash-1"].map(|name| directory.path().join(name));
        assert_eq!(found, names);
    }
}
