//! libFuzzer's own mutator on the parameters: bytes inserted, erased, changed, copied.

use super::Mutation;

pub fn mutate(mutation: &mut Mutation<'_>, bytes: &mut Vec<u8>) {
    let size = bytes.len();
    bytes.resize(mutation.max_size.max(size), 0);
    let size = (mutation.native)(bytes, size, mutation.max_size).min(bytes.len());
    bytes.truncate(size);
}
