//! Counts the edges that texts cover in roxmltree.
//!
//! Edges of roxmltree count as the subject's own code; `--within` selects other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("xml", zester_subjects::xml::run, &["/roxmltree-"])
}
