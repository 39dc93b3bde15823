//! Compiles `src/edges.c`, which connects the compiler's tables with `src/edges.rs`.
//!
//! `cc` does not read RUSTFLAGS, so this C code is never instrumented.

fn main() {
    println!("cargo::rerun-if-changed=src/edges.c");
    cc::Build::new().file("src/edges.c").compile("edges");
}
