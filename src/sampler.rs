//! A choice source for generating: draws at random, by static weights, towards a target size.
//!
//! Every open expansion has a byte of the text at which it should end. Its parts divide the bytes up to there at random. Bytes
//! that a part does not use pass on to later parts; a part after which nothing could take the rest is made to fill it.
//!
//! Guarantees: the same seed gives the same sentence. Every alternative that fits has a chance, by its weight unless there is a
//! rest to fill. The number of expansions is limited in proportion to the size: when it is reached, every open expansion is
//! completed in the simplest way.
//!
//! Not guaranteed: that a sentence has the size that was asked for. A grammar may derive nothing near it.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::derive::{At, Case, ChoiceSource, Workspace};
use crate::grammar::{Child, Class, Grammar, Kind, SymbolId};
use crate::parameters::{Settings, Tree, derive_tree};
use crate::uninstrumented::uninstrumented;

/// One in this many counts is drawn from all that fit.
const EVEN: u32 = 5;

/// What derives at most this many bytes does not count as growing.
const SMALL: f64 = 64.0;

/// The most bytes of what has no part in the plan: a name that is spelled out, and half as many for a piece of layout.
const EXTRA: f64 = 32.0;

/// Bytes that elements which grow have on average, beyond their least; without, most would be the least there is.
const GROWTH: f64 = 8.0;

/// The part of its size by which a sentence may be too short: the less, the more it is made of what happens to be long.
const SLACK: f64 = 0.3;

/// One in this many tokens has layout before it that need not be.
const LAYOUT: u32 = 100;

/// The most expansions for a sentence of a size, by byte. The grammars that come with zester take a third of it at most.
/// Beyond, every choice is the simplest: otherwise `s = f f f f ; f = "x" s | ;` grows to the caps, whatever the size.
const EXPANSIONS: f64 = 24.0;

/// The bytes by which a size counts as larger when its most expansions are taken, for what is expanded even for nothing.
const AT_LEAST: f64 = 10.0;

/// What is planned for an open expansion.
#[derive(Clone, Copy, Debug)]
struct SizePlan {
    /// Where in the text it should end.
    end: f64,
    /// Whether nothing after it could take what it leaves.
    fills: bool,
}

/// The bytes that a symbol may take, and how much it counts when bytes are divided: 1 if it grows, 0 if it has one size.
#[derive(Clone, Copy, Debug)]
struct Extent {
    min: f64,
    max: f64,
    weight: f64,
}

/// Draws a sentence of about a given size.
#[derive(Debug)]
pub struct Sampler {
    rng: SmallRng,
    /// What is planned for the whole sentence and then for every open expansion, by depth.
    plans: Vec<SizePlan>,
    /// The bytes planned for the symbol that is being expanded, and whether it is to fill them.
    share: f64,
    fills: bool,
    /// Bytes that a token of this sentence may grow to.
    token: f64,
    /// Bytes by which this sentence may be too short.
    slack: f64,
    /// Expansions that this sentence may still have.
    expansions: u64,
}

impl Sampler {
    /// A sampler for one sentence of about `size` bytes.
    pub fn new(seed: u64, size: f64) -> Sampler {
        let rng = SmallRng::seed_from_u64(seed);
        let mut sampler = Sampler { rng, plans: Vec::new(), share: 0.0, fills: true, token: 0.0, slack: 0.0, expansions: 0 };
        sampler.restart(size);
        sampler
    }

    /// Begins another sentence.
    pub fn restart(&mut self, size: f64) {
        self.plans.clear();
        self.plans.push(SizePlan { end: size, fills: true });
        self.slack = SLACK * size;
        self.expansions = (EXPANSIONS * (size + AT_LEAST)) as u64;
        self.token = SMALL.max(Sampler::log_uniform(&mut self.rng, size));
    }

