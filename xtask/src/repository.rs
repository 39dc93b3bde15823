//! Paths in this repository, and facts about its fuzz targets.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package is a directory of the repository")
}

/// Returns cargo's target directory as an absolute path.
pub fn target_directory() -> PathBuf {
    let directory =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    std::path::absolute(&directory).unwrap_or(directory)
}

/// Returns the path of a file of the repository.
pub fn file(path: &str) -> PathBuf {
    root().join(path)
}

/// Returns the names of those files in a directory that have this extension. The names are sorted
/// and do not include the extension.
fn stems(directory: &str, extension: &str) -> Result<Vec<String>> {
    let path = file(directory);
    let mut names = Vec::new();
    for entry in fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            names.extend(
                path.file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned()),
            );
        }
    }
    names.sort();
    Ok(names)
}

/// Returns the names of the grammars in `grammars/`.
pub fn grammars() -> Result<Vec<String>> {
    stems("grammars", "ebnf")
}

/// Returns the names of the Rust fuzz targets.
pub fn rust_targets() -> Result<Vec<String>> {
    stems("fuzz/targets", "rs")
}

/// Returns the names of the C fuzz targets.
pub fn c_targets() -> Result<Vec<String>> {
    stems("fuzz/c", "c")
}

/// Returns the names of the subjects for which `fuzz/coverage` has a program.
pub fn coverage_subjects() -> Result<Vec<String>> {
    stems("fuzz/coverage/src/bin", "rs")
}

/// Returns the Rust fuzz targets that run a program under test: the features of `fuzz/Cargo.toml`
/// that enable a subject of their name.
pub fn subjects() -> Result<Vec<String>> {
    Ok(subjects_in(&fs::read_to_string(file("fuzz/Cargo.toml"))?))
}

fn subjects_in(manifest: &str) -> Vec<String> {
    let feature = |line: &str| {
        let (name, value) = line.split_once(" = ")?;
        (value == format!("[\"zester-subjects/{name}\"]")).then(|| name.to_owned())
    };
    manifest.lines().filter_map(feature).collect()
}

/// Returns whether a Rust fuzz target needs a feature of its own name.
pub fn has_feature(target: &str) -> Result<bool> {
    let manifest = fs::read_to_string(file("fuzz/Cargo.toml"))?;
    let needed = format!("required-features = [\"{target}\"]");
    Ok(manifest.lines().any(|line| line == needed))
}

/// Returns the directory of the fuzz crate of a Rust target. Most targets share one.
pub fn fuzz_crate(target: &str) -> PathBuf {
    let own = file("fuzz").join(target);
    if own.join("Cargo.toml").is_file() {
        own
    } else {
        file("fuzz")
    }
}

/// Returns the first line of a source file without its comment mark.
pub fn summary(source: &Path) -> Result<String> {
    let text =
        fs::read_to_string(source).with_context(|| format!("cannot read {}", source.display()))?;
    let line = text.lines().next().unwrap_or_default();
    Ok(["//! ", "// ", "/* "]
        .iter()
        .find_map(|start| line.strip_prefix(start))
        .unwrap_or(line)
        .to_owned())
}

/// Returns the path of the grammar of a Rust or C fuzz target.
pub fn grammar_of(target: &str) -> Result<PathBuf> {
    let (rust, c) = (
        file("fuzz/targets").join(target).with_extension("rs"),
        file("fuzz/c").join(target).with_extension("c"),
    );
    let grammar = if rust.is_file() {
        grammar_in(&fs::read_to_string(rust)?)
    } else if c.is_file() {
        Harness::read(target)?.grammar
    } else {
        bail!("no fuzz target {target} in fuzz/targets or fuzz/c")
    };
    let grammar =
        file(&grammar.with_context(|| format!("the fuzz target {target} has no grammar"))?);
    anyhow::ensure!(grammar.is_file(), "{}: no such file", grammar.display());
    Ok(grammar)
}

/// Returns the path of the grammar that the source of a Rust target names, relative to the root.
/// The source has it as `grammar: "../../PATH"`.
fn grammar_in(source: &str) -> Option<String> {
    let (_, rest) = source.split_once("grammar: \"")?;
    let (path, _) = rest.split_once('"')?;
    Some(path.trim_start_matches("../").to_owned())
}

/// The head of a harness of `fuzz/c`: its grammar, and the sources and flags of its program under
/// test.
#[derive(Debug, Default, PartialEq)]
pub struct Harness {
    /// The path of the grammar, relative to the root.
    pub grammar: Option<String>,
    /// The crate with the sources of the program under test.
    pub package: Option<String>,
    /// The directory of the headers in the package.
    pub include: Option<String>,
    /// The source files in the package.
    pub sources: Vec<String>,
    /// The flags of the compiler.
    pub flags: Vec<String>,
    /// Whether zester calls the harness with sentences. Otherwise the harness calls `zester_decode`.
    pub is_wrapped: bool,
}

impl Harness {
    /// Reads the head of `fuzz/c/TARGET.c`.
    pub fn read(target: &str) -> Result<Self> {
        let path = Self::path(target);
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self::parse(&text))
    }

    /// Returns the path of the source file.
    pub fn path(target: &str) -> PathBuf {
        file("fuzz/c").join(target).with_extension("c")
    }

    fn parse(text: &str) -> Self {
        let value = |key: &str| {
            let start = format!("// {key}: ");
            text.lines()
                .find_map(|line| line.strip_prefix(start.as_str()))
                .map(str::to_owned)
        };
        let words = |key| {
            value(key)
                .map(|line| line.split_whitespace().map(str::to_owned).collect())
                .unwrap_or_default()
        };
        Self {
            grammar: value("grammar"),
            package: value("package"),
            include: value("include"),
            sources: words("sources"),
            flags: words("flags"),
            is_wrapped: !text.contains("zester_decode("),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_of_a_target_is_in_its_source() {
        assert_eq!(
            grammar_in("fuzz_target!(grammar: \"../../grammars/x.ebnf\", |t| ());").unwrap(),
            "grammars/x.ebnf"
        );
        assert_eq!(grammar_in("fuzz_target!(|t: Type| ());"), None);
    }

    #[test]
    fn every_target_with_a_subject_has_a_grammar_that_exists() {
        let subjects = subjects().unwrap();
        assert!(
            subjects.contains(&"json".into()) && subjects.len() > 10,
            "{subjects:?}"
        );
        for target in subjects.iter().chain(&c_targets().unwrap()) {
            grammar_of(target).unwrap();
        }
    }

    #[test]
    fn the_head_of_a_harness_is_read() {
        let head = "// Runs x.\n//\n// grammar: g.ebnf\n// package: p\n// include: i\n// sources: a.c b.c\n// flags: -DA=1 -DB\n\nint x;";
        let harness = Harness::parse(head);
        assert_eq!(
            (
                harness.grammar.as_deref(),
                harness.package.as_deref(),
                harness.include.as_deref()
            ),
            (Some("g.ebnf"), Some("p"), Some("i"))
        );
        assert_eq!(
            (harness.sources, harness.flags),
            (
                vec!["a.c".to_owned(), "b.c".into()],
                vec!["-DA=1".to_owned(), "-DB".into()]
            )
        );
        let wrapped = Harness {
            is_wrapped: true,
            ..Harness::default()
        };
        assert_eq!(Harness::parse("int x;"), wrapped);
        assert!(!Harness::parse("zester_decode(data, size, &text, &length);").is_wrapped);
    }
}
