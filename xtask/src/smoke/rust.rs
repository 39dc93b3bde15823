//! A minute of fuzzing in Rust: the targets empty, json, panics, recovery, checksum, planted,
//! euclid, words, drawn and strategy with libFuzzer on stable Rust.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::{Test, file_count, must, must_not};
use crate::command;
use crate::programs::{self, Engine, Sanitizer};
use crate::repository::file;
use crate::statistics::Statistics;
use crate::zester::{Zester, files};

/// Tests Rust fuzz targets together with the command line from outside, in a minute of fuzzing.
#[derive(clap::Args)]
pub struct Smoke;

/// The programs that the tests share.
struct RustFixture {
    test: Test,
    zester: Zester,
}

impl Smoke {
    /// Runs all tests.
    pub fn run(&self) -> Result<()> {
        let fixture = RustFixture {
            test: Test::new()?,
            zester: Zester::build_for_tests()?,
        };
        for target in [
            "empty", "json", "panics", "recovery", "checksum", "planted", "euclid", "words",
            "drawn", "strategy",
        ] {
            programs::fuzz_target(
                target,
                Sanitizer::None,
                Engine::Libfuzzer,
                &fixture.program(target),
            )?;
        }
        fixture.own_code_is_no_coverage()?;
        fixture.words_of_the_program_are_found()?;
        fixture.valid_sentences_count()?;
        fixture.valid_inputs_only()?;
        fixture.a_panic_shows_its_sentence()?;
        fixture.panics_can_be_a_goal()?;
        fixture.edited_sentences_reach_error_paths()?;
        fixture.sentences_are_post_processed()?;
        fixture.sentences_run_through_a_target()?;
        fixture.text_stays_as_it_is()?;
        fixture.text_files_become_seeds()?;
        fixture.values_are_shown()?;
        fixture.generators_draw_values()?;
        fixture.forks_sum_their_figures()?;
        fixture.a_killed_run_loses_no_file()?;
        fixture.a_campaign_outlives_its_processes()?;
        fixture.panics_do_not_end_a_campaign()?;
        fixture.a_corpus_grows()?;
        fixture.a_full_disk_ends_growing()?;
        fixture.inputs_evolve_towards_a_goal()
    }
}

impl RustFixture {
    fn program(&self, target: &str) -> PathBuf {
        self.test.path(&format!("target-{target}"))
    }

    /// Runs a target on a corpus in the directory, which is made if it is missing. Positions of
    /// panics are relative to the root.
    fn fuzz(&self, target: &str, corpus: &str, flags: &[&str]) -> Result<Command> {
        let corpus = self.test.path(corpus);
        if !corpus.exists() {
            fs::create_dir(&corpus)?;
        }
        let mut command = Command::new(self.program(target));
        command
            .current_dir(crate::repository::root())
            .args(flags)
            .arg(self.test.artifacts(target))
            .arg(corpus);
        Ok(command)
    }

    /// Tests that a fault in an error path is found, that its edited sentence is shown and reduced,
    /// and that it is not found without edits.
    fn edited_sentences_reach_error_paths(&self) -> Result<()> {
        let found =
            must_not(&mut self.fuzz("recovery", "recovery", &["-runs=200000", "-seed=1"])?)?;
        found.says(
            "a key without a value in",
            "another fault than the planted one",
        )?;
        found.says("edited", "the statistics do not count edited sentences")?;
        let artifact = self.test.crash("recovery")?;
        let reduced = self.test.path("recovery-reduced");
        let mut reduce = self.zester.command("reduce");
        let reduce = must(
            reduce
                .arg(self.program("recovery"))
                .arg(&artifact)
                .arg("-o")
                .arg(&reduced)
                .arg("--force"),
        )?;
        fs::remove_file(&artifact)?;
        let smallest = must(
            self.zester
                .command("decode")
                .arg(self.program("recovery"))
                .arg(&reduced),
        )?
        .text;
        println!(
            "recovery: a fault in an error path, reduced to {}",
            smallest.trim()
        );
        reduce.says("^zester: .* bytes became", "no line about the reduction")?;
        must(
            self.fuzz("recovery", "recovery-off", &["-runs=200000", "-seed=1"])?
                .env("ZESTER_NEGATIVE", "0"),
        )?;
        Ok(())
    }

