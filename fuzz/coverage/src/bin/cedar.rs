//! Counts the edges that texts cover in Cedar.
//!
//! The subject's own code is that of its core crate; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("cedar", zester_subjects::cedar::run, &["/cedar-policy-core-"])
}
