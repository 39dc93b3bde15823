//! The documentation names only commands, options, files and grammars that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{ROOT, text, zester};

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the names of all commands.
fn commands() -> BTreeSet<String> {
    let help = text(&zester(&["--help"], b"").stdout);
    let list = help.split("Commands:").nth(1).expect("a list of commands");
    let lines = list.lines().skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names
        .filter(|name| !name.is_empty() && *name != "help")
        .map(String::from)
        .collect()
}

/// Returns the parts of a text in backquotes.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_table_of_commands_is_complete() {
    let page = read("src/commands.md");
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `zester "));
    let listed: BTreeSet<String> = rows
        .map(|row| row.split([' ', '`']).next().unwrap_or_default().into())
        .collect();
    assert_eq!(listed, commands());
}

#[test]
fn options_of_the_table_of_commands_exist() {
    let page = read("src/commands.md");
    for row in page.lines().filter(|line| line.starts_with("| `zester ")) {
        let mut command = "";
        for part in code(row) {
            if let Some(rest) = part.strip_prefix("zester ") {
                command = rest.split(' ').next().unwrap_or_default();
            } else if part.starts_with("generate ") {
                command = "generate";
            }
            let help = text(&zester(&[command, "--help"], b"").stdout);
            let words = part.split(' ').take_while(|word| *word != "--");
            for option in words.filter(|word| word.starts_with("--")) {
                assert!(
                    help.contains(option),
                    "zester {command} has no {option}: {row}"
                );
            }
        }
    }
}

#[test]
fn commands_in_texts_exist() {
    let commands = commands();
    for file in [
        "README.md",
        "src/commands.md",
        "src/guide.md",
        "src/writing_grammars.md",
        "src/notation/notation.md",
    ] {
        let page = read(file);
        let lines = page.lines().filter(|line| !line.starts_with('|'));
        for line in lines {
            let shell = line.trim_start().strip_prefix("zester ");
            for used in code(line)
                .filter_map(|part| part.strip_prefix("zester "))
                .chain(shell)
            {
                let name = used.split([' ', '-']).next().unwrap_or_default();
                let is_prose = name.is_empty() || shell == Some(used) && !line.starts_with("    ");
                assert!(is_prose || commands.contains(name), "{file}: {line}");
            }
        }
    }
}

#[test]
fn files_in_the_readme_exist() {
    let page = read("README.md");
    for part in code(&page).filter(|part| part.starts_with("scripts/") && !part.contains(' ')) {
        assert!(Path::new(ROOT).join(part).exists(), "{part}");
    }
    for link in page
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
    {
        assert!(
            link.contains("://") || Path::new(ROOT).join(link).exists(),
            "{link}"
        );
    }
    assert!(
        page.lines().count() <= 120,
        "README.md has more than 120 lines"
    );
    assert_eq!(
        fs::read_dir(Path::new(ROOT).join("grammars"))
            .unwrap()
            .count(),
        18
    );
    assert!(page.contains("`grammars/` has eighteen grammars"));
}

#[test]
fn the_grammar_of_the_readme_is_one() {
    let page = read("README.md");
    let grammar = page
        .split("```text\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let checked = zester(&["check", "-"], grammar.expect("a grammar").as_bytes());
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    assert_eq!(text(&checked.stderr), "");
}
