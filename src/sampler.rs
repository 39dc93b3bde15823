//! The sampler: a choice source that draws random sentences of about a given size.
//!
//! An expansion is *open* until all its children are expanded. Every open expansion has a target:
//! the byte offset in the text at which it should end. Its children divide the bytes up to the
//! target at random. Bytes that a child does not use pass on to its later siblings. If no later
//! sibling can use them, the child must fill them all.
//!
//! # Guarantees
//!
//! * Equal seeds give equal sentences.
//! * Alternatives are drawn by the weights in the grammar. Every alternative with a weight above 0
//!   whose minimum size fits can be drawn, except where a child must fill its bytes.
//! * The number of expansions is limited in proportion to the size. When the limit is reached,
//!   every open expansion is completed with the simplest choices.
//!
//! # Not guaranteed
//!
//! A sentence may have another size than the requested one, because a grammar may have no sentence
//! near that size.

mod validity;
mod words;

use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};

pub use self::validity::ValidityWeights;
use self::words::{SampledWords, WordReplay};
use crate::derive::{AlternativesInScope, At, Case, ChoiceSource, DerivationGoal, Workspace};
use crate::grammar::{Alternative, Child, Class, Grammar, Kind, Symbol, SymbolId};
use crate::parameters::{Tree, derive_tree};
use crate::uninstrumented::uninstrumented;

/// One in this many numbers of elements is drawn from the whole range of possible numbers.
const WIDE_COUNTS: u32 = 5;

/// A symbol that derives at most this number of bytes gets a small weight when bytes are divided.
const SMALL: f64 = 64.0;

/// The maximum number of bytes that are added to the plan for a name that is spelled out. For a
/// layout token, the maximum is half of this.
const UNPLANNED: f64 = 32.0;

/// The average number of bytes of an element beyond its minimum size, for elements that can grow.
/// Without it, most elements would have the minimum size.
const GROWTH: f64 = 8.0;

/// The fraction of the requested size by which a sentence may be too short. With a smaller value,
/// children must fill their bytes more often, so sentences more often consist of long symbols.
const SLACK: f64 = 0.3;

/// The factor of the weight of an alternative that cannot fill its bytes although it must. It is
/// used only if alternatives are drawn by the validity of their sentences. Otherwise such an
/// alternative is drawn only if no alternative fills the bytes.
const SHORT: f64 = 0.02;

/// One in this many names in a grammar with names is written without regard to scopes.
const UNDECLARED: u32 = 1_000;

/// The values of a call of a rule with arguments are alternatives. If there are at least this
/// many, the sampler first tries some of them at random.
const MANY: usize = 16;

/// The number of values of a call that are tried.
const TRIES: u32 = 12;

/// One in this many tokens gets layout tokens before it.
const LAYOUT: u32 = 100;

/// The maximum number of expansions for each byte of the requested size. After that, every choice
/// is the simplest one.
///
/// The grammars that come with zester need at most a third of this number. The limit bounds the
/// nodes of a sentence in which many expansions derive no text.
const EXPANSIONS: f64 = 24.0;

/// A number of bytes that is added to the requested size before it is multiplied by [`EXPANSIONS`],
/// because short sentences need expansions, too.
const EXTRA_BYTES: f64 = 10.0;

/// The plan for an open expansion.
#[derive(Clone, Copy, Debug)]
struct SizePlan {
    /// The byte offset in the text at which the expansion should end.
    end: f64,
    /// Whether the expansion must use all its bytes, because no later symbol can use the rest.
    must_fill: bool,
}

/// The minimum and maximum number of bytes of a symbol, and its weight when bytes are divided among
/// siblings. The weight is 1 if the symbol can grow much, 0 if it has a fixed size, and otherwise
/// 0.25.
#[derive(Clone, Copy, Debug)]
struct Extent {
    min: f64,
    max: f64,
    weight: f64,
}