    /// Chance comes from this seed from here on.
    pub fn reseed(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    /// A size drawn log-uniformly from 1 to `most`.
    pub fn log_uniform(rng: &mut SmallRng, max: f64) -> f64 {
        rng.random_range(0.0..=max.max(1.0).ln()).exp()
    }

    /// This sampler's source of chance.
    pub fn rng(&mut self) -> &mut SmallRng {
        &mut self.rng
    }

    fn one_in(&mut self, count: u32) -> bool {
        self.rng.random_range(0..count) == 0
    }

    fn extent(&self, grammar: &Grammar, symbol: SymbolId) -> Extent {
        let symbol = &grammar[symbol];
        let (min, max) = (f64::from(symbol.min_bytes), f64::from(symbol.max_bytes));
        let is_token = matches!(symbol.kind, Kind::Lexeme { .. });
        let max = if is_token { max.min(self.token).max(min) } else { max };
        let weight = if max <= min {
            0.0
        } else if is_token || max <= SMALL {
            0.25
        } else {
            1.0
        };
        Extent { min, max, weight }
    }

    /// Gives a symbol that can grow its share of what the expansion around it has left.
    fn divide(&mut self, grammar: &Grammar, at: &At, own: Extent, outer: SizePlan) {
        let again = f64::from(at.again);
        let mut later = Extent { min: again * own.min, max: again * own.max, weight: again * own.weight };
        for child in at.later(grammar) {
            let Extent { min, max, weight } = self.extent(grammar, child.symbol);
            later.min += min;
            later.max += max;
            later.weight += weight;
        }
        let free = (outer.end - at.written as f64 - later.min - own.min).max(0.0);
        self.fills = outer.fills && later.max - later.min + self.slack < free;
        let max = free.min(own.max - own.min);
        self.share += match &grammar[at.symbol].kind {
            _ if self.fills => free,
            Kind::Lexeme { .. } => Sampler::log_uniform(&mut self.rng, max + 1.0) - 1.0,
            Kind::Nonterminal { .. } | Kind::Repeat { .. } if own.weight < 1.0 => max,
            _ if own.weight < 1.0 => self.rng.random_range(0.0..=max),
            // The first of k + 1 pieces of a stick broken at random.
            _ if later.weight > 0.0 => free * (1.0 - self.rng.random_range(0.0_f64..1.0).powf(1.0 / later.weight)),
            _ => free,
        };
    }
}

uninstrumented! {
    /// Derives from a symbol by a sampler, and encodes the derivation.
    pub(crate) fn sample(
        grammar: &Grammar,
        settings: &Settings,
        symbol: SymbolId,
        sampler: &mut Sampler,
        workspace: &mut Workspace,
        tree: &mut Tree,
    ) {
        derive_tree(grammar, settings, symbol, sampler, workspace, tree);
    }
}

impl ChoiceSource for Sampler {
    uninstrumented! { sampler:
        fn enter(&mut self, grammar: &Grammar, at: At) {
            let written = at.written as f64;
            self.expansions = self.expansions.saturating_sub(1);
            while self.plans.len() <= at.depth {
                // A piece of layout: what is around it was not entered.
                let end = written + Sampler::log_uniform(&mut self.rng, EXTRA / 2.0);
                self.plans.push(SizePlan { end, fills: false });
            }
            self.plans.truncate(at.depth + 1);
            let outer = self.plans[at.depth];
            let own = self.extent(grammar, at.symbol);
            (self.share, self.fills) = (own.min, false);
            if own.weight > 0.0 {
                self.divide(grammar, &at, own, outer);
            }
            self.plans.push(SizePlan { end: written + self.share, fills: self.fills });
        }

        fn alternative(&mut self, grammar: &Grammar, symbol: SymbolId, _options: u32) -> u32 {
            if self.expansions == 0 {
                return 0;
            }
            let room = self.share.max(1.0);
            let (mut chosen, mut best, mut total) = (0, 0, 0.0);
            for (index, alternative) in (0..).zip(grammar.alternatives(symbol)) {
                if f64::from(alternative.min_bytes) > room {
                    continue;
                }
                let max = |child: &Child| self.extent(grammar, child.symbol).max;
                let rank = u8::from(!self.fills || grammar.children(alternative).iter().map(max).sum::<f64>() >= room);
                if rank > best {
                    (best, total) = (rank, 0.0);
                }
                if rank == best {
                    total += alternative.weight;
                    if self.rng.random_range(0.0..total) < alternative.weight {
                        chosen = index;
                    }
                }
            }
            chosen
        }

        fn count(&mut self, grammar: &Grammar, symbol: SymbolId, spread: u32) -> u32 {
            if self.expansions == 0 {
                return 0;
            }
            let room = (self.share - f64::from(grammar[symbol].min_bytes)).max(0.0);
            let even = self.one_in(EVEN);
            let Kind::Repeat { element, items, .. } = &grammar[symbol].kind else {
                let max = room.min(f64::from(spread));
                return if even && !self.fills { self.rng.random_range(0.0..=max) } else { max }.round() as u32;
            };
            let element = self.extent(grammar, element.symbol);
            let max = (room / element.min.max(1.0)).min(f64::from(spread));
            if max < 1.0 {
                return 0;
            }
            let min = if !self.fills { 0.0 } else { (room / element.max).clamp(1.0, max) };
            // Many small elements or few large ones, in a token mostly few; elements that cannot grow make it up by their number.
            let few = max.min(2.0);
            let count = if element.weight < 1.0 || spread == 1 {
                self.rng.random_range(min..=max)
            } else if even {
                Sampler::log_uniform(&mut self.rng, max)
            } else if *items {
                Sampler::log_uniform(&mut self.rng, (room / (element.min + GROWTH)).clamp(few, max))
            } else {
                self.rng.random_range(1.0..=few)
            };
            count.round() as u32
        }

        fn member(&mut self, _symbol: SymbolId, class: &Class) -> u32 {
            let plain = class.plain().min(class.count());
            if plain < class.count() && self.one_in(50) {
                return self.rng.random_range(plain..class.count());
            }
            self.rng.random_range(0..plain)
        }

        fn name(&mut self, _symbol: SymbolId, names: u32) -> u32 {
            let name = if self.one_in(20) { self.rng.random_range(0..=names) } else { self.rng.random_range(0..names.min(8)) };
            if let (Some(plan), true) = (self.plans.last_mut(), name == names) {
                plan.end += Sampler::log_uniform(&mut self.rng, EXTRA);
            }
            name
        }

        fn case(&mut self, _symbol: SymbolId, letters: u32) -> Case {
            match self.rng.random_range(0..16) {
                0..=11 => Case::AsWritten,
                12 | 13 => Case::Lower,
                14 => Case::Upper,
                _ => Case::Mask(self.rng.random::<u64>() & (u64::MAX >> (64 - letters.min(64)))),
            }
        }

        fn layout(&mut self, _symbol: SymbolId) -> u32 {
            if self.one_in(LAYOUT) { self.rng.random_range(1..=2) } else { 0 }
        }
    }
}
