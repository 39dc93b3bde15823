//! The diagnosis of a grammar: the reasons for which its sentences are rejected, and the parts of the
//! grammar that cause them.

use std::collections::BTreeMap;

use zester::parameters::{Decoder, Settings, Tree};
use zester::reduce::reduce;
use zester::subject::Outcome;

use super::experiment::{Cause, Laboratory, Measured};
use super::mend::{Mend, by_exchange, by_literal, by_part, by_pattern, has_name_twice};
use super::nesting::{MARGIN, Nesting};
use super::parts::{PartKind, Parts};
use super::suspects::{Suspect, suspects};
use super::trial::{Judge, Judgement, OtherOutcome, Symptom, Trial};
use crate::problem::Problem;
use crate::reasons::{self, FixedWords};

/// The minimum gain of a part in an experiment to be a cause.
const MIN_EFFECT: f64 = 0.25;

/// The minimum share of all sentences that a group needs to be examined. The first group is always
/// examined.
const MIN_SHARE: f64 = 0.002;

/// The maximum number of runs that the reduction of an example takes.
const REDUCTION: usize = 400;

/// The maximum number of runs that the reduction of an example takes if each run that has the
/// symptom takes as long as --timeout allows.
const SLOW_REDUCTION: usize = 20;

/// How much a diagnosis examines.
#[derive(Clone, Copy, Debug)]
pub struct Depth {
    /// The number of groups of rejections. Outcomes such as crashes are examined in addition, unless it
    /// is 0.
    pub groups: usize,
    /// The number of suspects of each group that are left out by experiment.
    pub suspects: usize,
}

/// A group of sentences with the same symptom: a pattern of reasons, or an outcome such as a crash.
#[derive(Clone, Debug)]
pub struct DiagnosedGroup {
    pub symptom: Symptom,
    /// The number of sentences.
    pub count: usize,
    /// The share of all sentences.
    pub share: f64,
    /// The smallest example, reduced while its symptom stays, and its reason. An outcome has none.
    pub example: Vec<u8>,
    pub reason: String,
    /// The most probable causes, the first one first.
    pub causes: Vec<Cause>,
    pub mend: Option<Mend>,
}

/// The diagnosis of a grammar.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    pub sentences: usize,
    pub valid: usize,
    /// The number of generated sentences that are left out because they have a wrong name on purpose,
    /// and of all generated ones.
    pub left_out: (usize, usize),
    /// The edges that the valid sentences reach.
    pub valid_edges: usize,
    /// Outcomes that are neither valid nor invalid.
    pub others: BTreeMap<String, OtherOutcome>,
    /// The figures with which those of experiments are compared.
    pub whole: Measured,
    /// Whether `whole` was measured on other sentences than those of the trial.
    pub is_whole_separate: bool,
    pub groups: Vec<DiagnosedGroup>,
    /// The number of groups of rejections that were not examined, and of their sentences.
    pub rest: (usize, usize),
}

