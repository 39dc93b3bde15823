//! Counts the edges that texts cover in starlark 0.14.3.
//!
//! Edges of its crates count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main(
        "starlark",
        zester_subjects::starlark::run,
        &[
            "/starlark-0.14.",
            "/starlark_syntax-0.14.",
            "/starlark_map-0.14.",
        ],
    )
}
