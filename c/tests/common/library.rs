//! libzester.a for tests, compiled as the tests are.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds libzester.a together with the command line, so that both have one set of features. Returns its
/// path.
pub fn library() -> PathBuf {
    let packages = ["-p", "zester-c", "-p", "zester-cli"];
    let cargo = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--profile", "test"])
        .args(packages)
        .env_remove("RUSTFLAGS")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(cargo.unwrap().success());
    // The directory of a test's own files is `tmp` in the target directory.
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("debug/libzester.a")
}
