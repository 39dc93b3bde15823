//! Limits on the work and the memory that parsing one text may take.
//!
//! Work is counted in steps, not in time, so a text has the same result on every machine. A step
//! takes about 10 to 50 ns.

use std::cell::Cell;

use super::Failure;

/// Limits on the work and the memory that parsing one text may take.
///
/// The number of allowed steps grows with the length of the text. Files of the shipped grammars
/// take 5 to 60 steps a byte, far below the default limit. A highly ambiguous grammar such as `e =
/// e e | "a" ;` takes steps that grow with the cube of the length, so its longer texts reach the
/// limit.
///
/// ```
/// use zester::{Effort, Grammar, Parser};
///
/// let grammar = Grammar::read("e", br#"e = e e | "a" ;"#).unwrap();
/// let mut parser = Parser::new(&grammar).effort(Effort::default().steps(1000).steps_per_byte(10));
/// assert!(parser.parse(b"aaaa").is_ok());
/// let error = parser.parse(&[b'a'; 100]).unwrap_err();
/// assert!(error.cause.starts_with("too ambiguous"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effort {
    /// Steps that every text may take.
    pub steps: u64,
    /// Additional steps for each byte of the text.
    pub steps_per_byte: u64,
    /// The maximum memory in bytes, both for the chart of a text and for the match of one token.
    pub memory: usize,
}

impl Effort {
    /// 16,777,216 steps, 1,024 more for each byte, and 384 MiB of memory, so that a process takes at most 500 MB.
    pub const DEFAULT: Effort = Effort {
        steps: 1 << 24,
        steps_per_byte: 1 << 10,
        memory: 384 << 20,
    };

    /// Sets the number of steps that every text may take.
    #[must_use]
    pub const fn steps(mut self, steps: u64) -> Effort {
        self.steps = steps;
        self
    }

    /// Sets the number of additional steps for each byte of the text.
    #[must_use]
    pub const fn steps_per_byte(mut self, steps: u64) -> Effort {
        self.steps_per_byte = steps;
        self
    }

    /// Sets the maximum memory in bytes.
    #[must_use]
    pub const fn memory(mut self, bytes: usize) -> Effort {
        self.memory = bytes;
        self
    }
}

impl Default for Effort {
    /// Returns [`Effort::DEFAULT`].
    fn default() -> Self {
        Effort::DEFAULT
    }
}

/// The part of an [`Effort`] that is left while a text is parsed.
#[derive(Debug)]
pub struct Fuel {
    /// The steps that are left.
    steps: Cell<u64>,
    /// The memory limit in bytes.
    memory: usize,
    /// Whether the memory limit was exceeded. Then no steps are left.
    is_memory_full: Cell<bool>,
}

impl Fuel {
    /// Returns the full allowance for a text of `length` bytes.
    pub fn new(effort: Effort, length: usize) -> Fuel {
        let steps = effort
            .steps
            .saturating_add(effort.steps_per_byte.saturating_mul(length as u64));
        Fuel {
            steps: Cell::new(steps),
            memory: effort.memory,
            is_memory_full: Cell::new(false),
        }
    }

    #[inline(always)]
    pub fn spend(&self, steps: usize) {
        self.steps
            .set(self.steps.get().saturating_sub(steps as u64));
    }

    #[inline(always)]
    pub fn left(&self) -> u64 {
        self.steps.get()
    }

    /// Returns whether a limit was reached, so that the parse must end.
    #[inline(always)]
    pub fn is_spent(&self) -> bool {
        self.steps.get() == 0
    }

    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Ends the parse if it uses more than the allowed memory: sets the steps that are left to 0.
    #[inline(always)]
    pub fn check_memory(&self, used: usize) {
        if used > self.memory {
            self.is_memory_full.set(true);
            self.steps.set(0);
        }
    }

    /// Returns the error for a parse that reached a limit at offset `at`.
    pub fn error(&self, at: usize) -> Failure {
        if self.is_memory_full.get() {
            Failure::TooLarge(at)
        } else {
            Failure::TooAmbiguous(at)
        }
    }

    /// # Errors
    /// If a limit was reached.
    pub fn check(&self, at: usize) -> Result<(), Failure> {
        if self.is_spent() {
            Err(self.error(at))
        } else {
            Ok(())
        }
    }
}
