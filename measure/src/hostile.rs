//! `zester encode` and `zester convert` on input that nobody should give them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::command::{Said, in_memory, said};
use crate::repository::file;
use crate::zester::{Zester, files};

/// Gives `zester encode` and `zester convert` input that nobody should give them.
///
/// Empty files, 100 MB, NUL bytes, 100,000 brackets, a directory that vanishes, files without permission, a full disk (as root: a
/// small tmpfs is mounted), kill -9 half way. Each must end with a message, or have done its work; no part of a corpus may stand at
/// its place; memory stays below 1 GB.
#[derive(clap::Args)]
pub struct Hostile {
    /// Bytes of the large files.
    #[arg(long, default_value_t = 100_000_000, default_value_if("quick", "true", "1000000"))]
    large: usize,
    /// Brackets of the nested files.
    #[arg(long, default_value_t = 100_000, default_value_if("quick", "true", "10000"))]
    nested: usize,
    /// Less of all, to see that it works.
    #[arg(long)]
    quick: bool,
}

/// Memory of zester, in bytes.
const MEMORY: u64 = 1_000_000 << 10;

/// Somebody who owns nothing.
const NOBODY: &str = "--reuid=65534";

/// What is tried, and whether it went wrong.
struct Trial {
    work: PathBuf,
    /// How zester is called.
    program: Vec<PathBuf>,
    wrong: bool,
}

impl Trial {
    /// Tells a fault.
    fn wrong(&mut self, what: &str) {
        println!("NOT AS IT SHOULD BE: {what}");
        self.wrong = true;
    }

    /// Runs zester, prints what it said, and tells a fault if this is not in it.
    fn says(&mut self, wanted: &str, what: &str, arguments: &[&Path]) -> Result<Said> {
        let mut command = in_memory(MEMORY, &self.program[0]);
        let said = said(command.args(&self.program[1..]).args(arguments).env("NO_COLOR", "1"))?;
        println!("{what}: status {}", said.shell_status());
        for line in said.text.lines().take(4) {
            let line = line.replace(&format!("{}/", self.work.display()), "");
            println!("    {}", line.chars().take(160).collect::<String>());
        }
        if !said.text.contains(wanted) || said.text.contains("panicked") {
            self.wrong(&format!("it does not say `{wanted}`"));
        }
        Ok(said)
    }

    /// Tells a fault if there is a corpus, or a part of one.
    fn nothing_at(&mut self, path: &Path) -> Result<()> {
        let name = path.file_name().context("a corpus has a name")?.to_string_lossy().into_owned();
        for entry in fs::read_dir(path.parent().context("a corpus is in a directory")?)? {
            let found = entry?.file_name().to_string_lossy().into_owned();
            if found.starts_with(&name) {
                self.wrong(&format!("{found} is there"));
            }
        }
        Ok(())
    }
}

impl Hostile {
    /// Measures.
    pub fn run(&self) -> Result<()> {
        let (work, zester) = (tempfile::tempdir()?, Zester::build()?);
        let mut trial = Trial { work: work.path().to_owned(), program: vec![zester.path().to_owned()], wrong: false };
        let many = work.path().join("many");
        fs::create_dir(&many)?;
        for number in 1..=3_000 {
            fs::write(many.join(format!("{number}.json")), format!("[{number}]"))?;
        }
        self.files(&mut trial)?;
        vanishing(&mut trial, &zester, &many)?;
        killed(&mut trial, &zester, &many)?;
        full_disk(&mut trial, &many)?;
        without_permission(&mut trial, &zester)?;
        ensure!(!trial.wrong, "not all is as it should be");
        Ok(())
    }

    /// Files that are no text, or too much of one.
    fn files(&self, trial: &mut Trial) -> Result<()> {
        let (work, json) = (trial.work.clone(), file("grammars/json.ebnf"));
        let given = work.join("in");
        fs::create_dir(&given)?;
        let write = |name: &str, text: &[u8]| fs::write(given.join(name), text);
        write("empty", b"")?;
        write("nul", b"[1,\0]")?;
        write("zeros", &vec![0; self.large])?;
        write("long", &[b"[\"", vec![b'x'; self.large].as_slice(), b"\"]"].concat())?;
        write("nested", ("[".repeat(self.nested) + &"]".repeat(self.nested)).as_bytes())?;
        write("unclosed", "[".repeat(self.nested).as_bytes())?;
        write("fine", b"{\"a\": [1, 2]}")?;
        let accepted = if self.quick { "3 of 7 accepted" } else { "2 of 7 accepted" };
        let (out, part, converted, o) = (work.join("out"), work.join("part"), work.join("converted"), Path::new("-o"));
        trial.says(accepted, "hostile files", &[Path::new("encode"), &json, &given, o, &out])?;
        let recovered = if self.quick { "4 of 7 accepted" } else { "3 of 7 accepted" };
        trial.says(
            recovered,
            "the same with --recover",
            &[Path::new("encode"), &json, &given, Path::new("--recover"), o, &part],
        )?;
        let cel = file("grammars/cel.ebnf");
        trial.says("accepted", "a corpus of bytes, converted", &[Path::new("convert"), &json, &cel, &given, o, &converted])?;
        let (broken, zip) = (work.join("broken.zip"), work.join("zip"));
        fs::write(&broken, b"PK\x03\x04nothing")?;
        trial.says("broken.zip", "a broken archive", &[Path::new("encode"), &json, &broken, o, &zip])?;
        trial.nothing_at(&zip)
    }
}

