//! Measures fuzzing with an unchanged harness: expat's own.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use regex::Regex;

use crate::published::archive;
use zester_xtask::c;
use zester_xtask::command::completed;
use zester_xtask::repository::file;
use zester_xtask::zester::Zester;

/// Fuzzes an unchanged harness: fuzz/xml_parse_fuzzer.c of expat 2.5.0, a Debian source package,
/// with AddressSanitizer.
///
/// It runs with grammars/xml.ebnf, which only needs flags of the linker, and without zester. Prints
/// the edges of each corpus and of both together, which the harness without zester counts.
#[derive(clap::Args)]
pub struct Upstream {
    /// The duration of each run in seconds.
    #[arg(default_value_t = 60, default_value_if("quick", "true", "5"))]
    seconds: u64,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

const ADDRESS: &str = "http://deb.debian.org/debian/pool/main/e/expat/expat_2.5.0.orig.tar.gz";

impl Upstream {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let (work, zester, grammar) = (
            tempfile::tempdir()?,
            Zester::build()?,
            file("grammars/xml.ebnf"),
        );
        let work = work.path();
        archive(ADDRESS, work)?;
        let expat = find(work, "xml_parse_fuzzer.c")?;
        let (fuzz, lib) = (
            expat.clone(),
            expat
                .parent()
                .and_then(Path::parent)
                .context("fuzz/ is in expat/")?
                .join("lib"),
        );
        zester_xtask::command::quietly(
            zester
                .command("embed")
                .arg(&grammar)
                .arg("-o")
                .arg(work.join("grammar.c")),
        )?;
        let compile = |to: &Path, more: &dyn Fn(&mut Command)| -> Result<()> {
            let mut clang = Command::new(c::clang()?);
            clang.args([
                "-g",
                "-O1",
                "-fsanitize=fuzzer,address",
                "-DXML_DTD",
                "-DXML_NS",
                "-DXML_CONTEXT_BYTES=1024",
            ]);
            clang.args([
                "-DHAVE_GETRANDOM",
                "-DBYTEORDER=1234",
                "-DENCODING_FOR_FUZZING=UTF-8",
            ]);
            clang.arg(format!("-I{}", lib.display())).arg(&fuzz);
            clang.args(["xmlparse.c", "xmlrole.c", "xmltok.c"].map(|name| lib.join(name)));
            more(&mut clang);
            c::link(&mut clang, to)
        };
        let (stock, ours, library, wrap) = (
            work.join("stock"),
            work.join("zester"),
            zester_xtask::profile::library(zester_xtask::profile::Profile::Release)?,
            c::wrap_flags()?,
        );
        compile(&stock, &|_| ())?;
        compile(&ours, &|clang| {
            clang.arg(work.join("grammar.c")).args(&wrap).arg(&library);
        })?;
        let [sentences, bytes, edited] =
            ["sentences", "bytes", "edited"].map(|name| work.join(name));
        let runs = [
            (&ours, &sentences, "sentences executed", "0"),
            (&ours, &edited, "sentences executed", "1"),
            (&stock, &bytes, "DONE", "0"),
        ];
        for (program, corpus, line, negative) in runs {
            std::fs::create_dir(corpus)?;
            let mut fuzz = Command::new(program);
            fuzz.env("ZESTER_NEGATIVE", negative);
            fuzz.arg(corpus)
                .args(["-seed=1", &format!("-max_total_time={}", self.seconds)]);
            let text = completed(fuzz.arg(format!("-artifact_prefix={}/", work.display())))?.text;
            println!(
                "{}",
                text.lines()
                    .find(|found| found.contains(line))
                    .with_context(|| format!("no line `{line}`:\n{text}"))?
            );
        }
        let texts = [work.join("sentences.texts"), work.join("edited.texts")];
        zester.decode(&grammar, &sentences, &texts[0])?;
        zester.decode(&grammar, &edited, &texts[1])?;
        let edges = |corpora: &[&Path]| edges(&stock, corpora);
        let both = edges(&[&texts[0], &bytes])?;
        let ours = edges(&[&texts[1]])?;
        println!(
            "edges: {} by sentences, {} by bytes, {both} by both; {ours} by sentences and edited sentences ({:.1} % of both)",
            edges(&[&texts[0]])?,
            edges(&[&bytes])?,
            100.0 * ours as f64 / both as f64,
        );
        Ok(())
    }
}

/// Returns a file of this name in a directory.
fn find(directory: &Path, name: &str) -> Result<std::path::PathBuf> {
    let files = zester_xtask::zester::files(directory)?;
    files
        .into_iter()
        .find(|file| file.file_name().is_some_and(|found| found == name))
        .with_context(|| format!("no file {name}"))
}

/// Returns the number of edges that a libFuzzer target covers with corpora.
fn edges(program: &Path, corpora: &[&Path]) -> Result<u64> {
    let text = completed(Command::new(program).arg("-runs=0").args(corpora))?.text;
    initial_edges(&text).with_context(|| format!("libFuzzer does not say how many edges:\n{text}"))
}

/// Returns the number of edges that libFuzzer prints after reading its corpora.
fn initial_edges(text: &str) -> Option<u64> {
    Regex::new("INITED cov: ([0-9]+)")
        .expect("a pattern")
        .captures(text)?[1]
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_parsed() {
        assert_eq!(
            initial_edges("INFO: x\n#12\tINITED cov: 1479 ft: 1 corp: 1/1b\n"),
            Some(1479)
        );
        assert_eq!(initial_edges("INFO: x\n"), None);
    }
}
