//! The command `cargo`.

use std::process::Command;

use crate::repository::root;

/// Returns the command `cargo` in the root of the repository, without flags that a fuzzer's
/// environment may contain.
pub fn cargo() -> Command {
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(root())
        .env_remove("RUSTFLAGS")
        .env_remove("CFLAGS");
    cargo
}
