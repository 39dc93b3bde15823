//! Counts the edges that texts cover in wast and wasmparser.
//!
//! The subject's own code is that of wast, wasm-encoder and wasmparser; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("wat", zester_subjects::wat::run, &["/wast-", "/wasm-encoder-", "/wasmparser-"])
}
