//! `zester guide`: prints the chapters of zester's documentation.

use std::io::{IsTerminal, Write};
use std::process::{Command, ExitCode, Stdio};

use crate::output::print;
use crate::problem::Problem;

/// A chapter: its name, what it is about, and its text.
type Chapter = (&'static str, &'static str, &'static str);

/// The chapters, in the order in which they are read.
const CHAPTERS: [Chapter; 10] = [
    (
        "start",
        "from nothing to the first bug, and what next",
        include_str!("../guide/guide.md"),
    ),
    (
        "valid",
        "how a grammar gets to valid sentences",
        include_str!("../guide/guide_valid.md"),
    ),
    (
        "oracles",
        "wrong answers: round trips, two versions, other programs",
        include_str!("../guide/guide_oracles.md"),
    ),
    (
        "ci",
        "workflows for GitHub and GitLab; cargo test",
        include_str!("../guide/guide_ci.md"),
    ),
    (
        "generators",
        "you have proptest strategies, or another random generator",
        include_str!("../guide/guide_generators.md"),
    ),
    (
        "c",
        "harnesses in C and C++, and C code in a Rust crate",
        include_str!("../guide/guide_c.md"),
    ),
    (
        "grammars",
        "advice on writing grammars",
        include_str!("../guide/writing_grammars.md"),
    ),
    (
        "notation",
        "the notation of grammars",
        include_str!("../guide/notation.md"),
    ),
    (
        "commands",
        "all commands; other engines",
        include_str!("../guide/commands.md"),
    ),
    (
        "settings",
        "the settings of fuzz targets, such as ZESTER_STATS",
        include_str!("../guide/settings.md"),
    ),
];

/// Links to chapters in the library's documentation, and the commands that replace them.
const LINKS: [(&str, &str); 11] = [
    ("(crate::guide)", "(zester guide start)"),
    ("(crate::guide_valid)", "(zester guide valid)"),
    ("(crate::guide_oracles)", "(zester guide oracles)"),
    ("(crate::guide_ci)", "(zester guide ci)"),
    ("(crate::guide_c)", "(zester guide c)"),
    ("(crate::guide_generators)", "(zester guide generators)"),
    ("(crate::writing_grammars)", "(zester guide grammars)"),
    ("(crate::notation)", "(zester guide notation)"),
    ("(crate::commands)", "(zester guide commands)"),
    ("(crate::hooks)", "(zester guide settings)"),
    ("](crate::", "](cargo doc: zester::"),
];

const EXAMPLES: &str = "\
Chapters:
  start       from nothing to the first bug, and what next
  valid       how a grammar gets to valid sentences
  oracles     wrong answers: round trips, two versions, other programs
  ci          workflows for GitHub and GitLab; cargo test
  generators  you have proptest strategies, or another random generator
  c           harnesses in C and C++, and C code in a Rust crate
  grammars    advice on writing grammars
  notation    the notation of grammars
  commands    all commands; other engines
  settings    the settings of fuzz targets, such as ZESTER_STATS

Examples:
  zester guide                     the first chapter
  zester guide notation | grep -n '@scope'

Exit status: 0.";

/// Read zester's guide.
///
/// On a terminal, the program of the environment variable PAGER shows it, or `less`. `cargo doc
/// --open --no-deps -p zester` in a fuzz crate opens the same texts in a browser.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct GuideCommand {
    /// The chapter.
    #[arg(value_name = "CHAPTER", default_value = "start",
          value_parser = clap::builder::PossibleValuesParser::new(CHAPTERS.iter().map(|(name, ..)| *name)))]
    chapter: String,
}

impl GuideCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let chapter = CHAPTERS.iter().find(|(name, ..)| *name == self.chapter);
        let text = chapter.map_or(String::new(), chapter_text);
        if !std::io::stdout().is_terminal() || !page(&text) {
            print(text.as_bytes())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the text of a chapter, with links to other chapters as commands.
fn chapter_text((_, about, source): &Chapter) -> String {
    // Some chapters have no heading, because the library's documentation adds one.
    let mut text = match source.starts_with('#') {
        true => source.to_string(),
        false => format!("# {about}\n\n{source}"),
    };
    for (link, command) in LINKS {
        text = text.replace(link, command);
    }
    text
}

/// Shows a text in the user's pager. Returns whether that worked.
fn page(text: &str) -> bool {
    let pager = std::env::var("PAGER").unwrap_or_else(|_| "less".into());
    let child = Command::new("sh")
        .args(["-c", &pager])
        .env("LESS", "FRX")
        .stdin(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        return false;
    };
    if let Some(mut input) = child.stdin.take() {
        // Writing fails if the user quits the pager early.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_have_headings_and_no_links_to_the_library() {
        for chapter in &CHAPTERS {
            let text = chapter_text(chapter);
            assert!(text.lines().count() > 15, "{}", chapter.0);
            assert!(
                !text.contains("](crate::") && text.starts_with("# "),
                "{}",
                chapter.0
            );
            assert!(EXAMPLES.contains(&format!("  {:<11} {}\n", chapter.0, chapter.1)));
        }
    }
}
