//! Generates the parsers of the notations and compiles the sidecar's C half.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    lalrpop::Configuration::new().emit_rerun_directives(true).process_dir("src")?;

    println!("cargo::rerun-if-changed=src/sidecar.c");
    cc::Build::new().file("src/sidecar.c").opt_level(3).warnings(true).compile("zester_sidecar");
    Ok(())
}
