//! `zester coverage`: lists the alternatives of a grammar that a corpus does not use.

use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::ProgressIterator;
use zester::cover::{Coverage, Pairs};
use zester::grammar::Grammar;
use zester::parameters::Decoder;

use crate::arguments::SentenceLimits;
use crate::format_warnings::warn_of_texts;
use crate::input::{self, grammar, inputs, warn_of_stale};
use crate::numbers::counted;
use crate::output::print;
use crate::problem::Problem;
use crate::progress::progress;
use crate::words;

const EXAMPLES: &str = "\
Examples:
  zester coverage json.ebnf fuzz/corpus/json
  zester coverage json.ebnf fuzz/corpus/json --pairs

Exit status: 0; 1 if the grammar has errors; 2 if a file cannot be read.";

/// List the alternatives of a grammar that no sentence of a corpus uses.
///
/// Also counts pairs (context-dependent rule coverage, CDRC). A pair is an occurrence of a
/// nonterminal in an alternative, together with the alternative that is chosen for it.
///
/// If there is a file CORPUS.words, which fuzzing writes, also lists its words.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CoverageCommand {
    /// The grammar: a file in zester's EBNF, or a built fuzz target.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// Files of parameters, or directories of them.
    #[arg(value_name = "CORPUS", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    limits: SentenceLimits,

    /// Also list the pairs that no sentence uses.
    #[arg(long)]
    pairs: bool,

    /// Print one JSON object with the counts and the lists.
    #[arg(long)]
    json: bool,
}

impl CoverageCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let settings = self.limits.settings();
        let grammar = grammar(&self.grammar, &settings.caps)?;
        warn_of_stale(&self.files, &grammar);
        warn_of_texts(&self.files, &grammar);
        let (mut coverage, mut pairs) = (Coverage::new(&grammar), Pairs::new(&grammar));
        let mut decoder = Decoder::new(&grammar).settings(settings);
        let files = inputs(&self.files)?;
        for file in files
            .iter()
            .progress_with(progress(files.len() as u64, "files"))
        {
            let derivation = decoder.decode(&input::parameters(file)?);
            coverage.add(&grammar, derivation);
            pairs.add(&grammar, derivation);
        }
        let (alternatives, unused) = unused(&coverage, &grammar);
        let (mut contexts, mut unpaired) = (UsageCount::default(), Vec::new());
        for pair in pairs.pairs(&grammar) {
            contexts.add(pair.used);
            if self.pairs && !pair.used {
                let (parent, child) = (grammar.label(pair.parent), grammar.label(pair.child));
                let (alternative, position, choice) =
                    (pair.alternative + 1, pair.position + 1, pair.choice + 1);
                unpaired.push(format!("{parent}, alternative {alternative}, symbol {position}: {child}, alternative {choice}"));
            }
        }
        let words = words::of_corpora(&self.files)?;
        if self.json {
            let object = serde_json::json!({
                "files": files.len(),
                "alternatives": alternatives.json(), "never_used": unused,
                "pairs": contexts.json(), "never_paired": unpaired, "words": words,
            });
            print(format!("{object:#}\n").as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut text = format!(
            "{}\nalternatives  {alternatives}\npairs (CDRC)  {contexts}\n",
            counted(files.len(), "file")
        );
        for (title, list) in [("never used", &unused), ("pairs never used", &unpaired)] {
            if !list.is_empty() {
                text.push_str(&format!("\n{title}:\n"));
                list.iter()
                    .for_each(|line| text.push_str(&format!("  {line}\n")));
            }
        }
        text.push_str(&words::text(&words));
        print(text.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Counts the alternatives in the text of a grammar, and describes those that are not used.
pub fn unused(coverage: &Coverage, grammar: &Grammar) -> (UsageCount, Vec<String>) {
    let (count, unused) = unused_numbers(coverage, grammar);
    let describe = |(rule, number)| format!("{rule}, alternative {number}");
    (count, unused.into_iter().map(describe).collect())
}

/// Counts the alternatives in the text of a grammar. Returns those that are not used: the rule and
/// the number in the rule, from 1.
pub fn unused_numbers(
    coverage: &Coverage,
    grammar: &Grammar,
) -> (UsageCount, Vec<(String, usize)>) {
    let (mut count, mut unused) = (UsageCount::default(), Vec::new());
    for (symbol, alternative, used) in coverage.alternatives(grammar) {
        count.add(used);
        if let (false, Some(source)) = (used, alternative.source) {
            let rule = grammar.erased().label(symbol).to_string();
            unused.push((rule, source as usize + 1));
        }
    }
    (count, unused)
}

/// A number of alternatives or pairs, and how many of them are used.
#[derive(Default)]
pub struct UsageCount {
    pub used: u64,
    pub all: u64,
}

impl UsageCount {
    fn add(&mut self, used: bool) {
        self.used += u64::from(used);
        self.all += 1;
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({"used": self.used, "all": self.all})
    }
}

impl std::fmt::Display for UsageCount {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = 100.0 * self.used as f64 / self.all.max(1) as f64;
        write!(formatter, "{} of {} ({share:.1} %)", self.used, self.all)
    }
}
