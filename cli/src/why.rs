//! `zester why`: finds out why a program rejects sentences, and which parts of the grammar are to
//! blame.

mod diagnosis;
mod experiment;
mod gaps;
mod html_page;
mod locations;
mod mend;
mod nesting;
mod page;
mod parts;
mod runner;
mod suspects;
mod trial;

#[cfg(test)]
mod checker;
#[cfg(test)]
mod damage;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use regex::Regex;
use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::subject::Symbols;

use self::diagnosis::{Depth, Diagnosis, diagnose};
use self::experiment::Laboratory;
use self::locations::Source;
use self::page::Page;
use self::parts::Parts;
use self::runner::Runner;
use self::trial::{Trial, generated_with_count};
use crate::arguments::TargetRuns;
use crate::fuzz_crate::built_target;
use crate::fuzz_target::FuzzTarget;
use crate::input;
use crate::output::{Existing, print};
use crate::problem::Problem;
use crate::progress::progress;
use crate::words;

/// The default sizes of generated sentences in bytes. Small sentences use few parts of the grammar, so it is clearer
/// which part is to blame. Large ones have faults that small ones cannot have.
const DEFAULT_SIZES: &str = "20,40,80,160,320,640";

const EXAMPLES: &str = "\
A target says why it rejects a sentence: a body in Rust returns a Result whose error can be displayed, or calls
zester::report_reason; a harness in C calls zester_report_reason. Reasons with other numbers, quoted parts, locations
and names are one group. Sentences with the same outcome, such as a crash, are a group, too. For each group, the page shows

  example    the smallest sentence, reduced while its reason stays
  suspects   alternatives and repetitions that the rejected sentences use more often than the valid ones, or that
             are around the token that the reason names; and what was measured without them: sentences are
             generated and run again. The shares are compared with those of all sentences, the edges with
             those of as many sentences as an experiment has. Of parts inside one another, the
             innermost one is shown, unless the outer one explains clearly more
  to mend    the kind of change that fits what the sentences show

With --files, the page shows what valid files have that the grammar lacks. Reasons are examined
only if --groups is given, too. Each file is run by the target and parsed by the grammar:

  constructs  where the grammar refuses files that the target accepts: the rule, the token, and
              the shortest line
  functions   the functions with the most edges that parsed files reach and no valid sentence does
  items       what parsed files have and no valid sentence has: parts of the grammar, parts
              directly inside other parts, and texts of tokens. The worth of an item is the
              number of edges that most files with the item reach, and no other file and no
              valid sentence, divided by the number of items that are in exactly the same files

Examples:
  zester fuzz calc --no-run
  zester why calc
  zester why calc grammars/calc.ebnf -n 20000 -j 2 --html why.html
  zester why calc --files tests/data 'samples/**/*.calc'

Exit status: 0; 1 if the grammar has errors; 2 if a file cannot be read or written, or the target cannot be run.";

/// Find out why sentences are invalid, and which rule of the grammar is to blame.
///
/// Generates sentences and runs them through a built fuzz target. Groups the rejected ones by
/// their reasons. Names the parts of the grammar that probably cause each group, and measures how
/// the sentences change without each part.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct WhyCommand {
    /// The built fuzz target: a program, or the name of a target of cargo-fuzz.
    #[arg(value_name = "TARGET", value_parser = built_target())]
    target: PathBuf,

    /// The grammar to diagnose [default: that of the target].
    #[arg(value_name = "GRAMMAR")]
    grammar: Option<PathBuf>,

    /// The number of sentences to generate.
    #[arg(short, long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    number: u32,

    /// The seed of the random number generator; the same seed gives the same sentences.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// The target sizes of generated sentences in bytes, from 1 to 1048576. Each size has as many sentences as the others.
    /// Give the option several times, or a list such as 50,5000.
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_value = DEFAULT_SIZES, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    size: Vec<u32>,

    /// Diagnose the inputs of these files instead of generated sentences: a corpus of the target,
    /// whose files have parameters of the grammar. If there is a file DIR.words, which fuzzing writes, its
    /// words are listed.
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,

    /// Compare files with the sentences: find what valid files, such as a test suite, have that the
    /// grammar cannot say or does not generate. A directory means all files in it and in its
    /// subdirectories. A `.zip` archive means all files in it. A pattern such as 'tests/**/*.json' means
    /// all files that match. Files over 1 MiB are skipped.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    files: Vec<PathBuf>,

    /// The number of reasons to examine [default: 6; 0 with --files].
    #[arg(long, value_name = "N")]
    groups: Option<usize>,

    /// The number of suspects of each reason to leave out by experiment.
    #[arg(long, value_name = "N", default_value_t = 5)]
    suspects: usize,

    /// The number of sentences of each experiment [default: a quarter of --number, from 200 to 2000].
    #[arg(long, value_name = "N")]
    experiment: Option<usize>,

    /// Take the reason from what the target prints: the first match of this regular expression, or
    /// of its first group.
    #[arg(long, value_name = "REGEX")]
    reason_from_stderr: Option<Regex>,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,

    /// Also write an HTML page to this file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,

    #[command(flatten)]
    runs: TargetRuns,
}

