//! The arguments of a mutation besides the inputs.

/// The engine's own mutator of bytes. It gets a buffer, `size` and `max_size`. It changes the first
/// `size` bytes to at most `max_size` bytes, and returns the new size.
pub type NativeMutator = fn(&mut [u8], usize, usize) -> usize;

/// The arguments of a mutation besides the inputs.
#[derive(Clone, Copy)]
pub struct MutationCall {
    /// The maximum size of the result in bytes.
    pub max_size: usize,
    /// The seed of all random choices.
    pub seed: u32,
    /// The engine's own mutator.
    pub native: NativeMutator,
}
