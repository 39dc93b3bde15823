//! Strategies of the user's own crate `proptest`, which [`fuzz_target!`](crate::fuzz_target!) and
//! [`region!`](crate::region!) call. zester does not depend on proptest.
//!
//! proptest's `RngAlgorithm::PassThrough` reads given bytes. It has no interface that returns the
//! position, but its `Debug` format begins with it, as `off: 12`. If another version of proptest
//! formats it otherwise, there are no regions.
//!
//! # Not guaranteed
//!
//! That drawing ends: after all these bytes, proptest reads zeros without end, and rand may reject
//! them without end. libFuzzer's `-timeout` reports such an input.
//!
//! # The end of the bytes
//!
//! Each alternative that `prop_oneof!` skips takes the second half of the bytes that are left, for
//! shrinking (`TestRng::new_rng_seed`). So other bytes follow those of the input, and `region!` starts again with all
//! the bytes from its position on.

use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::hash::{DefaultHasher, Hash, Hasher};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::trace::{self, Recorder, Region};

/// The minimum number of bytes that follow those of an input.
const MIN_BYTES: usize = 1 << 14;

/// The number of bytes after an input that are 1. Later ones are pseudo-random. They are not zeros,
/// because `Uniform` of rand 0.9 rejects zeros for most ranges, and would draw again without end.
const ONES: usize = 1 << 10;

/// The value that is being drawn.
#[derive(Default)]
struct Drawing {
    bytes: Vec<u8>,
    /// The number of bytes of the input. Others follow.
    length: usize,
    /// The position of the first byte of the current random number generator.
    base: usize,
    /// The positions and the keys of the regions around the current position.
    open: Vec<(usize, u64)>,
    regions: Vec<Region>,
    recorder: Option<Box<Recorder>>,
    /// Whether a value is being drawn.
    active: bool,
}

thread_local! {
    static DRAWING: RefCell<Drawing> = RefCell::default();
}

/// Starts a value. Returns its random number generator, which `new` makes of bytes.
pub fn begin<R>(bytes: &[u8], new: impl FnOnce(&[u8]) -> R) -> R {
    DRAWING.with_borrow_mut(|drawing| {
        drawing.bytes.clear();
        drawing.bytes.extend_from_slice(bytes);
        drawing.recorder = trace::take_recorder();
        if let Some(recorder) = &mut drawing.recorder {
            recorder.lengthen(&mut drawing.bytes);
        }
        drawing.length = drawing.bytes.len();
        let ones = drawing.length + ONES;
        drawing.bytes.resize(ones, 1);
        drawing
            .bytes
            .resize(ones + drawing.length.max(MIN_BYTES), 0);
        SmallRng::seed_from_u64(1).fill_bytes(&mut drawing.bytes[ones..]);
        drawing.open.clear();
        drawing.regions.clear();
        (drawing.base, drawing.active) = (0, true);
        new(&drawing.bytes)
    })
}

/// Ends a value, whose last random number generator this is.
pub fn end(rng: &impl Debug) {
    DRAWING.with_borrow_mut(|drawing| {
        drawing.active = false;
        let Some(mut recorder) = drawing.recorder.take() else {
            return;
        };
        let read = offset(rng).map_or(drawing.length, |offset| drawing.base + offset);
        recorder.strategy(&drawing.bytes, read, &mut drawing.regions);
        trace::put_recorder(recorder);
    })
}

/// Starts a region of values of the named type. Replaces the random number generator by one that
/// `new` makes of the bytes from its position on. Does nothing if the value is not one of a fuzz
/// target.
pub fn enter<R: Debug>(rng: &mut R, name: &str, new: impl FnOnce(&[u8]) -> R) {
    DRAWING.with_borrow_mut(|drawing| {
        let Some(offset) = offset(rng).filter(|_| drawing.active) else {
            return;
        };
        drawing.base += offset;
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        drawing.open.push((drawing.base, hasher.finish()));
        *rng = new(&drawing.bytes[drawing.base.min(drawing.bytes.len())..]);
    });
}

/// Ends the last region.
pub fn leave(rng: &impl Debug) {
    DRAWING.with_borrow_mut(|drawing| {
        if let (true, Some((start, key))) = (drawing.active, drawing.open.pop()) {
            let end = drawing.base + offset(rng).unwrap_or(0);
            drawing.regions.push(Region { start, end, key });
        }
    });
}

/// Returns the position of a random number generator with `RngAlgorithm::PassThrough`.
fn offset(rng: &impl Debug) -> Option<usize> {
    let mut head = Head::default();
    // The error of a head that is full ends the formatting.
    _ = write!(head, "{rng:?}");
    let text = std::str::from_utf8(&head.bytes[..head.length]).ok()?;
    let (_, from) = text.split_once("off: ")?;
    let (number, _) = from.split_once(|character: char| !character.is_ascii_digit())?;
    number.parse().ok()
}

/// The first bytes of a text.
struct Head {
    bytes: [u8; 64],
    length: usize,
}

impl Default for Head {
    fn default() -> Head {
        Head {
            bytes: [0; 64],
            length: 0,
        }
    }
}

impl Write for Head {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let rest = &mut self.bytes[self.length..];
        let fits = rest.len().min(text.len());
        rest[..fits].copy_from_slice(&text.as_bytes()[..fits]);
        self.length += fits;
        if fits < text.len() {
            Err(std::fmt::Error)
        } else {
            Ok(())
        }
    }
}

