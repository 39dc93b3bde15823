//! Counts the edges that texts cover in apollo-compiler.
//!
//! The subject's own code is that of apollo-compiler and apollo-parser; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("graphql", zester_subjects::graphql::run, &["/apollo-"])
}
