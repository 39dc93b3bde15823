//! Counts the edges that texts cover in cel 0.15.0.
//!
//! The subject's own code is that of its crate; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("cel", zester_subjects::cel::new::run, &["/cel-0."])
}