/// A choice source that draws random sentences of about a given size.
///
/// # Examples
///
/// ```
/// use zester::{Bounds, Caps, Derivation, Grammar, derive::{DerivationGoal, Workspace, derive}, sampler::Sampler};
///
/// let source = br#"list = "[" ( item ( "," item )* )? "]" ; item = list | [0-9]+ ;"#;
/// let grammar = Grammar::read("lists.ebnf", source).unwrap();
/// let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
/// let mut sampler = Sampler::new(1, 100.0);
/// let mut sample = |size| {
///     sampler.restart(size);
///     let (bounds, caps) = (Bounds::UNBOUNDED, Caps::default());
///     let goal = DerivationGoal::start(&grammar, &bounds, &caps);
///     derive(goal, &mut sampler, &mut workspace, &mut derivation);
///     derivation.text().len()
/// };
/// let lengths: Vec<usize> = (0..100).map(|_| sample(100.0)).collect();
/// assert!((80..120).contains(&(lengths.iter().sum::<usize>() / 100)), "{lengths:?}");
/// ```
#[derive(Debug)]
pub struct Sampler {
    rng: SmallRng,
    /// The plan for the whole sentence, then the plans for the open expansions, the outermost
    /// first.
    plans: Vec<SizePlan>,
    /// The number of bytes that are planned for the symbol that is being expanded.
    planned: f64,
    /// The minimum number of bytes of the symbol that is being expanded.
    min: f64,
    /// The minimum number of bytes of an element, if the symbol that is being expanded is a
    /// repetition.
    element_min: u32,
    /// Whether the expansion must use all its bytes, because no later symbol can use the rest.
    must_fill: bool,
    /// The maximum number of bytes of a token of this sentence.
    max_token: f64,
    /// The number of bytes by which this sentence may be too short.
    slack: f64,
    /// The number of expansions that are left for this sentence. Afterwards every choice is the
    /// simplest one.
    expansions: u64,
    /// The probability that a nonterminal gets its minimum size: the leaf probability of Bonsai
    /// fuzzing.
    pub(crate) leaf_probability: f64,
    /// The alternatives that are not drawn if others fit, as indices in [`Grammar::erased`].
    pub(crate) avoided: Vec<u32>,
    /// Weights that favour alternatives whose sentences are often valid.
    pub(crate) validity: ValidityWeights,
    /// The words that can be drawn for tokens.
    pub words: SampledWords,
    /// The word of the current token, if one was drawn.
    word: WordReplay,
}

impl Sampler {
    /// Returns a sampler for one sentence of about `size` bytes. Call [`Sampler::restart`] before
    /// each further sentence.
    pub fn new(seed: u64, size: f64) -> Sampler {
        let rng = SmallRng::seed_from_u64(seed);
        let mut sampler = Sampler {
            rng,
            plans: Vec::new(),
            planned: 0.0,
            min: 0.0,
            element_min: 0,
            must_fill: true,
            max_token: 0.0,
            slack: 0.0,
            expansions: 0,
            leaf_probability: 0.0,
            avoided: Vec::new(),
            validity: ValidityWeights::default(),
            words: SampledWords::default(),
            word: WordReplay::default(),
        };
        sampler.restart(size);
        sampler
    }

    /// Begins another sentence of about `size` bytes.
    pub fn restart(&mut self, size: f64) {
        self.plans.clear();
        self.plans.push(SizePlan {
            end: size,
            must_fill: true,
        });
        self.slack = SLACK * size;
        self.expansions = (EXPANSIONS * (size + EXTRA_BYTES)) as u64;
        self.max_token = SMALL.max(Sampler::log_uniform(&mut self.rng, size));
    }

