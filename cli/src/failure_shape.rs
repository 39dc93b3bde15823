//! The shape of a sentence on which a target fails: the parts that do not matter are holes. And whether a
//! sentence fails by the cause of another one.

use std::cell::{OnceCell, RefCell};

use zester::Validity;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Input, Settings, Tree};
use zester::shape::{CausePart, FailureShape, KnownCause, ShapeSearch, TrialResult};
use zester::subject::{Outcome, Request, Run, Subject};

use crate::fault::{RunIdentity, comparison};
use crate::input::encoded;

/// Returns the shape of the sentence of an input, on which the target fails. A sentence fails in the same
/// way if it has the same fault; disagreements need only be of the same comparison. An edited sentence has
/// a shape if the grammar derives it without regard to names. Returns [`None`] if the input does not
/// fail, or if `is_over` ends the search.
///
/// A subject that cannot be started again ends the search, too; the caller will notice it.
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

/// Returns the shape of the sentence of parameters. `run` runs a sentence.
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
    let mut judged = |tree: &Tree| match run(subject, tree) {
        Ok(run) => trial_result(&first, &run.outcome),
        Err(_) => TrialResult::Other,
    };
    let mut search = ShapeSearch {
        grammar,
        settings,
        judge: &mut judged,
        is_over,
    };
    search.run(input).filter(|_| !is_over())
}

/// Returns whether a sentence on which a target disagrees fails by the cause of another one. Both are
/// parameters. The sentence of the cause, with a part of this one in it, must fail with the same kind of
/// difference as before.
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
    // Most pairs of sentences need no run.
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

/// Returns what a run says about the fault of another one.
fn trial_result(first: &Outcome, outcome: &Outcome) -> TrialResult {
    match outcome {
        Outcome::Finished(Validity::Invalid) => TrialResult::Refused,
        Outcome::Finished(_) => TrialResult::Other,
        outcome if is_same(first, outcome) => TrialResult::Same,
        // Another fault hides whether there would be this one.
        _ => TrialResult::Refused,
    }
}

/// Returns whether two failing runs fail in the same way.
fn is_same(one: &Outcome, other: &Outcome) -> bool {
    match (comparison(one), comparison(other)) {
        (None, None) => {
            let identity = |outcome| RunIdentity::of(outcome, String::new, b"");
            identity(one) == identity(other)
        }
        (one, other) => one == other,
    }
}
