//! Counts the edges that texts cover in naga, from WGSL.
//!
//! Edges of naga and naga-types count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("wgsl", zester_subjects::wgsl::new::run, &["/naga-"])
}
