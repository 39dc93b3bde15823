//! A fast hash of bytes, for tables that live as long as the process.

/// Hashes bytes eight at a time: FxHash (Firefox, rustc), with its halves mixed at the end.
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
        let bytes = (0..=u8::MAX).flat_map(|one| (0..=u8::MAX).map(move |two| vec![one, two]));
        let all = bytes.chain((0..40).map(|length| vec![0; length]).filter(|zeros| zeros.len() != 2));
        let mut upper_bits = HashSet::new();
        // The tables of the feedback use the bits from 40 on as an index and all but the lowest 8 to compare.
        assert!(all.map(|bytes| hash(&bytes) >> 8).all(|hash| upper_bits.insert(hash)));
    }
}
