//! Grammarinator (Hodován, Kiss, Gyimóthy, *Grammarinator: a grammar-based open source fuzzer*, A-TEST 2018)
//! with the exported grammar of a subject. It generates texts and has no feedback.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use zester_xtask::command::{output, quietly};
use zester_xtask::programs;
use zester_xtask::repository::target_directory;
use zester_xtask::zester::Zester;

/// The version that is installed from PyPI.
const PACKAGE: &str = "grammarinator==26.1";

/// Ends each text with a zero byte.
const SERIALIZER: &str = "def ended(tree):\n    return str(tree) + '\\0'\n";

/// Sends the generated texts to the program that counts edges, which keeps those with new edges. Prints the
/// number of texts like libFuzzer.
///
/// Grammarinator writes a line feed after each text. After SIGINT it ends, and the texts that it has
/// generated still run.
const SCRIPT: &str = r#"
bin=$1 program=$2 seed=$3
generator=$(basename "$program"/*Generator.py .py)
run() {
    trap '' INT
    sed -z '1!s/^\n//' | "$program/coverage" -0 --keep corpus --json |
        sed 's/.*"files":\([0-9]*\).*/stat::number_of_executed_units: \1/'
}
trap : INT
"$bin/grammarinator-generate" "$generator.$generator" --sys-path "$program" -s serializer.ended --stdout \
    -d 20 -n inf -j 1 --random-seed "$seed" --quiet | run
"#;

/// Installs Grammarinator in a virtual environment, unless it is there, and makes the directory `program` with
/// the generator and the program that counts edges.
pub fn build(subject: &str, grammar: &Path, zester: &Zester, program: &Path) -> Result<()> {
    let environment = target_directory().join("grammarinator");
    if !environment.join("installed").exists() {
        quietly(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(&environment),
        )?;
        quietly(
            Command::new(environment.join("bin/python"))
                .args(["-m", "pip", "install", "--quiet", PACKAGE]),
        )?;
        fs::write(environment.join("installed"), PACKAGE)?;
    }
    // It has its name when it is complete.
    let new = program.with_extension("new");
    fs::create_dir_all(&new)?;
    let mut export = zester.command("export");
    let grammar = output(export.arg(grammar).args(["--to", "antlr"]))?;
    fs::write(new.join("grammar.g4"), grammar)?;
    quietly(
        Command::new(environment.join("bin/grammarinator-process"))
            .arg(new.join("grammar.g4"))
            .arg("-o")
            .arg(&new),
    )?;
    fs::write(new.join("serializer.py"), SERIALIZER)?;
    fs::copy(programs::coverage(subject)?, new.join("coverage"))?;
    Ok(fs::rename(new, program)?)
}

/// Returns the command that generates and runs texts until SIGINT.
pub fn command(program: &Path, seed: u64) -> Command {
    // A shell that starts the experiment in the background makes it ignore SIGINT.
    let mut bash = Command::new("env");
    bash.args(["--default-signal=INT", "bash", "-c", SCRIPT, "bash"])
        .arg(target_directory().join("grammarinator/bin"))
        .arg(program);
    // Text number n of a run has the seed plus n. So seeds of runs must be far from each other.
    bash.arg((seed * 1_000_000_000).to_string());
    bash.env("PYTHONIOENCODING", "utf-8");
    bash
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Stands in for Grammarinator, and for the program that counts: prints one line for each text.
    #[test]
    fn texts_are_passed_as_they_are() {
        let directory = tempfile::tempdir().unwrap();
        let [bin, program] = ["bin", "program"].map(|name| directory.path().join(name));
        for (path, text) in [
            (
                bin.join("grammarinator-generate"),
                r"printf 'a\n\0\n\nb\0\n'",
            ),
            (
                program.join("coverage"),
                r#"sed -z 's/\n/N/g' | tr '\0' '|' >texts; echo '{"files":2,"valid":1}'"#,
            ),
            (program.join("XGenerator.py"), ""),
        ] {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let printed = output(
            Command::new("bash")
                .args(["-c", SCRIPT, "bash"])
                .args([&bin, &program])
                .arg("1")
                .current_dir(directory.path()),
        )
        .unwrap();
        assert_eq!(printed, b"stat::number_of_executed_units: 2\n");
        let texts = fs::read_to_string(directory.path().join("texts")).unwrap();
        assert_eq!(texts, "aN|Nb|");
    }
}
