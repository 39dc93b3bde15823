//! A minute of real fuzzing in Rust, end to end: the targets empty, json, panics, checksum and planted under stable libFuzzer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Test, kept, must, must_not};
use crate::programs::{self, Engine, Sanitizer};
use crate::repository::file;
use crate::statistics::Statistics;
use crate::zester::Zester;

/// Tests fuzz targets in Rust, and the command line with them, from outside: a minute of real fuzzing.
#[derive(clap::Args)]
pub struct Smoke;

/// What the tests share.
struct Fixture {
    test: Test,
    zester: Zester,
}

impl Smoke {
    /// Runs all tests.
    pub fn run(&self) -> Result<()> {
        let fixture = Fixture { test: Test::new()?, zester: Zester::build_for_tests()? };
        for target in ["empty", "json", "panics", "checksum", "planted"] {
            programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, &fixture.program(target))?;
        }
        fixture.own_code_is_no_coverage()?;
        fixture.valid_sentences_count()?;
        fixture.valid_inputs_only()?;
        fixture.a_panic_shows_its_sentence()?;
        fixture.sentences_are_post_processed()?;
        fixture.sentences_run_through_a_target()?;
        fixture.text_stays_as_it_is()?;
        fixture.text_files_become_seeds()?;
        fixture.values_are_shown()?;
        fixture.forks_sum_their_figures()
    }
}

impl Fixture {
    fn program(&self, target: &str) -> PathBuf {
        self.test.path(&format!("target-{target}"))
    }

    /// A run of a target on a corpus in the directory, which is made if it is missing; panics are located from the root.
    fn fuzz(&self, target: &str, corpus: &str, flags: &[&str]) -> Result<Command> {
        let corpus = self.test.path(corpus);
        if !corpus.exists() {
            fs::create_dir(&corpus)?;
        }
        let mut command = Command::new(self.program(target));
        command.current_dir(crate::repository::root()).args(flags).arg(self.test.artifacts()).arg(corpus);
        Ok(command)
    }

    /// The empty target keeps at most 3 inputs: nothing of zester's counts as coverage.
    fn own_code_is_no_coverage(&self) -> Result<()> {
        must(&mut self.fuzz("empty", "empty", &["-runs=100000", "-seed=1"])?)?;
        let kept = kept(&self.test.path("empty"))?;
        ensure!(kept <= 3, "the empty target kept {kept} inputs");
        println!("empty: {kept} inputs kept");
        Ok(())
    }

    /// Valid sentences, statistics, and a second module of counters.
    fn valid_sentences_count(&self) -> Result<()> {
        let statistics = self.test.path("stats");
        let said = must(self.fuzz("json", "json", &["-runs=20000", "-seed=1"])?.env("ZESTER_STATS", &statistics))?;
        said.says("zester: 2[0-9]* sentences executed", "no line of statistics")?;
        let last = Statistics::last(&statistics)?;
        ensure!(last.executions >= 20_000.0 && last.valid > last.executions / 2.0, "{last:?}");
        ensure!(100.0 < last.valid_edges && last.valid_edges < last.edges, "{last:?}");
        let input = self.test.write("input", "\0")?;
        let shown = must(Command::new(self.program("json")).arg(input))?;
        shown.says("zester: the sentence", "a single input does not show its sentence")?;
        println!("json: {last}");
        Ok(())
    }

    /// With ZESTER_VALID_ONLY=1, what is kept is valid, also after a merge.
    fn valid_inputs_only(&self) -> Result<()> {
        let only = ("ZESTER_VALID_ONLY", "1");
        must(self.fuzz("json", "valid", &["-runs=5000", "-seed=1"])?.env(only.0, only.1))?;
        let (merged, statistics) = (self.test.directory("merged")?, self.test.path("merged.stats"));
        // The first directory is merged into.
        let merged = merged.display().to_string();
        must(self.fuzz("json", "json", &["-merge=1", &merged])?.env(only.0, only.1))?;
        must(self.fuzz("json", "merged", &["-runs=0"])?.env("ZESTER_STATS", &statistics))?;
        let last = Statistics::last(&statistics)?;
        ensure!(last.invalid <= 1.0 && last.valid_edges > 300.0, "{last:?}");
        println!("merged, valid only: {last}");
        Ok(())
    }

