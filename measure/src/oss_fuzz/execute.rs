//! Runs a target as ClusterFuzz does, and judges what it says.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use regex::Regex;

use super::Sanitizer;
use crate::command::{find, limited, said};
use crate::zester::files;

/// base-runner/Dockerfile, "these match the settings used in ClusterFuzz"; the exit code is libfuzzer.py's.
const OPTIONS: [(&str, &str); 3] = [
    (
        "ASAN_OPTIONS",
        "alloc_dealloc_mismatch=0:allocator_may_return_null=1:allocator_release_to_os_interval_ms=500:\
         check_malloc_usable_size=0:detect_container_overflow=1:detect_odr_violation=0:detect_leaks=1:\
         detect_stack_use_after_return=1:fast_unwind_on_fatal=0:handle_abort=1:handle_segv=1:handle_sigill=1:\
         max_uar_stack_size_log=16:print_scariness=1:quarantine_size_mb=10:strict_memcmp=1:symbolize=1:\
         use_sigaltstack=1:dedup_token_length=3:exitcode=77",
    ),
    ("MSAN_OPTIONS", "print_stats=1:symbolize=1:dedup_token_length=3:exitcode=77"),
    (
        "UBSAN_OPTIONS",
        "print_stacktrace=1:print_summary=1:silence_unsigned_overflow=1:symbolize=1:dedup_token_length=3:exitcode=77",
    ),
];

/// What came of a run that is no failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ended {
    /// It came to its end.
    Well,
    /// The program under test has a fault.
    WithFault,
}

/// A target that was built, elsewhere than where it was built.
pub struct Target {
    /// Its name.
    pub name: String,
    /// Its files: the program, the seeds, the options.
    pub build: PathBuf,
    /// A directory of work.
    pub here: PathBuf,
    /// The log of the mode.
    pub log: PathBuf,
    /// What every run has: the limits of constants.py.
    pub limits: Vec<String>,
    /// What NAME.options says, and the limits.
    pub flags: Vec<String>,
    /// How it was built.
    pub sanitizer: Sanitizer,
    /// Seconds of a run.
    pub round: u64,
    /// A command that the target runs in.
    pub prefix: Vec<String>,
    /// Whether the program under test had a fault in this mode.
    found: bool,
}

impl Target {
    /// The target whose build is in a directory.
    pub fn new(name: &str, directory: &Path, sanitizer: Sanitizer, round: u64) -> Result<Self> {
        let (build, here) = (directory.join("build"), directory.join("run"));
        for name in ["elsewhere", "corpus", "artifacts"] {
            fs::create_dir_all(here.join(name))?;
        }
        let prefix = format!("-artifact_prefix={}/", here.join("artifacts").display());
        let limits = vec!["-timeout=25".into(), "-rss_limit_mb=2560".into(), prefix];
        let options = fs::read_to_string(build.join(format!("{name}.options"))).context("no options")?;
        let flags = options_of(&options).map(|(name, value)| format!("-{name}={value}")).chain(limits.iter().cloned()).collect();
        let log = here.join("log");
        Ok(Self { name: name.into(), build, here, log, limits, flags, sanitizer, round, prefix: Vec::new(), found: false })
    }

    /// Begins a mode.
    pub fn begin(&mut self, mode: &str) -> Result<()> {
        self.log = self.here.join(mode.replace(|letter: char| !letter.is_ascii_lowercase(), "-") + ".log");
        self.prefix.clear();
        self.found = false;
        Ok(())
    }

    /// The end of the line of a mode that works.
    pub fn told(&self, said: &str) -> String {
        let fault = if self.found { ", a fault of the program" } else { "" };
        if said.is_empty() { fault.into() } else { format!(": {said}{fault}") }
    }

    /// A path in the directory of work.
    pub fn path(&self, name: &str) -> PathBuf {
        self.here.join(name)
    }

    /// The target's program.
    pub fn program(&self) -> PathBuf {
        self.build.join(&self.name)
    }

    /// A directory of work, empty.
    pub fn fresh(&self, name: &str) -> Result<PathBuf> {
        let path = self.path(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path)?;
        Ok(path)
    }

    /// A directory of work and what is in it: how many files.
    pub fn count(&self, name: &str) -> Result<usize> {
        Ok(files(&self.path(name))?.len())
    }

    /// Runs the target, at most so many seconds, from a directory that is not its own.
    pub fn execute(&self, seconds: u64, arguments: &[String], environment: &[(&str, &Path)]) -> Result<Ended> {
        let mut command = limited(seconds, "env");
        command.args(&self.prefix).arg(self.program()).args(arguments).current_dir(self.path("elsewhere"));
        command.env("PATH", format!("{}:{}", self.build.display(), std::env::var("PATH").unwrap_or_default()));
        command.envs(OPTIONS).envs(environment.iter().copied()).stdin(Stdio::null());
        let said = said(&mut command)?;
        let mut log = File::options().create(true).append(true).open(&self.log)?;
        writeln!(log, "\n{} {}\n{}\nstatus {}", self.program().display(), arguments.join(" "), said.text, said.shell_status())?;
        judge(said.shell_status(), &said.text).map_err(|fault| match fault {
            Fault::Late => anyhow::anyhow!("not at its end after {seconds} s"),
            Fault::Because(why) => anyhow::anyhow!("{why}"),
        })
    }

