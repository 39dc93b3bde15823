//! Fuzzing C: a planted fault, unchanged harnesses, shared libraries, MemorySanitizer, and SQLite.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Test, file_count, must, must_not};
use crate::c::{self, Built, LIBRARIES, own_source};
use crate::command::{completed, limited, logged, output};
use crate::repository::{file, grammar_of, target_directory};
use crate::zester::Zester;

/// Tests C fuzz targets from outside.
///
/// A planted fault in fuzz/c/calc.c is found, shown, minimised and reproduced. Harnesses work
/// unchanged. Grammars change at run time.
#[derive(clap::Args)]
pub struct SmokeC {
    /// Test what takes minutes instead: a report of a crash that hangs ends, `zester why` finds the wrong rule of
    /// a grammar, and SQLite is fuzzed for 20 seconds.
    #[arg(long)]
    slow: bool,
}

/// The programs that the tests share.
struct CFixture {
    test: Test,
    zester: Zester,
    built: Built,
    grammar: PathBuf,
}

/// Symbolisation is off, because it takes longer than all the rest.
const NO_NAMES: (&str, &str) = ("ASAN_OPTIONS", "symbolize=0");

impl SmokeC {
    /// Runs all tests.
    pub fn run(&self) -> Result<()> {
        let (test, zester) = (Test::new()?, Zester::build_for_tests()?);
        let built = c::fuzz_target("calc", "address", zester.path(), &test.path("calc"))?;
        let fixture = CFixture {
            test,
            zester,
            built,
            grammar: grammar_of("calc")?,
        };
        if self.slow {
            let report = fixture.start_a_report_that_hangs()?;
            fixture.wrong_arity_is_found()?;
            fixture.sqlite_is_fuzzed()?;
            return fixture.the_report_has_ended(report);
        }
        fixture.the_fault_is_found()?;
        fixture.libfuzzer_does_all_that_it_can()?;
        fixture.sentences_run_through_the_program()?;
        for sanitizer in ["address", "memory", "undefined"] {
            fixture.a_harness_stays_as_it_is(sanitizer)?;
        }
        fixture.grammars_change_at_run_time()?;
        fixture.ctrl_c_ends_an_engine()
    }
}

impl CFixture {
    fn calc(&self) -> Command {
        let mut command = Command::new(self.test.path("calc"));
        command.env(NO_NAMES.0, NO_NAMES.1);
        command
    }

    /// Writes a symboliser that does not answer.
    fn symboliser_that_hangs(&self) -> Result<PathBuf> {
        let symboliser = self
            .test
            .write("hangs/llvm-symbolizer", "#!/bin/sh\nexec sleep 600\n")?;
        fs::set_permissions(&symboliser, Permissions::from_mode(0o755))?;
        Ok(symboliser)
    }

    /// Starts a run that finds the planted fault and whose report hangs. zester ends it after 80
    /// seconds.
    fn start_a_report_that_hangs(&self) -> Result<Child> {
        let directory = self.test.directory("hanging-report")?;
        let mut fuzz = limited(180, self.test.path("calc"));
        fuzz.env("ASAN_SYMBOLIZER_PATH", self.symboliser_that_hangs()?)
            .current_dir(&directory)
            // Without this flag, libFuzzer also looks up the names of new functions.
            .args(["-seed=1", "-runs=500000", "-print_funcs=0"]);
        Ok(logged(&mut fuzz, &directory.join("log"))?.spawn()?)
    }

    /// Tests that the run whose report hangs has ended by itself, and has written its input as an
    /// artifact.
    fn the_report_has_ended(&self, mut run: Child) -> Result<()> {
        let (status, directory) = (run.wait()?, self.test.path("hanging-report"));
        let log = fs::read_to_string(directory.join("log"))?;
        ensure!(
            status.code() == Some(77),
            "a run whose report hangs ends with {status}:\n{log}"
        );
        ensure!(
            log.contains("takes too long, so the process ends"),
            "the end of a report that hangs has no message:\n{log}"
        );
        let artifact = log
            .lines()
            .find_map(|line| line.strip_prefix("zester: the input is in "));
        let artifact = directory.join(artifact.context("the input is not written")?);
        must_not(self.calc().arg(artifact))?
            .says("stack-buffer-overflow", "the artifact finds another fault")?;
        Ok(())
    }

