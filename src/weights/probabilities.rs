//! Probabilities of a grammar's choices, made of weights: tables to draw from, and what ends a sentence soonest.
//!
//! Where context was learned, the counts of a context are mixed with the probabilities of the next shorter one, the more so the
//! fewer they are and the more outcomes they are of (Witten and Bell, "The zero-frequency problem", 1991): with *n* counts of *t*
//! outcomes, *p = (count + t q) / (n + t)*. Without context, a probability is a count over all counts. Of *n* tokens of *t* texts,
//! the next is by the same estimate one of those with the probability *n / (n + t)*; else it is spelled.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::grow::{Answer, is_asked};
use super::question::{Aspect, Enclosing, Question, Spelled, aspect, class, counts, members, universe};
use super::{FORBIDDEN, Transform, Weights};
use crate::derivation::Derivation;
use crate::grammar::{Grammar, Kind, SymbolId};
use crate::parse::Matcher;

/// Names that a terminal of which no name was seen takes.
const NAMES: u32 = 8;

/// Counts of a repetition that was never seen: below this.
const COUNTS: u32 = 3;

/// What ends a sentence soonest costs: choices that the weights give no probability in the upper half of the word, expansions in
/// the lower.
pub(super) type Cost = u64;
const NEVER: Cost = u64::MAX;
const AVOIDED: Cost = 1 << 32;

/// The sum of probabilities up to a word, and where its answers stand.
type Word = (f64, Range<u32>);

/// See the module's text.
#[derive(Clone, Debug)]
pub struct Probabilities {
    context: usize,
    expansions_per_byte: f64,
    mean_expansions: f64,
    /// Where a symbol's outcomes stand: of its first question, and of its characters.
    plain: Vec<[Range<u32>; 2]>,
    /// The same in a context, by hash.
    within: HashMap<u64, Range<u32>>,
    /// Outcomes that have a probability, each with the sum up to it.
    outcomes: Vec<(u32, f64)>,
    /// Of each alternative of the grammar, what it takes to end it.
    pub(super) costs: Vec<Cost>,
    /// Tokens of samples, by what they are words of: the sum of probabilities up to each, and its answers. What is left to 1 is of
    /// tokens that samples do not have.
    words: HashMap<Spelled, Vec<Word>>,
    pub(super) answers: Vec<Answer>,
    pub(super) members: Vec<u32>,
    /// Rules that the weights alone never end.
    endless: Vec<SymbolId>,
}

impl Probabilities {
    /// What a transform makes of weights.
    ///
    /// # Errors
    /// That the weights are of another grammar, or forbid every finite derivation; or that the transform is out of range.
    pub fn new(grammar: &Grammar, weights: &Weights, transform: Transform) -> Result<Probabilities, String> {
        weights.check(grammar)?;
        if !transform.power.is_finite() || !(0.0..=1.0).contains(&transform.damping) {
            return Err("the power must be a finite number, the damping one from 0 to 1".into());
        }
        let mut table = Probabilities {
            context: weights.context,
            expansions_per_byte: weights.expansions_per_byte(),
            mean_expansions: weights.mean_expansions(),
            plain: vec![[0..0, 0..0]; grammar.symbols().len()],
            within: HashMap::new(),
            outcomes: Vec::new(),
            costs: Vec::new(),
            words: HashMap::new(),
            answers: Vec::new(),
            members: Vec::new(),
            endless: Vec::new(),
        };
        let forbidden = |symbol: SymbolId, alternative: u32| {
            let question = Question { symbol, aspect: Aspect::Alternative, context: [].into() };
            weights.seen.get(&question).and_then(|outcomes| outcomes.get(&alternative)) == Some(&FORBIDDEN)
        };
        // What can end at all, whatever its probability.
        let (costs, symbols) = costs(grammar, |symbol, alternative| if forbidden(symbol, alternative) { NEVER } else { 0 });
        if symbols[grammar.start().0 as usize] == NEVER {
            let endless = (0..).map(SymbolId).zip(&symbols).filter(|&(symbol, cost)| {
                *cost == NEVER && (0..grammar.alternatives(symbol).len() as u32).any(|at| forbidden(symbol, at))
            });
            let named: Vec<&str> = endless.map(|(symbol, _)| grammar.label(symbol)).take(5).collect();
            return Err(format!("these weights forbid every finite derivation; look at {}", named.join(", ")));
        }
        table.costs = costs;
        table.fill(grammar, weights, transform);
        table.learn_words(grammar, weights, transform);
        // Among what can end, what the weights want.
        let (costs, symbols) = self::costs(grammar, |symbol, alternative| {
            if table.costs[first(grammar, symbol) + alternative as usize] == NEVER {
                return NEVER;
            }
            if table.probability(symbol, Aspect::Alternative, alternative) > 0.0 { 0 } else { AVOIDED }
        });
        table.costs = costs;
        let ends_badly = |symbol: &SymbolId| symbols[symbol.0 as usize] >= AVOIDED && symbols[symbol.0 as usize] != NEVER;
        table.endless = (0..symbols.len() as u32).map(SymbolId).filter(ends_badly).collect();
        Ok(table)
    }

