//! The files beside libFuzzer's artifacts that have the sentences as text.

use std::ffi::{CStr, c_char, c_int};

unsafe extern "C" {
    fn zester_artifact_set(
        artifact: *const c_char,
        text: *const c_char,
        folder: *const c_char,
        exact: c_int,
    );
    fn zester_artifact_input(input: *const u8, length: usize);
}

/// The paths of artifacts and of their texts.
#[derive(Debug)]
pub struct ArtifactPaths<'a> {
    /// The path of the artifact if `is_exact`. Otherwise the kind of the artifact and the hash of
    /// the input follow.
    pub artifact: &'a CStr,
    /// The path of the text if `is_exact`. Otherwise the kind, the hash and `.txt` follow. Empty if
    /// no texts are written.
    pub text: &'a CStr,
    /// The directory of the text. It is made when a text is written.
    pub directory: &'a CStr,
    /// Whether the paths are complete.
    pub is_exact: bool,
}

/// Sets where the text of an artifact is written when a run ends the process.
pub fn set_artifacts(paths: &ArtifactPaths<'_>) {
    let ArtifactPaths {
        artifact,
        text,
        directory,
        is_exact,
    } = paths;
    // SAFETY: the strings must be readable until the call returns, and they are. C copies them.
    unsafe {
        zester_artifact_set(
            artifact.as_ptr(),
            text.as_ptr(),
            directory.as_ptr(),
            (*is_exact).into(),
        )
    }
}

/// Records the input that is about to run. The name of its artifact depends on it.
#[inline(always)]
pub fn set_input(input: &[u8]) {
    // SAFETY: C reads the input until `end` of the run. The engine keeps it during the run.
    unsafe { zester_artifact_input(input.as_ptr(), input.len()) }
}
