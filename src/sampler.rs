//! A chooser for generating: draws at random, by static weights, towards a target size.
//!
//! A budget of bytes is divided among the parts of a sequence and the elements of a repetition, at random; parts that cannot
//! grow keep what they need. What holds: with the same seed the same sentence; every alternative that can be completed has a
//! chance. Not promised: that the size is met, since a grammar may offer nothing near it.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::derive::{At, Case, Chooser};
use crate::grammar::{Class, Grammar, SymbolId};

/// One in this many choices is made without regard to the budget's wish to grow.
const FREE: u32 = 5;

/// Bytes that a sentence may be larger than its target for the sake of what does not fit otherwise: a comment, a long name.
const OVERDRAFT: f64 = 24.0;

/// One in this many tokens has layout before it that need not be.
const LAYOUT: u32 = 50;

/// Draws a sentence of about a given size.
#[derive(Debug)]
pub struct Sampler {
    rng: SmallRng,
    /// Bytes left to each open expansion, by depth.
    budgets: Vec<f64>,
    /// The share of the symbol that is being expanded.
    share: f64,
    target: f64,
    /// Bytes beyond the target that a sentence may still take, for the sake of what does not fit.
    overdraft: f64,
}

impl Sampler {
    /// A sampler for one sentence of about `size` bytes.
    pub fn new(seed: u64, size: f64) -> Sampler {
        Sampler { rng: SmallRng::seed_from_u64(seed), budgets: Vec::new(), share: size, target: size, overdraft: 0.0 }
    }

    /// Begins another sentence.
    pub fn restart(&mut self, size: f64) {
        self.budgets.clear();
        (self.share, self.target, self.overdraft) = (size, size, OVERDRAFT);
    }

    /// A size drawn log-uniformly from 1 to `most`.
    pub fn log_uniform(rng: &mut SmallRng, most: f64) -> f64 {
        rng.random_range(0.0..=most.max(1.0).ln()).exp()
    }

    /// This sampler's source of chance.
    pub fn rng(&mut self) -> &mut SmallRng {
        &mut self.rng
    }

    fn one_in(&mut self, count: u32) -> bool {
        self.rng.random_range(0..count) == 0
    }
}

/// How much of a budget a symbol may want: much if it can grow, else what it needs.
fn appetite(grammar: &Grammar, symbol: SymbolId) -> (f64, bool) {
    let symbol = &grammar[symbol];
    (f64::from(symbol.least.bytes), symbol.most > 64)
}

impl Chooser for Sampler {
    fn enter(&mut self, grammar: &Grammar, at: At) {
        let outer = match at.depth {
            0 => self.target,
            depth => self.budgets.get(depth - 1).copied().unwrap_or(0.0),
        };
        let (least, grows) = appetite(grammar, at.symbol);
        let most = f64::from(grammar[at.symbol].most);
        // What the parts after this one need, and how many of them can grow.
        let (mut needed, mut hungry) = (f64::from(at.again) * least, if grows { f64::from(at.again) } else { 0.0 });
        for child in at.later(grammar) {
            let (least, grows) = appetite(grammar, child.symbol);
            needed += least;
            let some = f64::from(grammar[child.symbol].most) > least;
            hungry += if grows { 1.0 } else { 0.25 * f64::from(u8::from(some)) };
        }
        let free = (outer - needed - least).max(0.0);
        self.share = match (grows, hungry > 0.0) {
            (false, _) => least + self.rng.random_range(0.0..=free.min(most - least).max(0.0)),
            (true, false) => least + free,
            // The first of k + 1 pieces of a stick broken at random.
            (true, true) => {
                let uniform: f64 = self.rng.random_range(0.0..1.0);
                least + free * (1.0 - uniform.powf(1.0 / hungry))
            }
        };
        if at.depth > 0 {
            if let Some(outer) = self.budgets.get_mut(at.depth - 1) {
                *outer -= self.share;
            }
        }
        self.budgets.truncate(at.depth);
        self.budgets.resize(at.depth, 0.0);
        self.budgets.push(self.share);
    }

