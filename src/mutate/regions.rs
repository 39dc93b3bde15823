//! Mutation of the bytes that a random generator reads, by its draws and regions (see
//! [`crate::generator`]).
//!
//! The generator runs on the parent. The [`Trace`] of this run shows which bytes belong together.
//! The bytes after a replaced region are read by the same draws as before, unless these draws
//! depend on the value of the region.

use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};

use super::burst::geometric;
use super::campaign::Campaign;
use super::hash::hash;
use super::native::native;
use super::schedule::Schedule;
use super::{CROSSOVERS, Mutation, Native, OperatorCounts, fix_up};
use crate::error::Error;
use crate::generator::{Region, Trace};
use crate::parameters::Settings;
use crate::validity::RunFeedback;

/// The mean number of bursts, and the mean number of draws of a burst. Zest's mean of 8 bursts is
/// meant for inputs of thousands of bytes.
const MEANS: [f64; 2] = [2.0, 1.5];

/// The number of regions that are remembered for other inputs.
const POOL: usize = 1 << 12;

/// The maximum number of bytes of a region that is remembered.
const MAX_POOLED: usize = 1 << 10;

/// The maximum number of random bytes that a new value reads.
const MAX_FRESH: usize = 1 << 10;

/// The maximum number of operators that are tried for one mutant.
const TRIES: u32 = 16;

/// A mutation operator. It writes the mutant to the output and returns `false` if it cannot change
/// the parent.
type Operate = fn(&mut RegionMutator, &mut Draft<'_>) -> bool;

/// All operators: the name, the share at the start of a campaign, and the function. `generate` and
/// `native` find little that the others do not find, so they are rare.
const OPERATORS: [(&str, u32, Operate); 8] = [
    ("burst", 16, burst),
    ("regenerate", 8, regenerate),
    ("splice", 8, splice),
    ("reuse", 4, reuse),
    ("hoist", 4, hoist),
    ("elements", 4, elements),
    ("generate", 1, generate),
    ("native", 1, bytes),
];

/// A function that generates a value from bytes and drops it.
pub type Make = fn(&[u8]);

/// The arguments of one mutation.
struct Draft<'a> {
    rng: SmallRng,
    max_size: usize,
    native: Native<'a>,
}

/// The bytes of a region of an input that the engine kept.
#[derive(Debug, Default)]
struct Donor {
    key: u64,
    bytes: Vec<u8>,
}

/// A mutator of the bytes that a random generator reads.
///
/// # Guarantees
///
/// * The result is at most `max_size` bytes long. If `max_size` is not 0, the result is not empty
///   and differs from the input.
/// * The result depends only on the arguments, and on the calls before.
#[derive(Debug)]
pub struct RegionMutator {
    make: Make,
    campaign: Campaign,
    schedule: Schedule<{ OPERATORS.len() }>,
    parent: Trace,
    /// The second input of a crossover, or a run on random bytes.
    other: Trace,
    /// Donors, as a ring.
    pool: Vec<Donor>,
    next: usize,
    output: Vec<u8>,
    /// The parent up to a region, and new bytes for it.
    head: Vec<u8>,
    /// The operator of the last result, if its run has not been recorded.
    last: Option<usize>,
    candidates: Vec<usize>,
}

impl RegionMutator {
    /// Returns a mutator for the generator that `make` runs.
    pub fn new(make: Make) -> RegionMutator {
        RegionMutator {
            make,
            campaign: Campaign::new(None),
            schedule: Schedule::new(OPERATORS.map(|(_, share, _)| share)),
            parent: Trace::default(),
            other: Trace::default(),
            pool: Vec::new(),
            next: 0,
            output: Vec::new(),
            head: Vec::new(),
            last: None,
            candidates: Vec::new(),
        }
    }