    /// Runs the target; faults of the program are fine, and told.
    pub fn endure(&mut self, seconds: u64, arguments: &[String]) -> Result<()> {
        self.found |= self.execute(seconds, arguments, &[])? == Ended::WithFault;
        Ok(())
    }

    /// libfuzzer.py, `fuzz`: a new directory, to which others are read; its flags.
    pub fn fuzz(&mut self, seconds: u64, flags: &[String], more: &[String], corpora: &[PathBuf]) -> Result<()> {
        let new = self.fresh("new")?;
        self.fresh("artifacts")?;
        self.fresh("elsewhere")?;
        let mut arguments = [flags, more].concat();
        arguments.push(new.display().to_string());
        arguments.extend(corpora.iter().map(|corpus| corpus.display().to_string()));
        arguments.extend([format!("-max_total_time={seconds}"), "-print_final_stats=1".into()]);
        self.endure(seconds + 110, &arguments)
    }

    /// engine.py, `_minimize_corpus_two_step` and `minimize_corpus`; max_len is not handed on.
    pub fn merge(&self, to: &str, from: &[PathBuf], flags: &[String], environment: &[(&str, &Path)]) -> Result<()> {
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

    /// What the log says so far.
    pub fn said(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(&fs::read(&self.log)?).into_owned())
    }

    /// The last number that a pattern captures in the log.
    pub fn figure(&self, pattern: &str) -> Result<Option<u64>> {
        let regex = Regex::new(&format!("(?m){pattern}"))?;
        Ok(regex.captures_iter(&self.said()?).last().and_then(|found| found[1].parse().ok()))
    }

    /// Runs of the target that libFuzzer tells at the end.
    pub fn runs(&self) -> Result<u64> {
        Ok(self.figure("number_of_executed_units: *([0-9]+)")?.unwrap_or(0))
    }

    /// Switches off random addresses, if that is allowed.
    pub fn without_random_addresses(&mut self) -> Result<bool> {
        let can = find("setarch").is_some() && said(Command::new("setarch").args(["-R", "true"]))?.succeeded();
        if can {
            self.prefix = vec!["setarch".into(), "-R".into()];
        }
        Ok(can)
    }
}

/// The settings of a file NAME.options: the lines with a value.
pub fn options_of(text: &str) -> impl Iterator<Item = (String, String)> {
    let settings = text.lines().filter_map(|line| line.split_once('='));
    settings.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
}

/// Why a run is a failure.
#[derive(Debug, PartialEq)]
enum Fault {
    /// It was ended by `timeout`.
    Late,
    /// For this reason.
    Because(String),
}

/// Whether a run is a failure: by what it says, then by its status.
fn judge(status: i32, text: &str) -> Result<Ended, Fault> {
    let because = |why: &str| Err(Fault::Because(why.into()));
    let own = Regex::new(r"(?m)^SUMMARY: .*(/zester/src/|/zester/c/src/| in _?_?zester)").expect("a pattern");
    for (part, why) in [
        ("LeakSanitizer", "a leak"),
        ("no interesting inputs", "no interesting inputs"),
        ("panicked at src/", "zester panics"),
        // The SHA-1 of nothing.
        ("crash-da39a3ee5e6b4b0d3255bfef95601890afd80709", "a crash outside of runs"),
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
        // libFuzzer's codes of an interrupted run, and of a crash, a time out, a lack of memory. Of a single input that is given, no
        // test unit is written.
        70 | 77 if text.contains("Test unit written to") || text.contains("Running: ") => Ok(Ended::WithFault),
        70 | 77 => because(&format!("status {status} and no test unit")),
        71 => because("out of memory"),
        _ => {
            let told = text.lines().rfind(|line| ["zester", "ERROR", "=="].iter().any(|start| line.starts_with(start)));
            because(&format!("status {status}: {}", told.unwrap_or_default()))
        }
    }
}

/// The SHA-1 of each file of a directory.
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
        assert_eq!(judge(0, "Done 4 runs"), Ok(Ended::Well));
        assert_eq!(judge(0, "==1==ERROR: LeakSanitizer: detected"), because("a leak"));
        assert_eq!(judge(77, "x\nTest unit written to crash-1"), Ok(Ended::WithFault));
        assert_eq!(judge(77, "Running: crash-1\n==1==ERROR: AddressSanitizer"), Ok(Ended::WithFault));
        assert_eq!(judge(77, "==1==ERROR: AddressSanitizer"), because("status 77 and no test unit"));
        assert_eq!(
            judge(77, "SUMMARY: AddressSanitizer: SEGV /src/zester/src/parse.rs:1 in x\nTest unit written to c"),
            because("a fault in zester")
        );
        assert_eq!(judge(77, "thread panicked at src/parse.rs:1\nTest unit written to c"), because("zester panics"));
        assert_eq!(judge(124, ""), Err(Fault::Late));
        assert_eq!(judge(1, "zester: no grammar\nx"), because("status 1: zester: no grammar"));
    }

    #[test]
    fn options_are_flags() {
        let options: Vec<_> = options_of("[libfuzzer]\nmax_len = 16384\nrss_limit_mb=1\n").collect();
        assert_eq!(options, [("max_len".to_owned(), "16384".to_owned()), ("rss_limit_mb".into(), "1".into())]);
    }
}