    /// Tests that the planted fault is found, that its sentence is shown, again with only the
    /// artifact's path, and that it is minimised.
    fn the_fault_is_found(&self) -> Result<()> {
        let found =
            must_not(
                self.calc()
                    .args(["-seed=1", "-runs=500000", &self.test.artifacts("calc")]),
            )?;
        found.says(
            "stack-buffer-overflow",
            "another fault than the planted one",
        )?;
        found.says(
            "zester: the sentence of this run",
            "the sentence of a finding is not shown",
        )?;
        found.says(
            "the sentence is also in .*\\.zester-text-v2-.*/calc-crash-[0-9a-f]{40}\\.txt",
            "the sentence is not written to a file",
        )?;
        let crash = self.test.crash("calc")?;
        must_not(self.calc().current_dir("/").arg(&crash))?;
        let (minimised_input, text) = (self.test.path("minimised"), self.test.path("text"));
        let exact = format!("-exact_artifact_path={}", minimised_input.display());
        must(
            self.calc()
                .args(["-minimize_crash=1", "-runs=20000", &exact])
                .arg(&crash),
        )?;
        fs::write(&text, self.zester.text_of(&self.grammar, &minimised_input)?)?;
        let minimised = fs::read_to_string(&text)?;
        ensure!(
            minimised.len() < 100,
            "the fault is not minimised: {minimised}"
        );
        must_not(self.calc().arg("--zester_text=1").arg(&text))?
            .says("stack-buffer-overflow", "the text finds another fault")?;
        println!("calc: found, minimised to {}", minimised.trim_end());
        Ok(())
    }

    /// Tests that fuzzing continues after crashes, merges, runs jobs and profiles values, without
    /// leaks.
    fn libfuzzer_does_all_that_it_can(&self) -> Result<()> {
        let (corpus, merged, statistics) = (
            self.test.directory("corpus")?,
            self.test.directory("merged")?,
            self.test.path("stats"),
        );
        let fork = [
            "-fork=1",
            "-ignore_crashes=1",
            "-max_total_time=4",
            &self.test.artifacts("calc"),
        ];
        // The status is that of the last job.
        let forked = completed(
            self.calc()
                .arg(&corpus)
                .args(fork)
                .arg(format!("--zester_stats={}", statistics.display())),
        )?;
        forked.says("sentences executed", "no line of statistics after -fork")?;
        let last = crate::statistics::Statistics::last(&statistics)?;
        ensure!(last.valid > 0.0, "no valid sentences: {last:?}");
        must(self.calc().arg("-merge=1").arg(&merged).arg(&corpus))?;
        ensure!(
            file_count(&merged)? > 0,
            "a merge results in an empty corpus"
        );
        // Jobs write their logs to the working directory.
        let jobs = ["-runs=0", "-use_value_profile=1", "-jobs=2", "-workers=1"];
        must(
            self.calc()
                .current_dir(self.test.directory("jobs")?)
                .arg(&merged)
                .args(jobs),
        )?;
        Ok(())
    }

    /// Tests that `zester run` prints an outcome for each sentence, even if the program dies.
    fn sentences_run_through_the_program(&self) -> Result<()> {
        let texts = self.test.path("texts");
        self.zester
            .decode(&self.grammar, &self.test.path("corpus"), &texts)?;
        fs::copy(self.test.path("text"), texts.join("planted"))?;
        let outcome = must_not(
            self.zester
                .command("run")
                .env("ASAN_OPTIONS", "")
                .arg(self.test.path("calc"))
                .arg(&texts),
        )?;
        outcome.says(
            "^crash .*planted  stack-buffer-overflow in behind",
            "no crash with its signature",
        )?;
        // `zester::files` would leave out the empty text.
        let all = fs::read_dir(&texts)?.count();
        ensure!(
            outcome.count(" edges  ")? == all,
            "not each sentence is accounted for:\n{}",
            outcome.text
        );
        println!("run: {}", outcome.line(" a second: ", "no figures")?);
        self.a_symboliser_may_hang(&texts.join("planted"))
    }

    /// Tests that `zester run` reports a crash soon if the symboliser hangs, without names.
    fn a_symboliser_may_hang(&self, text: &Path) -> Result<()> {
        let mut run = self.zester.command("run");
        run.env("ASAN_OPTIONS", "")
            .env("ASAN_SYMBOLIZER_PATH", self.symboliser_that_hangs()?)
            .args(["--timeout", "1"]);
        let start = Instant::now();
        must_not(run.arg(self.test.path("calc")).arg(text))?.says(
            "^crash .*planted  stack-buffer-overflow in calc",
            "no crash with its addresses",
        )?;
        ensure!(
            start.elapsed() < Duration::from_secs(20),
            "a symboliser that hangs stops a run for {:?}",
            start.elapsed()
        );
        Ok(())
    }

