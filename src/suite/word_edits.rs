//! Word mutation: edits of the tokens of sentences.

use std::collections::{BTreeMap, HashSet};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::edit::{Edit, EditOperator, EditPosition};
use super::negative::{Breaker, EditSource, Edited, common};
use super::realise::SentenceToken;
use super::sets::TokenSets;
use super::skeleton::Skeleton;
use super::turns::{Turns, ordered};

/// Edits of the tokens of sentences. A *context* is a token with its neighbours. Each edit is made
/// once for each context.
pub struct WordEdits<'t> {
    sentences: Vec<&'t [SentenceToken]>,
    /// The order of the positions: for each context, one sentence and the index of a token.
    turns: Turns,
    rng: SmallRng,
}

impl<'t> WordEdits<'t> {
    /// Finds all contexts in the sentences. Ignores sentences that our parser does not read with a
    /// separator between any two tokens.
    pub fn new(
        breaker: &mut Breaker<'_, '_>,
        sentences: impl IntoIterator<Item = &'t [SentenceToken]>,
        seed: u64,
    ) -> WordEdits<'t> {
        let (mut rng, mut seen) = (SmallRng::seed_from_u64(seed), HashSet::new());
        let mut sentences: Vec<_> = sentences.into_iter().collect();
        sentences.retain(|tokens| breaker.can_read(tokens));
        let mut possible = [0; EditOperator::ALL.len()];
        let mut by_rule: BTreeMap<&str, Vec<EditPosition>> = BTreeMap::new();
        for (number, tokens) in sentences.iter().enumerate() {
            let symbol =
                |at: Option<usize>| at.and_then(|at| tokens.get(at)).map(|token| token.symbol);
            for at in 0..=tokens.len() {
                let before = symbol(at.checked_sub(1));
                if seen.insert((before, symbol(Some(at)), symbol(Some(at + 1)))) {
                    let rule = rule_at(breaker.skeleton, tokens, at);
                    by_rule.entry(rule).or_default().push((number, at));
                    for (operator, _) in edits_of(breaker.sets, tokens, at) {
                        possible[operator as usize] += 1;
                    }
                }
            }
        }
        WordEdits {
            sentences,
            turns: Turns::new(by_rule.into_values(), possible, &mut rng),
            rng,
        }
    }
}

impl<'s, 'g> EditSource<'s, 'g> for WordEdits<'_> {
    const IS_OF_RULE: bool = false;

    fn next(&mut self, breaker: &mut Breaker<'s, 'g>) -> Option<Edited<'g>> {
        let WordEdits {
            sentences,
            turns,
            rng,
            ..
        } = self;
        let terminals = &breaker.skeleton.terminals;
        let ((sentence, at), edit) = turns.next(|(sentence, at)| {
            let edits = edits_of(breaker.sets, sentences[sentence], at);
            ordered(edits, |terminal| breaker.rank(terminals[terminal]), rng)
        })?;
        Some(edited(breaker, sentences[sentence], at, edit))
    }

    fn turns(&mut self) -> &mut Turns {
        &mut self.turns
    }
}

/// Adds random sentences with `order` random edits each. Stops at `count` texts, or after 20 times
/// as many tries. Each edit makes a poisoned pair (see `negative.rs`).
pub fn mutate_at_random(
    breaker: &mut Breaker<'_, '_>,
    sentences: &[&[SentenceToken]],
    order: usize,
    seed: u64,
    count: usize,
) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut tries = count.saturating_mul(20);
    while breaker.count_of_texts() < count && tries > 0 && !sentences.is_empty() {
        tries -= 1;
        let original = sentences[rng.random_range(0..sentences.len())];
        if !breaker.can_read(original) {
            continue;
        }
        let mut tokens = original.to_vec();
        let (mut operators, mut edits, mut rule) = (Vec::new(), Vec::new(), None);
        while operators.len() < order {
            let at = rng.random_range(0..=tokens.len());
            let all = edits_of(breaker.sets, &tokens, at);
            if all.is_empty() {
                break;
            }
            let made = edited(breaker, &tokens, at, all[rng.random_range(0..all.len())]);
            rule = rule.or(Some(made.rule));
            operators.extend(made.operators);
            edits.push(made.edit);
            tokens = made.tokens;
        }
        if let (true, Some(rule)) = (operators.len() == order, rule) {
            let made = Edited {
                same: common(original, &tokens),
                tokens,
                operators,
                rule,
                edit: edits.join(", then "),
            };
            breaker.add(made, false);
        }
    }
}

