//! `zester completions` and `zester man`.

use super::*;

/// Runs a script with the path of zester as its first argument. Returns [`None`] if there is no such
/// shell.
fn run(shell: &str, script: &str) -> Option<String> {
    let output = Command::new(shell)
        .args(["-c", script, shell, env!("CARGO_BIN_EXE_zester")])
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: no {shell}");
        return None;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(text(&output.stdout))
}

#[test]
fn bash_completes_commands_options_and_values() {
    let complete = |line: &str| {
        // Bash calls the function with the command, the current word and the word before it.
        let script = format!(
            "set -e; eval \"$(\"$1\" completions bash)\"; complete -p zester >&2
             COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
             _zester zester \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        run("bash", &script)
    };
    for (line, expected) in [
        ("zester tri", "triage"),
        ("zester generate --para", "--parameters"),
        ("zester completions f", "fish"),
        ("zester new x --template jso", "json"),
    ] {
        if let Some(found) = complete(line) {
            assert_eq!(found.trim_end(), expected, "{line}");
        }
    }
}

#[test]
fn other_shells_accept_their_scripts() {
    for shell in ["zsh", "fish"] {
        let script = text(&zester(&["completions", shell], b"").stdout);
        assert!(script.contains("triage"), "{script}");
    }
    run("zsh", "\"$1\" completions zsh | zsh -n");
    run("fish", "$argv[2] completions fish | fish --no-execute");
    let output = zester(&["completions", "tcsh"], b"");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn every_command_has_a_manual_page() {
    let directory = directory("man");
    let pages = directory.join("man1");
    let path = pages.to_str().unwrap();
    let write = |arguments: &[&str]| zester(&[&["man", path], arguments].concat(), b"");
    let output = write(&[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let commands = super::help::commands();
    for command in &commands {
        let page = std::fs::read_to_string(pages.join(format!("zester-{command}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
    let count = std::fs::read_dir(&pages).unwrap().count();
    assert_eq!(count, commands.len() + 1);
    let first = pages.join("zester.1");
    assert_eq!(std::fs::read(&first).unwrap(), zester(&["man"], b"").stdout);
    assert!(write(&[]).status.success(), "the pages are the same");
    std::fs::write(&first, "mine").unwrap();
    assert_eq!(write(&[]).status.code(), Some(2));
    assert_eq!(std::fs::read(&first).unwrap(), b"mine");
    assert!(write(&["--force"]).status.success());
    let page = pages.join("zester-reduce.1");
    let man = Command::new("man")
        .args(["-l", "--warnings", page.to_str().unwrap()])
        .env("MANWIDTH", "80")
        .output();
    let Ok(man) = man else {
        eprintln!("skipped: no man");
        return;
    };
    assert!(
        man.status.success() && man.stderr.is_empty(),
        "{}",
        text(&man.stderr)
    );
    let shown = text(&man.stdout);
    assert!(
        shown
            .lines()
            .any(|line| line.trim().starts_with("zester reduce ")),
        "each example has a line: {shown}"
    );
}
