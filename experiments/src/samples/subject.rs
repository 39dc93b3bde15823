//! The samples of a subject, and suites of inputs by their weights.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::entered::{self, Entered};
use super::suite::MeasuredSuite;
use crate::edges::Edges;
use crate::published;
use zester_xtask::repository::file;
use zester_xtask::zester::{Sentences, Zester, files};

/// The maximum number of samples, and the number of inputs in a suite.
pub const SAMPLES: usize = 5;
pub const INPUTS: usize = 100;

/// The number of sentences from which generated samples are drawn.
const SENTENCES: u64 = 200;

/// The minimum and maximum size of a sample in bytes.
const BYTES: std::ops::RangeInclusive<u64> = 500..=20_000;

/// How samples are drawn.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// The seed for drawing the samples.
    pub seed: u64,
    /// Whether missing files are fetched.
    pub fetch: bool,
    /// Whether the samples are generated.
    pub generated: bool,
    pub zester: &'a Zester,
}

/// A subject with its samples.
pub struct SampledSubject<'a> {
    edges: Edges,
    grammar: PathBuf,
    weights: PathBuf,
    settings: Settings<'a>,
    /// The samples, and as many other files if there are enough.
    pub samples: MeasuredSuite,
    pub others: Option<MeasuredSuite>,
    /// The number of samples.
    pub files: usize,
}

/// The texts of inputs and their runs, a list for each suite.
type RunSuites = Vec<(Vec<Vec<u8>>, Vec<Entered>)>;

impl<'a> SampledSubject<'a> {
    /// Builds the subject, and draws its samples unless they are in the directory already.
    pub fn new(name: &str, settings: Settings<'a>, directory: &Path) -> Result<Self> {
        let language = name.trim_end_matches("_old");
        fs::create_dir_all(directory)?;
        let edges = Edges::build(name)?;
        let grammar = file("grammars").join(language).with_extension("ebnf");
        let weights = directory.join("weights");
        let drawing = Drawing {
            edges: &edges,
            grammar: &grammar,
            weights: &weights,
            settings,
        };
        let drawn = directory.join("samples");
        if !drawn.is_dir() {
            let generated = tempfile::tempdir_in(directory)?;
            let all = if settings.generated {
                drawing.generate(generated.path())?
            } else {
                published::files_or_corpus(language, settings.fetch)?
            };
            drawing.draw(all, &drawn, directory)?;
        }
        let mut all = files(&drawn)?;
        all.sort();
        ensure!(!all.is_empty(), "{name}: no file can be a sample");
        let (few, others) = all.split_at(SAMPLES.min(all.len()));
        drawing.learn(few)?;
        let suite = |files: &[PathBuf]| -> Result<MeasuredSuite> {
            let texts: Vec<Vec<u8>> = files.iter().map(fs::read).collect::<Result<_, _>>()?;
            let runs = entered::run(edges.path(), &texts)?;
            Ok(MeasuredSuite::new(&texts, &runs))
        };
        let others = (others.len() == SAMPLES)
            .then(|| suite(others))
            .transpose()?;
        let (samples, files) = (suite(few)?, few.len());
        Ok(Self {
            edges,
            grammar,
            weights,
            settings,
            samples,
            others,
            files,
        })
    }

    /// Generates a suite of inputs by the weights for each seed, and runs them.
    pub fn suites(&self, seeds: &[u64], flags: &[&str]) -> Result<RunSuites> {
        let weights = self.weights.display().to_string();
        let flags = [&["--weights", weights.as_str()], flags].concat();
        let mut texts = Vec::new();
        for &seed in seeds {
            let sentences = Sentences {
                grammar: &self.grammar,
                count: INPUTS as u64,
                seed,
                flags: &flags,
            };
            let some = self.settings.zester.sentences(&sentences)?;
            ensure!(some.len() == INPUTS, "a text has a zero byte in it");
            texts.extend(some);
        }
        let runs = entered::run(self.edges.path(), &texts)?;
        ensure!(
            runs.len() == texts.len(),
            "{} of {} texts were run",
            runs.len(),
            texts.len()
        );
        Ok(texts
            .chunks(INPUTS)
            .zip(runs.chunks(INPUTS))
            .map(|(texts, runs)| (texts.to_vec(), runs.to_vec()))
            .collect())
    }
}

/// Draws the samples of a subject.
struct Drawing<'a> {
    edges: &'a Edges,
    grammar: &'a Path,
    weights: &'a Path,
    settings: Settings<'a>,
}

impl Drawing<'_> {
    /// Writes the weights of files.
    fn learn(&self, files: &[PathBuf]) -> Result<()> {
        let flags = ["-j", "1"];
        self.settings
            .zester
            .learn(self.grammar, files, &flags, self.weights)
    }

    /// Generates sentences into files of a directory. Returns the files.
    fn generate(&self, to: &Path) -> Result<Vec<PathBuf>> {
        let seed = (self.settings.seed + 1).to_string();
        let zester = self.settings.zester;
        zester.generate_files(self.grammar, SENTENCES, &["--seed", &seed], to)?;
        let mut all = files(to)?;
        all.sort();
        Ok(all)
    }

    /// Copies files that can be samples to a directory, at most twice as many as are needed. The
    /// directory appears only when it is complete.
    fn draw(&self, files: Vec<PathBuf>, to: &Path, work: &Path) -> Result<()> {
        let size = |file: &Path| fs::metadata(file).map_or(0, |file| file.len());
        let mut files: Vec<PathBuf> = files
            .into_iter()
            .filter(|file| BYTES.contains(&size(file)))
            .collect();
        files.shuffle(&mut SmallRng::seed_from_u64(self.settings.seed));
        let (part, mut drawn) = (tempfile::tempdir_in(work)?, 0);
        for some in files.chunks(50) {
            let texts: Vec<Vec<u8>> = some.iter().map(fs::read).collect::<Result<_, _>>()?;
            let runs = entered::run(self.edges.path(), &texts)?;
            for ((file, text), run) in some.iter().zip(texts).zip(runs) {
                let can_be = run.outcome == "valid" && !text.contains(&0);
                if drawn < 2 * SAMPLES && can_be && self.learn(std::slice::from_ref(file)).is_ok() {
                    let name = file.file_name().unwrap_or_default().to_string_lossy();
                    fs::write(part.path().join(format!("{drawn:02}-{name}")), text)?;
                    drawn += 1;
                }
            }
            if drawn == 2 * SAMPLES {
                break;
            }
        }
        fs::rename(part.keep(), to)?;
        Ok(())
    }
}