    /// Expansions for each byte of a sample's text.
    pub fn expansions_per_byte(&self) -> f64 {
        self.expansions_per_byte
    }

    /// Expansions in a sample, on average.
    pub fn mean_expansions(&self) -> f64 {
        self.mean_expansions
    }

    /// Symbols that outcomes with a probability above 0 never end; sentences end there by others.
    pub fn endless(&self) -> &[SymbolId] {
        &self.endless
    }

    /// The probability of an outcome, whatever is around.
    pub fn probability(&self, symbol: SymbolId, aspect: Aspect, outcome: u32) -> f64 {
        if aspect == Aspect::Alternative && self.plain[symbol.0 as usize][0].is_empty() {
            return 1.0;
        }
        let range = &self.plain[symbol.0 as usize][usize::from(aspect == Aspect::Member)];
        let outcomes = &self.outcomes[range.start as usize..range.end as usize];
        let before = |at: usize| at.checked_sub(1).map_or(0.0, |at| outcomes[at].1);
        outcomes.binary_search_by_key(&outcome, |(outcome, _)| *outcome).map_or(0.0, |at| outcomes[at].1 - before(at))
    }

    /// Makes the tables of all questions.
    fn fill(&mut self, grammar: &Grammar, weights: &Weights, transform: Transform) {
        // In the order of their contexts' lengths, so that shorter ones are there.
        let mut questions: Vec<(&Question, &BTreeMap<u32, f64>)> = weights.seen.iter().collect();
        questions.sort_by_key(|(question, _)| question.context.len());
        let mut known: HashMap<Question, Vec<f64>> = HashMap::new();
        for (question, outcomes) in questions {
            let &Question { symbol, aspect, ref context } = question;
            let shorter = context.split_last().map(|(_, shorter)| Question { symbol, aspect, context: shorter.into() });
            let shorter = shorter.and_then(|shorter| known.get(&shorter));
            let universe = match shorter {
                Some(shorter) => (0..shorter.len() as u32).collect(),
                None => universe(grammar, symbol, aspect, outcomes),
            };
            let of = |outcome: u32| outcomes.get(&outcome).map_or(0.0, |weight| weight.max(0.0));
            let total: f64 = universe.iter().map(|&outcome| of(outcome)).sum();
            let seen = universe.iter().filter(|&&outcome| of(outcome) > 0.0).count() as f64;
            let even = 1.0 / universe.len() as f64;
            let probabilities: Vec<f64> = universe
                .iter()
                .map(|&outcome| match shorter {
                    // Only members are not numbered from 0 on, and they have no context.
                    Some(shorter) => (of(outcome) + seen * shorter[outcome as usize]) / (total + seen).max(f64::MIN_POSITIVE),
                    None if total == 0.0 => even,
                    None => (1.0 - transform.damping) * of(outcome) / total + transform.damping * even,
                })
                .collect();
            let range = self.add(grammar, symbol, aspect, &universe, probabilities.clone(), transform.power);
            if context.is_empty() {
                self.plain[symbol.0 as usize][usize::from(aspect == Aspect::Member)] = range;
            } else {
                self.within.insert(hash(symbol, context.iter().copied()), range);
            }
            known.insert(question.clone(), probabilities);
        }
        for symbol in (0..grammar.symbols().len() as u32).map(SymbolId) {
            let aspects = [aspect(&grammar[symbol].kind), class(grammar, symbol).map(|_| Aspect::Member)];
            for aspect in aspects.into_iter().flatten() {
                if self.plain[symbol.0 as usize][usize::from(aspect == Aspect::Member)].is_empty() {
                    let probabilities = unseen(grammar, symbol, aspect);
                    let universe: Vec<u32> = (0..probabilities.len() as u32).collect();
                    let range = self.add(grammar, symbol, aspect, &universe, probabilities, 1.0);
                    self.plain[symbol.0 as usize][usize::from(aspect == Aspect::Member)] = range;
                }
            }
        }
    }

