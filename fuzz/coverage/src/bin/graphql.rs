//! Counts the edges that texts cover in apollo-compiler.
//!
//! Edges of apollo-compiler and apollo-parser count as the subject's own code; `--within` selects
//! other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("graphql", zester_subjects::graphql::run, &["/apollo-"])
}
