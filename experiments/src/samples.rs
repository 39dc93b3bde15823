//! Measures whether inputs by weights of samples behave like the samples, and inputs by inverted
//! weights differently.

mod distributions;
mod entered;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use crate::edges::Edges;
use crate::figures::{mean, median, percent};
use crate::published;
use distributions::{distance, p_value};
use entered::{CountedUnit, Entered};
use zester_xtask::repository::file;
use zester_xtask::zester::{Sentences, Zester};

/// Measures whether inputs by weights of samples behave like the samples, and inputs by inverted
/// weights differently.
///
/// After RQ1, RQ2 and Table 2 of Soremekun, Pavese, Havrikov, Grunske and Zeller, "Inputs from
/// Hell" (TSE 2020), with the functions of the subject's own crates instead of Java methods, as
/// they are after inlining. The samples are five files that people wrote, of 500 to 20,000 bytes,
/// which the subject accepts and zester parses. They come from `files`, or from corpus/ if nothing
/// is fetched. Their weights generate suites of 100 common inputs, and suites of 100 inputs by
/// inverted weights. A program without zester's code counts the calls of each function by each input.
/// All inputs count, valid or not.
#[derive(clap::Args)]
#[command(after_long_help = COLUMNS)]
pub struct Samples {
    /// The number of suites of each kind; their seeds are 1, 2, ….
    #[arg(default_value_t = 50, default_value_if("quick", "true", "2"))]
    suites: u64,
    /// The subjects.
    #[arg(default_values_t = ["json", "jinja", "jinja_old", "lua", "wgsl", "xml"].map(String::from), default_value_if("quick", "true", "json"))]
    subjects: Vec<String>,
    /// The seed for drawing the samples.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The value of `zester learn --context`.
    #[arg(long, default_value_t = 0)]
    context: u64,
    /// The unit that counts: functions or edges.
    #[arg(long, value_enum, default_value = "functions")]
    count: CountedUnit,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

const COLUMNS: &str = "\
A line for each subject:
  samples   their mean size in bytes; the number of functions that they enter
  others    five more files, drawn in the same way, for comparison: the share of the samples' functions that they cover, and D
  common    the share of the samples' functions that a suite covers, and that all suites cover together; the number of functions
            that a suite enters and the samples do not; the share of valid inputs; the mean size in bytes
  inverted  the same figures of suites by inverted weights
  A, B      functions that a suite of inverted inputs enters and the common suite of the same seed does not: their number, and
            their percentage of the functions that the common suite enters
  C, D      Kolmogorov and Smirnov's D and its p, of the samples and a suite: common (C), inverted (D)

Figures of suites are medians of all suites; valid shares and sizes are means of all inputs. C and D compare two sets of call
frequencies, with a value for each function that the samples or the suite enter: the mean number of its calls in a sample, and in
an input of the suite. D is the maximum difference of their empirical distributions. p is the asymptotic p of the two-sample
Kolmogorov-Smirnov test; it belongs to the suite with the median D.";

/// The number of samples, and of inputs in a suite.
const SAMPLES: usize = 5;
const INPUTS: usize = 100;

/// The minimum and maximum size of a sample in bytes.
const BYTES: std::ops::RangeInclusive<u64> = 500..=20_000;

/// The figures of a suite.
struct Suite {
    /// The mean size in bytes.
    bytes: f64,
    /// The share of valid inputs.
    valid: f64,
    /// The number of inputs that ended the program or took a minute.
    ended: usize,
    /// The functions that are entered, each with the mean number of its calls in an input.
    frequency: BTreeMap<u64, f64>,
}

impl Suite {
    fn new(texts: &[Vec<u8>], runs: &[Entered]) -> Self {
        let all = texts.len() as f64;
        let of = |outcome: &str| runs.iter().filter(|run| run.outcome == outcome).count();
        let mut frequency = BTreeMap::new();
        for run in runs {
            for (&function, &calls) in run.numbers.iter().zip(&run.hits) {
                *frequency.entry(function).or_insert(0.0) += calls as f64 / all;
            }
        }
        let bytes = mean(texts.iter().map(|text| text.len() as f64));
        Self {
            bytes,
            valid: of("valid") as f64 / all,
            ended: of("ended"),
            frequency,
        }
    }

    fn functions(&self) -> BTreeSet<u64> {
        self.frequency.keys().copied().collect()
    }

