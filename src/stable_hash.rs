//! A hash for what is written to disk: the same on every machine and in every release.

use std::fmt;

/// FNV-1a of 64 bits (Fowler, Noll and Vo; RFC 9923).
///
/// [`std::hash::DefaultHasher`] would not do: its algorithm may change with any release of Rust.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StableHash(u64);

impl StableHash {
    /// The hash of nothing.
    pub fn new() -> StableHash {
        StableHash(0xcbf2_9ce4_8422_2325)
    }

    /// Appends bytes to what is hashed.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The hash of everything so far.
    pub fn value(self) -> u64 {
        self.0
    }
}

/// Hashes text that is formatted into it, without storing the text.
impl fmt::Write for StableHash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        let hash = |text: &[u8]| {
            let mut hash = StableHash::new();
            hash.bytes(text);
            hash.value()
        };
        // Test vectors of RFC 9923.
        assert_eq!(hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
