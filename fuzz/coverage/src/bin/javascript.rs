//! Counts the edges that texts cover in Boa 0.22.0.
//!
//! Edges of its engine, parser and syntax tree count as the subject's own code; `--within` selects
//! other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main(
        "javascript",
        zester_subjects::javascript::run,
        &["/boa_engine-", "/boa_parser-", "/boa_ast-"],
    )
}
