//! Tests `zester encode` and `zester convert` with hostile input.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use zester_xtask::command::{Completed, completed, in_memory};
use zester_xtask::repository::file;
use zester_xtask::zester::{Zester, files};

/// Tests `zester encode` and `zester convert` with hostile input.
///
/// Empty files, 100 MB, NUL bytes, 100,000 brackets, a directory that vanishes, files without read
/// permission, a full disk (as root, on a small tmpfs), and kill -9 at half time. Each command must
/// succeed or end with a message. No partial corpus may be left, and memory must stay below 1 GB.
#[derive(clap::Args)]
pub struct Hostile {
    /// The bytes of the large files.
    #[arg(
        long,
        default_value_t = 100_000_000,
        default_value_if("quick", "true", "1000000")
    )]
    large: usize,
    /// The brackets of the nested files.
    #[arg(
        long,
        default_value_t = 100_000,
        default_value_if("quick", "true", "10000")
    )]
    nested: usize,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// The memory limit of zester in bytes.
const MEMORY: u64 = 1_000_000 << 10;

/// The user ID of a user who owns nothing.
const NOBODY: &str = "--reuid=65534";

/// The directory of the trials, and whether one failed.
struct Trial {
    work: PathBuf,
    /// The command of zester, with its limits.
    program: Vec<PathBuf>,
    failed: bool,
}

impl Trial {
    /// Reports a fault.
    fn fault(&mut self, what: &str) {
        println!("FAULT: {what}");
        self.failed = true;
    }

    /// Runs zester and prints its output. Reports a fault if this text is not in it.
    fn expect(&mut self, text: &str, what: &str, arguments: &[&Path]) -> Result<Completed> {
        let mut command = in_memory(MEMORY, &self.program[0]);
        let completed = completed(
            command
                .args(&self.program[1..])
                .args(arguments)
                .env("NO_COLOR", "1"),
        )?;
        println!("{what}: status {}", completed.shell_status());
        for line in completed.text.lines().take(4) {
            let line = line.replace(&format!("{}/", self.work.display()), "");
            println!("    {}", line.chars().take(160).collect::<String>());
        }
        if !completed.text.contains(text) || completed.text.contains("panicked") {
            self.fault(&format!("the output does not contain `{text}`"));
        }
        Ok(completed)
    }

    /// Reports a fault if there is a corpus, or a part of one.
    fn nothing_at(&mut self, path: &Path) -> Result<()> {
        let name = path
            .file_name()
            .context("a corpus has a name")?
            .to_string_lossy()
            .into_owned();
        for entry in fs::read_dir(path.parent().context("a corpus is in a directory")?)? {
            let found = entry?.file_name().to_string_lossy().into_owned();
            if found.starts_with(&name) {
                self.fault(&format!("{found} exists"));
            }
        }
        Ok(())
    }
}

impl Hostile {
    /// Runs the trials.
    pub fn run(&self) -> Result<()> {
        let (work, zester) = (tempfile::tempdir()?, Zester::build()?);
        let mut trial = Trial {
            work: work.path().to_owned(),
            program: vec![zester.path().to_owned()],
            failed: false,
        };
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
        ensure!(!trial.failed, "a trial failed");
        Ok(())
    }

    /// Tries files that are not text, or too large.
    fn files(&self, trial: &mut Trial) -> Result<()> {
        let (work, json) = (trial.work.clone(), file("grammars/json.ebnf"));
        let given = work.join("in");
        fs::create_dir(&given)?;
        let write = |name: &str, text: &[u8]| fs::write(given.join(name), text);
        write("empty", b"")?;
        write("nul", b"[1,\0]")?;
        write("zeros", &vec![0; self.large])?;
        write(
            "long",
            &[b"[\"", vec![b'x'; self.large].as_slice(), b"\"]"].concat(),
        )?;
        write(
            "nested",
            ("[".repeat(self.nested) + &"]".repeat(self.nested)).as_bytes(),
        )?;
        write("unclosed", "[".repeat(self.nested).as_bytes())?;
        write("fine", b"{\"a\": [1, 2]}")?;
        let accepted = if self.quick {
            "3 of 7 accepted"
        } else {
            "2 of 7 accepted"
        };
        let (out, part, converted, o) = (
            work.join("out"),
            work.join("part"),
            work.join("converted"),
            Path::new("-o"),
        );
        trial.expect(
            accepted,
            "hostile files",
            &[Path::new("encode"), &json, &given, o, &out],
        )?;
        let recovered = if self.quick {
            "4 of 7 accepted"
        } else {
            "3 of 7 accepted"
        };
        trial.expect(
            recovered,
            "the same with --recover",
            &[
                Path::new("encode"),
                &json,
                &given,
                Path::new("--recover"),
                o,
                &part,
            ],
        )?;
        let cel = file("grammars/cel.ebnf");
        trial.expect(
            "accepted",
            "a corpus of bytes, converted",
            &[Path::new("convert"), &json, &cel, &given, o, &converted],
        )?;
        let (broken, zip) = (work.join("broken.zip"), work.join("zip"));
        fs::write(&broken, b"PK\x03\x04nothing")?;
        trial.expect(
            "broken.zip",
            "a broken archive",
            &[Path::new("encode"), &json, &broken, o, &zip],
        )?;
        trial.nothing_at(&zip)
    }
}

