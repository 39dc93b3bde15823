//! Estimates which alternatives make sentences invalid.
//!
//! A grammar that was not made for the program under test has alternatives whose sentences are
//! nearly always invalid. A long sentence uses some of them. So half of the new subtrees are drawn
//! by weights that favour the other alternatives.
//!
//! The model is a noisy-or (Pearl, *Probabilistic Reasoning in Intelligent Systems*, 1988). Each
//! alternative has a *cost*, at least 0. A sentence is valid with probability exp(-c). Here c is
//! the sum of the costs of the alternatives that the sentence uses, each counted as often as it is
//! used. So if one alternative of an invalid sentence has a high cost, the costs of its other
//! alternatives grow little.
//!
//! Expectation maximization finds the costs with the maximum likelihood for the last new sentences.
//! Each sentence has a weight: the Fisher information of its outcome about c. A sentence that is
//! almost certainly invalid has almost no weight.

use crate::grammar::{Grammar, Kind, SymbolId};
use crate::parameters::Input;
use crate::sampler::ValidityWeights;

/// The number of sentences that are remembered.
const SENTENCES: usize = 1024;

/// The maximum number of different alternatives of a remembered sentence.
const PARTS: usize = 64;

/// The maximum cost of a remembered sentence.
const MAX_SENTENCE: f32 = 5.0;

/// The minimum and the maximum number of sentences between two updates. From the second update on,
/// the number doubles each time, because an update takes time in proportion to the size of the
/// grammar.
const WINDOWS: [u32; 2] = [256, 8192];

/// The number of steps of expectation maximization in an update.
const STEPS: usize = 10;

/// The cost of an alternative before it is used, and its limits.
const START: f32 = 0.01;
const MIN: f32 = 1e-4;
const MAX: f32 = 10.0;

/// The prior: each alternative has one more use than was observed, with this cost.
const PRIOR: f32 = 0.001;

/// The maximum number of passes over the grammar that find the minimum costs of its symbols.
const PASSES: usize = 32;

#[derive(Clone, Copy, Debug, Default)]
struct RememberedSentence {
    /// The number of different alternatives.
    parts: u32,
    is_valid: bool,
}

/// An alternative of a remembered sentence.
#[derive(Clone, Copy, Debug, Default)]
struct UsedAlternative {
    alternative: u32,
    uses: f32,
}

/// The estimated costs. Alternatives and symbols are those of [`Grammar::erased`].
#[derive(Debug, Default)]
pub struct ValidityModel {
    /// By alternative: its cost.
    costs: Vec<f32>,
    /// By alternative: how often it is used, in one sentence or in all sentences. All are 0 between
    /// two calls.
    uses: Vec<f32>,
    /// By alternative: the number of times that it is expected to have made a sentence invalid.
    blamed: Vec<f32>,
    /// By symbol: the minimum cost of a derivation.
    minimum: Vec<f32>,
    /// The different alternatives that the current sentence uses.
    used: Vec<u32>,
    outcomes: Vec<RememberedSentence>,
    /// For each remembered sentence, [`PARTS`] alternatives.
    parts: Vec<UsedAlternative>,
    /// The number of sentences that were ever remembered.
    remembered: usize,
    /// The number of sentences until the next update.
    left: u32,
    /// The number of sentences from the next update to the one after it.
    window: u32,
    /// Whether the model is turned off.
    pub is_off: bool,
}

impl ValidityModel {
    /// Returns the model before the first run.
    pub fn new(grammar: &Grammar) -> ValidityModel {
        let erased = grammar.erased();
        let count = erased.alternatives.len();
        ValidityModel {
            costs: vec![START; count],
            uses: vec![0.0; count],
            blamed: vec![0.0; count],
            minimum: vec![0.0; erased.symbols().len()],
            used: Vec::with_capacity(count),
            outcomes: vec![RememberedSentence::default(); SENTENCES],
            parts: vec![UsedAlternative::default(); SENTENCES * PARTS],
            left: WINDOWS[0],
            window: WINDOWS[0],
            ..ValidityModel::default()
        }
    }

