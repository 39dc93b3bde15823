//! The command line `zester`: builds it and runs its commands.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{self, quietly};
use crate::profile::Profile;
use crate::programs;

/// The built program `zester`.
pub struct Zester(PathBuf);

/// The sentences that `zester generate` makes.
#[derive(Clone, Copy, Debug)]
pub struct Sentences<'a> {
    /// The grammar.
    pub grammar: &'a Path,
    /// The number of sentences.
    pub count: u64,
    /// The seed.
    pub seed: u64,
    /// More flags of the command.
    pub flags: &'a [&'a str],
}

impl Zester {
    /// Builds it optimised, for experiments.
    pub fn build() -> Result<Self> {
        Ok(Self(programs::zester(Profile::Release)?))
    }

    /// Builds it optimised, with the strategies that `zester evolve` is compared with. The program is
    /// copied to `to`.
    pub fn build_with_baselines(to: PathBuf) -> Result<Self> {
        programs::zester_with_baselines(&to)?;
        Ok(Self(to))
    }

    /// Builds it as for tests.
    pub fn build_for_tests() -> Result<Self> {
        Ok(Self(programs::zester(Profile::Test)?))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns a command of it.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(&self.0);
        command.arg(name);
        command
    }

    /// Writes the texts of a corpus to a directory.
    pub fn decode(&self, grammar: &Path, corpus: &Path, to: &Path) -> Result<()> {
        quietly(
            self.command("decode")
                .arg(grammar)
                .arg(corpus)
                .arg("-o")
                .arg(to),
        )
    }

    /// Returns the text of one input.
    pub fn text_of(&self, grammar: &Path, input: &Path) -> Result<String> {
        let text = command::output(self.command("decode").arg(grammar).arg(input))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Writes sentences to a file, each ended by a zero byte.
    pub fn generate(&self, sentences: &Sentences<'_>, to: &Path) -> Result<()> {
        let mut command = self.generator(sentences);
        let file = File::create(to).with_context(|| format!("cannot write {}", to.display()))?;
        let status = command.stdout(file).status()?;
        anyhow::ensure!(
            status.success(),
            "{} failed ({status})",
            command::shown(&command)
        );
        Ok(())
    }

    /// Generates sentences.
    pub fn sentences(&self, sentences: &Sentences<'_>) -> Result<Vec<Vec<u8>>> {
        Ok(texts(&command::output(&mut self.generator(sentences))?))
    }

    /// Returns a command that writes sentences, each ended by a zero byte.
    fn generator(&self, sentences: &Sentences<'_>) -> Command {
        let (count, seed) = (sentences.count.to_string(), sentences.seed.to_string());
        let mut command = self.command("generate");
        command
            .arg(sentences.grammar)
            .args(["-n", &count, "--seed", &seed, "-0"])
            .args(sentences.flags);
        command
    }

    /// Writes sentences to files of a directory.
    pub fn generate_files(
        &self,
        grammar: &Path,
        count: u64,
        flags: &[&str],
        to: &Path,
    ) -> Result<()> {
        quietly(
            self.command("generate")
                .arg(grammar)
                .args(["-n", &count.to_string()])
                .args(flags)
                .arg("-o")
                .arg(to),
        )
    }

    /// Learns weights from samples.
    pub fn learn(
        &self,
        grammar: &Path,
        samples: &[PathBuf],
        flags: &[&str],
        to: &Path,
    ) -> Result<()> {
        let _ = fs::remove_file(to);
        quietly(
            self.command("learn")
                .arg(grammar)
                .args(samples)
                .args(flags)
                .arg("-o")
                .arg(to),
        )
    }
}

/// Splits texts that each end in a zero byte.
pub fn texts(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut texts: Vec<Vec<u8>> = bytes.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
    // The bytes after the last zero byte are not a text.
    texts.pop();
    texts
}

/// Joins texts, each with a zero byte at its end.
pub fn joined<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut all = Vec::new();
    for text in texts {
        all.extend_from_slice(text.as_ref());
        all.push(0);
    }
    all
}

/// Returns the regular files of a directory that are not empty, at any depth, sorted. Like libFuzzer,
/// it skips hidden directories, in which zester keeps grammars and texts.
pub fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let (mut open, mut files) = (vec![directory.to_owned()], Vec::new());
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory)
            .with_context(|| format!("cannot read {}", directory.display()))?
        {
            let entry = entry?;
            match entry.file_type()? {
                kind if kind.is_dir() => {
                    let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
                    open.extend((!is_hidden).then(|| entry.path()));
                }
                kind if kind.is_file() && entry.metadata()?.len() > 0 => files.push(entry.path()),
                _ => (),
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_in_zero_bytes() {
        assert_eq!(texts(b"a\0\0b\0"), [&b"a"[..], b"", b"b"]);
        assert_eq!(texts(b""), Vec::<Vec<u8>>::new());
        assert_eq!(texts(&joined(["x", "", "y"])), [&b"x"[..], b"", b"y"]);
    }

    #[test]
    fn empty_files_do_not_count() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("deep")).unwrap();
        for (name, text) in [("b", "1"), ("deep/a", "2"), ("empty", "")] {
            fs::write(directory.path().join(name), text).unwrap();
        }
        let names: Vec<_> = files(directory.path())
            .unwrap()
            .iter()
            .map(|path| path.strip_prefix(directory.path()).unwrap().to_owned())
            .collect();
        assert_eq!(names, [Path::new("b"), Path::new("deep/a")]);
    }
}
