//! Counts the edges that texts cover in Cedar.
//!
//! Edges of its core crate count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main(
        "cedar",
        zester_subjects::cedar::run,
        &["/cedar-policy-core-"],
    )
}