    /// Returns the names of all operators.
    pub fn operators() -> impl Iterator<Item = &'static str> {
        OPERATORS.iter().map(|(name, ..)| *name)
    }

    /// Restricts the mutator to operators with these names, separated by commas. If each name begins
    /// with `-`, all other operators remain.
    ///
    /// # Errors
    /// If a name is unknown, or no operator remains. The message about an unknown name lists all
    /// names.
    pub fn only(mut self, names: &str) -> Result<RegionMutator, Error> {
        let shares = OPERATORS.map(|(_, share, _)| share);
        self.schedule
            .restrict_to(names, OPERATORS.map(|(name, ..)| name), shares)?;
        Ok(self)
    }

    /// Fixes the shares of the operators, so that they do not adapt to what the operators find.
    #[must_use]
    pub fn fixed_shares(mut self) -> RegionMutator {
        self.schedule.adapts = false;
        self
    }

    /// Mutates every input that the engine passes, even if its run was invalid.
    #[must_use]
    pub fn any_parents(mut self) -> RegionMutator {
        self.campaign.parents.avoids_invalid = false;
        self
    }

    /// Returns the counts of each operator since the last call, in the order of
    /// [`RegionMutator::operators`].
    pub fn take_counts(&mut self) -> impl Iterator<Item = OperatorCounts> {
        self.campaign
            .take_counts()
            .into_iter()
            .take(OPERATORS.len())
    }

    /// Adds the regions of an input that the engine kept to the pool. Does nothing if the input is
    /// the last result, which the engine may not have kept. An input that was learned before is
    /// only remembered as a parent.
    pub fn learn(&mut self, input: &[u8]) {
        if input == self.output {
            return;
        }
        self.campaign.remember_parent(input);
        if !self.campaign.is_new(input) {
            return;
        }
        self.campaign.count_kept(input);
        self.parent.record(input, None, input.len(), self.make);
        for region in &self.parent.regions {
            let bytes = &self.parent.bytes[region.start..region.end];
            if bytes.len() > MAX_POOLED {
                continue;
            }
            if self.pool.len() < POOL {
                self.pool.push(Donor::default());
            }
            let donor = &mut self.pool[self.next];
            donor.key = region.key;
            donor.bytes.clear();
            donor.bytes.extend_from_slice(bytes);
            self.next = (self.next + 1) % POOL;
        }
    }

    /// Records the outcome of running an input.
    pub fn record_run(&mut self, input: &[u8], outcome: RunFeedback) {
        if let Some(operator) = self.last.take_if(|_| input == self.output) {
            self.schedule.record(operator, outcome);
        }
        self.campaign.record_run(input, outcome);
    }

    /// Mutates an input. If its run was invalid, a valid input may be mutated instead.
    pub fn mutate(
        &mut self,
        input: &[u8],
        max_size: usize,
        seed: u32,
        native: Native<'_>,
    ) -> &[u8] {
        let rng = SmallRng::seed_from_u64(seed.into());
        self.mutate_by(
            &mut Draft {
                rng,
                max_size,
                native,
            },
            input,
        )
    }

    /// Replaces a region of the first input by one of the second, or mutates the first input, as
    /// libFuzzer's crossover hook needs it.
    pub fn cross_over(
        &mut self,
        inputs: [&[u8]; 2],
        max_size: usize,
        seed: u32,
        native: Native<'_>,
    ) -> &[u8] {
        let mut rng = SmallRng::seed_from_u64(seed.into());
        let crosses = rng.random_range(0..100) < CROSSOVERS;
        let mut draft = Draft {
            rng,
            max_size,
            native,
        };
        let [first, second] = inputs;
        if crosses {
            self.parent.record(first, None, max_size, self.make);
            self.other.record(second, None, max_size, self.make);
            self.last = None;
            if self.exchange(&mut draft) && self.output.len() <= max_size {
                return self.finish(&mut draft, first);
            }
        }
        self.mutate_by(&mut draft, first)
    }

    fn mutate_by(&mut self, draft: &mut Draft<'_>, input: &[u8]) -> &[u8] {
        let is_kept = !self.campaign.was_invalid(input) || input.len() > draft.max_size;
        let parents = &mut self.campaign.parents;
        let parent = parents
            .choose(&mut draft.rng, is_kept, draft.max_size)
            .unwrap_or(input);
        self.parent.record(parent, None, draft.max_size, self.make);
        self.last = None;
        for _ in 0..TRIES {
            let operator = self.schedule.draw(&mut draft.rng);
            self.campaign.count_try(operator);
            if OPERATORS[operator].2(self, draft)
                && self.output.len() <= draft.max_size
                && self.output != self.parent.bytes
            {
                self.last = Some(operator);
                break;
            }
        }
        self.finish(draft, input);
        if let Some(operator) = self.last {
            self.campaign.record_result(&self.output, operator);
        }
        &self.output
    }

    fn finish(&mut self, draft: &mut Draft<'_>, input: &[u8]) -> &[u8] {
        fix_up(&mut self.output, input, draft.max_size, &mut draft.rng);
        &self.output
    }

    /// Draws a region of the parent at random: half of the time the larger one of two, because most
    /// regions are small.
    fn region(&self, rng: &mut SmallRng) -> Option<Region> {
        let regions = &self.parent.regions;
        let mut any = || {
            let at = rng.random_range(0..regions.len());
            (regions[at], rng.random_bool(0.5))
        };
        if regions.is_empty() {
            return None;
        }
        let ((one, prefers_larger), (other, _)) = (any(), any());
        let size = |region: Region| region.end - region.start;
        match prefers_larger && size(other) > size(one) {
            true => Some(other),
            false => Some(one),
        }
    }

    /// Writes the parent to the output, with `bytes` in place of a region. Returns whether the
    /// bytes differ from those of the region.
    fn replace(output: &mut Vec<u8>, parent: &[u8], region: Region, bytes: &[u8]) -> bool {
        output.clear();
        output.extend_from_slice(&parent[..region.start]);
        output.extend_from_slice(bytes);
        output.extend_from_slice(&parent[region.end..]);
        bytes != &parent[region.start..region.end]
    }

    /// Draws one of the regions in a trace that satisfy a condition.
    fn choose(
        candidates: &mut Vec<usize>,
        rng: &mut SmallRng,
        trace: &Trace,
        fits: impl Fn(Region) -> bool,
    ) -> Option<Region> {
        candidates.clear();
        candidates.extend((0..trace.regions.len()).filter(|&at| fits(trace.regions[at])));
        let count = candidates.len();
        (count > 0).then(|| trace.regions[candidates[rng.random_range(0..count)]])
    }

    /// Copies the bytes before a region to `head`. The caller appends new bytes for the region.
    fn start(&mut self, region: Region) -> &mut Vec<u8> {
        self.head.clear();
        let before = &self.parent.bytes[..region.start];
        self.head.extend_from_slice(before);
        &mut self.head
    }

    /// Draws a region of the parent at random, and copies the bytes before it to `head`.
    fn start_any(&mut self, rng: &mut SmallRng) -> Option<Region> {
        let region = self.region(rng)?;
        self.start(region);
        Some(region)
    }

    /// Runs the generator on `head` and random bytes after it. Replaces the region of the parent by
    /// the bytes that the code of the region reads in this run. The code may read more or fewer
    /// bytes than the caller appended, for example because the depth of recursion has a limit. The
    /// code after the region still reads the same bytes as before.
    fn graft(&mut self, draft: &mut Draft<'_>, region: Region) -> bool {
        let RegionMutator {
            parent,
            other,
            output,
            head,
            make,
            ..
        } = self;
        let limit = draft.max_size.min(head.len() + MAX_FRESH);
        other.record(head, Some(draft.rng.random()), limit, *make);
        // The same code draws at the start of the region, because it has read the same bytes
        // before.
        let is_new = |new: &&Region| new.start == region.start && new.key == region.key;
        let Some(new) = other.regions.iter().find(is_new) else {
            return false;
        };
        Self::replace(
            output,
            &parent.bytes,
            region,
            &other.bytes[new.start..new.end],
        )
    }

    /// Replaces a region of the parent by one of the other trace with the same key.
    fn exchange(&mut self, draft: &mut Draft<'_>) -> bool {
        for _ in 0..TRIES {
            let Some(region) = self.region(&mut draft.rng) else {
                return false;
            };
            let RegionMutator {
                other, candidates, ..
            } = self;
            let from = Self::choose(candidates, &mut draft.rng, other, |other| {
                other.key == region.key
            });
            if let Some(from) = from {
                let other = std::mem::take(&mut self.other);
                self.start(region)
                    .extend_from_slice(&other.bytes[from.start..from.end]);
                self.other = other;
                return self.graft(draft, region);
            }
        }
        false
    }
}

