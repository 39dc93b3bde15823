//! Runs a target as ClusterFuzz does, and decides whether the run failed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use regex::Regex;

use super::OssFuzzSanitizer;
use crate::command::{completed, find, limited};
use crate::zester::files;

/// The sanitizers' options: base-runner/Dockerfile, "these match the settings used in ClusterFuzz";
/// the exit code is that of libfuzzer.py.
const OPTIONS: [(&str, &str); 3] = [
    (
        "ASAN_OPTIONS",
        "alloc_dealloc_mismatch=0:allocator_may_return_null=1:allocator_release_to_os_interval_ms=500:\
         check_malloc_usable_size=0:detect_container_overflow=1:detect_odr_violation=0:detect_leaks=1:\
         detect_stack_use_after_return=1:fast_unwind_on_fatal=0:handle_abort=1:handle_segv=1:handle_sigill=1:\
         max_uar_stack_size_log=16:print_scariness=1:quarantine_size_mb=10:strict_memcmp=1:symbolize=1:\
         use_sigaltstack=1:dedup_token_length=3:exitcode=77",
    ),
    (
        "MSAN_OPTIONS",
        "print_stats=1:symbolize=1:dedup_token_length=3:exitcode=77",
    ),
    (
        "UBSAN_OPTIONS",
        "print_stacktrace=1:print_summary=1:silence_unsigned_overflow=1:symbolize=1:dedup_token_length=3:exitcode=77",
    ),
];

/// The outcome of a run that did not fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ended {
    /// The run ended normally.
    Well,
    /// The program under test has a fault.
    WithFault,
}

/// A built target. Its directory is not the `$OUT` of its build, as on ClusterFuzz.
pub struct Target {
    /// The name.
    pub name: String,
    /// The directory of its files: the program, the seeds, the options.
    pub build: PathBuf,
    /// The working directory.
    pub here: PathBuf,
    /// The log of the mode.
    pub log: PathBuf,
    /// The flags of every run: the limits in ClusterFuzz's constants.py, and the artifact prefix.
    pub limits: Vec<String>,
    /// The flags of NAME.options, and the limits.
    pub flags: Vec<String>,
    /// The kind of the build.
    pub sanitizer: OssFuzzSanitizer,
    /// The duration of a run in seconds.
    pub round: u64,
    /// The words before the target's command line, such as `setarch -R`.
    pub prefix: Vec<String>,
    /// Whether the program under test had a fault in this mode.
    found: bool,
}

impl Target {
    /// Returns the target whose build is in a directory.
    pub fn new(
        name: &str,
        directory: &Path,
        sanitizer: OssFuzzSanitizer,
        round: u64,
    ) -> Result<Self> {
        let (build, here) = (directory.join("build"), directory.join("run"));
        for name in ["elsewhere", "corpus", "artifacts"] {
            fs::create_dir_all(here.join(name))?;
        }
        let prefix = format!("-artifact_prefix={}/", here.join("artifacts").display());
        let limits = vec!["-timeout=25".into(), "-rss_limit_mb=2560".into(), prefix];
        let options =
            fs::read_to_string(build.join(format!("{name}.options"))).context("no options")?;
        let flags = options_of(&options)
            .map(|(name, value)| format!("-{name}={value}"))
            .chain(limits.iter().cloned())
            .collect();
        let log = here.join("log");
        Ok(Self {
            name: name.into(),
            build,
            here,
            log,
            limits,
            flags,
            sanitizer,
            round,
            prefix: Vec::new(),
            found: false,
        })
    }

    /// Begins a mode.
    pub fn begin(&mut self, mode: &str) -> Result<()> {
        self.log = self
            .here
            .join(mode.replace(|letter: char| !letter.is_ascii_lowercase(), "-") + ".log");
        self.prefix.clear();
        self.found = false;
        Ok(())
    }

    /// Returns the end of the line of a mode that works.
    pub fn line_end(&self, result: &str) -> String {
        let fault = if self.found {
            ", a fault of the program"
        } else {
            ""
        };
        if result.is_empty() {
            fault.into()
        } else {
            format!(": {result}{fault}")
        }
    }

