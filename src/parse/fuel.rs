//! The work and the memory that parsing one text may take.
//!
//! Work is counted in steps, not in time, so a text has the same result on every machine. A step takes about 10 to 50 ns.

use std::cell::Cell;

use super::Error;

/// Limits on the work and the memory that parsing one text may take.
///
/// The steps grow with the text, so that a grammar that is unambiguous, or ambiguous in places, never meets the limit: real
/// files take 5 to 60 steps a byte. The number of steps of a grammar like `e = e e | "a" ;` grows with the cube of the text.
///
/// ```
/// use zester::{bounds::Caps, derivation::Derivation, notation, parse::{Effort, Error, Parser}};
///
/// let (grammar, _) = notation::read("e", br#"e = e e | "a" ;"#, &Caps::default()).unwrap();
/// let mut parser = Parser::new(&grammar).with_effort(Effort { steps: 1000, steps_per_byte: 10, ..Effort::default() });
/// let mut derivation = Derivation::default();
/// assert_eq!(parser.parse(b"aaaa", &mut derivation), Ok(()));
/// assert!(matches!(parser.parse(&[b'a'; 100], &mut derivation), Err(Error::TooAmbiguous(_))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Steps that every text may take.
    pub steps: u64,
    /// Steps that a text may take in addition for each of its bytes.
    pub steps_per_byte: u64,
    /// Bytes of memory that the chart of a text, or the match of a token, may take.
    pub memory: usize,
}

impl Default for Effort {
    /// 16 million steps, 1,024 more for each byte, and 1 GiB.
    fn default() -> Self {
        Effort { steps: 1 << 24, steps_per_byte: 1 << 10, memory: 1 << 30 }
    }
}

/// What is left of an [`Effort`] while a text is parsed.
#[derive(Debug)]
pub struct Fuel {
    steps: Cell<u64>,
    memory: usize,
    is_memory_full: Cell<bool>,
}

impl Fuel {
    /// All that an effort allows for a text of `length` bytes.
    pub fn new(effort: Effort, length: usize) -> Fuel {
        let steps = effort.steps.saturating_add(effort.steps_per_byte.saturating_mul(length as u64));
        Fuel { steps: Cell::new(steps), memory: effort.memory, is_memory_full: Cell::new(false) }
    }

    /// Counts steps.
    #[inline(always)]
    pub fn spend(&self, steps: usize) {
        self.steps.set(self.steps.get().saturating_sub(steps as u64));
    }

    /// The steps that are left.
    #[inline(always)]
    pub fn left(&self) -> u64 {
        self.steps.get()
    }

    /// Whether the text must be given up.
    #[inline(always)]
    pub fn is_spent(&self) -> bool {
        self.steps.get() == 0
    }

    /// The bytes that the memory of the chart, or of a match, may have.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Ends the parse if more memory is used than allowed.
    #[inline(always)]
    pub fn check_memory(&self, used: usize) {
        if used > self.memory {
            self.is_memory_full.set(true);
            self.steps.set(0);
        }
    }

    /// Why the text was given up at byte `at`.
    pub fn error(&self, at: usize) -> Error {
        if self.is_memory_full.get() { Error::TooLarge(at) } else { Error::TooAmbiguous(at) }
    }

    /// Fails if the text must be given up.
    pub fn check(&self, at: usize) -> Result<(), Error> {
        if self.is_spent() { Err(self.error(at)) } else { Ok(()) }
    }
}