/// Replaces whole draws at random positions by random bytes. This is Zest's mutation
/// (`ZestGuidance.LinearInput.fuzz` in JQF) with bursts that begin and end at a draw.
fn burst(mutator: &mut RegionMutator, draft: &mut Draft<'_>) -> bool {
    let RegionMutator { parent, output, .. } = mutator;
    let rng = &mut draft.rng;
    output.clone_from(&parent.bytes);
    let draws = parent.draws.len();
    if draws == 0 {
        return false;
    }
    for _ in 0..geometric(rng, MEANS[0]) {
        let from = rng.random_range(0..draws);
        let last = (from + geometric(rng, MEANS[1])).min(draws) - 1;
        rng.fill_bytes(&mut output[parent.draws[from]..parent.end(last)]);
    }
    true
}

/// Replaces a region by random bytes, as many as its code reads.
fn regenerate(mutator: &mut RegionMutator, draft: &mut Draft<'_>) -> bool {
    let Some(region) = mutator.start_any(&mut draft.rng) else {
        return false;
    };
    mutator.graft(draft, region)
}

/// Replaces a region by one of another input.
fn splice(mutator: &mut RegionMutator, draft: &mut Draft<'_>) -> bool {
    let Some(region) = mutator.start_any(&mut draft.rng) else {
        return false;
    };
    let RegionMutator {
        pool,
        candidates,
        head,
        ..
    } = mutator;
    candidates.clear();
    candidates.extend((0..pool.len()).filter(|&at| pool[at].key == region.key));
    if candidates.is_empty() {
        return false;
    }
    let donor = &pool[candidates[draft.rng.random_range(0..candidates.len())]];
    head.extend_from_slice(&donor.bytes);
    mutator.graft(draft, region)
}

