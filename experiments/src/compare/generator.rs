//! Generators of texts without feedback, with the exported grammar of a subject: Grammarinator (Hodován, Kiss, Gyimóthy,
//! *Grammarinator: a grammar-based open source fuzzer*, A-TEST 2018) and Fandango (Amaya, Smytzek, Zeller, *FANDANGO: Evolving
//! Language-Based Testing*, ISSTA 2025).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use zester_xtask::command::{output, quietly};
use zester_xtask::programs;
use zester_xtask::repository::target_directory;
use zester_xtask::zester::Zester;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    Grammarinator,
    Fandango,
}

/// Makes Grammarinator end each text with a zero byte.
const SERIALIZER: &str = "def ended(tree):\n    return str(tree) + '\\0'\n";

/// Prints texts of Fandango, each with a zero byte at the end.
const FANDANGO: &str = r#"
import random, sys
from fandango import Fandango
grammar = Fandango(open(sys.argv[1], encoding="utf-8"), use_cache=False)
random.seed(int(sys.argv[2]))
try:
    for tree in grammar.generate_solutions():
        sys.stdout.buffer.write(str(tree).encode("utf-8") + b"\0")
        sys.stdout.buffer.flush()
except KeyboardInterrupt:
    pass
"#;

/// Sends the generated texts to the program that counts edges, which keeps those with new edges. Prints the
/// number of texts like libFuzzer.
///
/// Grammarinator writes a line feed after each text. After SIGINT it ends, and the texts that it has
/// generated still run.
const SCRIPT: &str = r#"
bin=$1 program=$2 seed=$3
run() {
    trap '' INT
    sed -z "$1" | "$program/coverage" -0 --keep corpus --json |
        sed 's/.*"files":\([0-9]*\).*/stat::number_of_executed_units: \1/'
}
trap : INT
if [ -e "$program/grammar.fan" ]; then
    "$bin/python" "$program/generate.py" "$program/grammar.fan" "$seed" | run ''
else
    generator=$(basename "$program"/*Generator.py .py)
    "$bin/grammarinator-generate" "$generator.$generator" --sys-path "$program" -s serializer.ended --stdout \
        -d 20 -n inf -j 1 --random-seed "$seed" --quiet | run '1!s/^\n//'
fi
"#;

impl Generator {
    /// Returns the package of PyPI.
    fn package(self) -> &'static str {
        match self {
            Generator::Grammarinator => "grammarinator==26.1",
            Generator::Fandango => "fandango-fuzzer==1.3.1",
        }
    }

    /// Returns the directory of its virtual environment.
    fn environment(self) -> PathBuf {
        target_directory().join(match self {
            Generator::Grammarinator => "grammarinator",
            Generator::Fandango => "fandango",
        })
    }

    /// Installs the generator in a virtual environment, unless it is there, and makes the directory `program` with
    /// the generator of the grammar and the program that counts edges.
    pub fn build(
        self,
        subject: &str,
        grammar: &Path,
        zester: &Zester,
        program: &Path,
    ) -> Result<()> {
        let environment = self.environment();
        if !environment.join("installed").exists() {
            quietly(
                Command::new("python3")
                    .args(["-m", "venv"])
                    .arg(&environment),
            )?;
            quietly(Command::new(environment.join("bin/python")).args([
                "-m",
                "pip",
                "install",
                "--quiet",
                self.package(),
            ]))?;
            fs::write(environment.join("installed"), self.package())?;
        }
        // The directory gets its final name when it is complete.
        let new = program.with_extension("new");
        fs::create_dir_all(&new)?;
        let exported = |to: &str| output(zester.command("export").arg(grammar).args(["--to", to]));
        match self {
            Generator::Grammarinator => {
                fs::write(new.join("grammar.g4"), exported("antlr")?)?;
                quietly(
                    Command::new(environment.join("bin/grammarinator-process"))
                        .arg(new.join("grammar.g4"))
                        .arg("-o")
                        .arg(&new),
                )?;
                fs::write(new.join("serializer.py"), SERIALIZER)?;
            }
            Generator::Fandango => {
                fs::write(new.join("grammar.fan"), exported("fandango")?)?;
                fs::write(new.join("generate.py"), FANDANGO)?;
            }
        }
        fs::copy(programs::coverage(subject)?, new.join("coverage"))?;
        Ok(fs::rename(new, program)?)
    }

    /// Returns the command that generates and runs texts until SIGINT.
    pub fn command(self, program: &Path, seed: u64) -> Command {
        // A shell that starts the experiment in the background makes it ignore SIGINT.
        let mut bash = Command::new("env");
        bash.args(["--default-signal=INT", "bash", "-c", SCRIPT, "bash"])
            .arg(self.environment().join("bin"))
            .arg(program);
        // Grammarinator makes text number n from the seed plus n, so the seeds of runs must be far from each other.
        bash.arg((seed * 1_000_000_000).to_string());
        bash.env("PYTHONIOENCODING", "utf-8");
        bash
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Two scripts stand in for Grammarinator and for the program that counts edges.
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