impl WhyCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let target = FuzzTarget::must_be(&self.target)?;
        // Fail before the runs, not after them, if the page must not be replaced.
        if let Some(path) = &self.html {
            self.existing.may_write(path)?;
        }
        let files = gaps::found(&self.files)?;
        let path = self.grammar.as_deref().unwrap_or(&self.target);
        let bytes = match &self.grammar {
            Some(path) => input::source(path)?,
            None => target.grammar()?,
        };
        let (grammar, _) = input::parse(path, &bytes, None, &Caps::default())?;
        let text = String::from_utf8_lossy(&bytes);
        let source = Source {
            name: match &self.grammar {
                Some(path) => path.display().to_string(),
                None => grammar_file(&bytes).unwrap_or(path.display().to_string()),
            },
            text: &text,
        };
        let parts = Parts::new(&grammar);
        let limits = self.runs.limits();
        let mut runner = Runner::new(
            &self.target,
            limits,
            self.runs.jobs,
            self.reason_from_stderr.clone(),
        );
        let trial = self.trial(&grammar, &parts, &mut runner)?;
        let diagnosis = self.diagnosis((&trial, &parts), &source, &mut runner)?;
        let gaps = match self.files.is_empty() {
            true => None,
            false => {
                let mut judge = |texts: &[Vec<u8>]| runner.run(texts, &|| ());
                let symbols = Symbols::of(&self.target);
                Some(gaps::survey(&files, (&trial, &parts), symbols, &mut judge)?)
            }
        };
        let page = Page {
            source: &source,
            parts: &parts,
            diagnosis: &diagnosis,
        };
        if let Some(path) = &self.html {
            let section = gaps.as_ref().map(|gaps| gaps::html(gaps, &page));
            let html = html_page::html(&page, section.unwrap_or_default());
            self.existing.write(path, html.as_bytes())?;
        }
        let words = words::of_corpora(self.corpus.as_slice())?;
        let text = match self.json {
            true => {
                let mut json = page.json();
                if let Some(gaps) = &gaps {
                    json["files"] = gaps.json(&page);
                }
                json["words"] = words.into();
                format!("{json:#}\n")
            }
            false => {
                let section = gaps.as_ref().map(|gaps| gaps.text(&page));
                page.text() + &section.unwrap_or_default() + &words::text(&words)
            }
        };
        print(text.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the number of sentences of an experiment.
    fn experiment_size(&self) -> usize {
        let usual = (self.number as usize / 4).clamp(200, 2000);
        self.experiment.unwrap_or(usual)
    }

    /// Runs the sentences.
    fn trial<'g>(
        &self,
        grammar: &'g Grammar,
        parts: &Parts<'_>,
        runner: &mut Runner,
    ) -> Result<Trial<'g>, Problem> {
        let (inputs, left_out) = match &self.corpus {
            None => generated_with_count(grammar, self.number as usize, self.seed, &self.size),
            Some(path) => {
                input::warn_of_stale([path], grammar);
                let files = input::inputs(std::slice::from_ref(path))?;
                let inputs = files.iter().map(|file| input::parameters(file));
                (inputs.collect::<Result<_, _>>()?, 0)
            }
        };
        let bar = progress(inputs.len() as u64, "sentences");
        let mut first = |texts: &[Vec<u8>]| runner.run(texts, &|| bar.inc(1));
        let baseline = match (&self.corpus, self.experiment_size()) {
            (None, count) if count <= inputs.len() => count,
            _ => 0,
        };
        let mut trial = Trial::run(parts, grammar, inputs, baseline, &mut first)?;
        trial.left_out = left_out;
        bar.finish_and_clear();
        Ok(trial)
    }

    /// Finds the parts of the grammar that cause rejections, by experiments.
    fn diagnosis(
        &self,
        (trial, parts): (&Trial<'_>, &Parts<'_>),
        source: &Source<'_>,
        runner: &mut Runner,
    ) -> Result<Diagnosis, Problem> {
        let groups = self
            .groups
            .unwrap_or(if self.files.is_empty() { 6 } else { 0 });
        if groups == 0 {
            return Ok(Diagnosis::without_groups(trial));
        }
        let laboratory = Laboratory {
            name: Path::new(&source.name),
            source: source.text.as_bytes(),
            count: self.experiment_size(),
            seed: self.seed,
            sizes: &self.size,
        };
        let depth = Depth {
            groups,
            suspects: self.suspects,
        };
        let bar = progress(0, "experiments");
        let mut show = |done: usize, all: usize| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        };
        let mut judge = |texts: &[Vec<u8>]| runner.run(texts, &|| ());
        let diagnosis = diagnose((trial, parts), &laboratory, depth, &mut judge, &mut show);
        bar.finish_and_clear();
        diagnosis
    }
}

/// The number of levels of directories in which the file of a target's grammar is searched.
const LEVELS: usize = 4;

/// Returns the path of a grammar file with this content below the current directory. A built target contains the
/// content of its grammar, but not the path.
fn grammar_file(content: &[u8]) -> Option<String> {
    let mut open = vec![(PathBuf::from("."), 0)];
    while let Some((directory, level)) = open.pop() {
        let entries = std::fs::read_dir(&directory)
            .into_iter()
            .flatten()
            .flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort_unstable();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_grammar = path
                .extension()
                .is_some_and(|extension| extension == "ebnf");
            let is_searched = level < LEVELS && name != "target" && !name.starts_with('.');
            if is_grammar && std::fs::read(&path).is_ok_and(|found| found == content) {
                return Some(
                    path.strip_prefix(".")
                        .unwrap_or(&path)
                        .display()
                        .to_string(),
                );
            } else if is_searched && path.is_dir() && !path.is_symlink() {
                open.push((path, level + 1));
            }
        }
    }
    None
}