    /// Adds the outcomes of a question, raised to a power; where they stand.
    fn add(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        aspect: Aspect,
        universe: &[u32],
        mut probabilities: Vec<f64>,
        power: f64,
    ) -> Range<u32> {
        let first = first(grammar, symbol);
        let allowed = |outcome: usize| aspect != Aspect::Alternative || self.costs[first + outcome] != NEVER;
        let is_never = |(outcome, probability): (usize, &f64)| *probability == 0.0 && allowed(outcome);
        let some_never = probabilities.iter().enumerate().any(is_never);
        for (outcome, probability) in probabilities.iter_mut().enumerate() {
            *probability = match power {
                _ if !allowed(outcome) => 0.0,
                power if power < 0.0 && some_never => f64::from(*probability == 0.0),
                power => probability.powf(power),
            };
        }
        if !probabilities.iter().any(|probability| *probability > 0.0) {
            probabilities.iter_mut().enumerate().for_each(|(outcome, probability)| *probability = f64::from(allowed(outcome)));
        }
        // Powers of small numbers may be beyond all numbers.
        let greatest = probabilities.iter().copied().fold(0.0, f64::max).min(f64::MAX);
        let total: f64 =
            probabilities.iter().map(|probability| probability.min(f64::MAX) / greatest.max(f64::MIN_POSITIVE)).sum();
        let (from, mut sum) = (self.outcomes.len() as u32, 0.0);
        for (&outcome, probability) in universe.iter().zip(probabilities) {
            if probability > 0.0 {
                sum += probability.min(f64::MAX) / greatest / total;
                self.outcomes.push((outcome, sum));
            }
        }
        from..self.outcomes.len() as u32
    }

    /// Takes the words of samples; of the opposite of the samples there are none.
    fn learn_words(&mut self, grammar: &Grammar, weights: &Weights, transform: Transform) {
        if transform.power <= 0.0 {
            return;
        }
        let (mut matcher, mut derivation) = (Matcher::default(), Derivation::default());
        for (&of, words) in &weights.words {
            let (mut entries, mut sum) = (Vec::new(), 0.0);
            for (word, &weight) in words {
                if weight > 0.0 && matcher.read(grammar, of.0, word, &mut derivation).is_ok() {
                    let from = self.answers.len() as u32;
                    self.read_word(grammar, &derivation);
                    sum += weight.powf(transform.power).min(f64::MAX / 1e6);
                    entries.push((sum, from..self.answers.len() as u32));
                }
            }
            if sum > 0.0 {
                let seen: f64 = words.values().filter(|weight| **weight > 0.0).sum();
                let share = seen / (seen + entries.len() as f64) * (1.0 - transform.damping);
                entries.iter_mut().for_each(|(entry, _)| *entry *= share / sum);
                self.words.insert(of, entries);
            }
        }
    }

