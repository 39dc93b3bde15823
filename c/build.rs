//! Compiles the part that is in C: weak symbols.

fn main() {
    println!("cargo::rerun-if-changed=src/entry.c");
    println!("cargo::rerun-if-changed=zester.h");
    cc::Build::new().file("src/entry.c").include(".").opt_level(2).warnings(true).compile("zester_entry");
}
