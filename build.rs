//! Compiles the C half of the validity feedback.

fn main() {
    println!("cargo::rerun-if-changed=src/sidecar");
    println!("cargo::rerun-if-changed=src/fork_server");
    let parts = ["counters", "run", "figures", "process"].map(|part| format!("src/sidecar/{part}.c"));
    cc::Build::new().files(parts).file("src/fork_server/process.c").opt_level(3).warnings(true).compile("zester_sidecar");
}