    /// Tests that the empty target's corpus has at most 3 inputs, so that none of zester's code
    /// counts as coverage.
    fn own_code_is_no_coverage(&self) -> Result<()> {
        must(&mut self.fuzz("empty", "empty", &["-runs=100000", "-seed=1"])?)?;
        let count = file_count(&self.test.path("empty"))?;
        ensure!(
            count <= 3,
            "the corpus of the empty target has {count} inputs"
        );
        println!("empty: {count} inputs in the corpus");
        Ok(())
    }

    /// Tests that names in a table of the program are found and written to a file, and that the next start
    /// reads them. In one of 50 runs a name is missing, because a sentence of another mutator was the first
    /// one that reached its code. So a name must be found in one of three runs.
    fn words_of_the_program_are_found(&self) -> Result<()> {
        let file = self.test.path("words.words");
        must(&mut self.fuzz("words", "words", &["-runs=100000", "-seed=1"])?)?;
        let own = fs::read_to_string(&file)?;
        let mut words = own.clone();
        for seed in ["2", "3"] {
            let corpus = format!("words-{seed}");
            let flags = ["-runs=100000", &format!("-seed={seed}")];
            must(&mut self.fuzz("words", &corpus, &flags)?)?;
            words += &fs::read_to_string(self.test.path(&format!("{corpus}.words")))?;
        }
        for word in ["divide", "multiply", "remainder", "subtract"] {
            let line = format!("name in command: \"{word}\"");
            ensure!(
                words.lines().any(|known| known == line),
                "no {word}: {words}"
            );
        }
        must(&mut self.fuzz("words", "words", &["-runs=1000", "-seed=2"])?)?;
        ensure!(
            fs::read_to_string(&file)?.starts_with(&own),
            "words are lost"
        );
        let merge = &mut self.fuzz("words", "words-merged", &["-merge=1"])?;
        must(merge.arg(self.test.path("words")))?;
        let merged = fs::read_to_string(self.test.path("words-merged.words"))?;
        ensure!(merged.starts_with(&own), "words are not merged: {merged}");
        fs::write(&file, own + "name\n")?;
        must_not(&mut self.fuzz("words", "words", &["-runs=10"])?)?.says(
            "words.words:[0-9]+: expected a line",
            "no message about a wrong line",
        )?;
        println!("words: the names of commands are found");
        Ok(())
    }

    /// Tests that sentences are valid, that statistics are written, and that a second module of
    /// counters counts.
    fn valid_sentences_count(&self) -> Result<()> {
        let statistics = self.test.path("stats");
        let completed = must(
            self.fuzz("json", "json", &["-runs=20000", "-seed=1"])?
                .env("ZESTER_STATS", &statistics),
        )?;
        completed.says(
            "zester: 2[0-9]* sentences executed",
            "no line of statistics",
        )?;
        let last = Statistics::last(&statistics)?;
        ensure!(
            last.executions >= 20_000.0 && last.valid > last.executions / 2.0,
            "{last:?}"
        );
        ensure!(
            100.0 < last.valid_edges && last.valid_edges < last.edges,
            "{last:?}"
        );
        let input = self.test.write("input", "\0")?;
        let shown = must(Command::new(self.program("json")).arg(input))?;
        shown.says(
            "zester: the sentence",
            "a single input does not show its sentence",
        )?;
        println!("json: {last}");
        Ok(())
    }

    /// Tests that with ZESTER_VALID_ONLY=1 the corpus has only valid sentences, also after a merge.
    fn valid_inputs_only(&self) -> Result<()> {
        let only = ("ZESTER_VALID_ONLY", "1");
        must(
            self.fuzz("json", "valid", &["-runs=5000", "-seed=1"])?
                .env(only.0, only.1),
        )?;
        let (merged, statistics) = (
            self.test.directory("merged")?,
            self.test.path("merged.stats"),
        );
        // libFuzzer merges into the first directory.
        let merged = merged.display().to_string();
        must(
            self.fuzz("json", "json", &["-merge=1", &merged])?
                .env(only.0, only.1),
        )?;
        must(
            self.fuzz("json", "merged", &["-runs=0"])?
                .env("ZESTER_STATS", &statistics),
        )?;
        let last = Statistics::last(&statistics)?;
        ensure!(last.invalid <= 1.0 && last.valid_edges > 300.0, "{last:?}");
        println!("merged, valid only: {last}");
        Ok(())
    }