/// Starts to encode a directory with one job.
fn start(zester: &Zester, from: &Path, to: &Path) -> Command {
    let mut command = zester.command("encode");
    command
        .arg(file("grammars/json.ebnf"))
        .arg(from)
        .arg("-j1")
        .arg("-o")
        .arg(to)
        .stdin(Stdio::null());
    command
}

/// Tries a directory that vanishes while it is read.
fn vanishing(trial: &mut Trial, zester: &Zester, many: &Path) -> Result<()> {
    let (gone, to) = (trial.work.join("gone"), trial.work.join("vanished"));
    fs::create_dir(&gone)?;
    for file in files(many)? {
        fs::copy(
            &file,
            gone.join(file.file_name().context("a file has a name")?),
        )?;
    }
    let process = start(zester, &gone, &to)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    fs::remove_dir_all(&gone)?;
    let output = process.wait_with_output()?;
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    println!(
        "a directory that vanishes:\n    {}",
        text.lines().take(2).collect::<Vec<_>>().join("\n    ")
    );
    if text.contains("panicked") || text.is_empty() {
        trial.fault("a directory that vanishes has no message");
    }
    Ok(())
}

/// Tries kill -9 at half time: there must be no corpus or a complete one.
fn killed(trial: &mut Trial, zester: &Zester, many: &Path) -> Result<()> {
    let to = trial.work.join("killed");
    let mut process = start(zester, many, &to)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let begun = Instant::now();
    let is_writing = || {
        let entries = fs::read_dir(&trial.work).into_iter().flatten().flatten();
        entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("killed."))
            .any(|entry| fs::read_dir(entry.path()).is_ok_and(|mut files| files.next().is_some()))
    };
    while begun.elapsed() < Duration::from_secs(10)
        && !is_writing()
        && process.try_wait()?.is_none()
    {
        sleep(Duration::from_millis(1));
    }
    process.kill()?;
    process.wait()?;
    if !to.exists() {
        println!("killed: there is no corpus");
    } else if files(&to)?
        .iter()
        .filter(|file| file.extension().is_some_and(|found| found == "json"))
        .count()
        == 3_000
    {
        println!("killed: the corpus was whole before");
    } else {
        trial.fault("there is a part of a corpus");
    }
    Ok(())
}

/// Tries a full disk.
fn full_disk(trial: &mut Trial, many: &Path) -> Result<()> {
    let small = trial.work.join("small");
    fs::create_dir(&small)?;
    let mount = completed(
        Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
            .arg(&small),
    )?;
    if !mount.succeeded() {
        println!("a full disk: not tried, because nothing can be mounted here");
        return Ok(());
    }
    let (json, corpus) = (file("grammars/json.ebnf"), small.join("corpus"));
    let result = trial
        .expect(
            "No space left",
            "a full disk",
            &[Path::new("encode"), &json, many, Path::new("-o"), &corpus],
        )
        .and_then(|_| trial.nothing_at(&corpus));
    zester_xtask::command::quietly(Command::new("umount").arg(&small))?;
    result
}

/// Tries a file without read permission.
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
        // Root may read every file, so another user tries.
        if !completed(Command::new("setpriv").args([NOBODY, "--clear-groups", "true"]))?.succeeded()
        {
            println!("no permission: not tried, because nobody else can be taken");
            return Ok(());
        }
        for (path, mode) in [(&work, 0o755), (&theirs, 0o777)] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        }
        fs::copy(zester.path(), work.join("zester"))?;
        trial.program = vec![
            "setpriv".into(),
            NOBODY.into(),
            "--clear-groups".into(),
            work.join("zester"),
        ];
    }
    let corpus = theirs.join("corpus");
    trial.expect(
        "Permission denied",
        "no permission",
        &[
            Path::new("encode"),
            &grammar,
            &open,
            &locked,
            Path::new("-o"),
            &corpus,
        ],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_corpus_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let mut trial = Trial {
            work: directory.path().to_owned(),
            program: vec!["echo".into()],
            failed: false,
        };
        trial.nothing_at(&directory.path().join("corpus")).unwrap();
        trial
            .expect("word", "echo", &[Path::new("a word")])
            .unwrap();
        assert!(!trial.failed);
        fs::create_dir(directory.path().join("corpus.partial-1")).unwrap();
        trial.nothing_at(&directory.path().join("corpus")).unwrap();
        assert!(trial.failed);
        trial.failed = false;
        trial
            .expect("other", "echo", &[Path::new("a word")])
            .unwrap();
        assert!(trial.failed);
    }
}
