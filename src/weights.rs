//! Weights of a grammar: learned from samples, for more of the same or less of the same.
//!
//! After Soremekun, Pavese, Havrikov, Grunske and Zeller, "Inputs from Hell" (TSE 2020): what samples choose is counted; the
//! probability of an alternative is its expansions over those of its nonterminal, and [`Transform`] makes of it what common or
//! uncommon inputs choose. Counts of repetitions, characters, names, case and layout are learned alike. [`Grower`] derives
//! sentences by the probabilities.
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
//! What holds: weights steer what is written, never how bytes decode, so a corpus outlives every change of them. What is learned
//! does not depend on the order of samples; learned apart and merged it is the same. Not promised: that a sentence by the
//! probabilities of samples is valid where they are.

mod explain;
mod file;
mod grow;
mod mix;
mod probabilities;
mod question;

use std::collections::BTreeMap;

pub use self::explain::{Chosen, Table};
pub use self::grow::Grower;
pub(crate) use self::grow::grow;
pub use self::mix::{Mix, Shares};
pub use self::probabilities::Probabilities;
pub use self::question::{Aspect, Enclosing, OTHERS, Question, START, counts};
use self::question::{Spelled, answers, has_context, is_expansion, word_of};
use crate::derivation::Derivation;
use crate::grammar::{Grammar, Kind};

/// The weight of an outcome that must never be: not even where nothing else ends a sentence.
pub const FORBIDDEN: f64 = f64::NEG_INFINITY;

/// Bytes of a token that is learned as a word.
const LONGEST: usize = 64;

/// What makes probabilities of weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// What probabilities are raised to, any finite number: 1 for more of the same; 0 for all alike; -1 for less of the same,
    /// the paper's inversion. Below 0, what was never seen shares all the probability, if there is any.
    pub power: f64,
    /// The part of the probability, from 0 to 1, that is shared evenly beforehand. Above 0, nothing counts as never seen.
    pub damping: f64,
}

impl Default for Transform {
    /// More of the same.
    fn default() -> Transform {
        Transform { power: 1.0, damping: 0.0 }
    }
}

impl Transform {
    /// Less of the same where this is more, and the other way round.
    pub fn inverted(self) -> Transform {
        Transform { power: -self.power, ..self }
    }
}

/// What samples choose, and what is to be made of that.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    fingerprint: u64,
    /// What the grammar's file is called.
    pub grammar: String,
    /// How many enclosing choices are learned with each.
    context: usize,
    samples: u64,
    expansions: u64,
    bytes: u64,
    /// What becomes of the weights where nobody says otherwise.
    pub transform: Transform,
    /// Of each outcome that was seen, how often.
    pub(crate) seen: BTreeMap<Question, BTreeMap<u32, f64>>,
    /// Of tokens that are spelled, by their first choice: their texts.
    pub(crate) words: BTreeMap<Spelled, BTreeMap<Box<[u8]>, f64>>,
}

impl Weights {
    /// Of no samples. `context`: how many of the nearest enclosing choices probabilities depend on; 0 is the paper's.
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

    /// Counts what a sample chooses.
    pub fn add(&mut self, grammar: &Grammar, sample: &Derivation) {
        self.samples += 1;
        self.bytes += sample.text().len() as u64;
        // The choices around a node, each with where its subtree ends.
        let mut around: Vec<(usize, Enclosing)> = Vec::new();
        for (at, node) in sample.nodes.iter().enumerate() {
            while around.pop_if(|(end, _)| *end <= at).is_some() {}
            let kind = &grammar[node.symbol].kind;
            self.expansions += u64::from(is_expansion(kind));
            answers(grammar, sample, at, |aspect, outcome| {
                let most = if has_context(aspect) { self.context.min(around.len() + 1) } else { 0 };
                for length in 0..=most {
                    let choices = around.iter().rev().map(|&(_, choice)| choice);
                    let context = choices.chain([START]).take(length).collect();
                    let question = Question { symbol: node.symbol, aspect, context };
                    *self.seen.entry(question).or_default().entry(outcome).or_default() += 1.0;
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
                    if let Some((of, word)) = word.filter(|(_, word)| word.len() <= LONGEST) {
                        *self.words.entry(of).or_default().entry(word.into()).or_default() += 1.0;
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds what others learned of the same grammar.
    ///
    /// # Errors
    /// That they learned of another one, or with another context.
    pub fn merge(&mut self, other: &Weights) -> Result<(), String> {
        self.check_alike(other)?;
        self.samples += other.samples;
        self.expansions += other.expansions;
        self.bytes += other.bytes;
        for (question, outcomes) in &other.seen {
            let all = self.seen.entry(question.clone()).or_default();
            outcomes.iter().for_each(|(&outcome, weight)| *all.entry(outcome).or_default() += weight);
        }
        for (&of, words) in &other.words {
            let all = self.words.entry(of).or_default();
            words.iter().for_each(|(word, weight)| *all.entry(word.clone()).or_default() += weight);
        }
        Ok(())
    }

    /// Counts what a sample chooses, each choice once however often it is there.
    pub fn add_once(&mut self, grammar: &Grammar, sample: &Derivation) {
        let mut chosen = Weights::new(grammar, self.context);
        chosen.add(grammar, sample);
        let once = |weight: &mut f64| *weight = 1.0;
        chosen.seen.values_mut().flat_map(BTreeMap::values_mut).for_each(once);
        chosen.words.values_mut().flat_map(BTreeMap::values_mut).for_each(once);
        self.merge(&chosen).expect("both are of one grammar");
    }

    /// Makes what samples that fail choose, and samples that pass do not, stand out; `failing` and `passing` count each choice of a
    /// sample once ([`Weights::add_once`]).
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
        for (question, outcomes) in &mut self.seen {
            lift(outcomes, failing.seen.get(question), passing.seen.get(question), all);
        }
        for (of, words) in &mut self.words {
            lift(words, failing.words.get(of), passing.words.get(of), all);
        }
        Ok(())
    }

    /// Whether others can be added.
    fn check_alike(&self, other: &Weights) -> Result<(), String> {
        if other.fingerprint != self.fingerprint {
            return Err(format!("of another grammar ({:016x}, not {:016x})", other.fingerprint, self.fingerprint));
        }
        if other.context != self.context {
            return Err(format!("learned with a context of {}, not {}", other.context, self.context));
        }
        Ok(())
    }

    /// Whether these are weights of a grammar.
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

    /// How many samples there were.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// How many of the nearest enclosing choices were learned with each.
    pub fn context(&self) -> usize {
        self.context
    }

    /// Expansions in a sample, on average: nodes of nonterminals, repetitions and names, those of layout too. At least 1.
    pub fn mean_expansions(&self) -> f64 {
        (self.expansions as f64 / self.samples.max(1) as f64).max(1.0)
    }

    /// Expansions for each byte of text.
    pub fn expansions_per_byte(&self) -> f64 {
        if self.expansions * self.bytes == 0 { 1.0 } else { self.expansions as f64 / self.bytes as f64 }
    }

    /// What was learned of a question; nothing if it was never asked.
    pub fn seen(&self, question: &Question) -> Option<&BTreeMap<u32, f64>> {
        self.seen.get(question)
    }
}

/// Multiplies weights by the suspiciousness of what they are of, `all` samples failing: see [`Weights::contrast`].
fn lift<K: Ord>(
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
