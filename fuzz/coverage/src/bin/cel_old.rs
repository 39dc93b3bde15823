//! Counts the edges that texts cover in cel-interpreter 0.9.1.
//!
//! The subject's own code is that of its crate; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("cel_old", zester_subjects::cel::old::run, &["/cel-interpreter-"])
}
