//! Suspects: the parts of a grammar that may be the cause of a group of rejections.
//!
//! Three kinds of evidence name suspects:
//!
//! * *Association*: a part that is over-represented among the rejected sentences, in comparison with
//!   the others. The measure is Ochiai's coefficient, as in spectrum-based fault localisation
//!   (Abreu, Zoeteweij and van Gemund, "On the accuracy of spectrum-based fault localization", 2007).
//! * *The message*: a part around the token that the reason names or whose location it gives.
//! * *Experiment*: without the part, fewer sentences are rejected for that reason. The module
//!   `experiment` measures this for the suspects of the other two kinds.

use std::collections::{HashMap, HashSet};

use super::parts::{Parts, UsedParts};
use super::trial::{Judgement, Sentence, Trial};
use crate::reasons::{DetailKind, offset};

/// The maximum number of rejected sentences of a group that are examined for what their reasons
/// name.
const EXAMINED: usize = 100;

/// The weight of a sentence that was rejected for another reason, compared with an accepted one. The
/// other reason may hide that of the group.
const OTHER_REASON: f64 = 0.5;

/// The weight of a pair of parts, compared with a single part.
const PAIR: f64 = 0.95;

/// A part that more than this share of all sentences use says nothing.
const EVERYWHERE: f64 = 0.99;

/// The weights of the parts around a token that a reason names, the innermost first.
const AROUND: [f64; 4] = [1.0, 0.8, 0.6, 0.4];

/// A part of the grammar that may be the cause of a group of rejections.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// The number of the part.
    pub part: u32,
    /// Ochiai's coefficient of the part and the group, from 0 to 1.
    pub ochiai: f64,
    /// How often reasons of the group name a token in the part, from 0 to 1. The parts around it
    /// count less.
    pub named: f64,
}

impl Suspect {
    /// Returns how suspicious the part is before experiments.
    pub fn score(&self) -> f64 {
        self.ochiai + self.named / 2.0
    }
}

/// Returns Ochiai's coefficient: `both` sentences of a group use a part, `group` sentences are in
/// the group, and `others` other sentences use the part.
pub fn ochiai(both: usize, group: usize, others: f64) -> f64 {
    let product = group as f64 * (both as f64 + others);
    if product > 0.0 {
        both as f64 / product.sqrt()
    } else {
        0.0
    }
}

/// Returns the suspects of a group of rejected sentences, the most suspicious first.
pub fn suspects(trial: &Trial<'_>, parts: &Parts<'_>, group: &[usize]) -> Vec<Suspect> {
    let is_inside: HashSet<usize> = group.iter().copied().collect();
    let (mut others, mut inside) = (vec![0.0; parts.len()], vec![0; parts.len()]);
    let (mut other_pairs, mut inside_pairs) = (HashMap::new(), HashMap::new());
    for (at, sentence) in trial.sentences.iter().enumerate() {
        let UsedParts { parts, pairs } = &sentence.used;
        if is_inside.contains(&at) {
            parts.iter().for_each(|&part| inside[part as usize] += 1);
            pairs
                .iter()
                .for_each(|&pair| *inside_pairs.entry(pair).or_insert(0) += 1);
            continue;
        }
        let weight = match sentence.judgement {
            Judgement::Valid => 1.0,
            _ => OTHER_REASON,
        };
        parts
            .iter()
            .for_each(|&part| others[part as usize] += weight);
        pairs
            .iter()
            .for_each(|&pair| *other_pairs.entry(pair).or_insert(0.0) += weight);
    }
    let named = named(trial, parts, group);
    let mut best: Vec<f64> = (0..parts.len())
        .map(|part| ochiai(inside[part], group.len(), others[part]))
        .collect();
    // A part that matters only inside another one makes both suspicious.
    for (&(outer, inner), &both) in &inside_pairs {
        let others = other_pairs.get(&(outer, inner)).copied().unwrap_or(0.0);
        let pair = PAIR * ochiai(both, group.len(), others);
        for part in [outer, inner] {
            let of_part = &mut best[part as usize];
            *of_part = of_part.max(pair);
        }
    }
    let is_everywhere = |part: u32| {
        let uses = |sentence: &&Sentence| sentence.used.parts.binary_search(&part).is_ok();
        let count = trial.sentences.iter().filter(uses).count();
        count as f64 > EVERYWHERE * trial.sentences.len() as f64
    };
    let mut all: Vec<Suspect> = (0..parts.len() as u32)
        .filter(|&part| inside[part as usize] > 0 && !is_everywhere(part))
        .map(|part| Suspect {
            part,
            ochiai: best[part as usize],
            named: named.get(&part).copied().unwrap_or(0.0),
        })
        .collect();
    // Of parts that are always used together, the one with the most symbols says most.
    let key = |suspect: &Suspect| (suspect.score(), parts.symbols(suspect.part));
    all.sort_by(|one, other| {
        let (one, other) = (key(one), key(other));
        other.0.total_cmp(&one.0).then(other.1.cmp(&one.1))
    });
    all
}

/// Returns how often the reasons of a group name a token in each part.
fn named(trial: &Trial<'_>, parts: &Parts<'_>, group: &[usize]) -> HashMap<u32, f64> {
    let mut found: HashMap<u32, f64> = HashMap::new();
    let examined = group.len().min(EXAMINED);
    for &at in &group[..examined] {
        let derivation = trial.derivation(at);
        let mut of_sentence: HashMap<u32, f64> = HashMap::new();
        for node in named_tokens(trial, parts, at) {
            let around = parts.around(&derivation, node, AROUND.len());
            for (part, weight) in around.into_iter().zip(AROUND) {
                let known = of_sentence.entry(part).or_default();
                *known = known.max(weight);
            }
        }
        for (part, weight) in of_sentence {
            *found.entry(part).or_default() += weight / examined as f64;
        }
    }
    found
}

/// Returns the nodes of the tokens that the reason of a rejected sentence names, by their text or
/// by their location.
pub fn named_tokens(trial: &Trial<'_>, parts: &Parts<'_>, sentence: usize) -> Vec<usize> {
    let derivation = trial.derivation(sentence);
    let mut nodes = Vec::new();
    for detail in &trial.sentences[sentence].details {
        match detail.kind {
            DetailKind::Location => nodes.extend(
                offset(&detail.text, derivation.text())
                    .and_then(|offset| parts.token_at(&derivation, offset)),
            ),
            DetailKind::Name | DetailKind::Quoted | DetailKind::Number => {
                nodes.extend(parts.tokens(&derivation, detail.text.as_bytes()));
            }
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ochiai_is_1_for_a_part_that_all_rejected_sentences_and_no_others_use() {
        assert_eq!(ochiai(5, 5, 0.0), 1.0);
        assert_eq!(ochiai(0, 5, 9.0), 0.0);
        assert_eq!(ochiai(0, 0, 0.0), 0.0);
        assert!(ochiai(5, 5, 5.0) < ochiai(5, 5, 1.0) && ochiai(3, 5, 0.0) < ochiai(5, 5, 0.0));
    }
}
