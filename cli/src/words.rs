//! The words that fuzzing found: the files that fuzz targets write beside their corpora.

use std::path::PathBuf;

use zester::corpus;

use crate::problem::Problem;

/// Returns the words of the files beside corpora, sorted, without duplicates.
pub fn of_corpora(corpora: &[PathBuf]) -> Result<Vec<String>, Problem> {
    let mut words = Vec::new();
    for corpus in corpora {
        let Some(file) = corpus::words_file(corpus).filter(|file| file.is_file()) else {
            continue;
        };
        let text = std::fs::read(&file).map_err(|error| Problem::with(&file, error))?;
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().map(str::trim);
        words.extend(
            lines
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
                .map(String::from),
        );
    }
    words.sort();
    words.dedup();
    Ok(words)
}

/// The heading of a list of words.
const HEADING: &str = "words that the program looks for and the grammar does not list";

/// Returns a section with words; nothing if there are none.
pub fn text(words: &[String]) -> String {
    match words.is_empty() {
        true => String::new(),
        false => format!("\n{HEADING}:\n  {}\n", words.join("\n  ")),
    }
}