/// Returns the rule of the token with this index, or of the last one.
fn rule_at<'g>(skeleton: &Skeleton<'g>, tokens: &[SentenceToken], at: usize) -> &'g str {
    let token = tokens.get(at).or(tokens.last());
    skeleton.rule(token.map_or(0, |token| token.parent))
}

/// Returns the edits at a token that make a poisoned pair, each with the terminal that it adds.
fn edits_of(sets: &TokenSets, tokens: &[SentenceToken], at: usize) -> Vec<Edit> {
    let terminal = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at))
            .map_or(sets.edge(), |token| token.terminal)
    };
    let (before, here, next) = (
        terminal(at.checked_sub(1)),
        terminal(Some(at)),
        terminal(Some(at + 1)),
    );
    let is_poisoned = |sequence: &[usize]| {
        sequence
            .windows(2)
            .any(|pair| sets.is_poisoned(pair[0], pair[1]))
    };
    let mut edits = Vec::new();
    let is_token = at < tokens.len();
    if is_token && is_poisoned(&[before, next]) {
        edits.push((EditOperator::Deletion, None));
    }
    for other in 0..sets.edge() {
        if is_poisoned(&[before, other, here]) {
            edits.push((EditOperator::Insertion, Some(other)));
        }
        if is_token && other != here && is_poisoned(&[before, other, next]) {
            edits.push((EditOperator::Substitution, Some(other)));
        }
    }
    if at + 1 < tokens.len()
        && next != here
        && is_poisoned(&[before, next, here, terminal(Some(at + 2))])
    {
        edits.push((EditOperator::Transposition, None));
    }
    edits
}

/// Carries out an edit that [`edits_of`] returned.
fn edited<'g>(
    breaker: &Breaker<'_, 'g>,
    tokens: &[SentenceToken],
    at: usize,
    edit: Edit,
) -> Edited<'g> {
    let (skeleton, (operator, operand)) = (breaker.skeleton, edit);
    let mut all = tokens.to_vec();
    let other = |is_adjacent| operand.map(|terminal| breaker.token(terminal, is_adjacent));
    let name = |token: &SentenceToken| skeleton.describe(skeleton.terminals[token.terminal]);
    let added = operand.map_or(String::new(), |terminal| {
        skeleton.describe(skeleton.terminals[terminal])
    });
    let edit = match operator {
        EditOperator::Deletion => format!("{} removed", name(&all.remove(at))),
        EditOperator::Insertion => {
            all.extend(other(false));
            all[at..].rotate_right(1);
            tokens
                .get(at)
                .map_or(format!("{added} at the end"), |token| {
                    format!("{added} before {}", name(token))
                })
        }
        EditOperator::Substitution => {
            all.splice(at..=at, other(tokens[at].is_adjacent));
            format!("{added} instead of {}", name(&tokens[at]))
        }
        EditOperator::Transposition => {
            all.swap(at, at + 1);
            // The layout before each position does not change.
            (all[at].is_adjacent, all[at + 1].is_adjacent) =
                (tokens[at].is_adjacent, tokens[at + 1].is_adjacent);
            format!("{} before {}", name(&all[at]), name(&all[at + 1]))
        }
    };
    Edited {
        same: common(tokens, &all),
        tokens: all,
        operators: vec![operator],
        rule: rule_at(skeleton, tokens, at),
        edit,
    }
}
