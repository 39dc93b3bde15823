//! Compiles the C half of the validity feedback.

fn main() {
    println!("cargo::rerun-if-changed=src/sidecar");
    let parts = ["counters", "run", "figures", "process"].map(|part| format!("src/sidecar/{part}.c"));
    cc::Build::new().files(parts).opt_level(3).warnings(true).compile("zester_sidecar");
}
