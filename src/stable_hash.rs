//! A hash for data that is written to disk. It is the same on every machine and in every release.

use std::fmt;

/// FNV-1a of 64 bits (Fowler, Noll and Vo; RFC 9923).
///
/// [`std::hash::DefaultHasher`] is unsuitable, because its algorithm may change with any release of
/// Rust.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StableHash(u64);

impl StableHash {
    /// Returns the hash of no bytes.
    pub fn new() -> StableHash {
        StableHash(0xcbf2_9ce4_8422_2325)
    }

    /// Appends bytes to the hashed data.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Returns the hash of the bytes so far.
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