    /// Tests that a panic shows its sentence, as does the artifact, and that -fork continues after
    /// a panic.
    fn a_panic_shows_its_sentence(&self) -> Result<()> {
        let completed =
            must_not(&mut self.fuzz("panics", "panics", &["-runs=1000000", "-seed=1"])?)?;
        // The sentence may have many lines.
        let shown = completed.after("zester: the sentence of this run", usize::MAX)?;
        let sentence = shown.split("\nzester: ").next();
        ensure!(
            sentence.is_some_and(|sentence| sentence.contains("/0")),
            "a panic does not show its sentence:\n{}",
            completed.text
        );
        let crash = self.test.crash("panics")?;
        must_not(Command::new(self.program("panics")).arg(crash))?
            .says("/0", "the artifact does not show its sentence")?;
        let flags = ["-fork=2", "-ignore_crashes=1", "-max_total_time=5"];
        let fork = command::completed(&mut self.fuzz("panics", "panics", &flags)?)?;
        let pattern = regex::Regex::new("crash: 0/0/([0-9]+)")?;
        let crashes = pattern
            .captures_iter(&fork.text)
            .last()
            .and_then(|found| found[1].parse::<u64>().ok())
            .unwrap_or(0);
        ensure!(
            crashes >= 2,
            "a fork does not go on after a panic:\n{}",
            fork.text
        );
        println!("panics: shown; a fork went on after {crashes}");
        Ok(())
    }

    /// Tests that a panic is a feature of its own if it is a goal, also after a merge, and that
    /// fuzzing continues after it.
    fn panics_can_be_a_goal(&self) -> Result<()> {
        let goal = ("ZESTER_GOAL", "exceptions,time");
        let found = must(
            self.fuzz("panics", "goals", &["-runs=30000", "-seed=1"])?
                .env(goal.0, goal.1),
        )?;
        found.says(
            "^zester: failures here since the last message: 1: panicked at fuzz/targets/panics.rs",
            "no exception is found",
        )?;
        ensure!(
            found.count("^zester: failures here")? <= 24,
            "an exception is printed again and again:\n{}",
            found.text
        );
        let merged = self.test.directory("goals-merged")?;
        must(
            self.fuzz(
                "panics",
                "goals",
                &["-merge=1", &merged.display().to_string()],
            )?
            .env(goal.0, goal.1),
        )?;
        let texts = must(
            self.zester
                .command("decode")
                .arg(self.program("panics"))
                .arg(&merged),
        )?
        .text;
        ensure!(
            texts.contains("/0"),
            "the merge loses the exception:\n{texts}"
        );
        println!(
            "goals: a panic stays in the corpus, {} inputs",
            file_count(&merged)?
        );
        let wrong = must_not(
            self.fuzz("panics", "goals", &["-runs=1"])?
                .env(goal.0, "speed"),
        )?;
        wrong.says(
            "ZESTER_GOAL=speed: no goal `speed`; the goals are time, exceptions",
            "no message",
        )
    }

    /// Tests that the values of generators count as valid or invalid, that valid ones cover edges, that
    /// the operators of generators are in the statistics, and that other names of operators are an error.
    /// The planted fault may end a run. Finding it within these seconds depends on chance.
    fn generators_draw_values(&self) -> Result<()> {
        for target in ["drawn", "strategy"] {
            let statistics = self.test.path(&format!("{target}.stats"));
            let completed = command::completed(
                self.fuzz(target, target, &["-seed=1", "-max_total_time=10"])?
                    .env("ZESTER_STATS", &statistics),
            )?;
            if !completed.succeeded() {
                completed.says("the planted fault", "another fault than the planted one")?;
            }
            let last = Statistics::last(&statistics)?;
            ensure!(
                last.valid > 50.0 && last.invalid > 50.0 && last.valid_edges > 10.0,
                "{last:?}"
            );
            let lines = fs::read_to_string(&statistics)?;
            ensure!(
                lines.contains("\"splice\":{\"tried\"") && !lines.contains("multi-splice"),
                "no operators of generators:\n{lines}"
            );
            println!("{target}: {last}");
        }
        must_not(
            self.fuzz("drawn", "drawn-names", &["-runs=1"])?
                .env("ZESTER_EXPERIMENT", "mutators=swap"),
        )?
        .says(
            "unknown mutator `swap`; the mutators are burst, regenerate",
            "no message about a wrong mutator",
        )
    }

