//! Draws values from strategies of the crate `proptest`. [`fuzz_target!`](crate::fuzz_target!) and
//! [`region!`](crate::region!) call this module. zester does not depend on proptest: these macros
//! use the caller's own version.
//!
//! proptest's `RngAlgorithm::PassThrough` reads given bytes. It has no interface that returns the
//! position, but its `Debug` format begins with the position, as in `off: 12`. If a version of
//! proptest has another format, no regions are found.
//!
//! # The end of the bytes
//!
//! After all bytes, proptest reads zeros. `Uniform` of rand 0.9 rejects zeros for most ranges, and
//! would draw again without end. So more bytes are appended to the input than a strategy reads: at
//! least 4 KiB, and at least four times as many as the largest of 16 random values read.
//!
//! proptest reserves bytes for shrinking: each alternative that `prop_oneof!` skips takes the
//! second half of the bytes that are left (`TestRng::new_rng_seed`). This is a *split*. proptest
//! clones its configuration before a split, and a part of the configuration then calls [`split`]. A
//! *mark* is the start or the end of a `region!`. From a mark on, the strategy reads all bytes
//! again. After too many splits without a mark, the value is drawn again, with more bytes or from a
//! seed.
//!
//! # Guarantees
//!
//! * The strategy and the input determine the value. The number of bytes that follow the input has
//!   no effect on the value, unless zeros are read.
//!
//! # Not guaranteed
//!
//! That drawing ends. A value that reads far more bytes than all samples may reach the zeros. If
//! panics abort, values with many splits may reach them, too. libFuzzer's `-timeout` reports such
//! an input.

mod macros;
mod position;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use self::position::position;
use super::Endless;
use super::trace::{self, Recorder, Region};
use crate::stable_hash::StableHash;

/// The minimum number of bytes that follow those of an input, and are left after all splits.
const MIN_BYTES: usize = 1 << 12;

/// The number of bytes after an input that have the value 1. Later bytes are pseudo-random. Most
/// strategies draw small values from bytes of value 1.
const ONES: usize = 1 << 10;

/// The number of values that are drawn at first, to learn how many bytes the strategy reads.
const SAMPLES: u64 = 16;

/// The maximum number of bytes that counts as read by a sample.
const MAX_SAMPLE: usize = 1 << 20;

/// For each level, the maximum number of splits between two marks. Each split halves the bytes, so
/// a level with `n` splits begins with 2ⁿ times as many bytes.
const MAX_SPLITS: [u32; 5] = [0, 2, 4, 6, 9];

/// The highest level with which the next value starts. Copying the bytes of the last level takes
/// longer than drawing most values twice.
const MAX_START: usize = 3;

/// The source of a random number generator of proptest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Given bytes.
    Bytes,
    /// Random numbers without end, with a seed of 32 bytes.
    Seed,
    /// Pseudo-random bytes. The bytes that are read are counted.
    Sample,
}

/// The value that is being drawn.
#[derive(Default)]
struct Drawing {
    /// The input, and the bytes that follow it.
    bytes: Vec<u8>,
    /// The number of bytes of the input.
    length: usize,
    /// The bytes that follow all inputs.
    tail: Vec<u8>,
    /// proptest's random number generator with all bytes, at the last mark.
    whole: Option<Box<dyn Any>>,
    /// The position of the last mark.
    at: usize,
    /// A buffer for the bytes between two marks.
    between: Vec<u8>,
    /// The number of splits since the last mark.
    splits: u32,
    /// The index in [`MAX_SPLITS`].
    level: usize,
    /// The maximum number of bytes that a sample of the strategy read.
    sample: usize,
    /// The positions and the keys of the regions around the current position.
    open: Vec<(usize, u64)>,
    regions: Vec<Region>,
    recorder: Option<Box<Recorder>>,
    /// Whether a value is being drawn from bytes.
    active: bool,
}

thread_local! {
    static DRAWING: RefCell<Drawing> = RefCell::default();
}

impl Drawing {
    /// Starts a value.
    fn start(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.recorder = trace::take_recorder();
        if let Some(recorder) = &mut self.recorder {
            recorder.lengthen(&mut self.bytes);
        }
        self.length = self.bytes.len();
        self.level = self.level.min(MAX_START);
    }

