//! Counts the files of a directory that a crate accepts. The crate reads the format of a grammar in ABNF, or
//! has a parser that LALRPOP has made.
//!
//! `crates NAME DIRECTORY`. Prints the number of accepted files, the number of all, and the number of those that
//! Rust code of the grammar's actions refuses; then the first files that the parser rejects.

use std::fmt::Debug;
use std::panic;
use std::path::PathBuf;

/// Parts of the messages of parsers that LALRPOP has made. Other messages are of an action.
const SYNTAX: [&str; 5] =
    ["Unrecognized", "InvalidToken", "ExtraToken", "nrecognised token", "LexicalError"];

fn message<T, E: Debug>(result: Result<T, E>) -> Result<(), String> {
    result.map(|_| ()).map_err(|error| format!("{error:?}"))
}

/// Reads a text in a format that is described in ABNF.
fn read_abnf(name: &str, text: &str) -> Option<Result<(), String>> {
    Some(match name {
        "abnf" => message(abnf::rulelist(text)),
        "dhall" => message(dhall::Parsed::parse_str(text)),
        "uri" => message(fluent_uri::Uri::parse(text)),
        "iri" => message(fluent_uri::Iri::parse(text)),
        "langtag" => message(langtag::LangTag::new(text)),
        _ => return None,
    })
}

/// Reads a text by a parser that LALRPOP has made.
fn read_lalrpop(name: &str, text: &str) -> Result<(), String> {
    match name {
        "cel" => message(cel_parser::parse(text)),
        "cedar" => message(cedar_policy_core::parser::text_to_cst::parse_policies(text)),
        "cedar-schema" => {
            message(cedar_policy_core::validator::cedar_schema::parser::parse_schema(text))
        }
        "solidity" => message(solang_parser::parse(text, 0)),
        "polar" => message(polar_core::parser::parse_lines(polar_core::sources::Source::new(text))),
        "python" => {
            message(rustpython_parser::parse(text, rustpython_parser::Mode::Module, "sentence"))
        }
        _ => panic!("unknown format {name}"),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, directory] = &arguments[..] else { panic!("crates NAME DIRECTORY") };
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    panic::set_hook(Box::new(|_| ()));
    let (mut accepted, mut refused, mut rejected) = (0, 0, Vec::new());
    for file in &files {
        let text = std::fs::read(file).expect("a file");
        let text = std::str::from_utf8(&text).unwrap_or("\u{FFFD}");
        let (is_abnf, result) = match read_abnf(name, text) {
            Some(result) => (true, result),
            None => {
                let read = || read_lalrpop(name, text);
                (false, panic::catch_unwind(read).unwrap_or(Err("panicked".into())))
            }
        };
        match result {
            Ok(()) => accepted += 1,
            Err(error) if is_abnf || SYNTAX.iter().any(|part| error.contains(part)) => {
                rejected.push((file, error));
            }
            Err(_) => refused += 1,
        }
    }
    println!("{accepted} {} {refused}", files.len());
    for (file, error) in rejected.iter().take(5) {
        println!("{}: {}", file.display(), error.chars().take(300).collect::<String>());
    }
}