    /// Learns from the run of a new sentence. Returns whether [`ValidityModel::update`] should be called.
    pub fn record(&mut self, grammar: &Grammar, input: &Input, is_valid: bool) -> bool {
        if self.is_off || !input.edits().is_empty() {
            return false;
        }
        self.used.clear();
        let mut cost = 0.0;
        for node in input.tree.derivation().nodes() {
            if let Kind::Nonterminal { .. } = grammar[node.symbol].kind {
                let at = grammar.erased_alternative(node.symbol, node.choice);
                if self.uses[at] == 0.0 {
                    self.used.push(at as u32);
                }
                self.uses[at] += 1.0;
                cost += self.costs[at];
            }
        }
        let is_remembered = self.used.len() <= PARTS && cost <= MAX_SENTENCE;
        if is_remembered {
            let slot = self.remembered % SENTENCES;
            self.outcomes[slot] = RememberedSentence {
                parts: self.used.len() as u32,
                is_valid,
            };
            for (part, &alternative) in self.parts[slot * PARTS..].iter_mut().zip(&self.used) {
                let uses = self.uses[alternative as usize];
                *part = UsedAlternative { alternative, uses };
            }
            self.remembered += 1;
            self.left = self.left.saturating_sub(1);
        }
        for &at in &self.used {
            self.uses[at as usize] = 0.0;
        }
        is_remembered && self.left == 0
    }

    /// Estimates the costs, and computes the weights of the sampler from them. If no remembered sentence
    /// was valid, the weights stay as they are: the target may not report validity.
    #[cold]
    pub fn update(&mut self, grammar: &Grammar, weights: &mut ValidityWeights) {
        let outcomes = &self.outcomes[..self.remembered.min(SENTENCES)];
        let has_valid = outcomes.iter().any(|outcome| outcome.is_valid);
        self.left = self.window;
        self.window = (2 * self.window).min(WINDOWS[1]);
        if !has_valid {
            return;
        }
        for _ in 0..STEPS {
            self.step();
        }
        self.uses.fill(0.0);
        self.find_minimum(grammar.erased());
        let minimum = |symbol: SymbolId| self.minimum[grammar.origin(symbol).0 as usize];
        for (number, symbol) in (0..).zip(grammar.symbols()) {
            let id = SymbolId(number);
            match &symbol.kind {
                Kind::Nonterminal { alternatives, .. } => {
                    for (index, at) in (0..).zip(alternatives.clone()) {
                        let erased = grammar.erased_alternative(id, index);
                        let cost = self.alternative_cost(grammar.erased(), erased);
                        weights.set_alternative(grammar, at, (minimum(id) - cost).exp());
                    }
                }
                Kind::Repeat { element, .. } => {
                    weights.set_element(grammar, id, minimum(element.symbol));
                }
                _ => {}
            }
        }
    }

    /// A step of expectation maximization.
    fn step(&mut self) {
        self.uses.fill(1.0);
        self.blamed.fill(PRIOR);
        let outcomes = &self.outcomes[..self.remembered.min(SENTENCES)];
        for (outcome, parts) in outcomes.iter().zip(self.parts.chunks(PARTS)) {
            let parts = &parts[..outcome.parts as usize];
            let cost = |part: &UsedAlternative| self.costs[part.alternative as usize] * part.uses;
            let cost: f32 = parts.iter().map(cost).sum();
            let information = (1.0 / cost.exp_m1().max(MIN)).min(1.0);
            // The probability that one use made this invalid sentence invalid is about the cost of
            // the use times the factor.
            let factor = match outcome.is_valid {
                true => 0.0,
                false => 1.0 / (-(-cost).exp_m1()).max(MIN),
            };
            for part in parts {
                let (at, uses) = (part.alternative as usize, information * part.uses);
                self.uses[at] += uses;
                self.blamed[at] += uses * self.costs[at] * factor;
            }
        }
        for ((cost, uses), blamed) in self.costs.iter_mut().zip(&self.uses).zip(&self.blamed) {
            // Squaring the ratio of the new and the old cost takes two steps at once.
            let ratio = blamed / uses / *cost;
            *cost = (*cost * ratio * ratio).clamp(MIN, MAX);
        }
    }

