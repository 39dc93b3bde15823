//! Finds the shape of a failing sentence: the sentence with holes for the parts that are not necessary for
//! the failure. Also decides whether two sentences fail by the same cause.

use std::cell::{Cell, OnceCell, RefCell};

use zester::Validity;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Input, Settings, Tree};
use zester::shape::{CausePart, FailureShape, KnownCause, ShapeSearch, TrialResult};
use zester::subject::{Outcome, Request, Run, Subject};

use crate::fault::{RunIdentity, comparison};
use crate::input::encoded;

/// Returns the shape of the sentence of an input on which the target fails. The search runs similar
/// sentences. A crash is the same failure if its outcome is the same. A disagreement is the same failure if
/// it is found by the same comparison.
///
/// If the input has edits, the grammar must derive the edited text when declarations and uses of names are
/// ignored.
///
/// Returns [`None`] if the input does not fail, if the grammar does not derive the edited text, if the
/// target cannot be started again, if `is_over` ends the search, or if most sentences of the shape do not
/// fail.
pub fn failure_shape(
    subject: &mut Subject,
    grammar: &Grammar,
    settings: &Settings,
    input: &Input,
    is_over: &dyn Fn() -> bool,
) -> Option<FailureShape> {
    if input.edits().is_empty() {
        return search(
            subject,
            (grammar, settings),
            input.bytes(),
            is_over,
            |subject, tree| subject.run(Request::Parameters(tree.parameters())),
        );
    }
    let erased = grammar.erased();
    let parameters = encoded(erased, input.text())?;
    search(
        subject,
        (erased, settings),
        &parameters,
        is_over,
        |subject, tree| subject.run(Request::Sentence(tree.derivation().text())),
    )
}

/// Returns the shape of the sentence that the parameters `input` decode to. `run` runs a sentence.
fn search(
    subject: &mut Subject,
    (grammar, settings): (&Grammar, &Settings),
    input: &[u8],
    is_over: &dyn Fn() -> bool,
    run: impl Fn(&mut Subject, &Tree) -> Result<Run, zester::Error>,
) -> Option<FailureShape> {
    let mut decoder = Decoder::new(grammar).settings(*settings);
    let first = run(subject, decoder.tree(input)).ok()?.outcome;
    if matches!(first, Outcome::Finished(_)) {
        return None;
    }
    let cannot_run = Cell::new(false);
    let mut judged = |tree: &Tree| match run(subject, tree) {
        Ok(run) => trial_result(&first, &run.outcome),
        Err(_) => {
            cannot_run.set(true);
            TrialResult::Other
        }
    };
    let is_over = || cannot_run.get() || is_over();
    let mut search = ShapeSearch {
        grammar,
        settings,
        judge: &mut judged,
        is_over: &is_over,
    };
    search.run(input).filter(|_| !is_over())
}

/// Returns whether a sentence fails by the cause of another one, where both failures are disagreements.
/// `input` and `known` are the parameters of the two sentences, and `cause` is the cause of `known`. Two
/// conditions hold. If a part of the sentence of `input` replaces the cause in the sentence of `known`, the
/// result fails with the same outcome as `known`. If other parts replace this part in the sentence of
/// `input`, most of the results do not fail.
pub fn is_explained(
    subject: &mut Subject,
    (grammar, settings): (&Grammar, &Settings),
    input: &[u8],
    (known, cause): (&[u8], &CausePart),
    is_over: &dyn Fn() -> bool,
) -> bool {
    let subject = RefCell::new(subject);
    let run = |parameters: &[u8]| {
        let run = subject.borrow_mut().run(Request::Parameters(parameters));
        run.ok().map(|run| run.outcome)
    };
    // The two sentences run only when the search needs their outcomes. For most pairs it does not.
    let (first, wanted) = (OnceCell::new(), OnceCell::new());
    let identity = |outcome: &Outcome| RunIdentity::of(outcome, String::new, b"");
    let mut search = ShapeSearch {
        grammar,
        settings,
        judge: &mut |tree| {
            let first = first.get_or_init(|| run(input));
            let both = first.as_ref().zip(run(tree.parameters()));
            both.map_or(TrialResult::Other, |(first, outcome)| {
                trial_result(first, &outcome)
            })
        },
        is_over,
    };
    let mut known = KnownCause {
        input: known,
        cause,
        fails: &mut |tree| {
            let wanted = wanted.get_or_init(|| run(known).filter(is_disagreement));
            let both = wanted.as_ref().zip(run(tree.parameters()));
            both.is_some_and(|(wanted, outcome)| identity(&outcome) == identity(wanted))
        },
    };
    search.is_explained_by(input, &mut known)
}

fn is_disagreement(outcome: &Outcome) -> bool {
    comparison(outcome).is_some()
}

/// Returns whether a run fails in the same way as the first run. `first` and `outcome` are the outcomes of
/// the two runs.
fn trial_result(first: &Outcome, outcome: &Outcome) -> TrialResult {
    match outcome {
        Outcome::Finished(Validity::Invalid) => TrialResult::Refused,
        Outcome::Finished(_) => TrialResult::Other,
        outcome if is_same(first, outcome) => TrialResult::Same,
        // The run ended by another fault, so it is unknown whether the fault of the first run is there, too.
        _ => TrialResult::Refused,
    }
}

/// Returns whether two failing runs have the same outcome, or disagree by the same comparison.
fn is_same(one: &Outcome, other: &Outcome) -> bool {
    match (comparison(one), comparison(other)) {
        (None, None) => {
            let identity = |outcome| RunIdentity::of(outcome, String::new, b"");
            identity(one) == identity(other)
        }
        (one, other) => one == other,
    }
}
