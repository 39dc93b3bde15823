//! Reads the position of proptest's random number generator from its `Debug` format.

use std::fmt::{Debug, Write};

/// Returns the position of a random number generator with `RngAlgorithm::PassThrough`.
pub fn position(rng: &impl Debug) -> Option<usize> {
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
