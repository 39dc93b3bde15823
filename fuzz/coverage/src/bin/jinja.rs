//! Counts the edges that texts cover in MiniJinja 3.0.5.
//!
//! Edges of its crate count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main(
        "jinja",
        zester_subjects::jinja::new::run,
        &["/minijinja-3."],
    )
}
