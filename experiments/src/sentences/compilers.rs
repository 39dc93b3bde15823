//! Judges sentences of the grammar of C by compilers: clang and tcc.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use zester_xtask::c;
use zester_xtask::command::install;
use zester_xtask::repository::file;
use zester_xtask::zester::{self, Sentences, Zester};

/// The size in bytes that programs aim at. Half of them get larger than 300 bytes.
const SIZE: &str = "400";

/// The share of the programs that each compiler must accept.
const ACCEPTED: f64 = 0.95;

/// The number of programs that clang reads in one process.
const BATCH: usize = 200;

/// Generates programs in C and prints how many clang and tcc accept, their median length, and the
/// number of valid programs that one core generates in a minute.
pub fn judge(zester: &Zester, count: u64, seed: u64, work: &Path) -> Result<()> {
    install(&["tcc"], &["tcc"])?;
    let (grammar, all, clang) = (file("grammars/c.ebnf"), work.join("all"), c::clang()?);
    // With few programs, some alternatives may be unused.
    let flags: &[&str] = if count >= 10_000 {
        &["--size", SIZE, "--coverage"]
    } else {
        &["--size", SIZE]
    };
    let start = Instant::now();
    let sentences = Sentences {
        grammar: &grammar,
        count,
        seed,
        flags,
    };
    zester.generate(&sentences, &all)?;
    let seconds = start.elapsed().as_secs_f64();
    let programs = zester::texts(&fs::read(&all)?);
    let mut paths = Vec::new();
    for (at, program) in programs.iter().enumerate() {
        let path = work.join(format!("{at}.c"));
        fs::write(&path, program)?;
        paths.push(path);
    }
    let (by_clang, by_tcc) = (
        accepted_by_clang(&clang, &paths)?,
        accepted_by_tcc(&paths, &work.join("object"))?,
    );
    let mut lengths: Vec<usize> = programs.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    let (total, valid) = (paths.len() as f64, by_clang.min(by_tcc) as f64);
    let median = lengths
        .get(lengths.len() / 2)
        .context("there is no program")?;
    println!("{} programs; median {median} bytes", paths.len());
    println!(
        "accepted by {}: {by_clang} ({:.1} %)",
        clang.display(),
        100.0 * by_clang as f64 / total
    );
    println!(
        "accepted by tcc: {by_tcc} ({:.1} %)",
        100.0 * by_tcc as f64 / total
    );
    println!(
        "generated in {seconds:.2} s: {:.0} programs that both accept a minute",
        valid / seconds * 60.0
    );
    ensure!(
        valid >= ACCEPTED * total,
        "fewer than {} % are accepted",
        100.0 * ACCEPTED
    );
    Ok(())
}

/// Returns the number of programs without errors.
fn accepted_by_clang(clang: &Path, paths: &[PathBuf]) -> Result<usize> {
    let mut rejected = 0;
    for batch in paths.chunks(BATCH) {
        let mut command = Command::new(clang);
        let output = command
            .args(["-fsyntax-only", "-w", "-ferror-limit=1", "-xc"])
            .args(batch)
            .stdin(Stdio::null())
            .output()?;
        rejected += rejected_in(&String::from_utf8_lossy(&output.stderr), batch);
    }
    Ok(paths.len() - rejected)
}

/// Returns the number of these files that an error message names.
fn rejected_in(messages: &str, paths: &[PathBuf]) -> usize {
    let errors: Vec<&str> = messages
        .lines()
        .filter(|line| line.contains("error: "))
        .collect();
    let is_named = |path: &&PathBuf| {
        errors
            .iter()
            .any(|line| line.starts_with(&format!("{}:", path.display())))
    };
    paths.iter().filter(is_named).count()
}

/// Returns the number of programs that tcc compiles. tcc replaces the file `object`, even if
/// it is a device such as /dev/null.
fn accepted_by_tcc(paths: &[PathBuf], object: &Path) -> Result<usize> {
    let mut accepted = 0;
    for path in paths {
        let mut command = Command::new("tcc");
        command
            .args(["-c", "-w", "-o"])
            .arg(object)
            .arg(path)
            .stderr(Stdio::null());
        accepted += usize::from(command.status().context("cannot run tcc")?.success());
    }
    Ok(accepted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_errors_are_counted_once() {
        let paths = ["/x/1.c", "/x/2.c", "/x/11.c"].map(PathBuf::from);
        let messages = "/x/1.c:1:2: error: a\n1 error generated.\n/x/11.c:3:4: warning: b\n/x/1.c:9:1: fatal error: c\n";
        assert_eq!(rejected_in(messages, &paths), 1);
        assert_eq!(rejected_in("", &paths), 0);
    }
}
