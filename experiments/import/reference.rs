//! Counts the files of a directory that a reference parser accepts.
//!
//! `reference tree-sitter LANGUAGE DIRECTORY` or `reference pest GRAMMAR START DIRECTORY`. Prints the number
//! of accepted files, the number of all, and the names of the first rejected ones.

use std::path::PathBuf;

fn language(name: &str) -> tree_sitter::Language {
    match name {
        // LANGUAGES
        _ => panic!("unknown language {name}"),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (accepts, directory): (Box<dyn FnMut(&[u8]) -> bool>, &str) = match arguments[..] {
        ["tree-sitter", name, directory] => {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&language(name)).expect("a version that fits");
            let accepts = move |text: &[u8]| {
                parser.parse(text, None).is_some_and(|tree| !tree.root_node().has_error())
            };
            (Box::new(accepts), directory)
        }
        ["pest", grammar, start, directory] => {
            let source = std::fs::read_to_string(grammar).expect("a grammar");
            let (_, rules) = pest_meta::parse_and_optimize(&source).expect("a grammar of pest");
            let (machine, start) = (pest_vm::Vm::new(rules), start.to_string());
            let accepts = move |text: &[u8]| {
                let text = std::str::from_utf8(text).unwrap_or("\u{FFFD}");
                machine.parse(&start, text).is_ok_and(|pairs| {
                    let read = pairs.last().map_or(0, |pair| pair.as_span().end());
                    text[read..].trim().is_empty()
                })
            };
            (Box::new(accepts), directory)
        }
        _ => panic!("reference tree-sitter LANGUAGE DIRECTORY | reference pest GRAMMAR START DIRECTORY"),
    };
    let mut accepts = accepts;
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let is_rejected = |file: &&PathBuf| !accepts(&std::fs::read(file).expect("a file"));
    let rejected: Vec<&PathBuf> = files.iter().filter(is_rejected).collect();
    println!("{} {}", files.len() - rejected.len(), files.len());
    for file in rejected.iter().take(5) {
        println!("{}", file.display());
    }
}