    /// Returns the number of functions that this suite enters and the other one does not.
    fn beyond(&self, other: &Suite) -> f64 {
        self.frequency
            .keys()
            .filter(|function| !other.frequency.contains_key(function))
            .count() as f64
    }
}

impl Samples {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let zester = Zester::build()?;
        let suite = format!(
            "{:>7} {:>5} {:>5} {:>5} {:>6}",
            "covers%", "all%", "new", "valid", "bytes"
        );
        let (a, b, c, d) = ("A", "B", "C", "D");
        println!(
            "{:9} {:>16} {:>13} {:>32} {:>32} {a:>6} {b:>5} {c:>13} {d:>13}",
            "", "samples", "others", "common", "inverted"
        );
        println!(
            "{:9} {:>6} {:>9} {:>7} {d:>5} {suite} {suite} {:6} {:>5} {d:>6} {:>6} {d:>6} {:>6}",
            "subject",
            "bytes",
            self.count.name(),
            "covers%",
            "",
            "%",
            "p",
            "p"
        );
        for subject in &self.subjects {
            self.measure(subject, &zester)?;
        }
        Ok(())
    }

    fn measure(&self, subject: &str, zester: &Zester) -> Result<()> {
        let work = tempfile::tempdir()?;
        let language = subject.trim_end_matches("_old");
        let measured = Measured {
            edges: Edges::build(subject)?,
            grammar: file("grammars").join(language).with_extension("ebnf"),
            weights: work.path().join("weights"),
            context: self.context.to_string(),
            count: self.count,
            zester,
        };
        let drawn = measured.draw(
            published::files_or_corpus(language, !self.quick)?,
            self.seed,
        )?;
        ensure!(!drawn.is_empty(), "{subject}: no file can be a sample");
        let (few, others) = drawn.split_at(SAMPLES.min(drawn.len()));
        let samples = suite_of(few);
        let names: Vec<PathBuf> = few.iter().map(|sample| sample.file.clone()).collect();
        measured.learn(&names)?;
        let mut kinds = Vec::new();
        for flags in [&[][..], &["--invert"][..]] {
            kinds.push(measured.suites(self.suites, flags)?);
        }
        let [common, inverted] = &kinds[..] else {
            unreachable!("two kinds")
        };
        let covers = |suite: &Suite| {
            let covered = samples
                .frequency
                .keys()
                .filter(|function| suite.frequency.contains_key(function))
                .count();
            percent(covered as f64, samples.frequency.len() as f64)
        };
        let mut row = format!(
            "{subject:9} {:6.0} {:9}",
            samples.bytes,
            samples.frequency.len()
        );
        if others.len() == SAMPLES {
            let others = suite_of(others);
            let [one, other] = frequencies(&samples, &others);
            row += &format!(" {:7.1} {:5.2}", covers(&others), distance(&one, &other));
        } else {
            row += &format!(" {:>7} {:>5}", "-", "-");
        }
        for suites in [common, inverted] {
            let union: BTreeSet<u64> = suites.iter().flat_map(Suite::functions).collect();
            let all = samples.functions().intersection(&union).count();
            row += &format!(
                " {:7.1} {:5.1} {:5.0} {:5.1} {:6.0}",
                median(suites.iter().map(covers)),
                percent(all as f64, samples.frequency.len() as f64),
                median(suites.iter().map(|suite| suite.beyond(&samples))),
                100.0 * mean(suites.iter().map(|suite| suite.valid)),
                mean(suites.iter().map(|suite| suite.bytes))
            );
        }
        let pairs = || common.iter().zip(inverted);
        row += &format!(
            " {:6.0}",
            median(pairs().map(|(common, inverted)| inverted.beyond(common)))
        );
        let share = |(common, inverted): (&Suite, &Suite)| {
            percent(
                inverted.beyond(common),
                common.frequency.len().max(1) as f64,
            )
        };
        row += &format!(" {:5.1}", median(pairs().map(share)));
        println!(
            "{row} {} {}",
            self.compared(&samples, common),
            self.compared(&samples, inverted)
        );
        let ended =
            [common, inverted].map(|suites| suites.iter().map(|suite| suite.ended).sum::<usize>());
        if ended != [0, 0] {
            println!(
                "{:9} ended the program or took a minute: {} common, {} inverted inputs",
                "", ended[0], ended[1]
            );
        }
        Ok(())
    }

    /// Returns the median D of suites against the samples, and the p of that suite.
    fn compared(&self, samples: &Suite, suites: &[Suite]) -> String {
        let mut pairs: Vec<_> = suites
            .iter()
            .map(|suite| frequencies(samples, suite))
            .collect();
        pairs.sort_by(|a, b| distance(&a[0], &a[1]).total_cmp(&distance(&b[0], &b[1])));
        let [one, other] = &pairs[(pairs.len() - 1) / 2];
        format!("{:6.2} {:6.3}", distance(one, other), p_value(one, other))
    }
}

