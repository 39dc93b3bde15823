//! Reads the position of proptest's random number generator from its `Debug` format.

use std::fmt::{Debug, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Returns the position of a random number generator with `RngAlgorithm::PassThrough`.
pub fn position(rng: &impl Debug) -> Option<usize> {
    let mut head = Head::default();
    // `Debug` of a slice visits all elements, also after an error. So a full head unwinds. An error
    // ends the formatting if panics abort, after time that is linear in the number of bytes.
    let format = AssertUnwindSafe(|| _ = write!(head, "{rng:?}"));
    if let Err(payload) = catch_unwind(format) {
        if !payload.is::<FullHead>() {
            resume_unwind(payload);
        }
    }
    let text = std::str::from_utf8(&head.bytes[..head.length]).ok()?;
    let (_, from) = text.split_once("off: ")?;
    let (number, _) = from.split_once(|character: char| !character.is_ascii_digit())?;
    number.parse().ok()
}

/// The payload with which a full head ends the formatting.
struct FullHead;

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
            if cfg!(panic = "unwind") {
                resume_unwind(Box::new(FullHead));
            }
            Err(std::fmt::Error)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Is formatted as proptest's generator is.
    #[derive(Debug)]
    #[expect(dead_code, reason = "it is formatted")]
    enum TestRng {
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
            let rng = TestRng::PassThrough {
                off,
                end: 5,
                data: data.clone(),
            };
            assert_eq!(position(&rng), Some(off));
        }
        assert_eq!(position(&TestRng::ChaCha([1; 100])), None);
        assert_eq!(position(&()), None);
    }
}
