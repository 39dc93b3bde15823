//! Counts the edges that texts cover in wast and wasmparser.
//!
//! Edges of wast, wasm-encoder and wasmparser count as the subject's own code; `--within` selects
//! other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main(
        "wat",
        zester_subjects::wat::run,
        &["/wast-", "/wasm-encoder-", "/wasmparser-"],
    )
}