    /// Restarts the random number generator with a seed.
    pub fn reseed(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    /// Draws a size from 1 to `max`, log-uniformly: a size between 1 and 10 is as likely as one
    /// between 10 and 100.
    #[inline(always)]
    pub fn log_uniform(rng: &mut SmallRng, max: f64) -> f64 {
        (Sampler::fraction(rng) * max.max(1.0).ln()).exp()
    }

    /// Draws a number from 0 to 1, without 1. Takes fewer instructions than `random_range`.
    #[inline(always)]
    fn fraction(rng: &mut SmallRng) -> f64 {
        // The numbers from 1 to 2 have the same exponent.
        f64::from_bits(1.0_f64.to_bits() | (rng.next_u64() >> 12)) - 1.0
    }

    /// Draws a number less than `count`, which must not be 0. The probabilities of two numbers differ
    /// by at most 2^-32. Takes fewer instructions than `random_range`.
    #[inline(always)]
    fn below(rng: &mut SmallRng, count: u32) -> u32 {
        ((u64::from(rng.next_u32()) * u64::from(count)) >> 32) as u32
    }

    /// Rounds a number that is not negative to the nearest integer.
    #[inline(always)]
    fn round(number: f64) -> u32 {
        (number + 0.5) as u32
    }

    /// Returns the random number generator of the sampler.
    pub fn rng(&mut self) -> &mut SmallRng {
        &mut self.rng
    }

    /// Returns true with a probability of one in `count`.
    #[inline(always)]
    fn one_in(&mut self, count: u32) -> bool {
        Sampler::below(&mut self.rng, count) == 0
    }

    /// Returns the extent of a symbol in this sentence, which has at least `min_bytes` bytes.
    #[inline(always)]
    fn extent(&self, symbol: &Symbol, min_bytes: u32) -> Extent {
        let (min, max) = (f64::from(min_bytes), f64::from(symbol.max_bytes));
        let is_token = matches!(symbol.kind, Kind::Lexeme { .. });
        let max = if is_token {
            max.min(self.max_token).max(min)
        } else {
            max
        };
        let weight = if max <= min {
            0.0
        } else if is_token || max <= SMALL {
            0.25
        } else {
            1.0
        };
        Extent { min, max, weight }
    }

    /// Plans the bytes of a symbol that can grow: a random share of the bytes that are left in the
    /// expansion around it.
    #[inline(always)]
    fn divide(
        &mut self,
        grammar: &Grammar,
        (at, symbol): (&At<'_>, &Symbol),
        own: Extent,
        outer: SizePlan,
    ) {
        let again = f64::from(at.again);
        let mut later = Extent {
            min: again * own.min,
            max: again * own.max,
            weight: again * own.weight,
        };
        for child in at.later(grammar) {
            let symbol = &grammar[child.symbol];
            let min_bytes = at.min_bytes(child.symbol, symbol);
            let Extent { min, max, weight } = self.extent(symbol, min_bytes);
            later.min += min;
            later.max += max;
            later.weight += weight;
        }
        let free = (outer.end - f64::from(at.written as u32) - later.min - own.min).max(0.0);
        self.must_fill = outer.must_fill && later.max - later.min + self.slack < free;
        let max = free.min(own.max - own.min);
        self.planned += match symbol.kind {
            _ if self.must_fill => free,
            Kind::Lexeme { .. } => Sampler::log_uniform(&mut self.rng, max + 1.0) - 1.0,
            Kind::Nonterminal { .. } | Kind::Repeat { .. } if own.weight < 1.0 => max,
            _ if own.weight < 1.0 => Sampler::fraction(&mut self.rng) * max,
            // The length of the first part of a stick that is broken at k random points, where k is
            // the weight of the later siblings.
            _ if later.weight > 0.0 => {
                let fraction = Sampler::fraction(&mut self.rng);
                free * (1.0 - root(fraction, later.weight))
            }
            _ => free,
        };
    }

    /// Draws an alternative of a nonterminal that fits into the planned bytes. It also fills them
    /// if the expansion must. `bytes` returns the minimum size of an alternative in bytes.
    #[inline(always)]
    fn fitting(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        bytes: impl Fn(u32, &Alternative) -> u32,
        is_allowed: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let room = self.planned;
        let must_fill = self.must_fill;
        let avoided = std::mem::take(&mut self.avoided);
        let is_avoided = |index: u32| {
            !avoided.is_empty()
                && avoided.contains(&(grammar.erased_alternative(symbol, index) as u32))
        };
        let fits = |index: u32, alternative: &Alternative| {
            // A fraction of a byte counts as a whole byte. If 0 bytes are planned, only an empty
            // alternative fits.
            f64::from(bytes(index, alternative)) < room + 1.0
                && is_allowed(index)
                && !is_avoided(index)
        };
        let fills = |sampler: &Sampler, alternative: &Alternative| {
            let max = |child: &Child| {
                let symbol = &grammar[child.symbol];
                sampler.extent(symbol, symbol.min_bytes).max
            };
            !must_fill || grammar.children(alternative).iter().map(max).sum::<f64>() >= room
        };
        let alternatives = grammar.alternatives(symbol);
        let first = match &grammar[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => alternatives.start,
            _ => 0,
        };
        let squarings = self.validity.squarings;
        if alternatives.len() >= MANY && grammar.is_call(symbol) {
            // All values of a call have the same weight, so it suffices to try some.
            for _ in 0..TRIES {
                let index = Sampler::below(&mut self.rng, alternatives.len() as u32);
                let alternative = &alternatives[index as usize];
                let is_drawn = squarings.is_none_or(|squarings| {
                    let factor = self.validity.factor(squarings, first + index);
                    Sampler::fraction(&mut self.rng) < factor
                });
                if fits(index, alternative) && fills(self, alternative) && is_drawn {
                    self.avoided = avoided;
                    return Some(index);
                }
            }
        }
        let (mut chosen, mut best, mut total) = (None, 1, 0.0);
        for (index, alternative) in (0..).zip(alternatives) {
            if alternative.weight == 0.0 || !fits(index, alternative) {
                continue;
            }
            let fills = fills(self, alternative);
            let mut weight = alternative.weight;
            let rank = match squarings {
                Some(squarings) => {
                    weight *= self.validity.factor(squarings, first + index);
                    weight *= if fills { 1.0 } else { SHORT };
                    1
                }
                None => 1 + u8::from(fills),
            };
            if rank < best {
                continue;
            }
            if rank > best {
                (best, total) = (rank, 0.0);
            }
            total += weight;
            if Sampler::fraction(&mut self.rng) * total < weight {
                chosen = Some(index);
            }
        }
        self.avoided = avoided;
        chosen
    }
}

/// Returns a number to the power of 1 / `degree`. The most frequent degrees need no `powf`.
#[inline(always)]
fn root(number: f64, degree: f64) -> f64 {
    let squared = number * number;
    if degree == 1.0 {
        number
    } else if degree == 0.25 {
        squared * squared
    } else if degree == 0.5 {
        squared
    } else if degree == 2.0 {
        number.sqrt()
    } else {
        number.powf(1.0 / degree)
    }
}

uninstrumented! {
    /// Derives a sentence with a sampler, and encodes it. `tree` is overwritten.
    pub(crate) fn sample(
        goal: DerivationGoal<'_>,
        sampler: &mut Sampler,
        workspace: &mut Workspace,
        tree: &mut Tree,
    ) {
        match goal.grammar.has_names() {
            false => derive_tree::<_, false>(goal, sampler, workspace, tree),
            true => sample_with_names(goal, sampler, workspace, tree),
        }
    }
}

uninstrumented! {
    /// Does the work of [`sample`] for a grammar with names.
    fn sample_with_names(
        goal: DerivationGoal<'_>,
        sampler: &mut Sampler,
        workspace: &mut Workspace,
        tree: &mut Tree,
    ) {
        derive_tree::<_, true>(goal, sampler, workspace, tree);
    }
}

impl ChoiceSource for Sampler {
    #[inline(always)]
    fn enter(&mut self, grammar: &Grammar, at: At<'_>) {
        let symbol = &grammar[at.symbol];
        if let Kind::Lexeme { .. } = symbol.kind {
            self.word.end();
        }
        if let Some(word) = self.words.draw(&mut self.rng, at.symbol) {
            self.word.begin(word);
        }
        let written = f64::from(at.written as u32);
        self.expansions = self.expansions.saturating_sub(1);
        while self.plans.len() <= at.depth {
            // The symbol is in a layout token. The expander does not call `enter` for layout
            // tokens, so the plan is made here.
            let end = written + Sampler::log_uniform(&mut self.rng, UNPLANNED / 2.0);
            self.plans.push(SizePlan {
                end,
                must_fill: false,
            });
        }
        self.plans.truncate(at.depth + 1);
        let outer = self.plans[at.depth];
        let own = self.extent(symbol, at.min_bytes(at.symbol, symbol));
        self.min = own.min;
        if let Kind::Repeat { element, .. } = symbol.kind {
            self.element_min = at.min_bytes(element.symbol, &grammar[element.symbol]);
        }
        (self.planned, self.must_fill) = (own.min, false);
        let is_leaf = self.leaf_probability > 0.0
            && matches!(symbol.kind, Kind::Nonterminal { .. })
            && self.rng.random_bool(self.leaf_probability);
        if own.weight > 0.0 && !is_leaf {
            self.divide(grammar, (&at, symbol), own, outer);
        }
        self.plans.push(SizePlan {
            end: written + self.planned,
            must_fill: self.must_fill,
        });
    }

    #[inline(always)]
    fn alternative(&mut self, grammar: &Grammar, symbol: SymbolId, options: u32) -> u32 {
        if let Some(chosen) = self
            .word
            .choose(|word| word.alternative(grammar, symbol, options))
        {
            return chosen;
        }
        if self.expansions == 0 {
            return 0;
        }
        let bytes = |_: u32, alternative: &Alternative| alternative.min_bytes;
        let fitting = self.fitting(grammar, symbol, bytes, |_| true);
        fitting.unwrap_or_else(|| {
            let of = |alternative: &Alternative| (alternative.weight == 0.0, alternative.min_bytes);
            (0..)
                .zip(grammar.alternatives(symbol))
                .min_by_key(|(_, alternative)| of(alternative))
                .map_or(0, |(index, _)| index)
        })
    }

    #[inline(always)]
    fn alternative_in_scope(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        options: u32,
        in_scope: &AlternativesInScope<'_>,
    ) -> u32 {
        if let Some(chosen) = self
            .word
            .choose(|word| word.alternative(grammar, symbol, options))
        {
            return chosen;
        }
        let smallest = || {
            let of = |(index, alternative): &(u32, &Alternative)| {
                let size = in_scope.size(*index);
                (
                    !size.is_finite(),
                    alternative.weight == 0.0,
                    size,
                    alternative.minimum,
                )
            };
            (0..)
                .zip(grammar.alternatives(symbol))
                .min_by_key(of)
                .map_or(0, |(index, _)| index)
        };
        if self.expansions == 0 {
            return smallest();
        }
        let bytes = |index: u32, _: &Alternative| in_scope.size(index).bytes;
        let fitting = self.fitting(grammar, symbol, bytes, |index| {
            in_scope.has_free_names(index)
        });
        fitting.unwrap_or_else(smallest)
    }

    #[inline(always)]
    fn count(&mut self, grammar: &Grammar, symbol: SymbolId, spread: u32) -> u32 {
        if let Some(chosen) = self.word.choose(|word| word.count(grammar, symbol, spread)) {
            return chosen;
        }
        if self.expansions == 0 {
            return 0;
        }
        let room = (self.planned - self.min).max(0.0);
        let is_wide = self.one_in(WIDE_COUNTS);
        let Kind::Repeat { element, items, .. } = &grammar[symbol].kind else {
            let max = room.min(f64::from(spread));
            return Sampler::round(if is_wide && !self.must_fill {
                Sampler::fraction(&mut self.rng) * max
            } else {
                max
            });
        };
        let element = self.extent(&grammar[element.symbol], self.element_min);
        let max = (room / element.min.max(1.0))
            .min(f64::from(spread))
            .min(self.validity.max_elements(&mut self.rng, symbol));
        if max < 1.0 {
            return 0;
        }
        let min = if !self.must_fill {
            0.0
        } else {
            (room / element.max).max(1.0).min(max)
        };
        // A repetition has either many small elements or few large ones. In a token it mostly has
        // few. If elements cannot grow, their number is drawn from the whole range.
        let few = max.min(2.0);
        let count = if element.weight < 1.0 || spread == 1 {
            min + Sampler::fraction(&mut self.rng) * (max - min)
        } else if is_wide {
            Sampler::log_uniform(&mut self.rng, max)
        } else if *items {
            Sampler::log_uniform(
                &mut self.rng,
                (room / (element.min + GROWTH)).clamp(few, max),
            )
        } else {
            1.0 + Sampler::fraction(&mut self.rng) * (few - 1.0)
        };
        Sampler::round(count)
    }

    #[inline(always)]
    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32 {
        if let Some(chosen) = self.word.choose(|word| word.member(symbol, class)) {
            return chosen;
        }
        let plain = class.plain().min(class.count());
        if plain < class.count() && self.one_in(50) {
            return plain + Sampler::below(&mut self.rng, class.count() - plain);
        }
        Sampler::below(&mut self.rng, plain)
    }

    #[inline(always)]
    fn name(&mut self, symbol: SymbolId, names: u32) -> u32 {
        if let Some(chosen) = self.word.choose(|word| word.name(symbol, names)) {
            return chosen;
        }
        let name = if self.one_in(20) {
            Sampler::below(&mut self.rng, names + 1)
        } else {
            Sampler::below(&mut self.rng, names.min(8))
        };
        if let (Some(plan), true) = (self.plans.last_mut(), name == names) {
            plan.end += Sampler::log_uniform(&mut self.rng, UNPLANNED);
        }
        name
    }

    #[inline(always)]
    fn name_in_scope(&mut self, symbol: SymbolId, names: u32) -> u32 {
        if let Some(chosen) = self.word.choose(|word| word.name_in_scope(symbol, names)) {
            return chosen;
        }
        // A name that is spelled out is undeclared in a use. In a declaration, it may equal another
        // declared name.
        if self.one_in(UNDECLARED) {
            names + Sampler::below(&mut self.rng, names + 1)
        } else {
            Sampler::below(&mut self.rng, names)
        }
    }

    #[inline(always)]
    fn wants_free_names(&self) -> bool {
        true
    }

    #[inline(always)]
    fn case(&mut self, symbol: SymbolId, letters: u32) -> Case {
        if let Some(chosen) = self.word.choose(|word| word.case(symbol, letters)) {
            return chosen;
        }
        match Sampler::below(&mut self.rng, 16) {
            0..=11 => Case::AsWritten,
            12 | 13 => Case::Lower,
            14 => Case::Upper,
            _ => Case::Mask(self.rng.random::<u64>() & (u64::MAX >> (64 - letters.min(64)))),
        }
    }

    #[inline(always)]
    fn layout(&mut self, _symbol: SymbolId) -> u32 {
        // Layout tokens would read the word's parameters.
        if self.word.is_done() && self.one_in(LAYOUT) {
            1 + Sampler::below(&mut self.rng, 2)
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{Bounds, Caps};
    use crate::notation;

    /// Returns the numbers of bytes and nodes of sampled sentences.
    fn samples(source: &str, size: f64, count: usize) -> Vec<(usize, usize)> {
        let (grammar, _) = notation::read("test", source.as_bytes(), &Caps::default()).unwrap();
        let (mut sampler, mut workspace, mut tree) =
            (Sampler::new(1, size), Workspace::default(), Tree::default());
        let mut draw = || {
            sampler.restart(size);
            let (bounds, caps) = (Bounds::default(), Caps::default());
            let goal = DerivationGoal::start(&grammar, &bounds, &caps);
            sample(goal, &mut sampler, &mut workspace, &mut tree);
            (
                tree.derivation().text().len(),
                tree.derivation().nodes().len(),
            )
        };
        (0..count).map(|_| draw()).collect()
    }

    /// In these grammars, a derivation of any number of nodes can have a short text. So the size in
    /// bytes does not limit the number of nodes.
    #[test]
    fn nullable_recursion_is_limited_in_proportion_to_the_size() {
        let sources = [
            r#"s = f f f f ; f = "x" s | ;"#,
            r#"s = f f f f f f f f ; f = "x" s | "y" s | ;"#,
            r#"s = t t t t ; t = u u ; u = "(" s ")" | ;"#,
        ];
        for source in sources {
            for size in [1.0, 10.0, 100.0, 1_000.0] {
                for (bytes, nodes) in samples(source, size, 200) {
                    // The last open expansions may exceed the limit of expansions, but sampled
                    // sentences stay far below it.
                    let max = EXPANSIONS * (size + EXTRA_BYTES);
                    assert!(
                        nodes as f64 <= max,
                        "{source}: {nodes} nodes and {bytes} bytes for a size of {size}"
                    );
                }
            }
        }
    }
}
