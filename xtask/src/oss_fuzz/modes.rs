//! The modes: each is a function that does with a built target what ClusterFuzz does.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use regex::Regex;

use super::execute::{Ended, Target, options_of, sums};
use super::{OssFuzzSanitizer, bytes};
use crate::command::{completed, quietly};
use crate::zester::files;

pub struct Mode {
    /// Its name in the table.
    pub name: &'static str,
    /// Runs the mode. Returns the end of its line.
    pub run: fn(&mut Target) -> Result<String>,
    /// Whether later modes need its results.
    pub needed: bool,
}

const fn mode(name: &'static str, run: fn(&mut Target) -> Result<String>) -> Mode {
    Mode {
        name,
        run,
        needed: false,
    }
}

const fn needed(name: &'static str, run: fn(&mut Target) -> Result<String>) -> Mode {
    Mode {
        name,
        run,
        needed: true,
    }
}

/// The modes for every target.
pub const ALL: &[Mode] = &[
    needed("build check", check_build),
    needed("seed corpus", check_seeds),
    mode("run", run_plainly),
    mode("pruning, twice", prune),
    mode("fork", run_fork),
    mode("max_len", run_lengths),
    mode("mutated bytes", run_mutations),
    mode("subset of the corpus", run_subset),
    mode("value profile", run_value_profile),
    mode("read-only build, other directory", run_read_only),
];

/// The modes for targets with a planted fault.
pub const PLANTED: &[Mode] = &[
    needed("planted fault", find_crash),
    mode("reproduced by its path", reproduce),
    needed("minimized", minimize),
    mode("cleansed", cleanse),
    mode("planted fault, fork", fork_crash),
];

/// The modes for targets that are built for a report of covered lines.
pub const COVERAGE: &[Mode] = &[mode("coverage", run_coverage)];

/// Checks the build as in bad_build_check, and that targets_list finds the target.
fn check_build(target: &mut Target) -> Result<String> {
    let program = fs::read(target.program())?;
    let entry = b"LLVMFuzzerTestOneInput";
    ensure!(
        program.windows(entry.len()).any(|part| part == entry),
        "targets_list finds no target"
    );
    let ended = target.execute(60, &["-seed=1337".into(), "-runs=4".into()], &[])?;
    ensure!(
        ended == Ended::Well && target.log_text()?.contains("Done 4 runs"),
        "no `Done 4 runs`"
    );
    let edges = target
        .figure(r"Loaded [0-9]+ modules? +\(([0-9]+)")?
        .unwrap_or(0);
    ensure!(edges >= 100, "{edges} edges");
    let code = completed(Command::new("objdump").arg("-d").arg(target.program()))?.text;
    let calls = Regex::new(r"callq?\s+[0-9a-f]+\s+<__(asan|msan|ubsan)")?
        .find_iter(&code)
        .count();
    let minimum = if target.sanitizer == OssFuzzSanitizer::Undefined {
        168
    } else {
        1_000
    };
    ensure!(calls >= minimum, "{calls} calls of the sanitizer");
    Ok(format!("{edges} counters, {calls} calls of the sanitizer"))
}

/// Unpacks the seeds.
fn unpacked(target: &Target) -> Result<PathBuf> {
    let seeds = target.fresh("seeds")?;
    let archive = target
        .build
        .join(format!("{}_seed_corpus.zip", target.name));
    quietly(
        Command::new("unzip")
            .arg("-qo")
            .arg(archive)
            .arg("-d")
            .arg(&seeds),
    )?;
    Ok(seeds)
}

/// Checks the seeds: engine_common.py, `unpack_seed_corpus_if_needed`; bad_build_check,
/// `check_seed_corpus`.
fn check_seeds(target: &mut Target) -> Result<String> {
    let seeds = unpacked(target)?;
    let sizes: Vec<u64> = files(&seeds)?
        .iter()
        .map(|file| Ok(fs::metadata(file)?.len()))
        .collect::<Result<_>>()?;
    let largest = sizes.iter().max().context("no seeds")?;
    let options = fs::read_to_string(target.build.join(format!("{}.options", target.name)))?;
    let max_len = options_of(&options)
        .find(|(name, _)| name == "max_len")
        .context("the options have no max_len")?
        .1
        .parse::<u64>()?;
    ensure!(*largest <= max_len, "a seed of {largest} bytes is cut");
    let arguments = [
        target.flags.as_slice(),
        &["-runs=0".into(), seeds.display().to_string()],
    ]
    .concat();
    ensure!(
        target.execute(100, &arguments, &[])? == Ended::Well,
        "the seeds do not pass"
    );
    Ok(format!("{} seeds", sizes.len()))
}

