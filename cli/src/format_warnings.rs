//! Warns of texts that are read as parameters, and of parameters that are read as texts.

use std::path::{Path, PathBuf};

use zester::bounds::Caps;
use zester::corpus::Plain;
use zester::grammar::Grammar;

use crate::fuzz_target::FuzzTarget;
use crate::input::{inputs, is_known_as_parameters, parse};
use crate::problem::shown;

/// Warns once if files that are read as parameters seem to be sentences of the grammar. Parses only
/// the first few files.
pub fn warn_of_texts(paths: &[PathBuf], grammar: &Grammar) {
    warn_of_sentences(paths, |plain| plain.sentences(grammar));
}

/// Warns once if files that are read as parameters seem to be sentences of the grammar of a target.
/// The target is run only if at least half of the first files are printable.
pub fn warn_of_texts_for_target(paths: &[PathBuf], target: &FuzzTarget, name: &Path) {
    warn_of_sentences(paths, |plain| {
        // A target whose inputs are Rust values (`Arbitrary`) has no grammar.
        let (grammar, _) = parse(name, &target.grammar().ok()?, None, &Caps::default()).ok()?;
        plain.sentences(&grammar)
    });
}

/// Warns if files that are read as parameters seem to be sentences. `count` returns how many of the
/// first files are sentences, or [`None`] if fewer than half are.
fn warn_of_sentences(paths: &[PathBuf], count: impl FnOnce(&Plain) -> Option<usize>) {
    let unknown = paths.iter().filter(|path| !is_known_as_parameters(path));
    let unknown: Vec<PathBuf> = unknown.cloned().collect();
    let (Some(first), Ok(files)) = (unknown.first(), inputs(&unknown)) else {
        return;
    };
    let Some(plain) = Plain::of(files.into_iter()) else {
        return;
    };
    if let Some(count) = count(&plain) {
        eprintln!(
            "zester: warning: {}: files that are sentences of the grammar: {count} of {} examined. Files are read as parameters here \
             and decode to unrelated sentences.\n  `zester encode GRAMMAR {} -o CORPUS` makes parameters of texts",
            shown(first),
            plain.files,
            shown(first)
        );
    }
}

/// Warns once if paths that are read as texts are corpora of parameters or artifacts. `advice` is
/// the end of the warning.
pub fn warn_of_parameters(paths: &[PathBuf], advice: &str) {
    let is_known = |path: &&PathBuf| is_known_as_parameters(path);
    let known: Vec<&PathBuf> = paths.iter().filter(is_known).collect();
    let Some(first) = known.first() else { return };
    let more = if known.len() > 1 {
        format!(" and {} more", known.len() - 1)
    } else {
        String::new()
    };
    eprintln!(
        "zester: warning: {}{more}: zester wrote parameters there, but files are read as texts here; {advice}",
        shown(first)
    );
}