/// Replaces a region by a copy of another one of the same input.
fn reuse(mutator: &mut RegionMutator, draft: &mut Draft<'_>) -> bool {
    copy(mutator, draft, |region, other| other != region)
}

/// Replaces a region by a region inside it with the same key.
fn hoist(mutator: &mut RegionMutator, draft: &mut Draft<'_>) -> bool {
    copy(mutator, draft, |region, inner| {
        inner != region && region.start <= inner.start && inner.end <= region.end
    })
}

/// Replaces a region by a copy of another region with the same key for which `fits` holds.
fn copy(
    mutator: &mut RegionMutator,
    draft: &mut Draft<'_>,
    fits: fn(Region, Region) -> bool,
) -> bool {
    let Some(region) = mutator.start_any(&mut draft.rng) else {
        return false;
    };
    let RegionMutator {
        parent,
        candidates,
        head,
        ..
    } = mutator;
    let has_fit = |from: Region| from.key == region.key && fits(region, from);
    let Some(from) = RegionMutator::choose(candidates, &mut draft.rng, parent, has_fit) else {
        return false;
    };
    head.extend_from_slice(&parent.bytes[from.start..from.end]);
    mutator.graft(draft, region)
}

/// Erases a region, or repeats it. If the generator draws the number of elements first, this number
/// does not change, so later draws read other bytes than before.
fn elements(mutator: &mut RegionMutator, draft: &mut Draft<'_>) -> bool {
    let Some(region) = mutator.region(&mut draft.rng) else {
        return false;
    };
    let RegionMutator { parent, output, .. } = mutator;
    if draft.rng.random() {
        return RegionMutator::replace(output, &parent.bytes, region, &[]);
    }
    let empty = Region {
        end: region.start,
        ..region
    };
    RegionMutator::replace(
        output,
        &parent.bytes,
        empty,
        &parent.bytes[region.start..region.end],
    )
}

/// Makes a new value of random bytes.
fn generate(mutator: &mut RegionMutator, draft: &mut Draft<'_>) -> bool {
    let RegionMutator {
        other,
        output,
        make,
        ..
    } = mutator;
    other.record(
        &[],
        Some(draft.rng.random()),
        draft.max_size.min(MAX_FRESH),
        *make,
    );
    output.clone_from(&other.bytes);
    !output.is_empty()
}

/// Passes the bytes to the engine's own mutator.
fn bytes(mutator: &mut RegionMutator, draft: &mut Draft<'_>) -> bool {
    let RegionMutator {
        parent,
        output,
        campaign,
        ..
    } = mutator;
    output.clone_from(&parent.bytes);
    let settings = Settings::default();
    let mut mutation = Mutation {
        grammar: None,
        settings: &settings,
        campaign,
        rng: SmallRng::seed_from_u64(draft.rng.random()),
        max_size: draft.max_size,
        native: &mut *draft.native,
    };
    native(&mut mutation, output);
    hash(output) != hash(&parent.bytes)
}