fn run_plainly(target: &mut Target) -> Result<String> {
    let (flags, seeds) = (target.flags.clone(), target.path("seeds"));
    target.fuzz(target.round, &flags, &[], std::slice::from_ref(&seeds))?;
    for directory in [seeds, target.path("new")] {
        for file in files(&directory)? {
            fs::copy(
                &file,
                target
                    .path("corpus")
                    .join(file.file_name().context("a file has a name")?),
            )?;
        }
    }
    Ok(format!(
        "{} runs, {} inputs",
        target.runs()?,
        target.count("corpus")?
    ))
}

fn prune(target: &mut Target) -> Result<String> {
    let (seeds, corpus, control) = (
        target.path("seeds"),
        target.path("corpus"),
        target.path("control"),
    );
    let _ = fs::remove_file(&control);
    let flags = [format!("-merge_control_file={}", control.display())];
    target.merge("pruned", std::slice::from_ref(&seeds), &flags, &[])?;
    target.merge("pruned", &[seeds, corpus.clone()], &flags, &[])?;
    // The depth of the stack is a feature of libFuzzer's, too. It varies by some bytes with the
    // address of the stack.
    let what = if target.without_random_addresses()? {
        "new features"
    } else {
        "new coverage edges"
    };
    let pattern = format!("([0-9]+) {what}");
    target.merge("once", &[corpus], &[], &[])?;
    let first = target.figure(&pattern)?.unwrap_or(0);
    target.merge("twice", &[target.path("once")], &[], &[])?;
    let again = target.figure(&pattern)?.unwrap_or(0);
    // The numbers may differ a little: libFuzzer may keep another input of the same size the second
    // time, and a program may depend on addresses (SQLite's rebuildPage compares them).
    ensure!(
        first > 0 && 1_000 * again.abs_diff(first) <= first,
        "{first} and then {again} {what}"
    );
    Ok(format!(
        "{} to {} inputs, {first} and then {again} {what}",
        target.count("corpus")?,
        target.count("once")?
    ))
}

fn run_fork(target: &mut Target) -> Result<String> {
    let (flags, corpus) = (target.flags.clone(), target.path("corpus"));
    target.fuzz(2 * target.round, &flags, &["-fork=1".into()], &[corpus])?;
    let runs = target
        .figure("^#([0-9]+): cov")?
        .context("no line of -fork")?;
    Ok(format!("{runs} runs, {} new", target.count("new")?))
}

/// Fuzzes with random values of -max_len: libfuzzer.py, MAX_VALUE_FOR_MAX_LENGTH. ClusterFuzz does
/// so only if the options set no max_len.
fn run_lengths(target: &mut Target) -> Result<String> {
    let mut rng = chance();
    let lengths = [
        1,
        2,
        rng.random_range(1..=10_000),
        rng.random_range(1..=10_000),
        rng.random_range(1..=100_u64),
    ];
    for length in lengths {
        let (limits, corpus, flag) = (
            target.limits.clone(),
            target.path("corpus"),
            format!("-max_len={length}"),
        );
        target
            .fuzz(
                target.round / 3 + 1,
                &limits,
                std::slice::from_ref(&flag),
                &[corpus],
            )
            .with_context(|| flag.clone())?;
        for file in files(&target.path("new"))? {
            ensure!(
                fs::metadata(&file)?.len() <= length,
                "{flag}, but the corpus has longer inputs"
            );
        }
    }
    Ok(lengths.map(|length| length.to_string()).join(" "))
}

/// Fuzzes from mutants: engine_common.py, `generate_new_testcase_mutations_using_radamsa`.
fn run_mutations(target: &mut Target) -> Result<String> {
    let inputs: Vec<Vec<u8>> = files(&target.path("corpus"))?
        .iter()
        .map(fs::read)
        .collect::<Result<_, _>>()?;
    ensure!(!inputs.is_empty(), "the corpus is empty");
    let mutations = target.fresh("mutations")?;
    for (number, (origin, data)) in bytes::mutants(&inputs, 500).into_iter().enumerate() {
        fs::write(
            mutations.join(format!("radamsa-{number:05}-{origin}")),
            data,
        )?;
    }
    let (flags, corpus) = (target.flags.clone(), target.path("corpus"));
    target.fuzz(target.round, &flags, &[], &[mutations, corpus])?;
    Ok(format!(
        "{} inputs, {} runs",
        target.count("mutations")?,
        target.runs()?
    ))
}