/// Starts to encode a directory by one job.
fn start(zester: &Zester, from: &Path, to: &Path) -> Command {
    let mut command = zester.command("encode");
    command.arg(file("grammars/json.ebnf")).arg(from).arg("-j1").arg("-o").arg(to).stdin(Stdio::null());
    command
}

/// A directory that vanishes while it is read.
fn vanishing(trial: &mut Trial, zester: &Zester, many: &Path) -> Result<()> {
    let (gone, to) = (trial.work.join("gone"), trial.work.join("vanished"));
    fs::create_dir(&gone)?;
    for file in files(many)? {
        fs::copy(&file, gone.join(file.file_name().context("a file has a name")?))?;
    }
    let process = start(zester, &gone, &to).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    fs::remove_dir_all(&gone)?;
    let output = process.wait_with_output()?;
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    println!("a directory that vanishes:\n    {}", text.lines().take(2).collect::<Vec<_>>().join("\n    "));
    if text.contains("panicked") || text.is_empty() {
        trial.wrong("a directory that vanishes has no message");
    }
    Ok(())
}

/// Killed half way: no corpus is there, or a whole one.
fn killed(trial: &mut Trial, zester: &Zester, many: &Path) -> Result<()> {
    let to = trial.work.join("killed");
    let mut process = start(zester, many, &to).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let begun = Instant::now();
    let is_writing = || {
        let entries = fs::read_dir(&trial.work).into_iter().flatten().flatten();
        entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("killed."))
            .any(|entry| fs::read_dir(entry.path()).is_ok_and(|mut files| files.next().is_some()))
    };
    while begun.elapsed() < Duration::from_secs(10) && !is_writing() && process.try_wait()?.is_none() {
        sleep(Duration::from_millis(1));
    }
    process.kill()?;
    process.wait()?;
    if !to.exists() {
        println!("killed: no corpus at its place");
    } else if files(&to)?.iter().filter(|file| file.extension().is_some_and(|found| found == "json")).count() == 3_000 {
        println!("killed: the corpus was whole before");
    } else {
        trial.wrong("a part of a corpus passes for one");
    }
    Ok(())
}

/// A disk that is full.
fn full_disk(trial: &mut Trial, many: &Path) -> Result<()> {
    let small = trial.work.join("small");
    fs::create_dir(&small)?;
    let mount = said(Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&small))?;
    if !mount.succeeded() {
        println!("a full disk: not tried, because nothing can be mounted here");
        return Ok(());
    }
    let (json, corpus) = (file("grammars/json.ebnf"), small.join("corpus"));
    let result = trial
        .says("No space left", "a full disk", &[Path::new("encode"), &json, many, Path::new("-o"), &corpus])
        .and_then(|_| trial.nothing_at(&corpus));
    crate::command::quietly(Command::new("umount").arg(&small))?;
    result
}

/// A file that may not be read.
fn without_permission(trial: &mut Trial, zester: &Zester) -> Result<()> {
    let work = trial.work.clone();
    let (open, locked, theirs) = (work.join("open"), work.join("locked"), work.join("theirs"));
    for directory in [&open, &locked, &theirs] {
        fs::create_dir(directory)?;
    }
    let secret = locked.join("secret.json");
    fs::write(&secret, "{}")?;
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000))?;
    let grammar = work.join("json.ebnf");
    fs::copy(file("grammars/json.ebnf"), &grammar)?;
    if fs::read(&secret).is_ok() {
        // Root may read everything, so that somebody else tries.
        if !said(Command::new("setpriv").args([NOBODY, "--clear-groups", "true"]))?.succeeded() {
            println!("no permission: not tried, because nobody else can be taken");
            return Ok(());
        }
        for (path, mode) in [(&work, 0o755), (&theirs, 0o777)] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        }
        fs::copy(zester.path(), work.join("zester"))?;
        trial.program = vec!["setpriv".into(), NOBODY.into(), "--clear-groups".into(), work.join("zester")];
    }
    let corpus = theirs.join("corpus");
    trial.says(
        "Permission denied",
        "no permission",
        &[Path::new("encode"), &grammar, &open, &locked, Path::new("-o"), &corpus],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_corpus_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let mut trial = Trial { work: directory.path().to_owned(), program: vec!["echo".into()], wrong: false };
        trial.nothing_at(&directory.path().join("corpus")).unwrap();
        trial.says("word", "echo", &[Path::new("a word")]).unwrap();
        assert!(!trial.wrong);
        fs::create_dir(directory.path().join("corpus.partial-1")).unwrap();
        trial.nothing_at(&directory.path().join("corpus")).unwrap();
        assert!(trial.wrong);
        trial.wrong = false;
        trial.says("other", "echo", &[Path::new("a word")]).unwrap();
        assert!(trial.wrong);
    }
}