    /// Tests an unchanged harness that does not use zester, with an initialisation of its own; its
    /// checks are in an instrumented shared library.
    fn a_harness_stays_as_it_is(&self, sanitizer: &str) -> Result<()> {
        let (library, wrapped) = (self.test.path("libdepth.so"), self.test.path("wrapped"));
        let clang = &self.built.clang;
        let instrument = format!("-fsanitize=fuzzer-no-link,{sanitizer}");
        let compile = ["-g", "-O1", &instrument, "-shared", "-fPIC"];
        must(
            Command::new(clang)
                .args(compile)
                .arg(own_source("depth.c"))
                .arg("-o")
                .arg(&library),
        )?;
        let name = clang
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .replacen("clang", "clang++", 1);
        let directory = self.test.path("");
        let directory = directory.display().to_string();
        let directory = directory.trim_end_matches('/');
        let mut link = Command::new(clang.with_file_name(name));
        link.args([
            "-g",
            "-O1",
            &format!("-fsanitize=fuzzer,{sanitizer}"),
            "-x",
            "c++",
        ])
        .arg(own_source("wrapped.cc"));
        link.arg(target_directory().join("c/calc-grammar.c")).args([
            "-x",
            "none",
            &format!("-L{directory}"),
            "-ldepth",
        ]);
        link.arg(format!("-Wl,-rpath,{directory}"))
            .args(c::wrap_flags()?)
            .arg(&self.built.library)
            .args(LIBRARIES);
        must(link.arg("-o").arg(&wrapped))?;
        let outcome = must(
            Command::new(&wrapped)
                .env(NO_NAMES.0, NO_NAMES.1)
                .args(["-runs=20000", "--zester_valid_result=1"]),
        )?;
        outcome.says(
            "others in libdepth.so",
            "the counters of a shared library do not count",
        )?;
        outcome.says(
            "sentences executed, [1-9][0-9]* valid .* 0 unknown",
            "the result does not say what is valid",
        )?;
        println!(
            "wrapped, {sanitizer}: {}",
            outcome.line("sentences executed", "no figures")?
        );
        Ok(())
    }

    /// Tests that a grammar replaces the built-in one, and that a missing or wrong one is reported.
    fn grammars_change_at_run_time(&self) -> Result<()> {
        let wrapped = || {
            let mut command = Command::new(self.test.path("wrapped"));
            command.env(NO_NAMES.0, NO_NAMES.1);
            command
        };
        let other = self.test.write(
            "other.ebnf",
            fs::read_to_string(file("grammars/expr.ebnf"))?.replace("\"let\"", "\"LET\""),
        )?;
        let input = self.test.write("input", "\x01\x01")?;
        let outcome = must(
            wrapped()
                .arg(format!("--zester_grammar={}", other.display()))
                .arg(input),
        )?;
        outcome.says("LET", "a grammar is not replaced at run time")?;
        let none = self.test.path("none.ebnf");
        let outcome =
            must_not(wrapped().args([&format!("--zester_grammar={}", none.display()), "-runs=1"]))?;
        outcome.says(
            "none.ebnf: No such file",
            "a missing grammar has no message",
        )?;
        must_not(wrapped().args(["--zester_grammer=x", "-runs=1"]))?
            .says("no flag --zester_grammer", "a wrong flag has no message")
    }

    /// Tests that the current run is the last one after Ctrl-C, with an engine that leaves Ctrl-C
    /// to the target.
    fn ctrl_c_ends_an_engine(&self) -> Result<()> {
        let engine = self.test.path("engine");
        let mut link = Command::new(&self.built.clang);
        link.arg("-fsanitize=address")
            .arg(own_source("engine.c"))
            .args(&self.built.objects)
            .arg(&self.built.library);
        must(link.args(LIBRARIES).arg("-o").arg(&engine))?;
        // A shell starts background processes with SIGINT ignored.
        let mut interrupt = Command::new("env");
        interrupt
            .args([
                "--default-signal=INT",
                "timeout",
                "--preserve-status",
                "-s",
                "KILL",
                "60",
            ])
            .arg(engine);
        let outcome = completed(interrupt.env(NO_NAMES.0, NO_NAMES.1))?;
        ensure!(
            outcome.shell_status() == 130,
            "Ctrl-C ends a run with status {}:\n{}",
            outcome.shell_status(),
            outcome.text
        );
        outcome.says("sentences executed", "no line of statistics after Ctrl-C")
    }