/// A function that gets the number of finished experiments and the number of all.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// Diagnoses a grammar by a trial of its sentences.
pub fn diagnose(
    (trial, parts): (&Trial<'_>, &Parts<'_>),
    laboratory: &Laboratory<'_>,
    depth: Depth,
    judge: Judge<'_>,
    progress: Progress<'_>,
) -> Result<Diagnosis, Problem> {
    let all = trial.groups();
    let outcomes = all
        .iter()
        .take_while(|(symptom, _)| symptom.is_outcome())
        .count();
    // The suspects of a few sentences are due to chance.
    let is_large =
        |(_, sentences): &&(&Symptom, &[usize])| trial.share(sentences.len()) >= MIN_SHARE;
    let rejections = &all[outcomes..];
    let large = rejections.iter().take_while(is_large).count();
    let count = large.max(1).min(rejections.len()).min(depth.groups);
    let examined = &all[..outcomes + count];
    let whole = laboratory.whole(trial, judge)?;
    let mut examples = Vec::new();
    for (symptom, sentences) in examined {
        examples.push(reduced(trial, symptom, sentences, judge)?);
    }
    let suspects_of = |((_, sentences), (example, _)): (&(_, &[usize]), &(Tree, String))| {
        let mut suspects = suspects(trial, parts, sentences);
        // A part that the reduced example does not use is not needed for the rejection.
        let used = parts.used(example.derivation()).parts;
        suspects.retain(|suspect| used.binary_search(&suspect.part).is_ok());
        let nesting = Nesting::new(trial, parts, sentences, &suspects);
        let chosen = nesting.chosen(trial, suspects, depth.suspects);
        (nesting, chosen)
    };
    let of_groups: Vec<(Nesting, Vec<Suspect>)> =
        examined.iter().zip(&examples).map(suspects_of).collect();
    let mut measured: BTreeMap<u32, Option<Measured>> = of_groups
        .iter()
        .flat_map(|(_, suspects)| suspects)
        .map(|suspect| (suspect.part, None))
        .collect();
    let count = measured.len();
    for (done, (&part, result)) in measured.iter_mut().enumerate() {
        progress(done, count);
        *result = laboratory.without(&[parts.get(part)], judge)?;
    }
    progress(count, count);
    let mut groups = Vec::new();
    let fixed = FixedWords::of(trial.grammar);
    let found = examined.iter().zip(of_groups).zip(examples);
    for (((symptom, sentences), (nesting, suspects)), (example, reason)) in found {
        let cause = |suspect: Suspect| {
            let without = measured[&suspect.part].clone();
            let figures = without.as_ref();
            Cause {
                suspect,
                gain: figures.map_or(0.0, |without| without.gain(&whole, symptom)),
                is_clear: figures.is_some_and(|without| without.has_clearly_less(&whole, symptom)),
                without,
            }
        };
        let mut causes: Vec<Cause> = suspects.into_iter().map(cause).collect();
        causes.sort_by(|one, other| rank(other).total_cmp(&rank(one)));
        let best = causes
            .iter()
            .map(|cause| cause.gain)
            .fold(MIN_EFFECT, f64::max);
        let by_cause = causes
            .iter()
            .filter(|cause| cause.gain >= best - MARGIN)
            .find_map(|cause| by_part(trial, parts, cause.suspect.part));
        let mend = match symptom {
            Symptom::Outcome(_) => None,
            Symptom::Rejection(_) => {
                let text = example.derivation().text();
                let (_, details) = reasons::pattern(&reason, text, &|word| fixed.contains(word));
                let is_twice = has_name_twice(parts, example.derivation(), &details);
                let mend = by_literal(trial, parts, sentences)
                    .or(by_cause)
                    .or_else(|| by_pattern(trial, parts, sentences, is_twice));
                // A message about a wrong type may have a number, too, so the exchange is tried first.
                match mend {
                    None | Some(Mend::Range { .. }) if !reason.is_empty() => {
                        let has_reason = |reason: &str, text: &[u8]| {
                            let is_fixed = |word: &str| fixed.contains(word);
                            Symptom::Rejection(reasons::pattern(reason, text, &is_fixed).0)
                                == **symptom
                        };
                        by_exchange(trial, example.parameters(), &has_reason, judge)?.or(mend)
                    }
                    mend => mend,
                }
            }
        };
        groups.push(DiagnosedGroup {
            symptom: (*symptom).clone(),
            count: sentences.len(),
            share: trial.share(sentences.len()),
            example: example.derivation().text().to_vec(),
            reason,
            causes: nesting.distinct(causes, &whole, symptom),
            mend,
        });
    }
    let rest = &all[examined.len()..];
    Ok(Diagnosis {
        sentences: trial.sentences.len(),
        valid: trial.valid,
        left_out: (trial.left_out, trial.left_out + trial.sentences.len()),
        valid_edges: trial.valid_edges.len(),
        others: trial.others.clone(),
        whole,
        is_whole_separate: trial.baseline_edges.is_none(),
        groups,
        rest: (rest.len(), rest.iter().map(|(_, all)| all.len()).sum()),
    })
}

/// Returns the rank of a cause among those of its group. A part without which the rejections
/// disappear comes before one that was only named.
fn rank(cause: &Cause) -> f64 {
    let effect = if cause.gain >= MIN_EFFECT {
        1.0 + 2.0 * cause.gain
    } else {
        cause.gain.max(0.0)
    };
    effect + cause.suspect.score()
}

