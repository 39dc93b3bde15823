//! Half a minute of AFL++: a planted fault, and a queue of sentences that an AFL++ without zester
//! reads and extends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Test, must, must_not};
use crate::afl::{SETTINGS, figure};
use crate::c::{self, own_source};
use crate::command::find;
use crate::programs;
use crate::repository::grammar_of;
use crate::zester::{Zester, files};

/// Tests zester's mutators for AFL++ from outside.
///
/// They find a planted fault in fuzz/c/calc.c. An AFL++ without zester reads the queue of sentences
/// and extends it. Without AFL++ on this machine, nothing is tested.
#[derive(clap::Args)]
pub struct SmokeAfl;

/// The programs that the tests share.
struct AflFixture {
    test: Test,
    zester: Zester,
    library: PathBuf,
    grammar: PathBuf,
}

impl SmokeAfl {
    /// Runs all tests.
    pub fn run(&self) -> Result<()> {
        if c::install_afl().is_err() && find("afl-fuzz").is_none() {
            println!("no AFL++ here: left out");
            return Ok(());
        }
        let (test, zester) = (Test::new()?, Zester::build_for_tests()?);
        c::afl_target("calc", "address", zester.path(), &test.path("calc"))?;
        let fixture = AflFixture {
            test,
            zester,
            library: programs::afl_library()?,
            grammar: grammar_of("calc")?,
        };
        fixture.zester.generate_files(
            &fixture.grammar,
            5,
            &["--size", "10"],
            &fixture.test.path("seeds"),
        )?;
        fixture.what_is_wrong_is_said()?;
        let crash = fixture.the_fault_is_found()?;
        fixture.validity_counts()?;
        fixture.queues_are_shared()?;
        fixture.parameters_are_mutated(&crash)?;
        fixture.targets_in_rust_are_no_different()
    }
}

impl AflFixture {
    /// Runs AFL++ as the instance `name` of the directory `out`, with these flags.
    fn afl(&self, flags: &[&str], out: &str, program: &str) -> Command {
        let mut command = Command::new("afl-fuzz");
        command
            .envs(SETTINGS)
            .env("AFL_AUTORESUME", "1")
            .env("ASAN_OPTIONS", "abort_on_error=1:symbolize=0");
        command
            .args(flags)
            .arg("-i")
            .arg(self.test.path("seeds"))
            .arg("-o")
            .arg(self.test.path(out));
        command.arg("--").arg(self.test.path(program));
        command
    }

    /// Returns the command of afl-fuzz with zester's mutators.
    fn afl_with_zester(&self, flags: &[&str], out: &str) -> Command {
        let mut command = self.afl(flags, out, "calc");
        command
            .env("ZESTER_TEXT", "1")
            .env("ZESTER_GRAMMAR", &self.grammar);
        command
            .env("AFL_CUSTOM_MUTATOR_LIBRARY", &self.library)
            .env("AFL_CUSTOM_MUTATOR_ONLY", "1");
        command
    }

    /// Returns a figure of an instance.
    fn figure(&self, instance: &str, name: &str) -> Result<f64> {
        figure(
            &fs::read_to_string(self.test.path("out").join(instance).join("fuzzer_stats"))?,
            name,
        )
    }

