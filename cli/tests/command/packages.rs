//! The number of packages that users compile.

use std::collections::BTreeSet;

use super::*;

/// Returns the packages that a build on this system compiles.
fn packages(arguments: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "-e",
            "normal,build",
            "--prefix",
            "none",
        ])
        .args(["-f", "{p}"])
        .args(arguments)
        .current_dir(ROOT)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    // A package in the repository has its path after the name and the version.
    let name = |line: &str| line.split(" (").next().unwrap_or_default().to_string();
    text(&output.stdout).lines().map(name).collect()
}

#[test]
fn an_installation_compiles_few_packages() {
    let packages = packages(&["-p", "zester-cli"]);
    assert!(packages.len() > 20, "{packages:?}");
    assert!(packages.len() <= 74, "{}: {packages:?}", packages.len());
}

#[test]
fn a_fuzz_target_compiles_few_packages() {
    let packages = packages(&["-p", "zester"]);
    assert!(
        packages
            .iter()
            .any(|name| name.starts_with("libfuzzer-sys"))
    );
    assert!(packages.len() <= 20, "{}: {packages:?}", packages.len());
}
