//! Random generators whose random numbers are the bytes of an input. A generator is any function
//! that draws a value from a random number generator.
//!
//! This is the first idea of Zest (Padhye et al., *Semantic Fuzzing with Zest*, ISSTA 2019): the
//! bytes of an input are the random numbers of a generator, so a mutation of the bytes is a mutation
//! of the value. [`ParameterRng`] is the random number generator, [`draw`] makes one value.
//!
//! The module also finds which bytes belong together ([`Trace`]). Hypothesis finds them by marks in
//! its strategies (MacIver & Donaldson, *Test-Case Reduction via Test-Case Generation*, ECOOP
//! 2020). This module finds them without marks, from the call stack at each draw.
//!
//! # Guarantees
//!
//! * Equal bytes give equal values, if the generator draws from nothing else.
//! * [`draw`] returns if the generator returns when it reads random numbers. If panics unwind,
//!   [`draw`] also returns if the generator never stops drawing: see [`ParameterRng`].
//! * Drawing allocates nothing besides what the generator allocates, once the buffers are large
//!   enough.

mod calls;
mod frames;
#[doc(hidden)]
pub mod strategy;
mod trace;

use std::any::Any;
use std::cell::Cell;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng, TryRng};

use self::trace::Recorder;
pub use self::trace::{Region, Trace};
use crate::uninstrumented::uninstrumented;

/// The number of draws past the end of the bytes that return zeros.
const ZEROS: u32 = 1 << 10;

/// The number of draws past the end of the bytes after which [`draw`] ends the generator.
const MAX_PAST_END: u32 = 1 << 16;

/// A random number generator whose random numbers are given bytes.
///
/// `next_u32` reads 4 bytes, `next_u64` reads 8 bytes, both in little-endian order, and
/// `fill_bytes` copies bytes. If fewer bytes are left than a draw needs, zeros follow them.
///
/// # After the end of the bytes
///
/// * The first 1,024 draws are zeros. Most generators then choose the first alternative and the
///   smallest number.
/// * Later draws are pseudo-random, because some loops, such as `while rng.random_bool(0.9)`, do
///   not end on zeros.
/// * After 65,536 draws, [`draw`] ends the generator by unwinding. Without [`draw`], or if panics
///   abort, the draws remain pseudo-random.
///
/// # Other versions of `rand`
///
/// The type implements the traits of `rand` 0.10. For another version, implement its `RngCore` for a
/// type of your own that contains a `ParameterRng`, by [`Rng::next_u32`], [`Rng::next_u64`] and
/// [`Rng::fill_bytes`].
///
/// # Examples
///
/// ```
/// use rand::RngExt;
/// use zester::generator::ParameterRng;
///
/// let mut rng = ParameterRng::new(&[7, 0, 0, 0, 1]);
/// assert_eq!(rng.random::<u32>(), 7);
/// assert_eq!(rng.random::<u32>(), 1);
/// assert_eq!(rng.random_range(3..9), 3);
/// ```
#[derive(Debug, Default)]
pub struct ParameterRng {
    bytes: Vec<u8>,
    position: usize,
    /// The number of draws that needed bytes after the end.
    past_end: u32,
    /// Whether the generator is ended by unwinding after too many draws past the end.
    unwinds: bool,
    recorder: Option<Box<Recorder>>,
}

/// The panic payload that ends a generator.
struct Endless;

thread_local! {
    /// The random number generator that [`draw`] used last, for its buffers.
    static LAST: Cell<Option<ParameterRng>> = const { Cell::new(None) };
}

impl ParameterRng {
    /// Returns a random number generator that reads these bytes.
    pub fn new(bytes: &[u8]) -> ParameterRng {
        ParameterRng {
            bytes: bytes.to_vec(),
            ..ParameterRng::default()
        }
    }

    /// Returns the number of bytes that were read.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Starts again with other bytes.
    fn restart(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        (self.position, self.past_end) = (0, 0);
    }
}

