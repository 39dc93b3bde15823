//! Counts the edges that texts cover in MiniJinja 2.12.0.
//!
//! The subject's own code is that of its crate; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("jinja_old", zester_subjects::jinja::old::run, &["/minijinja-2."])
}
