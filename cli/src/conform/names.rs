//! Compares how a program checks names and types with the rules of the grammar.

use std::collections::BTreeMap;
use std::fmt::Write;

use zester::grammar::Grammar;
use zester::suite::{Criterion, NameFault, NameNegative, PositiveOptions, SuiteMaker, name_faults};

use super::differences::{DifferenceKind, Differences, DifferingText, GroupKey};
use super::parser_under_test::{ParserUnderTest, Verdict};
use super::{Comparison, ErrorPosition, misjudgement};
use crate::numbers::counted;
use crate::problem::Problem;
use crate::progress::{progress, waiting};

/// How many texts with a fault had each verdict.
#[derive(Clone, Copy, Debug, Default)]
struct FaultTally {
    texts: usize,
    accepted: usize,
    /// Refused, with the position of the wrong name.
    at_name: usize,
    /// Refused, with another position.
    elsewhere: usize,
    /// Refused, without a position.
    nowhere: usize,
    failed: usize,
}

/// Which texts a program runs on.
pub struct NamedTexts {
    /// What the sentences with right names cover.
    pub criterion: Criterion,
    /// The maximum number of sentences, and of texts with a wrong name.
    pub limit: usize,
    /// The seed of the texts with a wrong name.
    pub seed: u64,
}

/// Runs a program on sentences with right names, and on texts with one wrong name each.
///
/// # Errors
/// If the program cannot be run.
pub fn compare(
    grammar: &Grammar,
    parser: &mut ParserUnderTest,
    NamedTexts {
        criterion,
        limit,
        seed,
    }: NamedTexts,
) -> Result<Comparison, Problem> {
    let waiting = waiting("making texts");
    let maker = SuiteMaker::new(grammar).map_err(Problem::new)?;
    let positive = maker.declared(&PositiveOptions::new(criterion).limit(limit));
    let texts = name_faults(grammar, limit, seed).texts;
    drop(waiting);
    let mut differences = Differences::default();
    let (bar, mut refused) = (progress(positive.sentences.len() as u64, "sentences"), 0);
    for sentence in &positive.sentences {
        bar.inc(1);
        let verdict = parser.run(&sentence.text)?;
        refused += usize::from(verdict != Verdict::Accepts);
        differences.add_sentence(sentence, verdict);
    }
    bar.finish_and_clear();
    let (mut tallies, mut left_out) = (BTreeMap::<NameFault, FaultTally>::new(), 0);
    let bar = progress(texts.len() as u64, "texts");
    for text in &texts {
        bar.inc(1);
        if parser.run(&text.original)? != Verdict::Accepts {
            left_out += 1;
            continue;
        }
        let verdict = parser.run(&text.text)?;
        let tally = tallies.entry(text.fault).or_default();
        tally.texts += 1;
        let expected = ErrorPosition::new(&text.text, text.byte);
        *match &verdict {
            Verdict::Accepts => &mut tally.accepted,
            Verdict::Refuses { position: None, .. } => &mut tally.nowhere,
            Verdict::Refuses {
                position: Some(position),
                ..
            } if expected.is(*position) => &mut tally.at_name,
            Verdict::Refuses { .. } => &mut tally.elsewhere,
            Verdict::Fails(_) => &mut tally.failed,
        } += 1;
        add(&mut differences, text, verdict);
    }
    bar.finish_and_clear();
    Ok(Comparison {
        run: format!(
            "{} with right names, {refused} of them not accepted\n{} with one wrong name; left out, because the program does not accept the sentence without the fault: {left_out}",
            counted(positive.sentences.len(), "sentence"),
            counted(texts.len(), "text")
        ),
        table: table(&tallies),
        differences,
    })
}

/// Adds the difference between the verdict on a text and what the grammar expects, if there is one.
fn add(differences: &mut Differences, text: &NameNegative, verdict: Verdict) {
    let message = match &verdict {
        Verdict::Refuses { message, .. } => message.clone(),
        _ => String::new(),
    };
    let error = || format!("`{}` is {}", text.name, text.fault);
    let expected = ErrorPosition::new(&text.text, text.byte);
    if let Some((kind, mut detail)) = misjudgement(expected, &error, verdict) {
        if kind == DifferenceKind::Misplaced && !message.is_empty() {
            detail += &format!(": {message}");
        }
        let key = GroupKey {
            kind,
            rule: text.rule.clone(),
            operator: text.fault.to_string(),
        };
        let text = DifferingText {
            text: text.text.clone(),
            origin: error(),
            detail,
        };
        differences.add(key, text);
    }
}

/// Returns the figures of each fault.
fn table(tallies: &BTreeMap<NameFault, FaultTally>) -> String {
    let mut table = format!(
        "\n{:28}{:>7}{:>10}{:>9}{:>13}{:>11}{:>13}{:>8}\n",
        "", "texts", "accepted", "refused", "at the name", "elsewhere", "no position", "failed"
    );
    for (fault, tally) in tallies {
        let refused = tally.at_name + tally.elsewhere + tally.nowhere;
        let _ = writeln!(
            table,
            "{fault:28}{:>7}{:>10}{refused:>9}{:>13}{:>11}{:>13}{:>8}",
            tally.texts,
            tally.accepted,
            tally.at_name,
            tally.elsewhere,
            tally.nowhere,
            tally.failed
        );
    }
    table
}