/// Marks a strategy of proptest, so that mutation replaces its values as a whole.
///
/// The result is a strategy with the same values. Mark the recursion of a recursive strategy, and the
/// elements of collections. The macro expands to code that uses the crate `proptest` of the caller.
/// Outside of a fuzz target of zester the mark has no effect.
///
/// # Examples
///
/// ```ignore
/// fn expression() -> impl Strategy<Value = Expr> {
///     any::<i8>().prop_map(Expr::Number).prop_recursive(4, 32, 2, |inner| {
///         let inner = zester::region!(inner);
///         (inner.clone(), inner).prop_map(|(left, right)| Expr::Add(left.into(), right.into()))
///     })
/// }
/// ```
#[macro_export]
macro_rules! region {
    ($strategy:expr) => {{
        #[derive(Clone, Debug)]
        struct __ZesterRegion<S>(S);

        impl<S: ::proptest::strategy::Strategy> ::proptest::strategy::Strategy for __ZesterRegion<S> {
            type Tree = S::Tree;
            type Value = S::Value;

            fn new_tree(&self, runner: &mut ::proptest::test_runner::TestRunner) -> ::proptest::strategy::NewTree<Self> {
                let new = |bytes: &[u8]| {
                    ::proptest::test_runner::TestRng::from_seed(::proptest::test_runner::RngAlgorithm::PassThrough, bytes)
                };
                $crate::generator::strategy::enter(runner.rng(), ::core::any::type_name::<S::Value>(), new);
                let tree = self.0.new_tree(runner);
                $crate::generator::strategy::leave(runner.rng());
                tree
            }
        }

        __ZesterRegion($strategy)
    }};
}

/// Draws a value of a strategy, for [`fuzz_target!`](crate::fuzz_target!): defines a function that
/// takes bytes and returns [`None`] if the strategy rejects them. The strategy is made once in a
/// thread.
#[doc(hidden)]
#[macro_export]
macro_rules! __zester_strategy {
    ($name:ident, $strategy:expr, $type:ty) => {
        fn $name(bytes: &[u8]) -> ::core::option::Option<$type> {
            use ::proptest::strategy::{Strategy as _, ValueTree as _};
            use ::proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
            type Draw = ::std::boxed::Box<dyn ::core::ops::Fn(&mut TestRunner) -> ::core::option::Option<$type>>;

            ::std::thread_local! {
                static DRAW: Draw = {
                    let strategy = $strategy;
                    ::std::boxed::Box::new(move |runner| strategy.new_tree(runner).ok().map(|tree| tree.current()))
                };
            }

            // A filter sees few values: after the end of the bytes, all are equal.
            let config = Config { max_local_rejects: 64, failure_persistence: ::core::option::Option::None, ..Config::default() };
            let rng = $crate::generator::strategy::begin(bytes, |bytes| TestRng::from_seed(RngAlgorithm::PassThrough, bytes));
            let mut runner = TestRunner::new_with_rng(config, rng);
            let value = DRAW.with(|draw| draw(&mut runner));
            $crate::generator::strategy::end(runner.rng());
            value
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Is formatted as proptest's generator is.
    #[derive(Debug)]
    #[expect(dead_code, reason = "it is formatted")]
    enum Rng {
        PassThrough {
            off: usize,
            end: usize,
            data: Vec<u8>,
        },
        ChaCha([u8; 100]),
    }

    #[test]
    fn the_position_is_read_from_the_format() {
        let data = vec![7; 1_000];
        for off in [0, 9, 1_000_000] {
            assert_eq!(
                offset(&Rng::PassThrough {
                    off,
                    end: 5,
                    data: data.clone()
                }),
                Some(off)
            );
        }
        assert_eq!(offset(&Rng::ChaCha([1; 100])), None);
        assert_eq!(offset(&()), None);
    }

    /// Returns a generator that has read `off` of these bytes.
    fn read(bytes: &[u8], off: usize) -> Rng {
        let (end, data) = (bytes.len(), bytes.to_vec());
        Rng::PassThrough { off, end, data }
    }

    #[test]
    fn marks_are_regions_and_start_with_the_bytes_at_their_position() {
        let mut trace = trace::Trace::default();
        trace.record(&[1, 2, 3, 4, 5, 6, 7, 8, 9], None, 100, |bytes| {
            let mut rng = begin(bytes, |bytes| read(bytes, 3));
            enter(&mut rng, "outer", |bytes| {
                assert_eq!(bytes[..6], [4, 5, 6, 7, 8, 9]);
                read(bytes, 1)
            });
            enter(&mut rng, "inner", |bytes| {
                assert_eq!(bytes[..5], [5, 6, 7, 8, 9]);
                read(bytes, 7)
            });
            leave(&rng);
            leave(&rng);
            end(&rng);
        });
        let spans: Vec<_> = (trace.regions.iter().map(|region| region.start..region.end)).collect();
        assert_eq!(spans, [3..11, 4..11]);
        assert_ne!(trace.regions[0].key, trace.regions[1].key);
        assert_eq!(trace.bytes, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1]);
        assert_eq!(trace.draws, [0, 3, 4, 8]);
    }

    #[test]
    fn marks_outside_of_a_fuzz_target_have_no_effect() {
        let mut rng = read(&[1; 9], 2);
        enter(&mut rng, "any", |_| unreachable!("no value is drawn"));
        leave(&rng);
        assert_eq!(offset(&rng), Some(2));
    }
}
