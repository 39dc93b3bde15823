//! Counts the edges that texts cover in Boa 0.22.0.
//!
//! The subject's own code is that of its engine, parser and syntax tree; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("javascript", zester_subjects::javascript::run, &["/boa_engine-", "/boa_parser-", "/boa_ast-"])
}