uninstrumented! {
    /// Fills `out` with the next bytes. Records the draw if draws are recorded.
    fn read_parameters(rng: &mut ParameterRng, out: &mut [u8]) {
        if let Some(recorder) = &mut rng.recorder {
            recorder.extend(&mut rng.bytes, rng.position + out.len());
        }
        let unread = &rng.bytes[rng.position..];
        let read = unread.len().min(out.len());
        out[..read].copy_from_slice(&unread[..read]);
        rng.position += read;
        if read < out.len() {
            rng.past_end += 1;
            out[read..].fill(0);
            if rng.past_end > ZEROS {
                if rng.unwinds && rng.past_end > MAX_PAST_END {
                    resume_unwind(Box::new(Endless));
                }
                SmallRng::seed_from_u64(rng.past_end.into()).fill_bytes(&mut out[read..]);
            }
        }
        if let Some(recorder) = &mut rng.recorder {
            recorder.draw(out);
        }
    }
}

impl TryRng for ParameterRng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut number = [0; 4];
        read_parameters(self, &mut number);
        Ok(u32::from_le_bytes(number))
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut number = [0; 8];
        read_parameters(self, &mut number);
        Ok(u64::from_le_bytes(number))
    }

    #[inline]
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        read_parameters(self, out);
        Ok(())
    }
}

/// Draws a value from a generator whose random numbers are `bytes`. Returns [`None`] if the generator
/// was ended because it had drawn 65,536 times after the end of the bytes.
///
/// # Panics
/// If the generator panics.
///
/// # Examples
///
/// ```
/// use rand::{Rng, RngExt};
/// use zester::generator::draw;
///
/// fn pair(rng: &mut impl Rng) -> (bool, u8) {
///     (rng.random_range(0..2_u32) == 1, rng.random())
/// }
///
/// assert_eq!(draw(&[], pair), Some((false, 0)));
/// assert_eq!(draw(&[255, 255, 255, 255, 7, 0, 0, 0], pair), Some((true, 7)));
/// // A generator without end is ended.
/// assert_eq!(draw(&[], |rng| loop { rng.next_u32(); }), None::<u8>);
/// ```
pub fn draw<T>(bytes: &[u8], generator: impl FnOnce(&mut ParameterRng) -> T) -> Option<T> {
    let mut rng = LAST.take().unwrap_or_default();
    rng.restart(bytes);
    rng.unwinds = cfg!(panic = "unwind");
    rng.recorder = trace::take_recorder();
    if let Some(recorder) = &mut rng.recorder {
        recorder.start();
    }
    let value = catch_unwind(AssertUnwindSafe(|| generator(&mut rng)));
    if let Some(recorder) = rng.recorder.take() {
        trace::put_recorder(recorder);
    }
    LAST.set(Some(rng));
    value.map_or_else(ended, Some)
}

/// Returns [`None`] if [`read_parameters`] ended the generator. Passes on any other panic.
#[cold]
fn ended<T>(payload: Box<dyn Any + Send>) -> Option<T> {
    if payload.is::<Endless>() {
        return None;
    }
    resume_unwind(payload)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn loops_that_do_not_end_on_zeros_end() {
        let run = draw(&[], |rng| {
            let mut count = 0;
            while rng.random_bool(0.9) {
                count += 1;
            }
            count
        });
        assert!(run.is_some_and(|count| count >= ZEROS), "{run:?}");
        let mut draws = 0;
        let none = draw(&[1; 8], |rng| {
            loop {
                draws += 1;
                if rng.next_u64() == 3 {
                    break;
                }
            }
        });
        assert_eq!((none, draws), (None, MAX_PAST_END + 2));
    }

    #[test]
    fn a_panic_of_the_generator_is_passed_on() {
        let panic = catch_unwind(|| draw(&[], |_| -> u8 { resume_unwind(Box::new("mine")) }));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"mine"));
        assert_eq!(draw(&[5], |rng| rng.random::<u8>()), Some(5));
    }

    #[test]
    fn draws_read_the_bytes_in_order() {
        let bytes: Vec<u8> = (1..=15).collect();
        let (number, long, mut rest) = (
            u32::from_le_bytes([1, 2, 3, 4]),
            0x0C0B_0A09_0807_0605,
            [9; 5],
        );
        let drawn = draw(&bytes, |rng| {
            let drawn = (rng.next_u32(), rng.next_u64());
            rng.fill_bytes(&mut rest);
            drawn
        });
        assert_eq!(drawn, Some((number, long)));
        assert_eq!(rest, [13, 14, 15, 0, 0]);
    }
}
