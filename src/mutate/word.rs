//! Replaces a token by a word of the vocabulary: a text that the program under test compared with a
//! token.
//!
//! Sometimes the token becomes a random text instead, and the comparisons of the run are recorded.
//! Half of the random texts are long, because operands show whole names of an ordered table only if
//! the token is longer than the names. The other half are short, because a program that looks names
//! up by length or by hash compares only names that are as long as the token or have its hash. No
//! random text is tried before the first comparison is recorded.

use rand::RngExt;
use rand::rngs::SmallRng;

use super::vocabulary::has_text;
use super::{Mutation, Output};
use crate::grammar::SymbolId;
use crate::splice::TreeView;

/// The maximum length in bytes of a token that is replaced.
const MAX_LENGTH: usize = 64;

/// The number of tokens that are drawn. The best one is replaced.
const DRAWS: usize = 4;

/// The length of a long random text in bytes.
const LONG: usize = 24;

/// The maximum length of a short random text in bytes.
const SHORT: usize = 12;

/// Replaces a token by a string of the program under test.
pub fn string(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let vocabulary = &mut mutation.campaign.vocabulary;
    let rank = |node: usize| vocabulary.string_rank(parent, node);
    let Some(node) = draw(&mut mutation.rng, parent, rank) else {
        return false;
    };
    let Some(text) = vocabulary.next_string(parent, node) else {
        return false;
    };
    let is_allowed = output.read_token(parent, parent.symbol(node), text).is_ok();
    is_allowed && replace(output, parent, node)
}

/// Replaces a token by [`Output::part`]. Returns whether they differ.
fn replace(output: &mut Output, parent: &TreeView<'_>, node: usize) -> bool {
    output.replace(parent, node);
    output.part != parent.part(node)
}

/// Draws some tokens of a sentence, and returns the one with the lowest rank.
fn draw(
    rng: &mut SmallRng,
    parent: &TreeView<'_>,
    mut rank: impl FnMut(usize) -> u32,
) -> Option<usize> {
    let short = |node: usize| has_text(parent, node) && parent.text(node).len() <= MAX_LENGTH;
    (0..DRAWS)
        .filter_map(|_| parent.draw(rng, short))
        .min_by_key(|&node| rank(node))
}

/// Replaces a token by a word of the vocabulary, or by a random text whose comparisons are recorded.
pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let vocabulary = &mutation.campaign.vocabulary;
    if !vocabulary.is_used() {
        return false;
    }
    let is_probe = mutation.rng.random_range(0..4) == 0;
    let rank = |node: usize| vocabulary.rank(parent, node, is_probe);
    let Some(node) = draw(&mut mutation.rng, parent, rank) else {
        return false;
    };
    let symbol = parent.symbol(node);
    let mut text = std::mem::take(&mut output.text);
    text.clear();
    let vocabulary = &mut mutation.campaign.vocabulary;
    let word = match is_probe {
        true => None,
        false => vocabulary.draw(&mut mutation.rng, parent, node),
    };
    let is_allowed = match word {
        Some(word) => {
            text.extend_from_slice(word);
            output.read_token(parent, symbol, &text).is_ok()
        }
        None => {
            vocabulary.probe(parent, node);
            if let (Some(word), true) = (
                vocabulary.draw_any(&mut mutation.rng, symbol),
                mutation.rng.random(),
            ) {
                let kept = mutation.rng.random_range(1..=word.len());
                text.extend_from_slice(&word[..kept]);
            }
            let length = match mutation.rng.random::<bool>() {
                true => LONG,
                false => mutation.rng.random_range(2..=SHORT),
            };
            while text.len() < length {
                text.push(mutation.rng.random_range(b'a'..=b'z'));
            }
            read_allowed(output, parent, symbol, &mut text)
        }
    };
    output.text = text;
    is_allowed && replace(output, parent, node)
}

/// Parses a text by the rule of a token, after removing a few characters that the rule does not
/// allow.
fn read_allowed(
    output: &mut Output,
    parent: &TreeView<'_>,
    symbol: SymbolId,
    text: &mut Vec<u8>,
) -> bool {
    for _ in 0..=LONG {
        match output.read_token(parent, symbol, text) {
            Ok(()) => return true,
            Err(at) if at < text.len() => {
                text.remove(at);
            }
            Err(_) => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::derivation::Derivation;
    use crate::mutate::Mutator;
    use crate::mutate::testing::LISTS;
    use crate::parameters::{self, Settings};
    use crate::validity::RunFeedback;
    use crate::{notation, parse};

    /// Returns the sentences of 100 mutants of `a,7`, in their order. `prepare` is called with the mutator and its
    /// first result.
    fn mutants(operator: &str, prepare: impl FnOnce(&mut Mutator<'_>, &[u8])) -> Vec<String> {
        let (grammar, _) = notation::read("example", LISTS.as_bytes(), &Caps::default()).unwrap();
        let mut mutator = Mutator::new(&grammar).only(operator).unwrap();
        let (mut derivation, mut input) = (Derivation::default(), Vec::new());
        let mut parser = parse::Parser::new(&grammar);
        parser.parse_into(b"a,7", &mut derivation).unwrap();
        parameters::encode(&grammar, &derivation, &mut input);
        let first = mutator.mutate(&input, 200, 0).to_vec();
        prepare(&mut mutator, &first);
        let sentence = |seed| {
            let mutant = mutator.mutate(&input, 200, seed).to_vec();
            mutator.record_run(&mutant, RunFeedback::new(9, true, false));
            let sentence = parameters::sentence(&grammar, &Settings::default(), &mutant);
            String::from_utf8_lossy(sentence.text()).into_owned()
        };
        (0..100).map(sentence).collect()
    }

    #[test]
    fn before_and_after() {
        let compare = |mutator: &mut Mutator<'_>, result: &[u8]| {
            mutator.learn_comparison(result, [b"one", b"two"]);
        };
        let after = mutants("word", compare);
        let is_long = |text: &String| text.len() == LONG + 2 && text.ends_with(",7");
        assert!(after.iter().any(is_long), "{after:?}");
        assert!(after.iter().all(|text| text.len() <= LONG + 2), "{after:?}");
    }

    #[test]
    fn no_random_text_before_a_comparison_was_recorded() {
        let after = mutants("word", |_, _| ());
        assert!(after.iter().all(|text| text.len() < LONG), "{after:?}");
    }

    #[test]
    fn before_and_after_with_strings() {
        let strings = ["upper", "+", "12", "lower"].map(|text| text.into());
        let mut after = mutants("string", |mutator, _| mutator.set_strings(strings.to_vec()));
        after.sort();
        after.dedup();
        assert_eq!(after, ["a,12", "lower,7", "upper,7"]);
    }
}
