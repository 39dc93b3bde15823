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
        "src/guide_valid.md",
        "src/guide_ci.md",
        "src/guide_c.md",
        "src/guide_generators.md",
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
        22
    );
    assert!(page.contains("`grammars/` has twenty-two grammars"));
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

/// Returns the content of the code blocks of a Markdown text that have this language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let mut parts = page.split("\n```");
    let mut found = Vec::new();
    while let (Some(_), Some(block)) = (parts.next(), parts.next()) {
        let (of, content) = block.split_once('\n').unwrap_or((block, ""));
        if of == language {
            found.push(content);
        }
    }
    found
}

/// Applies an edit to a grammar: `-` and ` ` begin lines that the grammar has, `+` and ` ` those that
/// it gets. Lines with `…` separate edited positions.
fn edited(grammar: &str, edit: &str) -> String {
    let mut lines: Vec<&str> = grammar.lines().collect();
    for part in edit.split("…\n") {
        let with = |signs: [char; 2]| -> Vec<&str> {
            let lines = part.lines().filter(|line| line.starts_with(signs));
            lines.map(|line| &line[1..]).collect()
        };
        let (old, new) = (with([' ', '-']), with([' ', '+']));
        let mut found = (0..lines.len()).filter(|&at| lines[at..].starts_with(&old));
        let at = found
            .next()
            .unwrap_or_else(|| panic!("not in the grammar: {old:?}"));
        assert_eq!(found.next(), None, "twice in the grammar: {old:?}");
        lines.splice(at..at + old.len(), new);
    }
    lines.join("\n") + "\n"
}

/// Returns the grammars of the guide's second chapter: the first one, and one for each step.
fn grammars_of_the_guide(page: &str) -> Vec<String> {
    let (whole, edits) = (blocks(page, "ebnf"), blocks(page, "diff"));
    let mut grammars = vec![whole[0].to_string() + "\n"];
    for edit in &edits[..3] {
        grammars.push(edited(grammars.last().expect("a grammar"), edit));
    }
    grammars.push(whole[1].to_string() + "\n");
    grammars.push(edited(whole[1], edits[3]));
    assert_eq!((whole.len(), edits.len()), (2, 4));
    grammars
}

#[test]
fn grammars_of_the_guide_have_no_errors_or_warnings() {
    for (step, grammar) in grammars_of_the_guide(&read("src/guide_valid.md"))
        .iter()
        .enumerate()
    {
        let checked = zester(&["check", "-"], grammar.as_bytes());
        let errors = text(&checked.stderr);
        assert!(checked.status.success(), "step {step}: {errors}");
        assert_eq!(errors, "", "step {step}");
    }
}

#[test]
fn locations_and_shares_in_outputs_of_the_guide_are_those_of_its_grammars_and_table() {
    let page = read("src/guide_valid.md");
    let outputs = blocks(&page, "text");
    let is_why = |output: &&&str| output.contains(" edges by valid sentences\n");
    let outputs: Vec<&str> = outputs.iter().filter(is_why).copied().collect();
    let rows = page.lines().filter(|line| line.ends_with(" |"));
    let rows: Vec<Vec<&str>> = rows
        .map(|row| row.split('|').map(str::trim).collect())
        .filter(|row: &Vec<&str>| row[3].ends_with('%'))
        .collect();
    let grammars = grammars_of_the_guide(&page);
    assert_eq!(
        (outputs.len(), rows.len()),
        (grammars.len(), grammars.len())
    );
    for ((output, row), grammar) in outputs.iter().zip(rows).zip(&grammars) {
        let valid = format!("4000 sentences, {} valid", row[3]);
        let edges = format!(", {} edges by", row[4].replace(',', ""));
        assert!(
            output.contains(&valid) && output.contains(&edges),
            "{row:?}"
        );
        // A suspect is `FILE:LINE:COLUMN  RULE = PART`.
        for suspect in output.split("script.ebnf:").skip(1) {
            let Some((location, part)) = suspect.split_once("  ") else {
                continue;
            };
            let Some((line, column)) = location.split_once(':') else {
                continue;
            };
            let (line, column): (usize, usize) = (line.parse().unwrap(), column.parse().unwrap());
            let part = part.lines().next().unwrap_or_default();
            let part = part.split_once(" = ").expect("a rule").1;
            let source = &grammar.lines().nth(line - 1).expect("a line")[column - 1..];
            assert!(
                source.starts_with(part.trim_end_matches('…')),
                "{location}: {part}"
            );
        }
    }
}

#[test]
fn the_editor_knows_all_words_of_the_notation() {
    let colours = read("cli/editor/zester.tmLanguage.json");
    let colours: serde_json::Value = serde_json::from_str(&colours).unwrap();
    let colours = colours["repository"]["expression"].to_string();
    let notation = read("grammars/ebnf.ebnf");
    let words: BTreeSet<&str> = notation
        .split("\"@")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .filter(|word| !word.is_empty())
        .collect();
    assert!(words.len() > 10, "{words:?}");
    for word in words {
        assert!(colours.contains(word), "{word}");
    }
}
