//! The help of every command.

use super::*;

/// Returns the names of all commands.
pub fn commands() -> Vec<String> {
    let help = text(&zester(&["--help"], b"").stdout);
    let list = help
        .split("Commands:\n")
        .nth(1)
        .unwrap()
        .split("\n\n")
        .next()
        .unwrap();
    let first = |line: &str| line.split_whitespace().next().unwrap().to_string();
    list.lines()
        .filter(|line| !line.starts_with("   "))
        .map(first)
        .filter(|name| name != "help")
        .collect()
}

#[test]
fn every_command_has_an_example_that_it_would_take() {
    let commands = commands();
    assert!(commands.len() >= 14, "{commands:?}");
    for command in commands {
        let help = text(&zester(&[&command, "--help"], b"").stdout);
        let examples: Vec<&str> = help
            .lines()
            .filter(|line| line.starts_with("  ") && line.contains(&format!("zester {command} ")))
            .collect();
        assert!(!examples.is_empty(), "{command}: {help}");
        // The options of the example must exist. Its files need not exist.
        for example in examples {
            let arguments = example.split(&format!("zester {command} ")).nth(1).unwrap();
            let options = arguments
                .split(" -- ")
                .next()
                .unwrap()
                .split_whitespace()
                .filter(|word| word.starts_with("--"));
            for option in options {
                assert!(
                    help.contains(&format!("{option} ")) || help.contains(&format!("{option}\n")),
                    "{command}: {option}"
                );
            }
        }
    }
}

#[test]
fn control_characters_in_wrong_arguments_are_escaped() {
    let escape = "\u{1b}[31mx\ny";
    for arguments in [
        &[escape][..],
        &["check", "grammars/expr.ebnf", escape],
        &["generate", "grammars/expr.ebnf", "--size", escape],
        &["generate", "grammars/expr.ebnf", "--bounds", escape],
        &["decode", "grammars/expr.ebnf", "--max-bytes", escape],
    ] {
        let output = zester(arguments, b"");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            !said.contains('\u{1b}') && said.contains("\\u{1b}[31mx\\ny"),
            "{arguments:?}: {said}"
        );
    }
    let help = zester(&["--help"], b"");
    assert!(help.status.success() && help.stderr.is_empty());
}
