//! Where artifacts are written, and the text of each. The text is needed because the parameters in
//! an artifact decode to another sentence after a change of the grammar.

use std::ffi::CString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::settings::Options;
use crate::corpus::records;
use crate::feedback::{self, ArtifactPaths};
use crate::grammar::Grammar;

/// Makes the process write an artifact for each run that panics, or that ends the process without
/// libFuzzer. If there is a grammar, also makes it write the text of each artifact. Does nothing for
/// engines other than libFuzzer, which name artifacts differently, and where libFuzzer writes no
/// artifacts.
pub(super) fn write_artifacts(grammar: Option<&Grammar>, options: &Options) {
    if !feedback::is_libfuzzer() || !options.artifacts.are_written {
        return;
    }
    let artifact = match &options.artifacts.exact {
        Some(exact) => PathBuf::from(exact),
        None => PathBuf::from(options.artifacts.prefix.as_deref().unwrap_or("./")),
    };
    let (parent, start) = split(&artifact);
    let directory = grammar.map(|grammar| records::directory(parent, grammar));
    let name = if options.artifacts.exact.is_some() {
        format!("{start}.txt")
    } else {
        start
    };
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
fn split(path: &Path) -> (&Path, String) {
    let text = path.to_str().unwrap_or_default();
    match text.rfind('/') {
        Some(at) => (Path::new(&text[..=at]), text[at + 1..].into()),
        None => (Path::new("."), text.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_split_after_the_last_slash() {
        for (path, parent, name) in [
            ("./", "./", ""),
            ("a/b/", "a/b/", ""),
            ("a/b", "a/", "b"),
            ("b-", ".", "b-"),
            ("/c", "/", "c"),
        ] {
            assert_eq!(
                split(Path::new(path)),
                (Path::new(parent), name.to_string()),
                "{path}"
            );
        }
    }
}