    /// Appends the bytes after the input. The level determines their number.
    fn append(&mut self) {
        let left = MIN_BYTES.max(4 * self.sample).max(self.length);
        let following = left << MAX_SPLITS[self.level];
        if self.tail.len() < following {
            self.tail.clear();
            self.tail.resize(following, 1);
            SmallRng::seed_from_u64(1).fill_bytes(&mut self.tail[ONES..]);
        }
        self.bytes.truncate(self.length);
        self.bytes.extend_from_slice(&self.tail[..following]);
        self.open.clear();
        self.regions.clear();
        (self.at, self.splits, self.active) = (0, 0, true);
    }

    /// Replaces a random number generator by one that reads all bytes from the same position on.
    /// Returns the position, or [`None`] if the generator does not belong to the value that is
    /// drawn.
    fn refresh<R: Clone + Debug + 'static>(
        &mut self,
        rng: &mut R,
        fill: impl FnOnce(&mut R, &mut [u8]),
    ) -> Option<usize> {
        if !self.active {
            return None;
        }
        let position = position(rng).filter(|&position| position >= self.at)?;
        let whole = self.whole.as_mut()?.downcast_mut::<R>()?;
        self.between.resize(position - self.at, 0);
        fill(whole, &mut self.between);
        rng.clone_from(whole);
        (self.at, self.splits) = (position, 0);
        Some(position)
    }

    /// Ends a value that was read up to this position.
    fn end(&mut self, read: usize) {
        self.active = false;
        if let Some(mut recorder) = self.recorder.take() {
            recorder.strategy(&self.bytes, read, &mut self.regions);
            trace::put_recorder(recorder);
        }
    }

    /// Returns the seed for an input whose value has too many splits for every level.
    fn seed(&self) -> [u8; 32] {
        let mut hash = StableHash::new();
        hash.bytes(&self.bytes[..self.length]);
        seed(hash.value())
    }
}

/// Returns 32 random bytes.
fn seed(number: u64) -> [u8; 32] {
    let mut seed = [0; 32];
    SmallRng::seed_from_u64(number).fill_bytes(&mut seed);
    seed
}

/// Draws a value from bytes. `new` makes a random number generator. `value` draws with it and
/// returns it again. `used` returns the number of bytes that a sample read. `largest` keeps the
/// maximum of these numbers for the next call. It is 0 before the first call.
pub fn draw<R: Clone + Debug + 'static, T>(
    bytes: &[u8],
    largest: &Cell<usize>,
    new: impl Fn(Source, &[u8]) -> R,
    value: impl Fn(R) -> (Option<T>, R),
    used: impl Fn(&R) -> usize,
) -> Option<T> {
    if largest.get() == 0 {
        let sample = |number| used(&value(new(Source::Sample, &seed(number))).1);
        let most = (0..SAMPLES).map(sample).max().unwrap_or(0);
        largest.set(most.clamp(1, MAX_SAMPLE));
    }
    DRAWING.with_borrow_mut(|drawing| {
        drawing.sample = largest.get();
        drawing.start(bytes);
    });
    loop {
        let rng = DRAWING.with_borrow_mut(|drawing| {
            drawing.append();
            let rng = new(Source::Bytes, &drawing.bytes);
            drawing.whole = Some(Box::new(rng.clone()));
            rng
        });
        match catch_unwind(AssertUnwindSafe(|| value(rng))) {
            Ok((value, rng)) => {
                let read = position(&rng);
                DRAWING.with_borrow_mut(|drawing| drawing.end(read.unwrap_or(drawing.length)));
                return value;
            }
            Err(payload) if !payload.is::<Endless>() => {
                DRAWING.with_borrow_mut(|drawing| drawing.active = false);
                resume_unwind(payload);
            }
            Err(_) => {}
        }
        if DRAWING.with_borrow(|drawing| drawing.level + 1 == MAX_SPLITS.len()) {
            break;
        }
        DRAWING.with_borrow_mut(|drawing| drawing.level += 1);
    }
    let seed = DRAWING.with_borrow_mut(|drawing| {
        drawing.active = false;
        drawing.regions.clear();
        drawing.seed()
    });
    let (value, _) = value(new(Source::Seed, &seed));
    DRAWING.with_borrow_mut(|drawing| drawing.end(drawing.length));
    value
}

