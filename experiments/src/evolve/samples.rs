//! The samples that an evolution starts with.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use zester_xtask::command::completed;
use zester_xtask::repository::grammar_of;
use zester_xtask::zester::{Zester, files};

use crate::published;

/// Returns the directory of the samples of a target.
pub fn directory_of(out: &Path, target: &str, count: usize) -> PathBuf {
    out.join(format!("{target}-{count}-samples"))
}

/// Writes the samples of a target to their directory, if it is missing: files that people wrote,
/// and generated sentences if there are not enough.
pub fn write(target: &str, count: usize, zester: &Zester, out: &Path) -> Result<()> {
    let (directory, language) = (
        directory_of(out, target, count),
        target.trim_end_matches("_old"),
    );
    if directory.exists() {
        return Ok(());
    }
    let (grammar, work) = (grammar_of(target)?, tempfile::tempdir()?);
    let all = work.path().join("all");
    fs::create_dir(&all)?;
    // Larger files are left out: one of them has more choices than all others together.
    let mut people = published::files_or_corpus(language, true)?;
    people.retain(|path| fs::metadata(path).is_ok_and(|file| file.len() <= 10_000));
    people.shuffle(&mut SmallRng::seed_from_u64(1));
    for (number, path) in people.iter().enumerate() {
        fs::copy(path, all.join(format!("{number:06}")))?;
    }
    // `zester encode` leaves out files that are not sentences of the grammar.
    let (corpus, texts) = (work.path().join("corpus"), work.path().join("texts"));
    if !people.is_empty() {
        completed(
            zester
                .command("encode")
                .arg(&grammar)
                .arg(&all)
                .arg("-o")
                .arg(&corpus),
        )?;
        zester.decode(&grammar, &corpus, &texts)?;
    }
    let mut chosen = if texts.exists() {
        files(&texts)?
    } else {
        Vec::new()
    };
    chosen.shuffle(&mut SmallRng::seed_from_u64(2));
    chosen.truncate(count);
    let (of_people, more) = (chosen.len(), work.path().join("more"));
    if of_people < count {
        zester.generate_files(
            &grammar,
            (count - of_people) as u64,
            &["--seed", "3"],
            &more,
        )?;
        chosen.extend(files(&more)?);
    }
    fs::create_dir_all(&directory)?;
    for (number, path) in chosen.iter().enumerate() {
        fs::copy(path, directory.join(format!("{number:04}")))?;
    }
    println!(
        "{target}: {} samples, {of_people} of them written by people",
        chosen.len()
    );
    Ok(())
}
