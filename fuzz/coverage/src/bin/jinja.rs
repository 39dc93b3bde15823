//! Counts the edges that texts cover in MiniJinja 3.0.5.
//!
//! The subject's own code is that of its crate; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("jinja", zester_subjects::jinja::new::run, &["/minijinja-3."])
}
