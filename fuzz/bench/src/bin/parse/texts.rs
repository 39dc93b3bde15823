//! Texts of given sizes, made of sentences that zester, tree-sitter and serde_json accept.

use std::path::{Path, PathBuf};

use zester::derivation::Derivation;
use zester::derive::{DerivationGoal, Workspace, derive};
use zester::grammar::{Grammar, Kind, SymbolId};
use zester::parameters::Settings;
use zester::parse::Parser;
use zester::sampler::Sampler;

use crate::languages::Language;

/// The size that a sentence aims at, and its maximum size, in bytes.
const SENTENCE: (f64, usize) = (150.0, 600);

/// The sizes of texts in bytes.
const SIZES: [(&str, usize); 4] = [
    ("1 kB", 1_000),
    ("10 kB", 10_000),
    ("100 kB", 100_000),
    ("1 MB", 1_000_000),
];

/// The maximum number of sentences that are drawn; after that, they are used again.
const DRAWN: usize = 10_000;

/// Writes files by size to a directory, and prints how the sentences were chosen. If tree-sitter
/// refuses nearly all sentences, it is not used.
pub fn texts(
    grammar: &Grammar,
    language: &mut Language,
    directory: &Path,
) -> Vec<(String, Vec<PathBuf>)> {
    let mut sentences = some(grammar, language);
    if sentences.len() < DRAWN / 20 && language.tree_sitter.take().is_some() {
        sentences = some(grammar, language);
    }
    // Sentences that are refused when they are joined are left out.
    let (mut parser, mut derivation) = (Parser::new(grammar), Derivation::default());
    let mut is_text = |part: &[String]| {
        parser
            .parse_into(language.join(part).as_bytes(), &mut derivation)
            .is_ok()
    };
    let all = sentences.len();
    sentences = sentences
        .chunks(8)
        .filter(|part| is_text(part))
        .flatten()
        .cloned()
        .collect();
    if sentences.len() < all {
        println!(
            "{} of these stand in texts of eight that are refused, and are left out",
            all - sentences.len()
        );
    }
    // Repeats sentences to replace those that were left out.
    let (own, size) = (sentences.len(), |sentence: &String| {
        sentence.len() + language.around[1].len()
    });
    let mut bytes: usize = sentences.iter().map(size).sum();
    while own > 0 && bytes < SIZES[SIZES.len() - 1].1 {
        sentences.push(sentences[sentences.len() % own].clone());
        bytes += size(&sentences[sentences.len() - 1]);
    }
    let mut sizes = Vec::new();
    for (name, size) in SIZES {
        let mut files = Vec::new();
        let mut is_reported = false;
        let mut add = |files: &mut Vec<PathBuf>, sentences: &[String]| {
            let text = language.join(sentences);
            let result = parser.parse_into(text.as_bytes(), &mut Derivation::default());
            if let Some(error) = result
                .err()
                .filter(|_| !std::mem::replace(&mut is_reported, true))
            {
                println!(
                    "a text of {name} is refused: {}",
                    parser.explain(text.as_bytes(), error)
                );
            }
            let file = directory.join(format!("{size}-{}", files.len()));
            std::fs::write(&file, text).expect("a text is written");
            files.push(file);
        };
        let (mut from, mut bytes) = (0, 0);
        for (at, sentence) in sentences.iter().enumerate() {
            if bytes + sentence.len() > size && at > from {
                add(&mut files, &sentences[from..at]);
                (from, bytes) = (at, 0);
            }
            bytes += sentence.len() + language.around[1].len();
        }
        if files.is_empty() {
            add(&mut files, &sentences);
        }
        sizes.push((name.to_string(), files));
    }
    sizes
}

/// Returns about 1 MB of sentences.
fn some(grammar: &Grammar, language: &mut Language) -> Vec<String> {
    let symbol = language
        .rule
        .map_or(grammar.start(), |name| find(grammar, name));
    let (mut sampler, mut workspace, mut derivation) = (
        Sampler::new(1, 0.0),
        Workspace::default(),
        Derivation::default(),
    );
    let (mut parser, settings) = (Parser::new(grammar), Settings::default());
    let (mut sentences, mut bytes, mut drawn, mut refused, mut wrong) =
        (Vec::new(), 0, 0, 0, [0; 2]);
    let largest = SIZES[SIZES.len() - 1].1;
    while bytes < largest && drawn < DRAWN {
        sampler.restart(SENTENCE.0);
        derive(
            DerivationGoal {
                grammar,
                symbol,
                bounds: &settings.bounds,
                caps: &settings.caps,
            },
            &mut sampler,
            &mut workspace,
            &mut derivation,
        );
        let Ok(sentence) = std::str::from_utf8(derivation.text()) else {
            continue;
        };
        if !(1..=SENTENCE.1).contains(&sentence.len()) {
            continue;
        }
        drawn += 1;
        // A sentence is checked between two others, as in a text.
        let sentence = sentence.to_string();
        let around = sentences.last().unwrap_or(&sentence);
        let text = language.join(&[around.clone(), sentence.clone(), around.clone()]);
        if parser.parse_into(text.as_bytes(), &mut derivation).is_err() {
            refused += 1;
        } else if language.name == "json"
            && serde_json::from_str::<serde_json::Value>(&text).is_err()
        {
            wrong[1] += 1;
        } else if language
            .tree_sitter
            .as_mut()
            .is_some_and(|peer| !peer.accepts(text.as_bytes()))
        {
            wrong[0] += 1;
        } else {
            bytes += sentence.len() + language.around[1].len();
            sentences.push(sentence);
        }
    }
    print!("{} of {drawn} sentences, {bytes} bytes", sentences.len());
    for (count, why) in [
        (refused, "cannot be joined"),
        (wrong[0], "tree-sitter refuses"),
        (wrong[1], "serde_json refuses"),
    ] {
        if count > 0 {
            print!("; {count} {why}");
        }
    }
    println!();
    sentences
}

/// Returns the symbol of a rule.
fn find(grammar: &Grammar, name: &str) -> SymbolId {
    let mut symbols = (0..grammar.symbols().len() as u32).map(SymbolId);
    let is_rule = |&symbol: &SymbolId| {
        grammar.label(symbol) == name && !matches!(grammar[symbol].kind, Kind::Lexeme { .. })
    };
    symbols
        .find(is_rule)
        .unwrap_or_else(|| panic!("a rule {name}"))
}
