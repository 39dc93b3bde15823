//! Checkpoints: when a run ends the process, a copy of the process from a short time before goes on.

unsafe extern "C" {
    fn zester_checkpoints_begin(memory: usize);
    fn zester_checkpoint() -> u32;
}

/// Begins to make checkpoints: returns in a new process, and this one waits for it. `memory` is the
/// value of `-rss_limit_mb`. Does nothing on other systems than Linux.
///
/// Must be called at the end of `LLVMFuzzerInitialize`, while the process has one thread.
pub fn begin_checkpoints(memory: usize) {
    // SAFETY: the process must have one thread, because others do not live on in the new one. The
    // caller guarantees that.
    unsafe { zester_checkpoints_begin(memory) }
}

/// Makes a checkpoint if one is due. Returns how many checkpoints have gone on so far after a
/// failure. Must be called between two runs.
#[inline(always)]
pub fn checkpoint() -> u32 {
    // SAFETY: no run may be in progress, which the caller guarantees. The function does nothing if
    // the program has other threads.
    unsafe { zester_checkpoint() }
}