    /// Tests that every sentence gets its checksum, and that `zester decode` shows it if it gets
    /// the target instead of the grammar. A corpus of another grammar must be noticed.
    fn sentences_are_post_processed(&self) -> Result<()> {
        // An edited text could be JSON by chance, and then the corpus would be converted below.
        let completed = must(
            self.fuzz("checksum", "checksum", &["-runs=3000", "-seed=1"])?
                .env("ZESTER_NEGATIVE", "0"),
        )?;
        completed.says(", 0 unknown", "sentences of unknown validity")?;
        completed.says(r"\((99|100)\.[0-9] %\)", "sentences without their checksum")?;
        let (corpus, texts) = (self.test.path("checksum"), self.test.path("texts"));
        must(
            self.zester
                .command("decode")
                .arg(self.program("checksum"))
                .arg(&corpus)
                .arg("-o")
                .arg(&texts),
        )?;
        ensure!(
            file_count(&texts)? == file_count(&corpus)?,
            "not a text for each input"
        );
        for text in crate::zester::files(&texts)? {
            let start = fs::read(&text)?;
            let sum = start
                .get(..8)
                .context("a text is shorter than its checksum")?;
            ensure!(
                sum.iter()
                    .all(|&byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
                "decode does not post-process {}",
                text.display()
            );
        }
        let sentence = self.test.path("sentence");
        fs::write(&sentence, "1+2")?;
        let run = |flags: &[&str]| {
            let mut command = self.zester.command("run");
            must(
                command
                    .arg(self.program("checksum"))
                    .arg(&sentence)
                    .args(flags),
            )
        };
        run(&[])?.says("^invalid", "a sentence without its checksum is valid")?;
        run(&["--sentences"])?.says("^valid", "run --sentences does not post-process")?;
        let completed = must(&mut self.fuzz("empty", "checksum", &["-runs=1"])?)?;
        completed.says(
            "WARNING: .*another grammar",
            "a corpus of another grammar is not noticed",
        )?;
        println!("checksum: set in every sentence");
        Ok(())
    }

    /// Tests that `zester run` prints the outcome of each sentence, also of one that panics and of
    /// a file that is not text.
    fn sentences_run_through_a_target(&self) -> Result<()> {
        let sentences = self.test.path("sentences");
        self.zester.generate_files(
            &file("grammars/expr.ebnf"),
            500,
            &["--size", "60"],
            &sentences,
        )?;
        self.test.write("sentences/zero", "1 + 1/0;")?;
        self.test.write("sentences/noise", b"\xFF")?;
        let completed = must_not(
            self.zester
                .command("run")
                .arg(self.program("panics"))
                .arg(&sentences)
                .args(["-j", "2"]),
        )?;
        completed.says(
            "^crash .*/zero  panic at fuzz/targets/panics.rs:[0-9]*:[0-9]*$",
            "no panic with its position",
        )?;
        completed.says("^invalid .*/noise", "a file that is no text is run")?;
        ensure!(
            completed.count(" edges  ")? == 502,
            "not each sentence is accounted for:\n{}",
            completed.text
        );
        println!("run: {}", completed.line(" a second: ", "no figures")?);
        self.stack_overflows_are_reported()
    }

    /// Tests that stack overflows are reported, with libFuzzer's signal handlers and without: a handler
    /// needs a stack of its own.
    fn stack_overflows_are_reported(&self) -> Result<()> {
        let text = self.test.write("deep.txt", "1 % 2;")?;
        let parameters = self.test.path("deep");
        let mut encode = self.zester.command("encode");
        encode.arg(file("grammars/expr.ebnf")).arg(&text);
        command::quietly(encode.arg("-o").arg(&parameters))?;
        let run = must_not(
            self.zester
                .command("run")
                .arg(self.program("panics"))
                .arg(&text)
                .env("DEEP", ""),
        )?;
        run.says("^crash .*/deep.txt  stack overflow$", "no stack overflow")?;
        let mut program = Command::new(self.program("panics"));
        let completed = must_not(program.arg(&parameters).env("DEEP", ""))?;
        completed.says("a thread has overflowed its stack", "no stack overflow")?;
        completed.says("deadly signal", "libFuzzer's handler does not run")?;
        Ok(())
    }

    /// Tests that text runs as it is, that only libFuzzer mutates it, and that texts which are not
    /// UTF-8 never enter the corpus.
    fn text_stays_as_it_is(&self) -> Result<()> {
        let zero = self.test.path("sentences/zero");
        let completed = must_not(
            Command::new(self.program("panics"))
                .arg(zero)
                .arg("--zester_text=1"),
        )?;
        completed.says(r"^1 \+ 1/0;", "a text is not shown as it is")?;
        self.test.write("raw/text", "{\"a\": [1]}")?;
        let noise = self.test.write("raw/noise", b"\xFF")?;
        let completed = must(
            self.fuzz("json", "raw", &["-runs=20000", "-seed=1"])?
                .env("ZESTER_TEXT", "1"),
        )?;
        completed.says("inputs are text", "it is not said that inputs are text")?;
        fs::remove_file(noise)?;
        let files = crate::zester::files(&self.test.path("raw"))?;
        ensure!(
            files.len() > 20,
            "text is not mutated: {} files",
            files.len()
        );
        for file in &files {
            ensure!(
                String::from_utf8(fs::read(file)?).is_ok(),
                "{} is not UTF-8",
                file.display()
            );
        }
        let seeds = self.test.path("raw");
        must_not(
            self.fuzz("json", "raw", &["-runs=0"])?
                .env("ZESTER_TEXT", "1")
                .env("ZESTER_SEEDS", seeds),
        )?;
        let completed = must_not(
            self.fuzz("planted", "raw", &["-runs=0"])?
                .env("ZESTER_TEXT", "1"),
        )?;
        completed.says(
            "ZESTER_TEXT=1: the inputs of this target are values",
            "it is not said why a text is no value",
        )?;
        println!("text: {} inputs in the corpus", files.len());
        Ok(())
    }

    /// Tests that text files in a corpus are noticed, and that they become seeds if they are
    /// encoded or named by ZESTER_SEEDS.
    fn text_files_become_seeds(&self) -> Result<()> {
        let (grammar, mut texts) = (file("grammars/json.ebnf"), Vec::new());
        for name in ["one", "two", "three"] {
            texts.push(self.test.write(
                &format!("files/{name}.json"),
                format!("{{\"seed\": [\"{name}\", 1.5e3]}}\n"),
            )?);
        }
        let completed = must(&mut self.fuzz("json", "files", &["-runs=1"])?)?;
        completed.says("read as parameters", "a corpus of text is not noticed")?;
        let seeds = self.test.path("seeds");
        must(
            self.zester
                .command("encode")
                .arg(&grammar)
                .args(&texts)
                .arg("-o")
                .arg(&seeds),
        )?;
        let decoded = |corpus: &Path| must(self.zester.command("decode").arg(&grammar).arg(corpus));
        decoded(&seeds)?.says(r#""two", 1\.5e3"#, "seeds do not come back")?;
        let completed = must(&mut self.fuzz("json", "seeds", &["-runs=0"])?)?;
        ensure!(
            completed.count("read as parameters")? == 0,
            "a corpus of parameters passes for text"
        );

        self.test.write("files/broken.json", "no json\n")?;
        let files = self.test.path("files");
        let completed = must(
            self.fuzz("json", "started", &["-runs=0"])?
                .env("ZESTER_SEEDS", &files),
        )?;
        let message = r#"seeds of .*: 3 of 4 files, the whole text of 1 as edited sentences; the first file that was refused: .*broken.json:1:1: unexpected "no""#;
        completed.says(message, "no seeds at start")?;
        let fork = ["-fork=2", "-runs=1000", "-max_total_time=5"];
        let completed = must(
            self.fuzz("json", "started", &fork)?
                .env("ZESTER_SEEDS", &files),
        )?;
        completed.says(
            "seeds of .*: 3 of 4 files, 3 of them already in the corpus",
            "seeds are made again",
        )?;
        decoded(&self.test.path("started"))?
            .says(r#""three", 1\.5e3"#, "seeds at start are no seeds")?;
        println!("seeds: three files are three seeds");
        Ok(())
    }

    /// Tests that the validity of values counts, and that an input is shown as its value.
    fn values_are_shown(&self) -> Result<()> {
        let statistics = self.test.path("values.stats");
        command::completed(
            self.fuzz("planted", "values", &["-runs=20000", "-seed=1"])?
                .env("ZESTER_STATS", &statistics),
        )?;
        let last = Statistics::last(&statistics)?;
        ensure!(last.valid > 0.0, "no valid values: {last:?}");
        let input = self.test.write("value", "Pu\0sh")?;
        let completed = command::completed(Command::new(self.program("planted")).arg(input))?;
        ensure!(
            completed.after("zester: the value", 2)?.contains('['),
            "a single input does not show its value:\n{}",
            completed.text
        );
        println!("values: {last}");
        Ok(())
    }

    /// Tests the example of the paper on FdLoop: each goal is reached, and a goal that is ignored
    /// is reached less.
    fn inputs_evolve_towards_a_goal(&self) -> Result<()> {
        let samples = self.test.directory("pairs")?;
        for (number, pair) in ["12,18", "7,21", "100,75", "8,3"].iter().enumerate() {
            fs::write(samples.join(number.to_string()), pair)?;
        }
        let evolve = |name: &str, flags: &[&str]| -> Result<(serde_json::Value, String)> {
            let to = self.test.path(name);
            must(
                self.zester
                    .command("evolve")
                    .arg(self.program("euclid"))
                    .arg(&samples)
                    .args(flags)
                    .arg("-o")
                    .arg(&to),
            )?;
            let json: serde_json::Value =
                serde_json::from_slice(&fs::read(to.join("evolve.json"))?)?;
            let slowest = json["slowest"][0]["file"]
                .as_str()
                .context("no slowest input")?;
            Ok((
                json["generations"][49].clone(),
                fs::read_to_string(to.join(slowest))?,
            ))
        };
        let (exceptions, _) = evolve("for-exceptions", &["--goal", "exceptions"])?;
        let (ignored, _) = evolve(
            "without-exceptions",
            &["--goal", "all", "--ignore", "exceptions"],
        )?;
        let (time, slowest) = evolve("for-time", &["--goal", "time"])?;
        let number = |json: &serde_json::Value, name: &str| json[name].as_u64().unwrap_or(0);
        let [many, few] = [&exceptions, &ignored].map(|json| number(json, "exceptions"));
        ensure!(
            number(&exceptions, "unique_exceptions") == 1,
            "no division by zero: {exceptions}"
        );
        // How often it is reached by chance depends on times.
        ensure!(
            2 * many > 3 * few,
            "{many} exceptions as the goal, {few} if they are ignored"
        );
        // The samples need up to 3 subtractions.
        let subtractions = subtractions(&slowest);
        ensure!(subtractions > 100_000, "the slowest pair is {slowest}");
        let functions = [&exceptions, &ignored, &time].map(|json| number(json, "functions"));
        ensure!(
            functions[0] >= 5 && functions.iter().all(|&count| count == functions[0]),
            "{functions:?} functions"
        );
        println!(
            "evolve: {many} divisions by zero, {few} if they are ignored; the slowest pair needs {subtractions} subtractions"
        );
        Ok(())
    }

    /// Tests that a corpus grows although `zester grow` is killed, that crashes are kept apart, and
    /// that changed outcomes are found.
    fn a_corpus_grows(&self) -> Result<()> {
        let suite = self.test.path("suite");
        let grow = |target: &str, suite: &Path| {
            let mut grow = self.zester.command("grow");
            grow.arg(self.program(target))
                .arg("-o")
                .arg(suite)
                .args(["--bounds", "1,1,2", "--time", "1"]);
            grow
        };
        let (finished, mut before) = (self.test.path("suite.grow/1-1-1-valid"), None);
        for _ in 0..2 {
            let mut killed = grow("json", &suite).stderr(Stdio::null()).spawn()?;
            let start = Instant::now();
            while !finished.exists() && start.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(Duration::from_millis(50));
            }
            std::thread::sleep(Duration::from_millis(500));
            killed.kill()?;
            killed.wait()?;
            let after = contents(&finished.join("corpus"))?;
            ensure!(
                before.is_none_or(|before| before == after),
                "a finished fuzzer has changed"
            );
            before = Some(after);
        }
        let completed = must(&mut grow("json", &suite))?;
        completed.says(
            "goes on with the [0-9]* fuzzers",
            "a killed command begins anew",
        )?;
        completed.says("files, [0-9]* of them valid", "no summary of the corpus")?;
        let page = fs::read_to_string(suite.join("suite.html"))?;
        ensure!(page.contains("serde_json::"), "the page has no functions");
        let description = suite.join("suite.json");
        let run = || {
            let mut run = self.zester.command("run");
            run.arg(self.program("json"))
                .arg("--expect")
                .arg(&description);
            run
        };
        must(&mut run())?.says(" 0 others", "an outcome has changed")?;
        let changed = fs::read_to_string(&description)?.replacen(": \"valid\"", ": \"invalid\"", 1);
        fs::write(&description, changed)?;
        must_not(run().args(["--junit", "-"]))?.says(
            "valid, expected invalid",
            "a changed outcome is not reported",
        )?;
        let crashed = must(&mut grow("panics", &self.test.path("panics-suite")))?;
        crashed.says("^crash: .*panics.rs", "the crash is not reported")?;
        ensure!(
            file_count(&self.test.path("panics-suite/crashes"))? > 0,
            "the crash is not kept"
        );
        println!("grow: {} files", file_count(&suite)? - 2);
        Ok(())
    }

    /// Tests that `zester grow` ends with a message and without a result on a disk of 3 MB: it leaves
    /// 4 MB free.
    fn a_full_disk_ends_growing(&self) -> Result<()> {
        let disk = self.test.directory("disk")?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=3m", "tmpfs"]);
        if !command::completed(mount.arg(&disk))?.succeeded() {
            println!("a full disk: not tested, because nothing can be mounted here");
            return Ok(());
        }
        let suite = disk.join("suite");
        let mut grow = self.zester.command("grow");
        grow.arg(self.program("json")).arg("-o").arg(&suite);
        let grown = command::completed(grow.args(["--bounds", "1,1,2", "--time", "5"]));
        let is_there = suite.exists();
        must(Command::new("umount").arg(&disk))?;
        let grown = grown?;
        ensure!(
            grown.status == Some(2) && grown.text.contains("the disk is full") && !is_there,
            "grow on a full disk: {grown:?}"
        );
        Ok(())
    }

    /// Tests that -fork sums the statistics of its children and leaves no file behind.
    fn forks_sum_their_figures(&self) -> Result<()> {
        let (temporary, statistics) = (
            self.test.directory("temporary")?,
            self.test.path("fork.stats"),
        );
        let mut fork = self.fuzz("json", "json", &["-fork=2", "-max_total_time=5"])?;
        let completed = must(
            fork.env("TMPDIR", &temporary)
                .env("ZESTER_STATS", &statistics),
        )?;
        completed.says("sentences executed", "no line of statistics after -fork")?;
        for entry in fs::read_dir(temporary)? {
            let name = entry?.file_name();
            ensure!(
                !name.to_string_lossy().contains("zester"),
                "{} is left",
                name.display()
            );
        }
        println!("fork: {}", Statistics::last(&statistics)?);
        Ok(())
    }

    /// Tests that SIGKILL loses no file of a corpus that was there when the process started.
    fn a_killed_run_loses_no_file(&self) -> Result<()> {
        let corpus = self.test.path("killed");
        let mut before = BTreeMap::new();
        for seed in 1..=3 {
            let flags = [format!("-seed={seed}")];
            let mut fuzz = self.fuzz("json", "killed", &[flags[0].as_str()])?;
            let mut fuzz = fuzz.stderr(Stdio::null()).spawn()?;
            std::thread::sleep(Duration::from_secs(1));
            ensure!(fuzz.try_wait()?.is_none(), "the run ended by itself");
            fuzz.kill()?;
            fuzz.wait()?;
            let after = contents(&corpus)?;
            let lost = before
                .iter()
                .find(|&(name, content)| after.get(name) != Some(content));
            ensure!(lost.is_none(), "lost or changed: {:?}", lost.map(|of| of.0));
            before = after;
        }
        ensure!(!before.is_empty(), "the corpus is empty");
        println!("killed three times: {} files", before.len());
        Ok(())
    }

    /// Returns a command of `zester fuzz` with two processes, and its file of statistics.
    fn campaign(&self, target: &str, flags: &[&str]) -> Result<(Command, PathBuf)> {
        let corpus = self.test.directory(&format!("{target}-campaign"))?;
        let mut fuzz = self.zester.command("fuzz");
        fuzz.arg(self.program(target))
            .arg(&corpus)
            .args(["-j", "2", "--artifacts"])
            .arg(self.test.directory(&format!("{target}-failures"))?)
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        Ok((fuzz, corpus.with_extension("stats")))
    }

    /// Tests that `zester fuzz` goes on after one of its processes was killed, that its counts never
    /// decrease, that it ends in order after Ctrl-C, and that it groups and reduces failures.
    fn a_campaign_outlives_its_processes(&self) -> Result<()> {
        let (mut fuzz, statistics) = self.campaign("json", &[])?;
        let fuzz = fuzz.spawn()?;
        let start = Instant::now();
        let counted = || Statistics::lines(&statistics).map_or(0, |lines| lines.len());
        while counted() < 2 && start.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(100));
        }
        let children = format!("/proc/{0}/task/{0}/children", fuzz.id());
        let children = fs::read_to_string(children)?;
        let first = children.split(' ').next().unwrap_or_default();
        must(Command::new("kill").args(["-9", first]))?;
        let before = counted();
        while counted() < before + 2 && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(100));
        }
        must(Command::new("kill").args(["-INT", &fuzz.id().to_string()]))?;
        let output = fuzz.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(
            output.status.code() == Some(130),
            "{}:\n{text}",
            output.status
        );
        ensure!(
            text.contains("ended by signal 9"),
            "the killed process is not named:\n{text}"
        );
        let lines = Statistics::lines(&statistics)?;
        let decreases = |pair: &[Statistics]| pair[0].executions > pair[1].executions;
        ensure!(
            !lines.windows(2).any(decreases),
            "executions decrease: {lines:?}"
        );
        let last = Statistics::last(&statistics)?;
        let shown: String = text.chars().filter(|char| *char != ',').collect();
        let expected = format!(" {} ", last.executions);
        ensure!(
            shown.contains(&expected),
            "not {expected} executions:\n{text}"
        );
        println!("a campaign of which a process was killed: {last}");

        let (mut fuzz, _) = self.campaign("recovery", &["--until-failure"])?;
        let output = fuzz.spawn()?.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(
            output.status.code() == Some(1),
            "{}:\n{text}",
            output.status
        );
        ensure!(
            text.contains("\nfailure: panic ") && text.contains(".reduced"),
            "no reduced failure:\n{text}"
        );
        Ok(())
    }

    /// Tests that processes of `zester fuzz` go on after panics, and that one ends if all runs panic.
    fn panics_do_not_end_a_campaign(&self) -> Result<()> {
        let (mut fuzz, statistics) = self.campaign("panics", &["--", "-max_total_time=4"])?;
        let output = fuzz.spawn()?.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(
            output.status.code() == Some(1)
                && text.matches("\nfailure: panic ").count() == 1
                && text.contains(" % of the executions\n"),
            "{}:\n{text}",
            output.status
        );
        let last = Statistics::last(&statistics)?;
        ensure!(last.executions > 10_000.0, "the processes end: {last}");
        let corpus = self.test.directory("all-panic")?;
        for number in 0..200 {
            fs::write(corpus.join(number.to_string()), format!("{number}/0;"))?;
        }
        let damaged = must_not(
            self.fuzz("panics", "all-panic", &["-runs=1000"])?
                .env("ZESTER_TEXT", "1")
                .env("ZESTER_PANICS", "continue"),
        )?;
        damaged.says(
            "^zester: 100 runs in a row have panicked",
            "a process goes on although every run panics",
        )?;
        println!("a campaign with panics: {last}");
        Ok(())
    }
}

