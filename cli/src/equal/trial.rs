//! Runs pairs of equivalent sentences.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use zester::difference::kind;
use zester::equal::{Equivalents, REFUSED, REPETITIONS, Together};
use zester::grammar::Grammar;
use zester::subject::{Outcome, Request, Subject};
use zester::{Derivation, Validity};

use super::artifacts::DisagreementArtifacts;
use crate::arguments::TargetRuns;
use crate::parallel::in_parallel;
use crate::problem::Problem;
use crate::progress::progress;

/// The maximum number of sentences that are tried to reduce a pair.
const ATTEMPTS: usize = 400;

/// The maximum number of equivalent sentences of one sentence.
pub const MAX_PAIRS: usize = 256;

/// The number of sentences in memory at a time.
const BATCH: usize = 10_000;

/// The maximum number of pairs that are kept for an equivalence, each with another kind of difference. One fault
/// often shows in all pairs of one kind, and must not hide others.
const PAIRS: usize = 3;

/// The number of sentences that are shown to which no line `@equal` or `@unordered` of the grammar applies.
const EXAMPLES: usize = 3;

/// The figures of a trial.
#[derive(Clone)]
pub struct EqualTrial {
    pub sentences: usize,
    pub valid: usize,
    /// The number of sentences to which a line `@equal` or `@unordered` of the grammar applies.
    pub with_line: usize,
    /// The shortest sentences to which no such line applies, at most [`EXAMPLES`].
    pub without_line: Vec<Vec<u8>>,
    /// Whether a valid run had an outcome.
    pub has_outcomes: bool,
    /// By equivalence.
    pub figures: Vec<EquivalenceFigures>,
}

/// The figures of an equivalence.
#[derive(Clone, Default)]
pub struct EquivalenceFigures {
    pub name: String,
    pub applies: u64,
    pub compared: u64,
    pub refused: u64,
    pub different: u64,
    /// The number of differing texts that are no sentences, or whose names have other roles.
    pub unconfirmed: u64,
    /// The smallest pair of each kind of difference, the smallest ones first, at most [`PAIRS`].
    pub pairs: Vec<Counterexample>,
}

/// A pair with different outcomes. The outcome of the sentence is `valid` if the target gives no value.
#[derive(Clone, PartialEq, Eq)]
pub struct Counterexample {
    pub sentence: Vec<u8>,
    pub equivalent: Vec<u8>,
    pub outcome: String,
    pub equivalent_outcome: EquivalentOutcome,
    /// The kind of the difference.
    pub kind: String,
}

/// The outcome of an equivalent sentence that differs from that of its sentence.
#[derive(Clone, PartialEq, Eq)]
pub enum EquivalentOutcome {
    Value(String),
    /// The target refuses it, with this reason.
    Refused(Option<String>),
    /// The target crashes or exits: `crash` or `exit`.
    Failed(String),
}

/// The result of one run.
enum RunAnswer {
    /// Valid, with the outcome if there is one.
    Valid(Option<String>),
    /// With the reason, if the target gives one.
    Invalid(Option<String>),
    /// The target crashed or exited: `crash` or `exit`.
    Failed(String),
    /// The target took too much time or memory, or reported no validity.
    Other,
}

/// One copy of the target, and the equivalences that it tests.
struct PairTester<'g> {
    grammar: &'g Grammar,
    subject: Subject,
    equivalents: Equivalents<'g>,
    trial: EqualTrial,
    artifacts: Option<&'g DisagreementArtifacts<'g>>,
}

impl EqualTrial {
    /// Returns a trial of the equivalences of a grammar, before the first sentence.
    pub fn new(grammar: &Grammar) -> EqualTrial {
        EqualTrial::of(&Equivalents::new(grammar))
    }

    fn of(equivalents: &Equivalents<'_>) -> EqualTrial {
        let figures = |equivalence| EquivalenceFigures {
            name: equivalents.name(equivalence).into(),
            ..EquivalenceFigures::default()
        };
        EqualTrial {
            sentences: 0,
            valid: 0,
            with_line: 0,
            has_outcomes: false,
            without_line: Vec::new(),
            figures: (0..equivalents.count()).map(figures).collect(),
        }
    }

