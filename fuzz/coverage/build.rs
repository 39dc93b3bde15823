//! Compiles the C shim between the compiler's tables and `src/edges.rs`.
//!
//! `cc` does not see RUSTFLAGS, so the shim itself is never instrumented.

fn main() {
    println!("cargo::rerun-if-changed=src/edges.c");
    cc::Build::new().file("src/edges.c").compile("edges");
}