    /// Returns the files of an instance's directory whose names contain this text.
    fn found(&self, directory: &str, part: &str) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(self.test.path("out").join(directory))? {
            let (name, path) = entry.map(|entry| {
                (
                    entry.file_name().to_string_lossy().into_owned(),
                    entry.path(),
                )
            })?;
            found.extend(
                (name.starts_with("id:") && name.contains(part) && path.is_file()).then_some(path),
            );
        }
        found.sort();
        Ok(found)
    }

    /// Fails unless all of these files are sentences.
    fn are_sentences(&self, what: &str, files: &[PathBuf]) -> Result<()> {
        let corpus = tempfile::tempdir()?;
        let encode = must(
            self.zester
                .command("encode")
                .arg(&self.grammar)
                .args(files)
                .arg("-o")
                .arg(corpus.path().join("corpus")),
        )?;
        let all = format!("{0} of {0} accepted", files.len());
        encode.says(&all, &format!("not all of {what} are sentences"))?;
        println!("{what}: {} sentences", files.len());
        Ok(())
    }

    /// Tests that wrong settings end afl-fuzz at its start with a message.
    fn what_is_wrong_is_said(&self) -> Result<()> {
        let wrong = self.test.write("wrong.ebnf", "a = b ;\n")?;
        let none = self.test.path("none.ebnf");
        for (name, value, message) in [
            (
                "ZESTER_GRAMMAR",
                "",
                "zester: no grammar; name one by ZESTER_GRAMMAR=FILE",
            ),
            (
                "ZESTER_GRAMMAR",
                &none.display().to_string(),
                "none.ebnf: No such file",
            ),
            (
                "ZESTER_GRAMMAR",
                &wrong.display().to_string(),
                "wrong.ebnf:1:5",
            ),
            (
                "ZESTER_EXPERIMENT",
                "mutators=burst+none",
                "unknown mutator .none",
            ),
        ] {
            let completed = must_not(
                self.afl_with_zester(&["-V", "5"], "broken")
                    .env(name, value),
            )?;
            completed.says(message, &format!("{name}={value} has no message"))?;
        }
        Ok(())
    }

    /// Tests that the fault is found, that the queue has only sentences, even after trimming, and
    /// that a crash is text.
    fn the_fault_is_found(&self) -> Result<PathBuf> {
        must(&mut self.afl_with_zester(&["-s", "1", "-S", "zester", "-V", "10"], "out"))?;
        ensure!(
            self.figure("zester", "saved_crashes")? > 0.0,
            "the planted fault is not found"
        );
        ensure!(
            self.found("zester/queue", "op:zester-")?.len() > 20,
            "zester's mutators find nothing"
        );
        self.are_sentences("queue", &self.found("zester/queue", "")?)?;
        self.are_sentences("crashes", &self.found("zester/crashes", "")?)?;
        // A build without AFL++ fails on the same text.
        let (plain, crash) = (self.test.path("plain"), self.test.path("crash"));
        c::fuzz_target("calc", "address", self.zester.path(), &plain)?;
        fs::copy(
            self.found("zester/crashes", "")?
                .first()
                .context("no crash is stored")?,
            &crash,
        )?;
        let completed = must_not(
            Command::new(plain)
                .env("ASAN_OPTIONS", "symbolize=0")
                .arg("--zester_text=1")
                .arg(&crash),
        )?;
        completed.says(
            "stack-buffer-overflow",
            "another fault than the planted one",
        )?;
        Ok(crash)
    }

    /// Returns the number of bytes that a file sets in AFL++'s map, with an environment variable.
    fn counts(&self, program: &str, (name, value): (&str, &str), file: &str) -> Result<usize> {
        let map = self.test.path("map");
        let mut showmap = Command::new("afl-showmap");
        showmap
            .env("ZESTER_TEXT", "1")
            .env("AFL_MAP_SIZE", "10000000")
            .env(name, value)
            .args(["-q", "-r", "-i"]);
        must(
            showmap
                .arg(self.test.path("two"))
                .arg("-o")
                .arg(&map)
                .arg("--")
                .arg(self.test.path(program)),
        )?;
        Ok(fs::read_to_string(map.join(file))?.lines().count())
    }

    /// Tests that edges of a valid sentence count again and those of an invalid one do not, and
    /// that statistics cover all processes.
    fn validity_counts(&self) -> Result<()> {
        self.test.write("two/valid", "let a=1; a;")?;
        self.test.write("two/invalid", "1/0;")?;
        let counts = |feedback, file| self.counts("calc", ("ZESTER_EXPERIMENT", feedback), file);
        let (unguided, guided) = (
            counts("feedback=0", "valid")?,
            counts("feedback=1", "valid")?,
        );
        ensure!(
            unguided > 20 && guided == 2 * unguided,
            "what a valid sentence reaches does not count: {unguided}, {guided}"
        );
        ensure!(
            counts("feedback=1", "invalid")? == counts("feedback=0", "invalid")?,
            "an invalid sentence counts as a valid one"
        );
        ensure!(
            self.counts("calc", ("ZESTER_VALID_ONLY", "1"), "invalid")? == 0,
            "an invalid sentence leaves a trace"
        );
        let statistics = self.test.path("stats");
        must(
            self.afl_with_zester(&["-s", "1", "-S", "figures", "-V", "5"], "figures")
                .env("ZESTER_STATS", &statistics),
        )?;
        let last = crate::statistics::Statistics::last(&statistics)?;
        ensure!(
            last.executions >= 100.0 && last.valid_edges >= 10.0,
            "no figures: {last:?}"
        );
        Ok(())
    }

    /// Tests that an AFL++ without zester imports the queue, with a harness that does not use
    /// zester. zester's instance then continues, and examines the results of the other one, which
    /// need not be sentences.
    fn queues_are_shared(&self) -> Result<()> {
        let harness = self.test.path("harness");
        let mut compile = Command::new("afl-clang-fast");
        must(
            compile
                .env("AFL_QUIET", "1")
                .arg("-fsanitize=fuzzer")
                .arg(own_source("brackets.c"))
                .arg("-o")
                .arg(&harness),
        )?;
        let import = ("AFL_IMPORT_FIRST", "1");
        must(
            self.afl(&["-s", "1", "-M", "bytes", "-V", "5"], "out", "harness")
                .env(import.0, import.1),
        )?;
        let imported = self.figure("bytes", "corpus_imported")?;
        ensure!(
            imported > 0.0 && !self.found("bytes/queue", "sync:zester")?.is_empty(),
            "nothing is taken from the queue"
        );
        // The main instance examines all others.
        let completed = must(
            self.afl_with_zester(&["-s", "2", "-M", "zester", "-V", "5"], "out")
                .env(import.0, import.1),
        )?;
        completed.says("Resuming", "a run does not go on")?;
        let synced = fs::metadata(self.test.path("out/zester/.synced/bytes"));
        ensure!(
            synced.is_ok_and(|file| file.len() > 0),
            "nothing of what the other found is looked at"
        );
        self.are_sentences("queue of both", &self.found("zester/queue", "op:zester-")?)?;
        println!(
            "imported: {imported} by bytes, {} by zester",
            self.figure("zester", "corpus_imported")?
        );
        Ok(())
    }

    /// Tests that AFL++ mutates parameters, which are any bytes, without ZESTER_TEXT and the
    /// library.
    fn parameters_are_mutated(&self, crash: &Path) -> Result<()> {
        must(&mut self.afl(&["-s", "1", "-S", "parameters", "-V", "5"], "out", "calc"))?;
        ensure!(
            self.found("parameters/queue", "op:")?.len() > 20,
            "nothing is found with parameters"
        );
        let decoded = self.test.path("decoded");
        self.zester.decode(
            &self.grammar,
            &self.test.path("out/parameters/queue"),
            &decoded,
        )?;
        let is_of_queue = |path: &PathBuf| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("id:"))
        };
        let texts: Vec<PathBuf> = files(&decoded)?.into_iter().filter(is_of_queue).collect();
        self.are_sentences("what parameters mean", &texts)?;
        let parameters = self.test.path("parameters");
        must(
            self.zester
                .command("encode")
                .arg(&self.grammar)
                .arg(crash)
                .arg("-o")
                .arg(&parameters),
        )?;
        let mut calc = Command::new(self.test.path("calc"));
        let completed = must_not(
            calc.env("ASAN_OPTIONS", "abort_on_error=1:symbolize=0")
                .arg(parameters.join("crash")),
        )?;
        completed.says(
            "stack-buffer-overflow",
            "parameters mean another sentence than their text",
        )
    }

    /// Tests that validity counts in a Rust target, too.
    fn targets_in_rust_are_no_different(&self) -> Result<()> {
        programs::afl_target("json", &self.test.path("json"))?;
        self.test.write("two/valid", "[1, 2]")?;
        self.test.write("two/invalid", "[1, 2")?;
        let counts = |feedback, file| self.counts("json", ("ZESTER_EXPERIMENT", feedback), file);
        let (unguided, guided) = (
            counts("feedback=0", "valid")?,
            counts("feedback=1", "valid")?,
        );
        ensure!(
            unguided > 20 && guided > unguided + 20,
            "what a valid sentence reaches does not count in Rust: {unguided}, {guided}"
        );
        let (unguided, invalid) = (
            counts("feedback=0", "invalid")?,
            counts("feedback=1", "invalid")?,
        );
        ensure!(
            invalid < unguided + 20,
            "an invalid sentence counts as a valid one in Rust: {unguided}, {invalid}"
        );
        println!("json: a valid sentence sets {guided} bytes, an invalid one {invalid}");
        Ok(())
    }
}
