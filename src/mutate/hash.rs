//! A fast hash of bytes, for tables in memory. It is never written to disk.

/// Hashes bytes, eight at a time. The function is FxHash (Firefox, rustc) with a final mixing step.
///
/// Inputs of different lengths may collide, such as `[0]` and `[96, 0]`: the length is mixed into
/// the first word.
#[inline(always)]
pub(super) fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mut hash = bytes.len() as u64;
    let mut add = |word: u64| hash = (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        add(u64::from_le_bytes(word.try_into().expect("eight bytes")));
    }
    let mut last = [0; 8];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    add(u64::from_le_bytes(last));
    (hash ^ hash >> 32).wrapping_mul(FACTOR)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn short_inputs_have_different_hashes() {
        // The table of results in `campaign.rs` ignores the lowest 8 bits.
        let differ = |inputs: Vec<Vec<u8>>| {
            let mut seen = HashSet::new();
            inputs.iter().all(|bytes| seen.insert(hash(bytes) >> 8))
        };
        assert!(differ(
            (0..=u16::MAX)
                .map(|word| word.to_le_bytes().to_vec())
                .collect()
        ));
        assert!(differ((0..100).map(|length| vec![0; length]).collect()));
        assert!(differ(
            (0..100)
                .map(|at| (0..100).map(|byte| u8::from(byte == at)).collect())
                .collect()
        ));
    }
}