    /// Tests that `zester why` names the rule of SQLite's grammar that calls functions with a wrong
    /// number of arguments.
    fn wrong_arity_is_found(&self) -> Result<()> {
        let program = self.test.path("sqlite");
        c::fuzz_target("sqlite", "address", self.zester.path(), &program)?;
        let (call, damaged) = (
            "(function_1 \"(\" value<c> \")\")",
            "(function_1 \"(\" value<c> \",\" value<c> \",\" value<c> \",\" value<c> \")\")",
        );
        let edited = |line: &str| match line {
            // Many of the other scripts use names that are not declared.
            line if line.starts_with("@start script = ") => "@start script = named_script ;".into(),
            line if line.starts_with("call<c: context> = ") => line.replacen(call, damaged, 1),
            // Equivalences of calls that the grammar no longer has would be errors.
            line if line.starts_with("@equal ") => String::new(),
            line => line.to_string(),
        };
        let source = fs::read_to_string(file("grammars/sqlite.ebnf"))?;
        let source: Vec<String> = source.lines().map(edited).collect();
        let source = source.join("\n");
        ensure!(source.contains(damaged), "sqlite.ebnf has no `{call}`");
        let line = source
            .lines()
            .position(|line| line.starts_with("call<c: context> = "));
        let grammar = self.test.write("arity.ebnf", source)?;
        let mut why = Command::new(self.zester.path());
        why.arg("why").arg(&program).arg(&grammar);
        why.args(["-n", "1500", "--groups", "3", "--json"]);
        let found: Value = serde_json::from_slice(&output(&mut why)?)?;
        let groups = found["groups"].as_array().map(Vec::as_slice);
        let group = groups.unwrap_or_default().iter().find(|group| {
            let reason = group["reason"].as_str().unwrap_or_default();
            reason.starts_with("wrong number of arguments to function")
        });
        let group = group.context("no wrong number of arguments among the first three groups")?;
        let suspect = &group["suspects"][0];
        ensure!(
            suspect["line"].as_u64() == line.map(|line| line as u64 + 1),
            "the first suspect is {suspect}"
        );
        println!(
            "arity: {}, because of {}",
            group["reason"], suspect["source"]
        );
        Ok(())
    }

    /// Tests that a run of `scripts/fuzz-c sqlite` from an empty corpus ends by itself, with its
    /// summary, or that it finds a fault in SQLite, which has some.
    fn sqlite_is_fuzzed(&self) -> Result<()> {
        let program = self.test.path("sqlite");
        // libFuzzer ends a run of one sentence after ten seconds, and looks at the total time
        // between runs.
        let mut fuzz = limited(20 + 40, &program);
        fuzz.env(NO_NAMES.0, NO_NAMES.1)
            .args(["-max_total_time=20", &self.test.artifacts("sqlite")])
            .arg(self.test.directory("sqlite-corpus")?);
        let outcome = completed(&mut fuzz)?;
        if !outcome.succeeded() {
            outcome.says("^zester: the sentence of this run:", "no sentence")?;
            // With names, the report says whose fault it is. The line "SUMMARY" may name a function
            // of the C library, so the first call of SQLite or of the target counts.
            let again = must_not(limited(60, &program).arg(self.test.crash("sqlite")?))?;
            again.says("^SUMMARY: ", "no report")?;
            let call = again.line(
                "^ +#[0-9]+ 0x[0-9a-f]+ in .*/sqlite3?\\.c",
                "the run fails, and not at a call of SQLite or its target",
            )?;
            ensure!(
                call.contains("/sqlite3.c"),
                "the run fails, and not at a fault in SQLite: {call}"
            );
            println!("sqlite: {call}");
            return Ok(());
        }
        outcome.says(
            "^Done [0-9]+ runs in [0-9]+ second",
            "libFuzzer does not end by itself",
        )?;
        println!(
            "sqlite: {}",
            outcome.line("sentences executed, [1-9][0-9]* valid", "no summary")?
        );
        Ok(())
    }
}
