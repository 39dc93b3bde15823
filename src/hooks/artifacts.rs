//! Sets up the paths of artifacts, and of a file with the text of each artifact. The text is needed
//! because the parameters in an artifact decode to another sentence after a change of the grammar.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::settings::Options;
use crate::corpus::records;
use crate::feedback::{self, ArtifactPaths};
use crate::grammar::Grammar;

/// Makes the process write an artifact for each run that panics, or that ends the process without
/// libFuzzer. If there is a grammar, the process also writes the text of each artifact. Does
/// nothing if libFuzzer writes no artifacts, and nothing for other engines, which name artifacts
/// differently.
pub(super) fn write_artifacts(grammar: Option<&Grammar>, options: &Options) {
    if !feedback::is_libfuzzer() || !options.artifacts.are_written {
        return;
    }
    let artifact = match &options.artifacts.exact {
        Some(exact) => exact.clone(),
        None => options.artifacts.prefix.clone().unwrap_or("./".into()),
    };
    let (parent, start) = split(&artifact);
    let directory = grammar.map(|grammar| records::directory(parent, grammar));
    let mut name = start.to_owned();
    if options.artifacts.exact.is_some() {
        name.push(".txt");
    }
    let c_string = |path: PathBuf| CString::new(path.into_os_string().into_vec());
    let (Ok(text), Ok(artifact), Ok(directory)) = (
        c_string(
            directory
                .as_ref()
                .map_or(PathBuf::new(), |at| at.join(name)),
        ),
        c_string(artifact),
        c_string(directory.unwrap_or_default()),
    ) else {
        return;
    };
    let is_exact = options.artifacts.exact.is_some();
    feedback::set_artifacts(&ArtifactPaths {
        artifact: &artifact,
        text: &text,
        directory: &directory,
        is_exact,
    });
}

/// Splits the beginning of a path into the directory and the beginning of the file's name. The name
/// is empty after a slash.
fn split(path: &Path) -> (&Path, &OsStr) {
    let bytes = path.as_os_str().as_bytes();
    match bytes.iter().rposition(|&byte| byte == b'/') {
        Some(at) => {
            let [parent, name] = [&bytes[..=at], &bytes[at + 1..]].map(OsStr::from_bytes);
            (Path::new(parent), name)
        }
        None => (Path::new("."), path.as_os_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_split_after_the_last_slash() {
        for (path, parent, name) in [
            (&b"./"[..], &b"./"[..], &b""[..]),
            (b"a/b/", b"a/b/", b""),
            (b"a/b", b"a/", b"b"),
            (b"b-", b".", b"b-"),
            (b"/c", b"/", b"c"),
            (b"\xff/\xfe", b"\xff/", b"\xfe"),
        ] {
            let [path, parent, name] = [path, parent, name].map(OsStr::from_bytes);
            assert_eq!(split(Path::new(path)), (Path::new(parent), name));
        }
    }
}
