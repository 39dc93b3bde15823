//! Passes the parameters to libFuzzer's own mutator, which inserts, erases, changes and copies
//! bytes.

use super::{Mutation, Output};
use crate::splice::TreeView;

/// The number of bytes by which a short input may grow. A longer input may grow by its own length.
const MIN_ROOM: usize = 256;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    output.copy(parent);
    native(mutation, &mut output.bytes);
    true
}

/// Passes bytes to libFuzzer's own mutator.
pub fn native(mutation: &mut Mutation<'_>, bytes: &mut Vec<u8>) {
    let size = bytes.len().min(mutation.max_size);
    let max = mutation.max_size.min(size + size.max(MIN_ROOM));
    bytes.truncate(size);
    bytes.resize(max, 0);
    let size = (mutation.native)(bytes, size, max).min(max);
    bytes.truncate(size);
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::mutants;

    #[test]
    fn before_and_after() {
        // The parameters are the digit's index; the stand-in for libFuzzer's mutator sets its last
        // bit.
        assert_eq!(mutants("digit = [0-9] ;", "native", "4")(1), "5");
    }
}