    fn alternative(&mut self, grammar: &Grammar, symbol: SymbolId, _options: u32) -> u32 {
        let share = self.share;
        let alternatives = grammar.alternatives(symbol);
        let most = |at: usize| {
            let children = grammar.children(&alternatives[at]);
            children.iter().fold(0.0, |sum, child| sum + f64::from(grammar[child.symbol].most))
        };
        let wish = !self.one_in(FREE);
        let room = if wish { share } else { share + self.overdraft };
        let fits = |at: usize| f64::from(alternatives[at].least.bytes) <= room.max(1.0);
        let fills = |at: usize| !wish || most(at) >= share;
        let mut pass = |allowed: &dyn Fn(usize) -> bool| {
            let weight = |at: usize| if allowed(at) { alternatives[at].weight } else { 0.0 };
            let total: f64 = (0..alternatives.len()).map(weight).sum();
            let mut at = self.rng.random_range(0.0..1.0) * total;
            (total > 0.0).then(|| {
                let found = (0..alternatives.len()).filter(|&at| weight(at) > 0.0).find(|&index| {
                    at -= weight(index);
                    at < 0.0
                });
                found.or((0..alternatives.len()).rfind(|&at| weight(at) > 0.0)).unwrap_or(0) as u32
            })
        };
        let chosen = pass(&|at| fits(at) && fills(at)).or_else(|| pass(&fits)).unwrap_or(0);
        self.overdraft -= (f64::from(alternatives[chosen as usize].least.bytes) - share).max(0.0);
        chosen
    }

    fn count(&mut self, grammar: &Grammar, symbol: SymbolId, spread: u32) -> u32 {
        use crate::grammar::Kind;
        let (least, grows) = match &grammar[symbol].kind {
            Kind::Repeat { element, .. } => appetite(grammar, element.symbol),
            _ => (1.0, false),
        };
        if let Kind::Run { .. } = grammar[symbol].kind {
            let most = (self.share - f64::from(grammar[symbol].least.bytes)).clamp(0.0, f64::from(spread));
            return if self.one_in(FREE) { self.rng.random_range(0.0..=most).round() as u32 } else { most.round() as u32 };
        }
        let room = (self.share - f64::from(grammar[symbol].least.bytes)).max(0.0) / least.max(1.0);
        if room < 1.0 {
            return 0;
        }
        let most = room.min(f64::from(spread));
        if self.one_in(FREE) || spread == 1 && !grows {
            return self.rng.random_range(0.0..=most).round() as u32;
        }
        // Many small elements or few large ones, in a token mostly few; elements that cannot grow fill the budget by their number.
        let count = match &grammar[symbol].kind {
            _ if !grows => self.rng.random_range(0.0..=most),
            Kind::Repeat { items: false, .. } if !self.one_in(FREE) => self.rng.random_range(1.0..2.0),
            _ => Sampler::log_uniform(&mut self.rng, most),
        };
        count.round().min(most) as u32
    }

    fn member(&mut self, class: &Class) -> u32 {
        let plain = class.plain().min(class.count());
        if plain < class.count() && self.one_in(50) {
            return self.rng.random_range(plain..class.count());
        }
        self.rng.random_range(0..plain)
    }

    fn name(&mut self, names: u32) -> u32 {
        if self.one_in(20) {
            return self.rng.random_range(0..=names);
        }
        self.rng.random_range(0..names.min(8))
    }

    fn case(&mut self, letters: u32) -> Case {
        match self.rng.random_range(0..16) {
            0..=11 => Case::AsWritten,
            12 | 13 => Case::Lower,
            14 => Case::Upper,
            _ => Case::Mask(self.rng.random::<u64>() & (u64::MAX >> (64 - letters.min(64)))),
        }
    }

    fn layout(&mut self) -> u32 {
        if self.one_in(LAYOUT) { self.rng.random_range(1..=2) } else { 0 }
    }
}
