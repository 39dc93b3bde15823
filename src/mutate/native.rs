//! libFuzzer's own mutator on the parameters: bytes inserted, erased, changed, copied.

use super::{Draft, Mutation, Parent};

/// An input may grow by itself, or by this many bytes.
const ROOM: usize = 256;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    draft.copy(parent);
    native(mutation, &mut draft.bytes);
    true
}

/// Changes bytes in place.
pub fn native(mutation: &mut Mutation<'_>, bytes: &mut Vec<u8>) {
    let size = bytes.len().min(mutation.max_size);
    let most = mutation.max_size.min(size + size.max(ROOM));
    bytes.truncate(size);
    bytes.resize(most, 0);
    let size = (mutation.native)(bytes, size, most).min(most);
    bytes.truncate(size);
}