    /// Keeps the answers that make a word.
    fn read_word(&mut self, grammar: &Grammar, word: &Derivation) {
        let mut around: Vec<usize> = Vec::new();
        for (at, node) in word.nodes.iter().enumerate() {
            while around.pop_if(|end| *end <= at).is_some() {}
            let from = self.members.len() as u32;
            if let Kind::Run { class, .. } = &grammar[node.symbol].kind {
                let text = &word.text[word.text_range(at)];
                members(&grammar[*class], text, |member| self.members.push(member));
            }
            let choice = match &grammar[node.symbol].kind {
                Kind::Repeat { at_least, .. } | Kind::Run { at_least, .. } => node.choice - at_least,
                _ => node.choice,
            };
            let members = from..self.members.len() as u32;
            if is_asked(grammar, node.symbol) {
                self.answers.push(Answer { symbol: node.symbol, level: around.len() as u32, choice, members });
            }
            around.push(at + node.size as usize);
        }
    }

    /// The answers of a token that samples have, by its first choice; none if it is to be one that they do not have.
    #[inline(always)]
    pub(super) fn word(&self, of: Spelled, rng: &mut SmallRng) -> Option<Range<u32>> {
        let words = self.words.get(&of)?;
        let drawn = rng.random_range(0.0..1.0);
        words.get(words.partition_point(|(sum, _)| *sum <= drawn)).map(|(_, answers)| answers.clone())
    }

    /// Draws an outcome where these choices are around, the nearest first.
    #[inline(always)]
    pub(super) fn draw(
        &self,
        symbol: SymbolId,
        aspect: Aspect,
        around: impl Iterator<Item = Enclosing> + Clone,
        rng: &mut SmallRng,
    ) -> u32 {
        let outcomes = self.outcomes(symbol, aspect, around);
        let Some(&(last, total)) = outcomes.last() else { return 0 };
        let drawn = rng.random_range(0.0..total);
        outcomes.get(outcomes.partition_point(|(_, sum)| *sum <= drawn)).map_or(last, |&(outcome, _)| outcome)
    }

    /// Draws one of the alternatives that end soonest.
    #[inline(always)]
    pub(super) fn draw_least(
        &self,
        grammar: &Grammar,
        symbol: SymbolId,
        around: impl Iterator<Item = Enclosing> + Clone,
        rng: &mut SmallRng,
    ) -> u32 {
        let first = first(grammar, symbol);
        let costs = &self.costs[first..first + grammar.alternatives(symbol).len()];
        let least = costs.iter().copied().min().unwrap_or(0);
        let (mut chosen, mut total, mut before) = (None, 0.0, 0.0);
        for &(outcome, sum) in self.outcomes(symbol, Aspect::Alternative, around) {
            let probability = sum - before;
            before = sum;
            // One that is beside a much more probable one may be lost in their sum.
            if costs[outcome as usize] == least && probability > 0.0 {
                total += probability;
                if rng.random_range(0.0..total) < probability {
                    chosen = Some(outcome);
                }
            }
        }
        chosen.unwrap_or_else(|| {
            let count = costs.iter().filter(|cost| **cost == least).count().max(1);
            let drawn = rng.random_range(0..count);
            (0..).zip(costs).filter(|(_, cost)| **cost == least).nth(drawn).map_or(0, |(outcome, _)| outcome)
        })
    }

    /// Draws a count of an outcome that is at most `spread`.
    #[inline(always)]
    pub(super) fn draw_count(outcome: u32, spread: u32, rng: &mut SmallRng) -> u32 {
        let (least, most) = counts(outcome);
        rng.random_range(least.min(spread)..=most.min(spread))
    }

    /// How many enclosing choices it looks at.
    #[inline(always)]
    pub(crate) fn context(&self) -> usize {
        self.context
    }