/// Counts a split of the bytes. After too many splits, ends the value by unwinding.
pub fn split() {
    let is_last = DRAWING.with_borrow_mut(|drawing| {
        drawing.splits += 1;
        drawing.active && drawing.splits > MAX_SPLITS[drawing.level]
    });
    if is_last && cfg!(panic = "unwind") {
        resume_unwind(Box::new(Endless));
    }
}

/// Starts a region of values of the named type. Does nothing if no fuzz target draws the value.
/// `fill` fills a buffer from the random number generator.
pub fn enter<R: Clone + Debug + 'static>(
    rng: &mut R,
    name: &str,
    fill: impl FnOnce(&mut R, &mut [u8]),
) {
    DRAWING.with_borrow_mut(|drawing| {
        if let Some(position) = drawing.refresh(rng, fill) {
            let mut hasher = DefaultHasher::new();
            name.hash(&mut hasher);
            drawing.open.push((position, hasher.finish()));
        }
    });
}

/// Ends the last region.
pub fn leave<R: Clone + Debug + 'static>(rng: &mut R, fill: impl FnOnce(&mut R, &mut [u8])) {
    DRAWING.with_borrow_mut(|drawing| {
        if let Some(end) = drawing.refresh(rng, fill)
            && let Some((start, key)) = drawing.open.pop()
        {
            drawing.regions.push(Region { start, end, key });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random number generator that is formatted as proptest's is, with its own bytes.
    #[derive(Clone, Debug)]
    struct PassThrough {
        off: usize,
        data: Vec<u8>,
    }

    fn fill(rng: &mut PassThrough, bytes: &mut [u8]) {
        bytes.copy_from_slice(&rng.data[rng.off..rng.off + bytes.len()]);
        rng.off += bytes.len();
    }

    fn new(_: Source, bytes: &[u8]) -> PassThrough {
        let data = bytes.to_vec();
        PassThrough { off: 0, data }
    }

    /// Reads some bytes.
    fn read(rng: &mut PassThrough, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        fill(rng, &mut bytes);
        bytes
    }

    #[test]
    fn marks_are_regions_and_go_on_at_their_position() {
        let mut trace = trace::Trace::default();
        trace.record(&[1, 2, 3, 4, 5, 6, 7, 8, 9], None, 100, |bytes| {
            let value = |mut rng: PassThrough| {
                read(&mut rng, 3);
                enter(&mut rng, "outer", fill);
                assert_eq!(read(&mut rng, 1), [4]);
                enter(&mut rng, "inner", fill);
                assert_eq!(read(&mut rng, 7), [5, 6, 7, 8, 9, 1, 1]);
                leave(&mut rng, fill);
                leave(&mut rng, fill);
                (Some(()), rng)
            };
            draw(bytes, &Cell::new(1), new, value, |_| 0);
        });
        let mut spans = trace
            .regions
            .iter()
            .map(|region| (region.start, region.end));
        assert!(spans.by_ref().eq([(3, 11), (4, 11)]));
        assert_ne!(trace.regions[0].key, trace.regions[1].key);
        assert_eq!(trace.bytes, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1]);
        assert_eq!(trace.draws, [0, 3, 4, 8]);
    }

    #[test]
    fn marks_outside_of_a_fuzz_target_have_no_effect() {
        let mut rng = new(Source::Bytes, &[1; 9]);
        read(&mut rng, 2);
        enter(&mut rng, "any", |_, _| unreachable!("no value is drawn"));
        leave(&mut rng, |_, _| unreachable!("no value is drawn"));
        assert_eq!(rng.off, 2);
    }

    #[test]
    fn many_splits_need_a_mark_or_a_seed() {
        let splits = |count: u32, marks: bool| {
            let source = Cell::new(Source::Bytes);
            let new = |from, bytes: &[u8]| {
                source.set(from);
                new(from, bytes)
            };
            let value = |mut rng: PassThrough| {
                for _ in 0..count {
                    split();
                    if marks {
                        enter(&mut rng, "any", fill);
                    }
                }
                (Some(()), rng)
            };
            draw(&[1, 2], &Cell::new(1), new, value, |_| 0);
            source.get()
        };
        assert_eq!(splits(9, false), Source::Bytes);
        assert_eq!(splits(10, false), Source::Seed);
        assert_eq!(splits(1_000, true), Source::Bytes);
    }
}
