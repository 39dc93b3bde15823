//! Generates the parsers of the notations, compiles the sidecar's C half, and lists the grammars that `zester new` offers.

use std::error::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    lalrpop::Configuration::new().emit_rerun_directives(true).process_dir("src")?;

    println!("cargo::rerun-if-changed=src/sidecar");
    let parts = ["counters", "run", "figures", "process"].map(|part| format!("src/sidecar/{part}.c"));
    cc::Build::new().files(parts).opt_level(3).warnings(true).compile("zester_sidecar");

    if std::env::var_os("CARGO_FEATURE_CLI").is_some() {
        templates()?;
    }
    Ok(())
}

/// `TEMPLATES`, names and texts of all files of `grammars/`.
fn templates() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=grammars");
    let directory = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("grammars");
    let entries: Result<Vec<_>, _> = std::fs::read_dir(directory)?.collect();
    let mut files: Vec<PathBuf> = entries?.iter().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ebnf"));
    files.sort();
    let lines = files.iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        format!("    ({name:?}, include_str!({path:?})),\n")
    });
    let list = format!(
        "/// The grammars that come with zester.\nconst TEMPLATES: &[(&str, &str)] = &[\n{}];\n",
        lines.collect::<String>()
    );
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("templates.rs"), list)?;
    Ok(())
}