    /// Adds the figures of other sentences.
    fn add(&mut self, other: EqualTrial) {
        self.sentences += other.sentences;
        self.valid += other.valid;
        self.with_line += other.with_line;
        self.has_outcomes |= other.has_outcomes;
        self.without_line.extend(other.without_line);
        self.without_line
            .sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
        self.without_line.dedup();
        self.without_line.truncate(EXAMPLES);
        for (one, other) in self.figures.iter_mut().zip(other.figures) {
            one.applies += other.applies;
            one.compared += other.compared;
            one.refused += other.refused;
            one.different += other.different;
            one.unconfirmed += other.unconfirmed;
            other.pairs.into_iter().for_each(|pair| one.keep(pair));
        }
    }

    /// Returns the number of pairs that differ, or of which one sentence is refused.
    fn differing(&self) -> u64 {
        let figures = self.figures.iter();
        figures.map(|one| one.refused + one.different).sum()
    }

    /// Returns the smallest pair of each equivalence and kind of difference.
    pub fn differences(&self) -> impl Iterator<Item = (&EquivalenceFigures, &Counterexample)> {
        let figures = self.figures.iter();
        figures.flat_map(|figures| figures.pairs.iter().map(move |pair| (figures, pair)))
    }
}

/// Runs pairs of sentences.
pub struct PairRuns<'g> {
    pub grammar: &'g Grammar,
    pub target: &'g Path,
    pub runs: &'g TargetRuns,
    /// Where sentences of pairs that differ are written.
    pub artifacts: Option<&'g DisagreementArtifacts<'g>>,
}

impl<'g> PairRuns<'g> {
    /// Applies each equivalence to each of `count` sentences, and runs the pairs. Adds the figures to `trial`
    /// after each sentence.
    ///
    /// # Errors
    /// If the target cannot be started, or cannot be started again.
    pub fn test(
        &self,
        sentences: &mut dyn Iterator<Item = Derivation>,
        count: u64,
        trial: &Mutex<EqualTrial>,
    ) -> Result<(), Problem> {
        let bar = progress(count, "sentences");
        let lock = || trial.lock().unwrap_or_else(PoisonError::into_inner);
        let mut first = 0;
        loop {
            let batch: Vec<Derivation> = sentences.take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            let start = || self.tester();
            let test = |tester: &mut PairTester<'_>, at: usize| {
                tester.test(first + at, &batch[at])?;
                let none = EqualTrial::of(&tester.equivalents);
                let mut trial = lock();
                trial.add(std::mem::replace(&mut tester.trial, none));
                let differing = trial.differing();
                drop(trial);
                if differing > 0 {
                    bar.set_message(format!("; pairs that differ: {differing}"));
                }
                bar.inc(1);
                Ok(())
            };
            in_parallel(self.runs.threads(), batch.len(), &start, &test)?;
            first += batch.len();
        }
        bar.finish_and_clear();
        Ok(())
    }

    /// Reduces the smallest pair of each equivalence and kind of difference.
    ///
    /// # Errors
    /// If the target cannot be started, or cannot be started again.
    pub fn reduce(&self, trial: &mut EqualTrial) -> Result<(), Problem> {
        let mut tester = self.tester()?;
        for (equivalence, figures) in trial.figures.iter_mut().enumerate() {
            for found in &mut figures.pairs {
                tester.reduce(equivalence, found)?;
            }
        }
        Ok(())
    }

    fn tester(&self) -> Result<PairTester<'g>, Problem> {
        let subject = Subject::start_with_outcomes(self.target, self.runs.limits());
        let equivalents = Equivalents::new(self.grammar);
        Ok(PairTester {
            grammar: self.grammar,
            subject: subject.map_err(Problem::new)?,
            trial: EqualTrial::of(&equivalents),
            equivalents,
            artifacts: self.artifacts,
        })
    }
}

impl EquivalenceFigures {
    /// Keeps a pair if it is the smallest one of its kind, and if there are not enough smaller ones of other kinds.
    fn keep(&mut self, found: Counterexample) {
        let size = |pair: &Counterexample| (pair.sentence.len(), pair.sentence.clone());
        match self.pairs.iter_mut().find(|pair| pair.kind == found.kind) {
            Some(known) if size(known) <= size(&found) => return,
            Some(known) => *known = found,
            None => self.pairs.push(found),
        }
        self.pairs.sort_by_cached_key(size);
        self.pairs.truncate(PAIRS);
    }
}

