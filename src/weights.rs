//! Weights of a grammar: learned from samples, for more of the same or less of the same.
//!
//! The method is that of Soremekun, Pavese, Havrikov, Grunske and Zeller, "Inputs from Hell" (TSE 2020). [`Weights`] count what
//! samples choose. The probability of an alternative is its count over the count of its nonterminal. A [`Transform`] changes the
//! probabilities, so that sentences are like the samples or unlike them. Counts of repetitions, characters, names, case and layout
//! are learned in the same way. [`Grower`] generates sentences by the probabilities.
//!
//! ```
//! use zester::weights::{Grower, Probabilities, Transform, Weights};
//! use zester::{bounds::Caps, derivation::Derivation, notation, parse::Parser};
//!
//! let (grammar, _) = notation::read("bits.ebnf", br#"bits = ( "0" | "1" )* ;"#, &Caps::default()).unwrap();
//! let (mut weights, mut sample) = (Weights::new(&grammar, 0), Derivation::default());
//! Parser::new(&grammar).parse(b"0000", &mut sample).unwrap();
//! weights.add(&grammar, &sample);
//!
//! // More of the same: zeros. Less of it: ones.
//! for (power, digit) in [(1.0, b'0'), (-1.0, b'1')] {
//!     let probabilities = Probabilities::new(&grammar, &weights, Transform { power, damping: 0.0 }).unwrap();
//!     let text = Grower::new(7).sentence(&grammar, &probabilities, &Default::default(), 20);
//!     assert!(text.iter().all(|&byte| byte == digit));
//! }
//! ```
//!
//! # Guarantees
//!
//! Weights steer which parameters are written, never how parameters decode, so a corpus outlives every change of weights. Weights do
//! not depend on the order of samples. Weights that are learned from parts of the samples and merged are those of all samples.
//!
//! # Not guaranteed
//!
//! A sentence by the probabilities of valid samples need not be valid.

mod choice_kind;
mod cost;
mod exclusions;
mod explain;
mod file;
mod grow;
mod json;
mod mix;
mod probabilities;

use std::collections::BTreeMap;

pub use self::choice_kind::{ChoiceKind, ContextKey, Enclosing, OTHERS, START, counts};
use self::choice_kind::{Spelled, has_context, is_expansion, outcomes, word_of};
pub use self::explain::{Chosen, Table};
pub use self::grow::Grower;
pub(crate) use self::grow::grow;
pub use self::mix::{Mix, Shares};
pub use self::probabilities::Probabilities;
use crate::derivation::Derivation;
use crate::grammar::{Grammar, Kind};

/// The weight of a forbidden outcome: it is never chosen, not even where nothing else ends a sentence.
pub const FORBIDDEN: f64 = f64::NEG_INFINITY;

/// The most bytes of a token that is learned as a word.
const MAX_WORD: usize = 64;

/// How weights become probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The exponent of probabilities, any finite number. With 1 sentences are like the samples, with 0 all outcomes are equally
    /// probable, with -1 sentences are unlike the samples (the paper's inversion). Below 0, outcomes that were never seen share all
    /// the probability, if there are any.
    pub power: f64,
    /// The part of the probability, from 0 to 1, that all outcomes share evenly before the exponent is applied. Above 0, no outcome
    /// counts as never seen.
    pub damping: f64,
}

impl Default for Transform {
    /// More of the same.
    fn default() -> Transform {
        Transform { power: 1.0, damping: 0.0 }
    }
}

impl Transform {
    /// The transform with the opposite exponent.
    pub fn inverted(self) -> Transform {
        Transform { power: -self.power, ..self }
    }
}

/// How often samples chose what.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    fingerprint: u64,
    /// The name of the grammar's file.
    pub grammar: String,
    /// How many enclosing choices are learned with each choice.
    context: usize,
    samples: u64,
    expansions: u64,
    bytes: u64,
    /// How the weights become probabilities by default.
    pub transform: Transform,
    /// How often each outcome was seen, by choice.
    pub(crate) seen: BTreeMap<ContextKey, BTreeMap<u32, f64>>,
    /// How often each text of a token was seen that is spelled out, by group.
    pub(crate) words: BTreeMap<Spelled, BTreeMap<Box<[u8]>, f64>>,
}

impl Weights {
    /// Weights of no samples. Probabilities will depend on `context` of the nearest enclosing choices; the paper has none.
    pub fn new(grammar: &Grammar, context: usize) -> Weights {
        Weights {
            fingerprint: grammar.fingerprint(),
            grammar: String::new(),
            context,
            samples: 0,
            expansions: 0,
            bytes: 0,
            transform: Transform::default(),
            seen: BTreeMap::new(),
            words: BTreeMap::new(),
        }
    }

