//! Counts the edges that texts cover in Lua.
//!
//! The subject's own code is Lua's, in C; `--within` chooses other sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    zester_coverage::main("lua", zester_subjects::lua::run, &["/lua-5.4."])
}
