//! Reads the position of proptest's random number generator from its `Debug` format.

use std::fmt::{Debug, Error, Write};

/// Returns the position of a random number generator with `RngAlgorithm::PassThrough`.
pub fn position(rng: &impl Debug) -> Option<usize> {
    let mut head = Head::default();
    // `Head` returns an error once it has the position, so the formatting ends before the bytes.
    // Otherwise `Debug` of the slice would visit all elements.
    _ = write!(head, "{rng:?}");
    head.position
}

/// The first bytes of a text, up to the position.
struct Head {
    bytes: [u8; 64],
    length: usize,
    position: Option<usize>,
}

impl Default for Head {
    fn default() -> Head {
        Head {
            bytes: [0; 64],
            length: 0,
            position: None,
        }
    }
}

impl Head {
    /// Returns the number after `off: `, if something follows it.
    fn number(&self) -> Option<usize> {
        let text = std::str::from_utf8(&self.bytes[..self.length]).ok()?;
        let (_, from) = text.split_once("off: ")?;
        let (number, _) = from.split_once(|character: char| !character.is_ascii_digit())?;
        number.parse().ok()
    }
}

impl Write for Head {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let rest = &mut self.bytes[self.length..];
        let fits = rest.len().min(text.len());
        rest[..fits].copy_from_slice(&text.as_bytes()[..fits]);
        self.length += fits;
        self.position = self.number();
        match self.position.is_some() || fits < text.len() {
            true => Err(Error),
            false => Ok(()),
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
            data: Unvisited,
        },
        ChaCha([u8; 100]),
    }

    /// The bytes, which must not be formatted: that takes time that is linear in their number.
    struct Unvisited;

    impl Debug for Unvisited {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            panic!("the bytes are formatted")
        }
    }

    #[test]
    fn the_position_is_read_from_the_format() {
        for off in [0, 9, 1_000_000] {
            let rng = TestRng::PassThrough {
                off,
                end: 5,
                data: Unvisited,
            };
            assert_eq!(position(&rng), Some(off));
        }
        assert_eq!(position(&TestRng::ChaCha([1; 100])), None);
        assert_eq!(position(&()), None);
    }
}