    fn find_minimum(&mut self, erased: &Grammar) {
        self.minimum.fill(f32::INFINITY);
        for _ in 0..PASSES {
            let mut has_changed = false;
            for number in 0..self.minimum.len() {
                let cost = self.symbol_cost(erased, SymbolId(number as u32));
                has_changed |= cost < self.minimum[number];
                self.minimum[number] = cost;
            }
            if !has_changed {
                break;
            }
        }
    }

    /// Returns the minimum cost of a derivation of a symbol, computed from the minimum costs of
    /// other symbols that are known so far.
    fn symbol_cost(&self, erased: &Grammar, symbol: SymbolId) -> f32 {
        let minimum = |symbol: SymbolId| self.minimum[symbol.0 as usize];
        match &erased[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => alternatives
                .clone()
                .map(|at| self.alternative_cost(erased, at as usize))
                .fold(f32::INFINITY, f32::min),
            Kind::Repeat {
                element, at_least, ..
            } if *at_least > 0 => *at_least as f32 * minimum(element.symbol),
            Kind::Lexeme { body, .. } => minimum(*body),
            _ => 0.0,
        }
    }

    /// Returns the minimum cost of an alternative with its children.
    fn alternative_cost(&self, erased: &Grammar, at: usize) -> f32 {
        let children = erased.children(&erased.alternatives[at]).iter();
        let below = children.map(|child| self.minimum[child.symbol.0 as usize]);
        self.costs[at] + below.sum::<f32>()
    }
}

#[cfg(test)]
mod tests {
    use crate::grammar::Grammar;
    use crate::mutate::Mutator;
    use crate::validity::RunFeedback;

    const SOURCE: &[u8] =
        br#"all = item{1,20} ; item = "a" | "(" item* ")" | "x" twice | "y" ; twice = "2" item | "3" item ;"#;

    /// Returns the share of valid sentences of the last 1,000 of 10,000, and the share of those with `x`.
    fn shares(is_valid: impl Fn(&[u8]) -> bool, is_on: bool) -> [f64; 2] {
        let grammar = Grammar::read("items.ebnf", SOURCE).unwrap();
        let mut mutator = Mutator::new(&grammar).only("generate-middle").unwrap();
        if !is_on {
            mutator = mutator.without_validity_model();
        }
        let mut counts = [0.0; 2];
        for seed in 0..10_000 {
            let input = mutator.mutate(&[0], 400, seed).to_vec();
            let text = grammar.decode(&input);
            let valid = is_valid(&text);
            mutator.record_run(&input, RunFeedback::new(text.len(), valid, false));
            if seed >= 9_000 {
                counts[0] += f64::from(valid) / 1_000.0;
                counts[1] += f64::from(text.contains(&b'x')) / 1_000.0;
            }
        }
        counts
    }

    #[test]
    fn alternatives_of_invalid_sentences_are_drawn_rarely_but_not_never() {
        let is_valid = |text: &[u8]| !text.contains(&b'x');
        let ([before, _], [after, with]) = (shares(is_valid, false), shares(is_valid, true));
        assert!(before < 0.4 && after > before + 0.2, "{before}, {after}");
        assert!(with > 0.2, "{with}");
    }

    #[test]
    fn without_valid_or_without_invalid_sentences_nothing_changes() {
        for is_valid in [|_: &[u8]| false, |_: &[u8]| true] {
            let ([_, before], [_, after]) = (shares(is_valid, false), shares(is_valid, true));
            assert!((before - after).abs() < 0.1, "{before}, {after}");
        }
    }
}
