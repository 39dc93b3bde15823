//! Compares valid files, such as a test suite, with the sentences of a grammar. Finds constructs
//! that the grammar refuses, and words and combinations of parts that no valid sentence has.

mod functions;
mod html;
mod items;
mod page;
mod refused;
mod stop_token;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use zester::derivation::Derivation;
use zester::parse::Parser;
use zester::subject::Symbols;

use self::functions::{FunctionEdges, by_function};
pub use self::html::html;
use self::items::{GapItem, ItemIndex};
use self::refused::{Construct, RefusedTexts};
use super::parts::Parts;
use super::trial::{Judge, Judgement, Trial};
use crate::encode::{self, Source as TextSource};
use crate::problem::Problem;
use crate::progress::{progress, waiting};
use crate::seed_corpus::TextName;

/// The maximum size of a file in bytes. Larger ones are skipped.
const MAX_FILE: u32 = 1 << 20;

/// What files have and no valid sentence of a grammar has.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    pub counts: FileCounts,
    /// The constructs at which the grammar refuses files that the target accepts, the most
    /// worthwhile first.
    pub constructs: Vec<Construct>,
    /// The edges that files reach and no valid sentence does, by function.
    pub functions: FunctionEdges,
    /// What these files have and no valid sentence has, the most worthwhile first.
    pub items: Vec<GapItem>,
}

/// The numbers of files, and of edges that only they reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// The files that the target accepts and the grammar parses.
    pub parsed: usize,
    /// The files that the target accepts and the grammar refuses.
    pub refused: usize,
    /// The files that the target rejects, and how many of them the grammar parses.
    pub rejected: usize,
    pub rejected_parsed: usize,
    /// The files with another outcome, such as a crash.
    pub others: usize,
    /// The files that are not read, because they are too large or unreadable.
    pub skipped: usize,
    /// The edges that parsed files reach and no valid sentence does.
    pub edges: usize,
    /// The edges that refused files reach, and neither a parsed file nor a valid sentence does.
    pub refused_edges: usize,
}

/// Files that are compared with the sentences of a trial, one by one.
pub struct Survey<'a> {
    trial: &'a Trial<'a>,
    parts: &'a Parts<'a>,
    parser: Parser<'a>,
    counts: FileCounts,
    refused: RefusedTexts<'a>,
    items: ItemIndex,
    /// By parsed file: its name, and its edges that no valid sentence reaches, sorted.
    parsed: Vec<(Arc<str>, Vec<u32>)>,
}

impl<'a> Survey<'a> {
    /// Returns a survey without files.
    pub fn new(trial: &'a Trial<'a>, parts: &'a Parts<'a>) -> Survey<'a> {
        Survey {
            trial,
            parts,
            parser: Parser::new(trial.grammar),
            counts: FileCounts::default(),
            refused: RefusedTexts::new(trial.grammar),
            items: ItemIndex::new(trial, parts),
            parsed: Vec::new(),
        }
    }

    /// Runs and parses a file.
    pub fn add(&mut self, name: &str, text: &[u8], judge: Judge<'_>) -> Result<(), Problem> {
        // A call returns the edges of all its texts together, so each file needs a call.
        let judgements = judge(&[text.to_vec()])?;
        let mut derivation = Derivation::default();
        let parsed = self.parser.parse_into(text, &mut derivation);
        match judgements.all.first() {
            Some(Judgement::Valid) => {}
            Some(Judgement::Rejected(_)) => {
                self.counts.rejected += 1;
                self.counts.rejected_parsed += usize::from(parsed.is_ok());
                return Ok(());
            }
            Some(Judgement::Other { .. }) | None => {
                self.counts.others += 1;
                return Ok(());
            }
        }
        let of_sentences = &self.trial.valid_edges;
        let edges: Vec<u32> = judgements
            .valid_edges
            .difference(of_sentences)
            .copied()
            .collect();
        match parsed {
            Ok(()) => {
                let file = self.parsed.len() as u32;
                self.items
                    .add(file, self.trial.grammar, self.parts, &derivation);
                self.parsed.push((name.into(), edges));
            }
            Err(failure) => self.refused.add(&self.parser, (name, text), failure, edges),
        }
        Ok(())
    }

    /// Returns what the files have and no valid sentence has. `symbols` has the names of the
    /// functions.
    pub fn finish(self, symbols: Option<Symbols>) -> Gaps {
        let Survey {
            mut counts,
            refused,
            items,
            parsed,
            parts,
            ..
        } = self;
        let mut of_edges = BTreeMap::<u32, Vec<u32>>::new();
        for (file, (_, edges)) in (0..).zip(&parsed) {
            for &edge in edges {
                of_edges.entry(edge).or_default().push(file);
            }
        }
        counts.parsed = parsed.len();
        counts.edges = of_edges.len();
        counts.refused = refused.count();
        let (constructs, refused_edges) = refused.constructs(&|edge| of_edges.contains_key(&edge));
        counts.refused_edges = refused_edges;
        let names: Vec<Arc<str>> = parsed.into_iter().map(|(name, _)| name).collect();
        Gaps {
            counts,
            constructs,
            functions: by_function(of_edges.keys().copied(), symbols),
            items: items.worthwhile(&of_edges, &names, parts),
        }
    }
}

/// Returns the names and the sources of the files that arguments name.
pub fn found(paths: &[PathBuf]) -> Result<Vec<(TextName, TextSource)>, Problem> {
    let each: Result<Vec<_>, Problem> = paths.iter().map(|path| encode::found(path)).collect();
    Ok(each?.into_iter().flatten().collect())
}

/// Runs and parses files, and compares them with the sentences of a trial.
pub fn survey(
    files: &[(TextName, TextSource)],
    (trial, parts): (&Trial<'_>, &Parts<'_>),
    symbols: Option<Symbols>,
    judge: Judge<'_>,
) -> Result<Gaps, Problem> {
    let spinner = waiting("collecting what the sentences have");
    let mut survey = Survey::new(trial, parts);
    drop(spinner);
    let bar = progress(files.len() as u64, "files");
    for (name, source) in files {
        let text = match encode::read(source, MAX_FILE) {
            Ok(text) if text.len() as u64 <= u64::from(MAX_FILE) => Ok(text),
            Ok(_) => Err("is skipped, because it is larger than 1 MiB".to_string()),
            Err(refusal) => Err(format!("is skipped: {}", refusal.message)),
        };
        match text {
            Ok(text) => survey.add(&name.path, &text, judge)?,
            Err(why) => {
                survey.counts.skipped += 1;
                bar.suspend(|| eprintln!("zester: warning: {}: {why}", name.path));
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(survey.finish(symbols))
}
