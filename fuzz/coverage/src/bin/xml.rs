//! Counts the edges that texts cover in roxmltree.
//!
//! The subject's own code is roxmltree's; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("xml", zester_subjects::xml::run, &["/roxmltree-"])
}
