//! Reads grammars of ANTLR 4, with the grammars that they import and the lexer grammar beside them.

mod classes;
mod element;
mod eof;
mod lexer;
mod lexical;
mod line_ends;
mod lower;
mod mode_layout;
mod modes;
mod parser;
mod predicates;
mod sets;
mod shadowed;
#[cfg(test)]
mod texts;
mod vocabulary;

use std::collections::HashSet;

use self::element::{G4File, G4Kind};
use super::expression::{Finding, ForeignGrammar, SourceLocation};
use super::sources::{self, Sources};

/// The maximum number of files of one grammar.
const FILES: usize = 100;

/// Reads a grammar.
pub fn read(sources: &mut Sources, file: usize) -> Result<ForeignGrammar, Finding> {
    let mut main = parser::parse(sources.text(file), file)?;
    if main.kind == G4Kind::Lexer {
        return Err(Finding::new(
            SourceLocation::new(file, 0..0),
            "a lexer grammar has no syntax rules",
            "import the parser grammar; its lexer grammar is read from the file beside it",
        ));
    }
    add_imports(&mut main, sources)?;
    let has_tokens = main.rules.iter().any(element::G4Rule::is_token);
    if main.kind == G4Kind::Parser || main.options.contains_key("tokenVocab") && !has_tokens {
        add_lexer(&mut main, sources, file)?;
    }
    Ok(lower::lower(main))
}

/// Opens the grammar of a name beside the first file. Returns [`None`] if it is not there.
fn open(name: &str, sources: &mut Sources) -> Result<Option<G4File>, Finding> {
    let path = sources.path(0).with_file_name(format!("{name}.g4"));
    let Some(text) = sources::neighbour(&path) else {
        return Ok(None);
    };
    let file = sources.add(&path, text);
    parser::parse(sources.text(file), file).map(Some)
}

/// Adds the rules of the imported grammars. The rules of the importing grammar come first, and hide
/// imported ones of their names.
fn add_imports(main: &mut G4File, sources: &mut Sources) -> Result<(), Finding> {
    let mut known: HashSet<String> = main.rules.iter().map(|rule| rule.name.clone()).collect();
    let mut opened: HashSet<String> = HashSet::from([main.name.clone()]);
    let mut open_imports: Vec<_> = main.imports.iter().rev().cloned().collect();
    while let Some((name, location)) = open_imports.pop() {
        if !opened.insert(name.clone()) || opened.len() > FILES {
            continue;
        }
        let Some(imported) = open(&name, sources)? else {
            main.warnings.push(Finding::new(
                location,
                format!("the imported grammar `{name}` is not there"),
                format!("expected the file {name}.g4 beside the grammar"),
            ));
            continue;
        };
        open_imports.extend(imported.imports.iter().rev().cloned());
        main.warnings.extend(imported.warnings);
        for rule in imported.rules {
            if known.insert(rule.name.clone()) {
                main.rules.push(rule);
            }
        }
    }
    Ok(())
}

/// Adds the rules of the lexer grammar of a parser grammar.
fn add_lexer(main: &mut G4File, sources: &mut Sources, file: usize) -> Result<(), Finding> {
    let stem = main.name.strip_suffix("Parser").unwrap_or(&main.name);
    let beside = [format!("{stem}Lexer"), stem.to_string()];
    let candidates = main.options.get("tokenVocab").into_iter().chain(&beside);
    let candidates: Vec<String> = candidates
        .filter(|name| **name != main.name)
        .cloned()
        .collect();
    for name in &candidates {
        let Some(mut lexer) = open(name, sources)? else {
            continue;
        };
        if lexer.kind == G4Kind::Parser {
            continue;
        }
        add_imports(&mut lexer, sources)?;
        lexer.rules.retain(element::G4Rule::is_token);
        if let Some(value) = lexer.options.remove("caseInsensitive") {
            for rule in &mut lexer.rules {
                rule.case_insensitive.get_or_insert(value == "true");
            }
        }
        main.rules.extend(lexer.rules);
        main.warnings.extend(lexer.warnings);
        return Ok(());
    }
    main.warnings.push(Finding::new(
        SourceLocation::new(file, 0..0),
        "the lexer grammar is not there",
        format!("expected the file {}.g4 beside the grammar", candidates[0]),
    ));
    Ok(())
}