/// Returns the call frequencies in both suites, sorted, with a value for each function that one of
/// them enters.
fn frequencies(one: &Suite, other: &Suite) -> [Vec<f64>; 2] {
    let union: BTreeSet<u64> = one.functions().union(&other.functions()).copied().collect();
    [one, other].map(|suite| {
        let mut values: Vec<f64> = union
            .iter()
            .map(|function| suite.frequency.get(function).copied().unwrap_or(0.0))
            .collect();
        values.sort_by(f64::total_cmp);
        values
    })
}

/// A file that is a sample.
struct Sample {
    file: PathBuf,
    text: Vec<u8>,
    run: Entered,
}

fn suite_of(samples: &[Sample]) -> Suite {
    let texts: Vec<_> = samples.iter().map(|sample| sample.text.clone()).collect();
    let runs: Vec<_> = samples.iter().map(|sample| sample.run.clone()).collect();
    Suite::new(&texts, &runs)
}

/// The experiment of one subject.
struct Measured<'a> {
    edges: Edges,
    grammar: PathBuf,
    weights: PathBuf,
    context: String,
    count: CountedUnit,
    zester: &'a Zester,
}

impl Measured<'_> {
    /// Writes the weights of files.
    fn learn(&self, files: &[PathBuf]) -> Result<()> {
        self.zester.learn(
            &self.grammar,
            files,
            &["--context", &self.context, "-j", "1"],
            &self.weights,
        )
    }

    /// Draws twice as many files as there are samples, from the files that qualify.
    fn draw(&self, files: Vec<PathBuf>, seed: u64) -> Result<Vec<Sample>> {
        let size = |file: &Path| fs::metadata(file).map_or(0, |file| file.len());
        let mut files: Vec<PathBuf> = files
            .into_iter()
            .filter(|file| BYTES.contains(&size(file)))
            .collect();
        files.shuffle(&mut SmallRng::seed_from_u64(seed));
        let mut drawn = Vec::new();
        for some in files.chunks(50) {
            let texts: Vec<Vec<u8>> = some.iter().map(fs::read).collect::<Result<_, _>>()?;
            let runs = self.runs(&texts)?;
            for ((file, text), run) in some.iter().zip(texts).zip(runs) {
                let may_be = run.outcome == "valid" && !text.contains(&0);
                if drawn.len() < 2 * SAMPLES
                    && may_be
                    && self.learn(std::slice::from_ref(file)).is_ok()
                {
                    drawn.push(Sample {
                        file: file.clone(),
                        text,
                        run,
                    });
                }
            }
            if drawn.len() == 2 * SAMPLES {
                break;
            }
        }
        Ok(drawn)
    }

    /// Returns the functions or edges of each text.
    fn runs(&self, texts: &[Vec<u8>]) -> Result<Vec<Entered>> {
        entered::run(self.edges.path(), texts, self.count)
    }

    /// Returns suites of inputs by the weights.
    fn suites(&self, suites: u64, flags: &[&str]) -> Result<Vec<Suite>> {
        let weights = self.weights.display().to_string();
        let flags = [&["--weights", weights.as_str()], flags].concat();
        let mut texts = Vec::new();
        for seed in 1..=suites {
            let sentences = Sentences {
                grammar: &self.grammar,
                count: INPUTS as u64,
                seed,
                flags: &flags,
            };
            let some = self.zester.sentences(&sentences)?;
            ensure!(some.len() == INPUTS, "a text has a zero byte in it");
            texts.extend(some);
        }
        let runs = self.runs(&texts)?;
        ensure!(
            runs.len() == texts.len(),
            "{} of {} texts were run",
            runs.len(),
            texts.len()
        );
        Ok(texts
            .chunks(INPUTS)
            .zip(runs.chunks(INPUTS))
            .map(|(texts, runs)| Suite::new(texts, runs))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_has_the_frequency_of_each_function() {
        let run = |outcome: &str, numbers: &[u64], hits: &[u64]| Entered {
            outcome: outcome.into(),
            numbers: numbers.to_vec(),
            hits: hits.to_vec(),
        };
        let texts = [b"ab".to_vec(), b"abcd".to_vec()];
        let one = Suite::new(
            &texts,
            &[run("valid", &[1, 2], &[1, 300]), run("ended", &[2], &[4])],
        );
        assert_eq!((one.bytes, one.valid, one.ended), (3.0, 0.5, 1));
        assert_eq!(one.frequency, BTreeMap::from([(1, 0.5), (2, 152.0)]));
        let other = Suite::new(&texts[..1], &[run("valid", &[2, 3], &[1, 2])]);
        assert_eq!((one.beyond(&other), other.beyond(&one)), (1.0, 1.0));
        assert_eq!(
            frequencies(&one, &other),
            [vec![0.0, 0.5, 152.0], vec![0.0, 1.0, 2.0]]
        );
    }
}
