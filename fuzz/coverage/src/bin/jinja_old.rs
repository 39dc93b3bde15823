//! Counts the edges that texts cover in MiniJinja 2.12.0.
//!
//! Edges of its crate count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main(
        "jinja_old",
        zester_subjects::jinja::old::run,
        &["/minijinja-2."],
    )
}