    /// The outcomes of a question in the longest context that is known.
    #[inline(always)]
    fn outcomes(&self, symbol: SymbolId, aspect: Aspect, around: impl Iterator<Item = Enclosing> + Clone) -> &[(u32, f64)] {
        let mut range = &self.plain[symbol.0 as usize][usize::from(aspect == Aspect::Member)];
        if self.context > 0 && super::has_context(aspect) {
            for length in 1..=self.context {
                let Some(longer) = self.within.get(&hash(symbol, around.clone().take(length))) else { break };
                range = longer;
            }
        }
        &self.outcomes[range.start as usize..range.end as usize]
    }
}

/// A symbol with what is around it, as a number.
#[inline(always)]
fn hash(symbol: SymbolId, around: impl Iterator<Item = Enclosing>) -> u64 {
    let mix = |hash: u64, number: u32| (hash ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    around.fold(mix(1, symbol.0), |hash, (symbol, choice)| mix(mix(hash, symbol.0), choice + 1))
}

/// Where the alternatives of a nonterminal begin.
#[inline(always)]
fn first(grammar: &Grammar, symbol: SymbolId) -> usize {
    match &grammar[symbol].kind {
        Kind::Nonterminal { alternatives, .. } => alternatives.start as usize,
        _ => 0,
    }
}

/// What a question that was never asked is answered: any alternative, by the grammar's own weights, and what is plain elsewhere.
fn unseen(grammar: &Grammar, symbol: SymbolId, aspect: Aspect) -> Vec<f64> {
    let plain = match aspect {
        Aspect::Alternative => {
            let weights: Vec<f64> = grammar.alternatives(symbol).iter().map(|alternative| alternative.weight).collect();
            let total: f64 = weights.iter().sum();
            return weights.into_iter().map(|weight| weight / total).collect();
        }
        Aspect::Count => (universe(grammar, symbol, aspect, &[(COUNTS, 1.0)].into()).len() as u32).min(COUNTS),
        Aspect::Member => class(grammar, symbol).map_or(1, |class| class.plain().min(class.count())),
        Aspect::Name => (universe(grammar, symbol, aspect, &BTreeMap::new()).len() as u32 - 1).clamp(1, NAMES),
        Aspect::Case | Aspect::Layout => 1,
    };
    vec![1.0 / f64::from(plain); plain as usize]
}

/// What it takes to end each alternative, and each symbol, given what each alternative costs by itself.
fn costs(grammar: &Grammar, own: impl Fn(SymbolId, u32) -> Cost) -> (Vec<Cost>, Vec<Cost>) {
    let mut alternatives = vec![NEVER; grammar.alternatives.len()];
    let mut symbols = vec![NEVER; grammar.symbols().len()];
    let mut changed = true;
    while changed {
        changed = false;
        // Parts mostly stand behind what they are part of.
        for symbol in (0..symbols.len() as u32).rev().map(SymbolId) {
            let of = |part: SymbolId| symbols[part.0 as usize];
            let cost = match &grammar[symbol].kind {
                Kind::Nonterminal { .. } => {
                    let first = first(grammar, symbol);
                    for (at, alternative) in (0..).zip(grammar.alternatives(symbol)) {
                        let parts = grammar.children(alternative).iter().map(|child| of(child.symbol));
                        alternatives[first + at as usize] = parts.fold(own(symbol, at).saturating_add(1), u64::saturating_add);
                    }
                    let all = &alternatives[first..first + grammar.alternatives(symbol).len()];
                    all.iter().copied().min().unwrap_or(NEVER)
                }
                Kind::Repeat { at_least: 0, .. } | Kind::Identifier { .. } => 1,
                Kind::Repeat { element, at_least, .. } => of(element.symbol).saturating_mul((*at_least).into()).saturating_add(1),
                Kind::Lexeme { body, .. } => of(*body),
                _ => 0,
            };
            if cost < symbols[symbol.0 as usize] {
                symbols[symbol.0 as usize] = cost;
                changed = true;
            }
        }
    }
    (alternatives, symbols)
}