    /// Returns a path in the working directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.here.join(name)
    }

    /// Returns the path of the target's program.
    pub fn program(&self) -> PathBuf {
        self.build.join(&self.name)
    }

    /// Makes an empty directory in the working directory.
    pub fn fresh(&self, name: &str) -> Result<PathBuf> {
        let path = self.path(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path)?;
        Ok(path)
    }

    /// Returns the number of files of a directory in the working directory.
    pub fn count(&self, name: &str) -> Result<usize> {
        Ok(files(&self.path(name))?.len())
    }

    /// Runs the target for a limited number of seconds, in a directory that is not its own.
    pub fn execute(
        &self,
        seconds: u64,
        arguments: &[String],
        environment: &[(&str, &Path)],
    ) -> Result<Ended> {
        let mut command = limited(seconds, "env");
        command
            .args(&self.prefix)
            .arg(self.program())
            .args(arguments)
            .current_dir(self.path("elsewhere"));
        command.env(
            "PATH",
            format!(
                "{}:{}",
                self.build.display(),
                std::env::var("PATH").unwrap_or_default()
            ),
        );
        command
            .envs(OPTIONS)
            .envs(environment.iter().copied())
            .stdin(Stdio::null());
        let completed = completed(&mut command)?;
        let mut log = File::options().create(true).append(true).open(&self.log)?;
        writeln!(
            log,
            "\n{} {}\n{}\nstatus {}",
            self.program().display(),
            arguments.join(" "),
            completed.text,
            completed.shell_status()
        )?;
        verdict(completed.shell_status(), &completed.text).map_err(|fault| match fault {
            Fault::Late => anyhow::anyhow!("not at its end after {seconds} s"),
            Fault::Because(why) => anyhow::anyhow!("{why}"),
        })
    }

    /// Runs the target; a fault of the program under test is allowed and recorded.
    pub fn endure(&mut self, seconds: u64, arguments: &[String]) -> Result<()> {
        self.found |= self.execute(seconds, arguments, &[])? == Ended::WithFault;
        Ok(())
    }

    /// Fuzzes as in libfuzzer.py, `fuzz`: with its flags, into a new directory, and with other
    /// directories to read.
    pub fn fuzz(
        &mut self,
        seconds: u64,
        flags: &[String],
        more: &[String],
        corpora: &[PathBuf],
    ) -> Result<()> {
        let new = self.fresh("new")?;
        self.fresh("artifacts")?;
        self.fresh("elsewhere")?;
        let mut arguments = [flags, more].concat();
        arguments.push(new.display().to_string());
        arguments.extend(corpora.iter().map(|corpus| corpus.display().to_string()));
        arguments.extend([
            format!("-max_total_time={seconds}"),
            "-print_final_stats=1".into(),
        ]);
        self.endure(seconds + 110, &arguments)
    }

    /// Merges as in engine.py, `_minimize_corpus_two_step` and `minimize_corpus`; max_len is not
    /// passed on.
    pub fn merge(
        &self,
        to: &str,
        from: &[PathBuf],
        flags: &[String],
        environment: &[(&str, &Path)],
    ) -> Result<()> {
        let (to, temporary) = (self.fresh(to)?, self.path("temporary"));
        fs::create_dir_all(&temporary)?;
        let mut arguments = vec!["-merge=1".into()];
        arguments.extend(self.limits.iter().chain(flags).cloned());
        arguments.push(to.display().to_string());
        arguments.extend(from.iter().map(|corpus| corpus.display().to_string()));
        let environment = [&[("TMPDIR", temporary.as_path())], environment].concat();
        match self.execute(600, &arguments, &environment)? {
            Ended::Well => Ok(()),
            Ended::WithFault => bail!("a fault ends a merge"),
        }
    }

    /// Returns the current text of the log.
    pub fn log_text(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(&fs::read(&self.log)?).into_owned())
    }

    /// Returns the last number that a pattern captures in the log.
    pub fn figure(&self, pattern: &str) -> Result<Option<u64>> {
        let regex = Regex::new(&format!("(?m){pattern}"))?;
        Ok(regex
            .captures_iter(&self.log_text()?)
            .last()
            .and_then(|found| found[1].parse().ok()))
    }

    /// Returns the number of runs that libFuzzer prints at the end.
    pub fn runs(&self) -> Result<u64> {
        Ok(self
            .figure("number_of_executed_units: *([0-9]+)")?
            .unwrap_or(0))
    }

    /// Switches off address space randomisation, if that is allowed.
    pub fn without_random_addresses(&mut self) -> Result<bool> {
        let can = find("setarch").is_some()
            && completed(Command::new("setarch").args(["-R", "true"]))?.succeeded();
        if can {
            self.prefix = vec!["setarch".into(), "-R".into()];
        }
        Ok(can)
    }
}

