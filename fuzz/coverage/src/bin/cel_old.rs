//! Counts the edges that texts cover in cel-interpreter 0.9.1.
//!
//! Edges of its crate count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main(
        "cel_old",
        zester_subjects::cel::old::run,
        &["/cel-interpreter-"],
    )
}
