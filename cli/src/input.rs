//! Reads the input of commands: grammars, parameters, and the files in directories. `-` is standard
//! input.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use zester::bounds::Caps;
use zester::corpus::{self, records};
use zester::grammar::Grammar;
use zester::notation::{self, Report};
use zester::parameters;

use crate::arguments::GrammarAndStart;
use crate::foreign_notation::Notation;
use crate::fuzz_target::FuzzTarget;
use crate::numbers::counted;
use crate::output;
use crate::problem::{Problem, shown};

/// The maximum size of a file of parameters in bytes.
const MAX_PARAMETERS: u64 = 64 << 20;

/// Reads a grammar from a file or a built target. Prints its warnings on standard error.
pub fn grammar(path: &Path, caps: &Caps) -> Result<Grammar, Problem> {
    grammar_from(path, None, caps)
}

/// Reads a grammar from a file or a built target, with another start rule if the option is given.
/// Prints its warnings on standard error.
pub fn grammar_and_start(grammar: &GrammarAndStart, caps: &Caps) -> Result<Grammar, Problem> {
    grammar_from(&grammar.path, grammar.start.as_deref(), caps)
}

fn grammar_from(path: &Path, start: Option<&str>, caps: &Caps) -> Result<Grammar, Problem> {
    let (grammar, report) = parse(path, &source(path)?, start, caps)?;
    eprint!("{report}");
    Ok(grammar)
}

/// Returns the text of a grammar: the content of a file, or the grammar of a built target.
pub fn source(path: &Path) -> Result<Vec<u8>, Problem> {
    match FuzzTarget::of(path)? {
        Some(target) => target.grammar(),
        None => read(path, notation::MAX_SOURCE as u64 + 1),
    }
}

/// Parses a grammar. Returns it with its warnings. `path` is its name in messages.
pub fn parse(
    path: &Path,
    source: &[u8],
    start: Option<&str>,
    caps: &Caps,
) -> Result<(Grammar, Report), Problem> {
    notation::read_from(&path.display().to_string(), source, start, caps)
        .map_err(|report| foreign(path, source).unwrap_or(Problem::Grammar(report)))
}

/// Returns the advice to import a file that seems to be a grammar in another notation.
fn foreign(path: &Path, source: &[u8]) -> Option<Problem> {
    let notation = Notation::of(path, std::str::from_utf8(source).ok()?)?;
    let path = shown(path);
    Some(Problem::Foreign(format!(
        "zester: {path}: this looks like a grammar in the notation of {}, not in zester's\n  \
         `zester import {path} -o my.ebnf` writes it in zester's notation\n",
        notation.name()
    )))
}

/// Reads at most `max` bytes of a file.
pub fn read(path: &Path, max: u64) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(max).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(max).read_to_end(&mut bytes))
    };
    read.map_err(|error| Problem::with(path, error))?;
    Ok(bytes)
}

/// Reads a file of parameters.
pub fn parameters(path: &Path) -> Result<Vec<u8>, Problem> {
    let bytes = read(path, MAX_PARAMETERS + 1)?;
    if bytes.len() as u64 > MAX_PARAMETERS {
        return Err(Problem::with(
            path,
            format!("more than {MAX_PARAMETERS} bytes"),
        ));
    }
    Ok(bytes)
}

/// Returns the files that arguments name. A directory means the files in it, sorted by name. The
/// marker of a corpus is left out.
pub fn inputs(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|error| Problem::with(path, error))?;
        let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        inside.retain(|path| path.is_file() && !corpus::is_mark(path));
        inside.sort();
        files.append(&mut inside);
    }
    Ok(files)
}

/// Returns whether a file is directly in a directory.
pub fn is_inside(file: &Path, directory: &Path) -> bool {
    let parent = output::parent_of(file).canonicalize().ok();
    file != Path::new("-") && parent.is_some() && parent == directory.canonicalize().ok()
}

/// Warns of corpora and of files of parameters that were written with another grammar.
pub fn warn_of_stale<'a>(paths: impl IntoIterator<Item = &'a PathBuf>, grammar: &Grammar) {
    let (mut marked, mut recorded) = (BTreeMap::new(), Vec::new());
    let mut directories: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for path in paths.into_iter().filter(|path| *path != Path::new("-")) {
        let directory = directory_of(path);
        let all = directories
            .entry(directory)
            .or_insert_with_key(|directory| {
                let stale = corpus::stale(directory, grammar);
                marked.extend(stale.map(|stale| (directory.clone(), stale)));
                records::all(directory)
            });
        if all.is_empty() {
            continue;
        }
        for file in inputs(std::slice::from_ref(path)).into_iter().flatten() {
            let text = records::other_text_in(all, &file, grammar);
            recorded.extend(text.map(|text| (file, text)));
        }
    }
    marked
        .values()
        .for_each(|stale| eprintln!("zester: warning: {stale}"));
    let Some((file, text)) = recorded.first() else {
        return;
    };
    let more = if recorded.len() > 1 {
        match counted(recorded.len() - 1, "more file") {
            one if recorded.len() == 2 => format!(", as was {one}"),
            more => format!(", as were {more}"),
        }
    } else {
        String::new()
    };
    eprintln!(
        "zester: warning: {}: this file was written with another grammar, or another version of it{more}: its parameters decode to \
         another text now.\n  The text that it had is in {}",
        shown(file),
        shown(text)
    );
}

/// Warns of corpora and of files of parameters that were written with another grammar than that of
/// a target. The target is run only if a path has a marker or a record of a grammar.
pub fn warn_of_stale_for_target(paths: &[PathBuf], target: &FuzzTarget, name: &Path) {
    let is_known = |path: &PathBuf| {
        corpus::is_marked(&directory_of(path)) || !records::all(&directory_of(path)).is_empty()
    };
    if !paths.iter().any(is_known) {
        return;
    }
    // A target whose inputs are Rust values (`Arbitrary`) has no grammar.
    let grammar = target
        .grammar()
        .and_then(|source| parse(name, &source, None, &Caps::default()));
    if let Ok((grammar, _)) = grammar {
        warn_of_stale(paths, &grammar);
    }
}

/// Returns whether zester wrote a path as parameters: a corpus has a marker, an artifact a record.
pub fn is_known_as_parameters(path: &Path) -> bool {
    corpus::is_marked(&directory_of(path)) || records::is_recorded(path)
}

/// Returns a directory itself, or the directory of a file.
pub fn directory_of(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.into()
    } else {
        output::parent_of(path).into()
    }
}

/// Returns the parameters of a text, if it is a sentence.
pub fn encoded(grammar: &Grammar, text: &[u8]) -> Option<Vec<u8>> {
    let derivation = grammar.parse(text).ok()?;
    let mut parameters = Vec::new();
    parameters::encode(grammar, &derivation, &mut parameters);
    Some(parameters)
}