/// Fuzzes from a part of the corpus: libfuzzer.py, `copy_from_corpus`.
fn run_subset(target: &mut Target) -> Result<String> {
    let (subset, mut all) = (target.fresh("subset")?, files(&target.path("corpus"))?);
    all.shuffle(&mut chance());
    for (number, file) in all.iter().take(10).enumerate() {
        fs::copy(file, subset.join(number.to_string()))?;
    }
    let flags = target.flags.clone();
    target.fuzz(target.round, &flags, &[], &[subset])?;
    Ok(format!("{} runs", target.runs()?))
}

fn run_value_profile(target: &mut Target) -> Result<String> {
    let (flags, corpus, profile) = (
        target.flags.clone(),
        target.path("corpus"),
        ["-use_value_profile=1".to_owned()],
    );
    target.fuzz(target.round, &flags, &profile, &[corpus])?;
    let line = format!("{} runs, {} new", target.runs()?, target.count("new")?);
    target.merge("profiled", &[target.path("new")], &profile, &[])?;
    Ok(line)
}

/// Fuzzes with a read-only build directory: a read-only mount if that is allowed, else a directory
/// without write permission.
fn run_read_only(target: &mut Target) -> Result<String> {
    let before = sums(&target.build)?;
    let mounted = completed(Command::new("unshare").args(["--mount", "true"]))?.succeeded();
    if mounted {
        let script = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && ! touch \"$0/x\" 2>/dev/null && exec \"$@\"";
        let words = ["unshare", "--mount", "sh", "-c", script].map(String::from);
        target.prefix = [&words[..], &[target.build.display().to_string()]].concat();
    } else {
        allow(&target.build, 0o555)?;
    }
    let (flags, corpus) = (target.flags.clone(), target.path("corpus"));
    let outcome = target.fuzz(3, &flags, &[], &[corpus]);
    allow(&target.build, 0o755)?;
    outcome?;
    ensure!(
        sums(&target.build)? == before,
        "the build is not what it was"
    );
    ensure!(
        is_empty(&target.path("elsewhere"))?,
        "something is in the working directory"
    );
    Ok(format!(
        "{}nothing is written beside the corpus",
        if mounted { "mounted read-only, " } else { "" }
    ))
}

/// Returns random numbers that differ from run to run, as those of ClusterFuzz do.
fn chance() -> SmallRng {
    SmallRng::seed_from_u64(u64::from(std::process::id()))
}

/// Sets the permissions of a directory.
fn allow(directory: &Path, mode: u32) -> Result<()> {
    Ok(fs::set_permissions(
        directory,
        fs::Permissions::from_mode(mode),
    )?)
}

fn is_empty(directory: &Path) -> Result<bool> {
    Ok(fs::read_dir(directory)?.next().is_none())
}

/// Makes a profile: base-runner/coverage, `run_fuzz_target`. The merge stores nothing, because
/// there are no counters.
fn run_coverage(target: &mut Target) -> Result<String> {
    let seeds = unpacked(target)?;
    let profile = target.path("%1m.profraw");
    target.merge(
        "dummy",
        std::slice::from_ref(&seeds),
        &[],
        &[("LLVM_PROFILE_FILE", &profile)],
    )?;
    let profiles = files(&target.here)?
        .into_iter()
        .filter(|file| file.extension().is_some_and(|found| found == "profraw"));
    ensure!(profiles.count() > 0, "no profile");
    Ok(format!("a profile of {} inputs", target.count("seeds")?))
}

fn find_crash(target: &mut Target) -> Result<String> {
    let new = target.fresh("new")?.display().to_string();
    target.fresh("artifacts")?;
    // Cleansing runs the target ten times for each byte of a crash. So crashes are kept short.
    let more = [
        "-max_len=1000".into(),
        "-max_total_time=120".into(),
        "-print_final_stats=1".into(),
        new,
    ];
    let arguments = [target.flags.as_slice(), &more].concat();
    ensure!(
        target.execute(130, &arguments, &[])? == Ended::WithFault,
        "nothing was found"
    );
    let crash = crashes(target)?
        .into_iter()
        .next()
        .context("an empty test unit")?;
    // Only AddressSanitizer has a callback by which zester shows the sentence.
    if target.sanitizer == OssFuzzSanitizer::Address {
        ensure!(
            target
                .log_text()?
                .contains("zester: the sentence of this run"),
            "the sentence is not shown"
        );
    }
    let size = fs::copy(crash, target.path("testcase"))?;
    Ok(format!("{} runs, {size} bytes", target.runs()?))
}