/// Returns the settings of a file NAME.options: the lines with a value.
pub fn options_of(text: &str) -> impl Iterator<Item = (String, String)> {
    let settings = text.lines().filter_map(|line| line.split_once('='));
    settings.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
}

/// The reason for a failure.
#[derive(Debug, PartialEq)]
enum Fault {
    /// `timeout` ended the run.
    Late,
    /// Another reason.
    Because(String),
}

/// Decides whether a run failed, first by its output, then by its status.
fn verdict(status: i32, text: &str) -> Result<Ended, Fault> {
    let because = |why: &str| Err(Fault::Because(why.into()));
    let own = Regex::new(r"(?m)^SUMMARY: .*(/zester/src/|/zester/c/src/| in _?_?zester)")
        .expect("a pattern");
    for (part, why) in [
        ("LeakSanitizer", "a leak"),
        ("no interesting inputs", "no interesting inputs"),
        ("panicked at src/", "zester panics"),
        // The SHA-1 of an empty input.
        (
            "crash-da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "a crash outside of runs",
        ),
    ] {
        if text.contains(part) {
            return because(why);
        }
    }
    if own.is_match(text) {
        return because("a fault in zester");
    }
    match status {
        0 | 72 => Ok(Ended::Well),
        124 | 137 => Err(Fault::Late),
        // libFuzzer's exit codes are 70 (time-out), 71 (out of memory), 72 (interrupted), and 77
        // (crash). For a single given input, it writes no test unit.
        70 | 77 if text.contains("Test unit written to") || text.contains("Running: ") => {
            Ok(Ended::WithFault)
        }
        70 | 77 => because(&format!("status {status} and no test unit")),
        71 => because("out of memory"),
        _ => {
            let message = text.lines().rfind(|line| {
                ["zester", "ERROR", "=="]
                    .iter()
                    .any(|start| line.starts_with(start))
            });
            because(&format!("status {status}: {}", message.unwrap_or_default()))
        }
    }
}

/// Returns the SHA-1 of each file of a directory.
pub fn sums(directory: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let mut sums = BTreeMap::new();
    for file in files(directory)? {
        let line = crate::command::line(Command::new("sha1sum").arg(&file))?;
        sums.insert(file, line.split(' ').next().unwrap_or_default().to_owned());
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_judged_by_their_words_and_their_status() {
        let because = |why: &str| Err(Fault::Because(why.into()));
        assert_eq!(verdict(0, "Done 4 runs"), Ok(Ended::Well));
        assert_eq!(
            verdict(0, "==1==ERROR: LeakSanitizer: detected"),
            because("a leak")
        );
        assert_eq!(
            verdict(77, "x\nTest unit written to crash-1"),
            Ok(Ended::WithFault)
        );
        assert_eq!(
            verdict(77, "Running: crash-1\n==1==ERROR: AddressSanitizer"),
            Ok(Ended::WithFault)
        );
        assert_eq!(
            verdict(77, "==1==ERROR: AddressSanitizer"),
            because("status 77 and no test unit")
        );
        assert_eq!(
            verdict(
                77,
                "SUMMARY: AddressSanitizer: SEGV /src/zester/src/parse.rs:1 in x\nTest unit written to c"
            ),
            because("a fault in zester")
        );
        assert_eq!(
            verdict(
                77,
                "thread panicked at src/parse.rs:1\nTest unit written to c"
            ),
            because("zester panics")
        );
        assert_eq!(verdict(124, ""), Err(Fault::Late));
        assert_eq!(
            verdict(1, "zester: no grammar\nx"),
            because("status 1: zester: no grammar")
        );
    }

    #[test]
    fn options_are_flags() {
        let options: Vec<_> =
            options_of("[libfuzzer]\nmax_len = 16384\nrss_limit_mb=1\n").collect();
        assert_eq!(
            options,
            [
                ("max_len".to_owned(), "16384".to_owned()),
                ("rss_limit_mb".into(), "1".into())
            ]
        );
    }
}