impl Counterexample {
    fn new(
        sentence: &[u8],
        own: &Option<String>,
        equivalent: Vec<u8>,
        other: EquivalentOutcome,
    ) -> Self {
        let outcome = own.clone().unwrap_or("valid".into());
        let kind = match &other {
            EquivalentOutcome::Value(value) => kind(&outcome, value),
            EquivalentOutcome::Refused(_) => REFUSED.into(),
            EquivalentOutcome::Failed(word) => word.clone(),
        };
        Counterexample {
            sentence: sentence.to_vec(),
            equivalent,
            outcome,
            equivalent_outcome: other,
            kind,
        }
    }
}

impl PairTester<'_> {
    /// Applies the equivalences to a sentence, as many as possible at the same time, and runs the pairs. If the
    /// outcomes differ, applies each of them alone. `at`, the number of the sentence, seeds the choice of the
    /// positions.
    fn test(&mut self, at: usize, sentence: &Derivation) -> Result<(), Problem> {
        self.trial.sentences += 1;
        let own = match answer(&mut self.subject, sentence.text())? {
            RunAnswer::Valid(outcome) => {
                self.trial.valid += 1;
                self.trial.has_outcomes |= outcome.is_some();
                Some(outcome)
            }
            _ => None,
        };
        let random = (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let lines = self.grammar.equivalences().len();
        let mut has_line = false;
        for Together { applications, text } in self.equivalents.together(sentence, random) {
            for one in &applications {
                has_line |= one.equivalence < lines;
                self.trial.figures[one.equivalence].applies += 1;
            }
            let Some(own) = &own else {
                continue;
            };
            let is_same = applications.len() > 1
                && difference(own, answer(&mut self.subject, &text)?).is_none();
            for one in applications {
                match is_same {
                    true => self.trial.figures[one.equivalence].compared += 1,
                    false => self.compare(one.equivalence, sentence, own, one.text)?,
                }
            }
        }
        self.trial.with_line += usize::from(has_line);
        if !has_line && lines > 0 {
            self.trial.without_line.push(sentence.text().to_vec());
        }
        Ok(())
    }

    /// Runs an equivalent sentence of a valid one, and counts the result.
    fn compare(
        &mut self,
        equivalence: usize,
        sentence: &Derivation,
        own: &Option<String>,
        equivalent: Vec<u8>,
    ) -> Result<(), Problem> {
        let runs = (&mut self.subject, &mut self.equivalents);
        let verdict = judge(runs, equivalence, sentence, own, &equivalent)?;
        let figures = &mut self.trial.figures[equivalence];
        figures.compared += 1;
        let equivalent_outcome = match verdict {
            PairVerdict::Agrees => return Ok(()),
            PairVerdict::Unconfirmed => {
                figures.unconfirmed += 1;
                return Ok(());
            }
            PairVerdict::Differs(outcome) => outcome,
        };
        match equivalent_outcome {
            EquivalentOutcome::Refused(_) => figures.refused += 1,
            EquivalentOutcome::Value(_) | EquivalentOutcome::Failed(_) => figures.different += 1,
        }
        let found = Counterexample::new(sentence.text(), own, equivalent, equivalent_outcome);
        if let Some(artifacts) = self.artifacts {
            artifacts.write(equivalence, &found.kind, self.grammar, sentence)?;
        }
        figures.keep(found);
        Ok(())
    }

    /// Reduces a pair, as long as the equivalence applies and the outcomes differ in the same way.
    fn reduce(&mut self, equivalence: usize, found: &mut Counterexample) -> Result<(), Problem> {
        let (mut problem, mut attempts) = (None, 0);
        let first = found.clone();
        let _ = self.grammar.reduce(&first.sentence, |text| {
            attempts += 1;
            if attempts > ATTEMPTS || problem.is_some() {
                return false;
            }
            match self.differing(equivalence, text, &first.kind) {
                Ok(Some(smaller)) => {
                    *found = smaller;
                    true
                }
                Ok(None) => false,
                Err(error) => {
                    problem = Some(error);
                    false
                }
            }
        });
        problem.map_or(Ok(()), Err)
    }

    /// Returns the first pair of a sentence and an equivalent one with a difference of this kind.
    fn differing(
        &mut self,
        equivalence: usize,
        text: &[u8],
        kind: &str,
    ) -> Result<Option<Counterexample>, Problem> {
        let RunAnswer::Valid(own) = answer(&mut self.subject, text)? else {
            return Ok(None);
        };
        let Ok(sentence) = self.grammar.parse(text) else {
            return Ok(None);
        };
        let is_wanted = |one| one == equivalence;
        let all = self.equivalents.first(usize::MAX, &sentence, is_wanted);
        for (_, equivalent) in all {
            let runs = (&mut self.subject, &mut self.equivalents);
            let verdict = judge(runs, equivalence, &sentence, &own, &equivalent)?;
            let PairVerdict::Differs(other) = verdict else {
                continue;
            };
            let found = Counterexample::new(text, &own, equivalent, other);
            if found.kind == kind {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// Applies each equivalence to a sentence, at most [`MAX_PAIRS`] times in all. Returns by equivalence whether an
/// equivalent sentence has another outcome, or [`None`] if it does not apply, if the sentence is not valid, or if
/// `is_over` ended the trials before.
///
/// # Errors
/// If the target cannot be started again.
pub fn differing_equivalences(
    subject: &mut Subject,
    equivalents: &mut Equivalents<'_>,
    text: &[u8],
    is_over: &dyn Fn() -> bool,
) -> Result<Vec<Option<bool>>, Problem> {
    let mut differs = vec![None; equivalents.count()];
    let mut sentence = Derivation::default();
    let RunAnswer::Valid(own) = answer(subject, text)? else {
        return Ok(differs);
    };
    if !equivalents.parse(text, &mut sentence) {
        return Ok(differs);
    }
    for (equivalence, equivalent) in equivalents.first(MAX_PAIRS, &sentence, |_| true) {
        if is_over() {
            break;
        }
        let differs = differs[equivalence].get_or_insert(false);
        if !*differs {
            let runs = (&mut *subject, &mut *equivalents);
            let verdict = judge(runs, equivalence, &sentence, &own, &equivalent)?;
            *differs = matches!(verdict, PairVerdict::Differs(_));
        }
    }
    Ok(differs)
}

/// Returns the outcome of an equivalent sentence if it differs from that of a valid sentence. Returns
/// [`None`] if they cannot be compared, for example if the equivalent sentence took too long.
fn difference(own: &Option<String>, other: RunAnswer) -> Option<EquivalentOutcome> {
    match other {
        RunAnswer::Invalid(reason) => Some(EquivalentOutcome::Refused(reason)),
        RunAnswer::Failed(word) => Some(EquivalentOutcome::Failed(word)),
        RunAnswer::Valid(Some(other)) if own.as_ref().is_some_and(|own| *own != other) => {
            Some(EquivalentOutcome::Value(other))
        }
        _ => None,
    }
}

enum PairVerdict {
    /// The outcomes are equal, or they cannot be compared: they change from run to run, the target gave
    /// no value for one of the sentences, or the equivalent sentence took too much time or memory.
    Agrees,
    /// The outcomes differ, but the equivalent text is no sentence, or its names have other roles.
    Unconfirmed,
    Differs(EquivalentOutcome),
}

/// Runs an equivalent sentence of a valid one with the outcome `own`. Runs both again if the outcomes differ.
fn judge(
    (subject, equivalents): (&mut Subject, &mut Equivalents<'_>),
    equivalence: usize,
    sentence: &Derivation,
    own: &Option<String>,
    equivalent: &[u8],
) -> Result<PairVerdict, Problem> {
    let Some(other) = difference(own, answer(subject, equivalent)?) else {
        return Ok(PairVerdict::Agrees);
    };
    if !equivalents.confirms(equivalence, sentence, equivalent) {
        return Ok(PairVerdict::Unconfirmed);
    }
    for _ in 0..REPETITIONS {
        let is_same = difference(own, answer(subject, sentence.text())?).is_none()
            && difference(own, answer(subject, equivalent)?).as_ref() == Some(&other);
        if !is_same {
            return Ok(PairVerdict::Agrees);
        }
    }
    Ok(PairVerdict::Differs(other))
}

/// Runs a text.
fn answer(subject: &mut Subject, text: &[u8]) -> Result<RunAnswer, Problem> {
    let run = subject.run(Request::Sentence(text)).map_err(Problem::new)?;
    Ok(match run.outcome {
        Outcome::Finished(Validity::Valid) => RunAnswer::Valid(run.reason),
        Outcome::Finished(Validity::Invalid) => RunAnswer::Invalid(run.reason),
        outcome @ (Outcome::Crash(_) | Outcome::Exit(_)) => RunAnswer::Failed(outcome.to_string()),
        _ => RunAnswer::Other,
    })
}