    /// Counts the choices of a sample.
    pub fn add(&mut self, grammar: &Grammar, sample: &Derivation) {
        self.samples += 1;
        self.bytes += sample.text().len() as u64;
        // The choices around a node, each with the end of its subtree.
        let mut around: Vec<(usize, Enclosing)> = Vec::new();
        for (at, node) in sample.nodes.iter().enumerate() {
            while around.pop_if(|(end, _)| *end <= at).is_some() {}
            let kind = &grammar[node.symbol].kind;
            self.expansions += u64::from(is_expansion(kind));
            outcomes(grammar, sample, at, |choice_kind, outcome| {
                let most = if has_context(choice_kind) { self.context.min(around.len() + 1) } else { 0 };
                for length in 0..=most {
                    let choices = around.iter().rev().map(|&(_, choice)| choice);
                    let context = choices.chain([START]).take(length).collect();
                    let key = ContextKey { symbol: node.symbol, choice_kind, context };
                    *self.seen.entry(key).or_default().entry(outcome).or_default() += 1.0;
                }
            });
            match kind {
                Kind::Nonterminal { alternatives, .. } if alternatives.len() > 1 => {
                    around.push((at + node.size as usize, (node.symbol, node.choice)));
                }
                Kind::Lexeme { body, .. } => {
                    let token = sample.children(at).last().filter(|&token| sample.nodes[token].symbol == *body);
                    let word =
                        token.and_then(|token| Some((word_of(grammar, sample, token)?, &sample.text[sample.text_range(token)])));
                    if let Some((of, word)) = word.filter(|(_, word)| word.len() <= MAX_WORD) {
                        *self.words.entry(of).or_default().entry(word.into()).or_default() += 1.0;
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds other weights of the same grammar.
    ///
    /// # Errors
    /// The other weights are of another grammar, or were learned with another context.
    pub fn merge(&mut self, other: &Weights) -> Result<(), String> {
        self.check_alike(other)?;
        self.samples += other.samples;
        self.expansions += other.expansions;
        self.bytes += other.bytes;
        for (key, outcomes) in &other.seen {
            let all = self.seen.entry(key.clone()).or_default();
            outcomes.iter().for_each(|(&outcome, weight)| *all.entry(outcome).or_default() += weight);
        }
        for (&of, words) in &other.words {
            let all = self.words.entry(of).or_default();
            words.iter().for_each(|(word, weight)| *all.entry(word.clone()).or_default() += weight);
        }
        Ok(())
    }

    /// Counts the choices of a sample, equal choices once.
    pub fn add_once(&mut self, grammar: &Grammar, sample: &Derivation) {
        let mut chosen = Weights::new(grammar, self.context);
        chosen.add(grammar, sample);
        let once = |weight: &mut f64| *weight = 1.0;
        chosen.seen.values_mut().flat_map(BTreeMap::values_mut).for_each(once);
        chosen.words.values_mut().flat_map(BTreeMap::values_mut).for_each(once);
        self.merge(&chosen).expect("both are of one grammar");
    }

    /// Raises the weights of choices that failing samples make and passing samples do not. `failing` and `passing` must count equal
    /// choices of a sample once ([`Weights::add_once`]).
    ///
    /// Of a choice in *f* of *F* failing and in *p* passing samples, the weight is multiplied by *f² / (p + F - f)*, the D\*
    /// suspiciousness of fault localisation (Wong, Debroy, Gao and Li, "The DStar method for effective software fault localization",
    /// 2014); a divisor below 1 counts as 1.
    ///
    /// # Errors
    /// As for [`Weights::merge`].
    pub fn contrast(&mut self, failing: &Weights, passing: &Weights) -> Result<(), String> {
        for others in [failing, passing] {
            self.check_alike(others)?;
        }
        let all = failing.samples as f64;
        for (key, outcomes) in &mut self.seen {
            raise_suspicious(outcomes, failing.seen.get(key), passing.seen.get(key), all);
        }
        for (of, words) in &mut self.words {
            raise_suspicious(words, failing.words.get(of), passing.words.get(of), all);
        }
        Ok(())
    }

    /// Checks that other weights can be added.
    fn check_alike(&self, other: &Weights) -> Result<(), String> {
        if other.fingerprint != self.fingerprint {
            return Err(format!("of another grammar ({:016x}, not {:016x})", other.fingerprint, self.fingerprint));
        }
        if other.context != self.context {
            return Err(format!("learned with a context of {}, not {}", other.context, self.context));
        }
        Ok(())
    }

    /// Checks that these are weights of a grammar.
    fn check(&self, grammar: &Grammar) -> Result<(), String> {
        let (own, theirs) = (grammar.fingerprint(), self.fingerprint);
        if own == theirs {
            return Ok(());
        }
        let name = if self.grammar.is_empty() { "unnamed" } else { &self.grammar };
        Err(format!(
            "these weights are of another grammar, or another state of it ({name}, {theirs:016x}; this one is {own:016x}): learn them \
             again"
        ))
    }

    /// The number of samples.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// How many of the nearest enclosing choices were learned with each choice.
    pub fn context(&self) -> usize {
        self.context
    }

    /// The mean number of expansions in a sample, at least 1. Expansions are nodes of nonterminals, repetitions and names, layout
    /// included.
    pub fn mean_expansions(&self) -> f64 {
        (self.expansions as f64 / self.samples.max(1) as f64).max(1.0)
    }

    /// The number of expansions for each byte of text.
    pub fn expansions_per_byte(&self) -> f64 {
        if self.expansions * self.bytes == 0 { 1.0 } else { self.expansions as f64 / self.bytes as f64 }
    }

    /// The outcomes of a choice that were seen, with their weights; none if no sample made the choice.
    pub fn seen(&self, key: &ContextKey) -> Option<&BTreeMap<u32, f64>> {
        self.seen.get(key)
    }
}

/// Multiplies weights by their suspiciousness, where `all` is the number of failing samples: see [`Weights::contrast`].
fn raise_suspicious<K: Ord>(
    weights: &mut BTreeMap<K, f64>,
    failing: Option<&BTreeMap<K, f64>>,
    passing: Option<&BTreeMap<K, f64>>,
    all: f64,
) {
    for (choice, weight) in weights.iter_mut().filter(|(_, weight)| **weight > 0.0) {
        let of = |counts: Option<&BTreeMap<K, f64>>| counts.and_then(|counts| counts.get(choice)).copied().unwrap_or(0.0);
        let (fails, passes) = (of(failing), of(passing));
        *weight *= fails * fails / (passes + all - fails).max(1.0);
    }
}
