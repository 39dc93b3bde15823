//! Crates of users: `zester new` and `zester fuzz` in a crate whose name has a dash, in a member of a
//! workspace, with a typed struct as input, and with a harness in C. All are in a directory whose
//! name has a blank.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Test, must};
use crate::c;
use crate::command::{Completed, completed, limited};
use crate::profile::{Profile, library};
use crate::repository::{file, root, target_directory};
use crate::zester::Zester;

/// Tests `zester new` and `zester fuzz` in crates of users.
#[derive(clap::Args)]
pub struct SmokeCrates;

/// The library of each crate. Nested parentheses make it panic.
const LIBRARY: &str = r#"//! A planted fault.
/// Reads an expression.
pub fn read(text: &str) -> Result<usize, String> {
    assert!(!text.contains("(("), "the planted fault at {text}");
    if text.contains('-') { Err(format!("no minus in {text}")) } else { Ok(text.len()) }
}
"#;

/// A target that takes a struct with a sentence.
const STRUCT: &str = r#"#![no_main]
use zester::arbitrary;

zester::language!(Expression = "../grammars/call.ebnf");

#[derive(Debug, arbitrary::Arbitrary)]
struct Call {
    places: u8,
    rule: zester::Sentence<Expression>,
}

zester::fuzz_target!(|call: Call| {
    if call.places < 7 { return Err("few places".to_string()) }
    typed::read(call.rule.as_str())
});
"#;

/// A harness in C.
const HARNESS: &str = r#"#include <stdlib.h>
#include <string.h>
#include "zester.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text;
    size_t length;
    zester_decode(data, size, &text, &length);
    for (size_t at = 0; at + 1 < length; at++) if (!memcmp(text + at, "((", 2)) abort();
    zester_report(ZESTER_VALID);
    return 0;
}
"#;

struct Crates {
    test: Test,
    zester: Zester,
}

impl SmokeCrates {
    /// Runs all tests.
    pub fn run(&self) -> Result<()> {
        let crates = Crates {
            test: Test::new()?,
            zester: Zester::build_for_tests()?,
        };
        crates.a_name_with_a_dash()?;
        crates.a_member_of_a_workspace()?;
        crates.a_typed_struct()?;
        crates.a_harness_in_c()
    }
}

impl Crates {
    /// Returns a path in the directory of the crates, which has a blank in its name.
    fn path(&self, name: &str) -> PathBuf {
        self.test.path("my crates").join(name)
    }

    /// Makes a crate with the planted fault.
    fn library(&self, directory: &str, name: &str) -> Result<PathBuf> {
        let manifest =
            format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
        let inside = format!("my crates/{directory}");
        self.test.write(&format!("{inside}/Cargo.toml"), manifest)?;
        self.test.write(&format!("{inside}/src/lib.rs"), LIBRARY)?;
        Ok(self.path(directory))
    }

    /// Returns a command of zester in a directory. All crates share a target directory, so that
    /// zester is compiled once.
    fn command(&self, name: &str, directory: &Path) -> Command {
        let mut command = limited(600, self.zester.path());
        command
            .arg(name)
            .current_dir(directory)
            .env("CARGO_TARGET_DIR", target_directory().join("crates"));
        command
    }

    /// Adds a target to a crate.
    fn add(&self, directory: &Path, name: &str) -> Result<()> {
        let mut new = self.command("new", directory);
        must(new.arg(name).arg("--zester").arg(root())).map(|_| ())
    }

    /// Makes the target that `zester new` wrote call the library.
    fn call(&self, directory: &Path, target: &str, call: &str) -> Result<()> {
        let path = directory.join(format!("fuzz/fuzz_targets/{target}.rs"));
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let (head, _) = text
            .split_once("    // Call the code")
            .context("no comment where the call belongs")?;
        Ok(fs::write(path, format!("{head}    {call}\n}});\n"))?)
    }

    /// Fuzzes a target up to the planted fault.
    fn fuzz(&self, directory: &Path, target: &str) -> Result<Completed> {
        let mut fuzz = self.command("fuzz", directory);
        let found = completed(fuzz.args([target, "--until-failure", "--", "-max_total_time=60"]))?;
        ensure!(
            found.status == Some(1) && found.text.contains("\nfailure: "),
            "{}: {target} does not fail:\n{}",
            directory.display(),
            found.text
        );
        Ok(found)
    }

    fn a_name_with_a_dash(&self) -> Result<()> {
        let directory = self.library("text-rules", "text-rules")?;
        self.add(&directory, "first-target")?;
        self.call(&directory, "first-target", "text_rules::read(text)")?;
        // From a directory below that of the crate.
        let found = self.fuzz(&directory.join("src"), "first-target")?;
        println!(
            "a crate with a dash: {}",
            found.line("^failure: panic", "no failure")?
        );
        let mut triage = self.command("triage", &directory);
        let artifacts = "fuzz/artifacts/first-target";
        let triage = completed(triage.args(["first-target", artifacts, "--no-reduce"]))?;
        triage.says("1 fault", "not one fault")
    }

    fn a_member_of_a_workspace(&self) -> Result<()> {
        self.test.write(
            "my crates/all/Cargo.toml",
            "[workspace]\nmembers = [\"one\"]\nresolver = \"3\"\n",
        )?;
        let directory = self.library("all/one", "one")?;
        let mut new = self.command("new", &self.path("all"));
        must(
            new.args(["in_member", "--in", "one", "--zester"])
                .arg(root()),
        )?;
        self.call(&directory, "in_member", "one::read(text)")?;
        let found = self.fuzz(&directory, "in_member")?;
        println!(
            "a member of a workspace: {}",
            found.line("^failure: panic", "no failure")?
        );
        Ok(())
    }

    fn a_typed_struct(&self) -> Result<()> {
        let directory = self.library("typed", "typed")?;
        self.add(&directory, "call")?;
        fs::write(directory.join("fuzz/fuzz_targets/call.rs"), STRUCT)?;
        must(
            Command::new("cargo")
                .args(["add", "-q", "--manifest-path", "fuzz/Cargo.toml", "zester"])
                .args(["--features", "derive"])
                .current_dir(&directory),
        )?;
        let found = self.fuzz(&directory, "call")?;
        found.says("Call \\{", "the value is not shown")?;
        println!(
            "a typed struct: {}",
            found.line("^failure: panic", "no failure")?
        );
        Ok(())
    }

    fn a_harness_in_c(&self) -> Result<()> {
        let directory = self.path("in c");
        self.test.write("my crates/in c/harness.c", HARNESS)?;
        let mut embed = self.command("embed", &directory);
        must(
            embed
                .arg(file("grammars/expr.ebnf"))
                .args(["-o", "grammar.c"]),
        )?;
        let library = library(Profile::Test)?;
        let mut clang = Command::new(c::clang()?);
        clang
            .args([
                "-g",
                "-fsanitize=fuzzer,address",
                "harness.c",
                "grammar.c",
                "-o",
                "harness",
            ])
            .arg("-I")
            .arg(file("c"))
            .arg(library)
            .args(["-lpthread", "-ldl", "-lm"])
            .current_dir(&directory);
        must(&mut clang)?;
        let found = self.fuzz(&directory, "./harness")?;
        println!(
            "a harness in C: {}",
            found.line("^failure: ", "no failure")?
        );
        Ok(())
    }
}
