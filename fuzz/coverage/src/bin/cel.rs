//! Counts the edges that texts cover in cel 0.15.0.
//!
//! Edges of its crate count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("cel", zester_subjects::cel::new::run, &["/cel-0."])
}
