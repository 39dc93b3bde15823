//! The words that fuzzing found: the files that fuzz targets write beside their corpora.

use std::path::PathBuf;

use zester::corpus;
use zester::mutate::WORDS_HEADER;

use crate::printable::printable;
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
        if !text.is_empty() && !text.starts_with(WORDS_HEADER) {
            let problem = format!("expected `{}` in the first line", WORDS_HEADER.trim_end());
            return Err(Problem::with(&file, problem));
        }
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
        false => {
            let shown: Vec<String> = words.iter().map(|word| printable(word)).collect();
            format!("\n{HEADING}:\n  {}\n", shown.join("\n  "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_words_has_a_header_and_does_not_control_the_terminal() {
        let directory = tempfile::tempdir().unwrap();
        let corpus = directory.path().join("corpus");
        let write =
            |text: &str| std::fs::write(directory.path().join("corpus.words"), text).unwrap();
        write(&format!("{WORDS_HEADER}name \u{1B}]0;x\u{7}\n"));
        let words = of_corpora(std::slice::from_ref(&corpus)).unwrap();
        assert!(
            text(&words).ends_with("\n  name \\u{1b}]0;x\\u{7}\n"),
            "{words:?}"
        );
        write("name a\n");
        assert!(of_corpora(&[corpus]).is_err());
    }
}