/// Returns the crashes that were written and are not empty.
fn crashes(target: &Target) -> Result<Vec<PathBuf>> {
    let is_crash = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("crash-"))
    };
    Ok(files(&target.path("artifacts"))?
        .into_iter()
        .filter(is_crash)
        .collect())
}

fn reproduce(target: &mut Target) -> Result<String> {
    crash_again(target, "testcase").map(|()| String::new())
}

/// Reproduces a crash without flags, as a person would who has only the file, and with the flags of
/// engine.py, `reproduce`.
fn crash_again(target: &Target, input: &str) -> Result<()> {
    let input = target.path(input).display().to_string();
    for flags in [&[][..], &["-timeout=20", "-rss_limit_mb=2560", "-runs=100"]] {
        let arguments: Vec<String> = flags
            .iter()
            .map(|flag| (*flag).to_owned())
            .chain([input.clone()])
            .collect();
        if target.execute(60, &arguments, &[])? != Ended::WithFault {
            bail!(
                "it is not reproduced with {}",
                if flags.is_empty() {
                    "no flags".into()
                } else {
                    flags.join(" ")
                }
            );
        }
    }
    ensure!(
        target.log_text()?.contains("zester: the sentence"),
        "the sentence is not shown"
    );
    Ok(())
}

/// Minimises a crash: libfuzzer.py, `minimize_crash`. libFuzzer's status says whether the input
/// became smaller, so any status is allowed.
///
/// ClusterFuzz limits the time of each attempt. Here the number of runs is limited, because a busy
/// machine does few runs in that time.
fn minimize(target: &mut Target) -> Result<String> {
    let (testcase, minimized) = (target.path("testcase"), target.path("minimized"));
    let _ = fs::remove_file(&minimized);
    let flags = [
        "-runs=20000".into(),
        "-minimize_crash=1".into(),
        format!("-exact_artifact_path={}", minimized.display()),
    ];
    let arguments = [
        target.limits.as_slice(),
        &flags,
        &[testcase.display().to_string()],
    ]
    .concat();
    let outcome = target.execute(300, &arguments, &[]);
    let size = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
    let (before, after) = (size(&testcase), size(&minimized));
    if after == 0 {
        // libFuzzer writes nothing for an input that it cannot make smaller.
        outcome.context("no result")?;
        fs::copy(&testcase, &minimized)?;
        return Ok(format!("{before} bytes, the minimum that was found"));
    }
    ensure!(after <= before, "it grew");
    crash_again(target, "minimized")?;
    Ok(format!("{before} to {after} bytes"))
}

/// Cleanses the minimised input: libfuzzer.py, `cleanse_crash`. libFuzzer runs it again for every
/// byte.
fn cleanse(target: &mut Target) -> Result<String> {
    let (minimized, cleansed) = (target.path("minimized"), target.path("cleansed"));
    let _ = fs::remove_file(&cleansed);
    let flags = [
        "-cleanse_crash=1".into(),
        format!("-exact_artifact_path={}", cleansed.display()),
    ];
    let arguments = [
        target.limits.as_slice(),
        &flags,
        &[minimized.display().to_string()],
    ]
    .concat();
    let bytes = fs::metadata(&minimized)?.len();
    target.execute(cleansing_limit(bytes), &arguments, &[])?;
    // If every byte is necessary, there is no cleansed input.
    if !cleansed.exists() {
        return Ok("nothing to clean".into());
    }
    crash_again(target, "cleansed")?;
    let (one, other) = (fs::read(minimized)?, fs::read(cleansed)?);
    let noise = one
        .iter()
        .zip(&other)
        .filter(|(one, other)| one != other)
        .count();
    Ok(format!("{noise} of {} bytes are noise", other.len()))
}

/// The seconds for cleansing: libFuzzer tries five times to replace each byte by two others, each
/// in a process of its own.
fn cleansing_limit(bytes: u64) -> u64 {
    300 + 2 * bytes
}

fn fork_crash(target: &mut Target) -> Result<String> {
    let flags = target.flags.clone();
    target.fuzz(60, &flags, &["-fork=1".into()], &[])?;
    ensure!(!crashes(target)?.is_empty(), "nothing was found");
    ensure!(
        is_empty(&target.path("elsewhere"))?,
        "something is left behind"
    );
    Ok("stops with a test unit".into())
}