    /// A panic shows the sentence that caused it, and so does the artifact; a fork goes on after it.
    fn a_panic_shows_its_sentence(&self) -> Result<()> {
        let said = must_not(&mut self.fuzz("panics", "panics", &["-runs=1000000", "-seed=1"])?)?;
        ensure!(
            said.after("zester: the sentence of this run", 5)?.contains("/0"),
            "a panic does not show its sentence:\n{}",
            said.text
        );
        let crash = self.test.crash()?;
        must_not(Command::new(self.program("panics")).arg(crash))?.says("/0", "the artifact does not show its sentence")?;
        let flags = ["-fork=2", "-ignore_crashes=1", "-max_total_time=5"];
        let fork = crate::command::said(&mut self.fuzz("panics", "panics", &flags)?)?;
        let pattern = regex::Regex::new("crash: 0/0/([0-9]+)")?;
        let crashes = pattern.captures_iter(&fork.text).last().and_then(|found| found[1].parse::<u64>().ok()).unwrap_or(0);
        ensure!(crashes >= 2, "a fork does not go on after a panic:\n{}", fork.text);
        println!("panics: shown; a fork went on after {crashes}");
        Ok(())
    }

    /// Every sentence gets its checksum, and `zester decode` shows it, given the target for a grammar. A corpus that another grammar
    /// wrote is noticed.
    fn sentences_are_post_processed(&self) -> Result<()> {
        let said = must(&mut self.fuzz("checksum", "checksum", &["-runs=3000", "-seed=1"])?)?;
        said.says(", 0 unknown", "sentences of unknown validity")?;
        said.says(r"\((99|100)\.[0-9] %\)", "sentences without their checksum")?;
        let (corpus, texts) = (self.test.path("checksum"), self.test.path("texts"));
        must(self.zester.command("decode").arg(self.program("checksum")).arg(&corpus).arg("-o").arg(&texts))?;
        ensure!(kept(&texts)? == kept(&corpus)?, "not a text for each input");
        for text in crate::zester::files(&texts)? {
            let start = fs::read(&text)?;
            let sum = start.get(..8).context("a text is shorter than its checksum")?;
            ensure!(
                sum.iter().all(|&byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
                "decode does not post-process {}",
                text.display()
            );
        }
        let said = must(&mut self.fuzz("empty", "checksum", &["-runs=1"])?)?;
        said.says("WARNING: .*another grammar", "a corpus of another grammar is not noticed")?;
        println!("checksum: set in every sentence");
        Ok(())
    }

    /// `zester run` tells the outcome of each sentence: also of one that panics, and of a file that is no text.
    fn sentences_run_through_a_target(&self) -> Result<()> {
        let sentences = self.test.path("sentences");
        self.zester.generate_files(&file("grammars/expr.ebnf"), 500, &["--size", "60"], &sentences)?;
        self.test.write("sentences/zero", "1 + 1/0;")?;
        self.test.write("sentences/noise", b"\xFF")?;
        let said = must(self.zester.command("run").arg(self.program("panics")).arg(&sentences).args(["-j", "2"]))?;
        said.says("^crash .*/zero  panic at fuzz/targets/panics.rs:[0-9]*: division by zero", "no panic with its place")?;
        said.says("^invalid .*/noise", "a file that is no text is run")?;
        ensure!(said.count(" edges  ")? == 502, "not each sentence is accounted for:\n{}", said.text);
        println!("run: {}", said.line(" a second: ", "no figures")?);
        Ok(())
    }

    /// Text is run as it is and mutated by libFuzzer alone, and what is no UTF-8 is never kept.
    fn text_stays_as_it_is(&self) -> Result<()> {
        let zero = self.test.path("sentences/zero");
        let said = must_not(Command::new(self.program("panics")).arg(zero).arg("--zester_text=1"))?;
        said.says(r"^1 \+ 1/0;", "a text is not shown as it is")?;
        self.test.write("raw/text", "{\"a\": [1]}")?;
        let noise = self.test.write("raw/noise", b"\xFF")?;
        let said = must(self.fuzz("json", "raw", &["-runs=20000", "-seed=1"])?.env("ZESTER_TEXT", "1"))?;
        said.says("inputs are text", "it is not said that inputs are text")?;
        fs::remove_file(noise)?;
        let files = crate::zester::files(&self.test.path("raw"))?;
        ensure!(files.len() > 20, "text is not mutated: {} files", files.len());
        for file in &files {
            ensure!(String::from_utf8(fs::read(file)?).is_ok(), "{} is no UTF-8 and is kept", file.display());
        }
        let seeds = self.test.path("raw");
        must_not(self.fuzz("json", "raw", &["-runs=0"])?.env("ZESTER_TEXT", "1").env("ZESTER_SEEDS", seeds))?;
        let said = must_not(self.fuzz("planted", "raw", &["-runs=0"])?.env("ZESTER_TEXT", "1"))?;
        said.says("ZESTER_TEXT=1: the inputs of this target are values", "it is not said why a text is no value")?;
        println!("text: {} kept", files.len());
        Ok(())
    }

    /// Text files in a corpus are noticed; encoded, or named by ZESTER_SEEDS, they become seeds.
    fn text_files_become_seeds(&self) -> Result<()> {
        let (grammar, mut texts) = (file("grammars/json.ebnf"), Vec::new());
        for name in ["one", "two", "three"] {
            texts.push(self.test.write(&format!("files/{name}.json"), format!("{{\"seed\": [\"{name}\", 1.5e3]}}\n"))?);
        }
        let said = must(&mut self.fuzz("json", "files", &["-runs=1"])?)?;
        said.says("read as parameters", "a corpus of text is not noticed")?;
        let seeds = self.test.path("seeds");
        must(self.zester.command("encode").arg(&grammar).args(&texts).arg("-o").arg(&seeds))?;
        let decoded = |corpus: &Path| must(self.zester.command("decode").arg(&grammar).arg(corpus));
        decoded(&seeds)?.says(r#""two", 1\.5e3"#, "seeds do not come back")?;
        let said = must(&mut self.fuzz("json", "seeds", &["-runs=0"])?)?;
        ensure!(said.count("read as parameters")? == 0, "a corpus of parameters passes for text");

        self.test.write("files/broken.json", "no json\n")?;
        let files = self.test.path("files");
        let said = must(self.fuzz("json", "started", &["-runs=0"])?.env("ZESTER_SEEDS", &files))?;
        let told = r#"seeds of .*: 3 of 4 files; the first that is none: .*broken.json:1:1: unexpected "no""#;
        said.says(told, "no seeds at start")?;
        let fork = ["-fork=2", "-runs=1000", "-max_total_time=5"];
        let said = must(self.fuzz("json", "started", &fork)?.env("ZESTER_SEEDS", &files))?;
        said.says("seeds of .*: 3 of 4 files, 3 of them known", "seeds are made again")?;
        decoded(&self.test.path("started"))?.says(r#""three", 1\.5e3"#, "seeds at start are no seeds")?;
        println!("seeds: three files are three seeds");
        Ok(())
    }

    /// The validity of values counts, and an input is shown as its value.
    fn values_are_shown(&self) -> Result<()> {
        let statistics = self.test.path("values.stats");
        crate::command::said(self.fuzz("planted", "values", &["-runs=20000", "-seed=1"])?.env("ZESTER_STATS", &statistics))?;
        let last = Statistics::last(&statistics)?;
        ensure!(last.valid > 0.0, "no valid values: {last:?}");
        let input = self.test.write("value", "Pu\0sh")?;
        let said = crate::command::said(Command::new(self.program("planted")).arg(input))?;
        ensure!(said.after("zester: the value", 2)?.contains('['), "a single input does not show its value:\n{}", said.text);
        println!("values: {last}");
        Ok(())
    }

    /// -fork sums the figures of its children and leaves no file behind.
    fn forks_sum_their_figures(&self) -> Result<()> {
        let (temporary, statistics) = (self.test.directory("temporary")?, self.test.path("fork.stats"));
        let mut fork = self.fuzz("json", "json", &["-fork=2", "-max_total_time=5"])?;
        let said = must(fork.env("TMPDIR", &temporary).env("ZESTER_STATS", &statistics))?;
        said.says("sentences executed", "no line of statistics after -fork")?;
        for entry in fs::read_dir(temporary)? {
            let name = entry?.file_name();
            ensure!(!name.to_string_lossy().contains("zester"), "{} is left", name.display());
        }
        println!("fork: {}", Statistics::last(&statistics)?);
        Ok(())
    }
}