/// Reduces the smallest sentence of a group while its symptom stays. Returns it, and its reason.
fn reduced(
    trial: &Trial<'_>,
    symptom: &Symptom,
    sentences: &[usize],
    judge: Judge<'_>,
) -> Result<(Tree, String), Problem> {
    let mut decoder = Decoder::new(trial.grammar);
    let mut length = |&at: &usize| decoder.text(&trial.sentences[at].parameters).len();
    let smallest = sentences.iter().copied().min_by_key(|at| length(at));
    let smallest = smallest.unwrap_or_default();
    let mut reason = match &trial.sentences[smallest].judgement {
        Judgement::Rejected(reason) => reason.clone(),
        Judgement::Other { message, .. } => message.clone(),
        Judgement::Valid => String::new(),
    };
    let is_slow = *symptom == Symptom::Outcome(Outcome::TimeOut.to_string());
    let most = if is_slow { SLOW_REDUCTION } else { REDUCTION };
    let fixed = FixedWords::of(trial.grammar);
    let (mut runs, mut problem) = (0, None);
    let mut has_symptom = |tree: &Tree| {
        runs += 1;
        if runs > most || problem.is_some() {
            return false;
        }
        let text = tree.derivation().text();
        let judgement = match judge(&[text.to_vec()]) {
            Ok(judgements) => judgements.all.into_iter().next(),
            Err(error) => {
                problem = Some(error);
                None
            }
        };
        match (judgement, symptom) {
            (Some(Judgement::Rejected(new)), Symptom::Rejection(pattern)) => {
                let found = reasons::pattern(&new, text, &|word| fixed.contains(word)).0;
                if found == *pattern {
                    reason = new;
                    return true;
                }
                false
            }
            (Some(Judgement::Other { what, message }), Symptom::Outcome(wanted)) => {
                if what == *wanted {
                    reason = message;
                    return true;
                }
                false
            }
            _ => false,
        }
    };
    let input = &trial.sentences[smallest].parameters;
    let tree = reduce(trial.grammar, &Settings::default(), input, &mut has_symptom);
    match problem {
        Some(problem) => Err(problem),
        None => Ok((tree, reason)),
    }
}

impl Diagnosis {
    /// Returns the figures of a trial. No reason is examined.
    pub fn without_groups(trial: &Trial<'_>) -> Diagnosis {
        let is_rejection = |(symptom, _): &(&Symptom, &[usize])| !symptom.is_outcome();
        let rejections: Vec<_> = trial.groups().into_iter().filter(is_rejection).collect();
        let rejected = rejections.iter().map(|(_, all)| all.len()).sum();
        Diagnosis {
            sentences: trial.sentences.len(),
            valid: trial.valid,
            left_out: (trial.left_out, trial.left_out + trial.sentences.len()),
            valid_edges: trial.valid_edges.len(),
            others: trial.others.clone(),
            whole: Measured::of(trial),
            is_whole_separate: false,
            groups: Vec::new(),
            rest: (rejections.len(), rejected),
        }
    }

    /// Returns the most probable causes of all groups, by the share of all sentences that would no
    /// longer be rejected. Each part occurs once, with the index of the group that it explains
    /// most.
    pub fn causes(&self) -> Vec<(usize, &Cause)> {
        let mut best: BTreeMap<u32, (f64, usize, &Cause)> = BTreeMap::new();
        for (at, group) in self.groups.iter().enumerate() {
            for (index, cause) in group.causes.iter().enumerate() {
                let weight = group.share * rank(cause) / (1.0 + index as f64 / 4.0);
                let known = best
                    .entry(cause.suspect.part)
                    .or_insert((weight, at, cause));
                if weight > known.0 {
                    *known = (weight, at, cause);
                }
            }
        }
        let mut all: Vec<_> = best.into_values().collect();
        all.sort_by(|one, other| other.0.total_cmp(&one.0));
        all.into_iter().map(|(_, at, cause)| (at, cause)).collect()
    }
}

/// Returns the name of a kind of part.
pub fn kind_name(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Alternative => "alternative",
        PartKind::Repetition => "repetition",
    }
}