/// Returns the content of each file of a directory.
fn contents(directory: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut contents = BTreeMap::new();
    for file in files(directory)? {
        let content = fs::read(&file)?;
        contents.insert(file, content);
    }
    Ok(contents)
}

/// Returns the number of subtractions by the target `euclid` for a pair such as `12,18`, or 0 if the
/// text is no pair.
///
/// Each remainder other than 0 takes as many subtractions as the quotient, so close numbers are
/// slow as well: 922337203 and 922337201 have the remainder 2.
fn subtractions(pair: &str) -> u64 {
    let numbers = pair.split_once(',').and_then(|(first, second)| {
        Some((
            first.trim().parse::<u32>().ok()?,
            second.trim().parse::<u32>().ok()?,
        ))
    });
    let (mut larger, mut smaller) = numbers.map_or((0, 0), |(a, b)| (a.max(b), a.min(b)));
    let mut count = 0;
    while smaller > 0 && larger % smaller > 0 {
        count += u64::from(larger / smaller);
        (larger, smaller) = (smaller, larger % smaller);
    }
    count
}

#[test]
fn close_numbers_take_many_subtractions() {
    assert_eq!(subtractions("8,3"), 3);
    assert_eq!(subtractions("922337203, 922337201"), 461_168_601);
    assert_eq!(subtractions("0,7"), 0);
    assert_eq!(subtractions("no pair"), 0);
}
