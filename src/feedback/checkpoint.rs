//! Checkpoints: copies of the process. When a run ends the process, the last copy continues in its
//! place.

unsafe extern "C" {
    fn zester_checkpoints_begin(memory: usize);
    fn zester_checkpoint() -> u32;
}

/// Begins to make checkpoints. Forks a process, in which this function returns. The calling process
/// waits for the new one. `memory` is the value of `-rss_limit_mb`. Does nothing on other systems
/// than Linux.
///
/// Must be called at the end of `LLVMFuzzerInitialize`, while the process has one thread.
pub fn begin_checkpoints(memory: usize) {
    // SAFETY: the process must have one thread, because other threads do not exist in the new
    // process. The caller guarantees that.
    unsafe { zester_checkpoints_begin(memory) }
}

/// Makes a checkpoint if one is due. Returns how often a checkpoint has continued after a failure
/// so far. Must be called between two runs.
#[inline(always)]
pub fn checkpoint() -> u32 {
    // SAFETY: no run may be in progress, which the caller guarantees. The function does nothing if
    // the program has other threads.
    unsafe { zester_checkpoint() }
}
