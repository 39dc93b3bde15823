//! Counts the edges that texts cover in naga, from WGSL.
//!
//! The subject's own code is that of naga and naga-types; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("wgsl", zester_subjects::wgsl::new::run, &["/naga-"])
}
