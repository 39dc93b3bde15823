//! Counts the edges that texts cover in naga 0.14.0, from WGSL.
//!
//! Edges of naga count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main(
        "wgsl_old",
        zester_subjects::wgsl::old::run,
        &["/naga-0.14.0/"],
    )
}
