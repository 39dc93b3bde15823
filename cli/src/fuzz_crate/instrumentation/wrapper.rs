//! This program as the wrapper of rustc: it drops flags, and then executes rustc or the next wrapper.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

use super::{NEXT_WRAPPER, UNINSTRUMENTED};

/// Runs rustc if Cargo started this program as the wrapper of rustc. Returns [`None`] otherwise.
pub fn run_as_wrapper() -> Option<ExitCode> {
    let packages = std::env::var(UNINSTRUMENTED).ok()?;
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // Cargo passes the path of a program, which is no command of zester.
    let is_rustc = |path: &OsString| Path::new(path).file_stem() == Some(OsStr::new("rustc"));
    if !arguments.iter().take(2).any(is_rustc) {
        return None;
    }
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let name = of("CARGO_PKG_NAME");
    let package = format!("{name} {}", of("CARGO_PKG_VERSION"));
    if packages
        .split(',')
        .any(|other| other == name || other == package)
    {
        arguments.retain(|argument| !is_dropped(argument));
        // Without this flag, the user's profile asks for link-time optimisation, which needs bitcode.
        if arguments
            .iter()
            .any(|argument| argument == "embed-bitcode=no")
        {
            arguments.extend(QUICK.map(OsString::from));
        }
    }
    let next = std::env::var_os(NEXT_WRAPPER).filter(|next| !next.is_empty());
    let mut all = next.into_iter().chain(arguments);
    let program = all.next()?;
    // Returns only if the program cannot be started.
    let error = Command::new(&program).args(all).exec();
    eprintln!("zester: {}: {error}", Path::new(&program).display());
    Some(ExitCode::from(2))
}

/// The flags that make the packages of the fuzzer build in half of the time: no optimisation between the
/// codegen units of a crate, and no lines in stack traces, which have the names of functions.
const QUICK: [&str; 2] = ["-Clto=off", "-Cdebuginfo=0"];

/// Returns whether a flag is for the program under test alone: it instruments a crate, or serves the
/// instrumentation (one codegen unit and no folded branches), or adds checks of overflows and
/// assertions. zester needs no such checks here, because its own tests run with them.
fn is_dropped(flag: &OsStr) -> bool {
    let flag = flag.to_str().unwrap_or_default();
    flag.starts_with("-Cllvm-args=-sanitizer-coverage-")
        || flag.starts_with("-Cllvm-args=-simplifycfg-branch-fold-threshold=")
        || [
            "-Cpasses=sancov-module",
            "-Ccodegen-units=1",
            "-Cdebug-assertions",
        ]
        .contains(&flag)
}

/// Returns the wrapper of rustc that the user has set, as Cargo finds it: in the environment, or in
/// the configuration of Cargo.
pub fn of_user() -> Option<OsString> {
    for name in ["RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"] {
        if let Some(wrapper) = std::env::var_os(name) {
            return Some(wrapper).filter(|wrapper| !wrapper.is_empty());
        }
    }
    let here = std::env::current_dir().unwrap_or_default();
    let mut directories: Vec<PathBuf> = here.ancestors().map(|at| at.join(".cargo")).collect();
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| {
            let home = std::env::var_os("HOME")?;
            Some(Path::new(&home).join(".cargo"))
        });
    directories.extend(home);
    directories
        .iter()
        .find_map(|directory| in_configuration(directory))
}

/// Returns the wrapper that the configuration file in a directory names.
fn in_configuration(directory: &Path) -> Option<OsString> {
    let read = |name: &str| std::fs::read_to_string(directory.join(name)).ok();
    let text = read("config").or_else(|| read("config.toml"))?;
    let configuration: Value = toml::from_str(&text).ok()?;
    let wrapper = configuration["build"]["rustc-wrapper"].as_str()?;
    // A path is relative to the parent of the directory of the file. A name is looked up in PATH.
    Some(match (wrapper.contains('/'), directory.parent()) {
        (true, Some(parent)) => parent.join(wrapper).into(),
        _ => wrapper.into(),
    })
    .filter(|wrapper: &OsString| !wrapper.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_coverage_are_dropped_and_others_stay() {
        for (flag, expected) in [
            ("-Cpasses=sancov-module", true),
            ("-Cllvm-args=-sanitizer-coverage-level=4", true),
            ("-Cllvm-args=-sanitizer-coverage-stack-depth", true),
            ("-Cllvm-args=-simplifycfg-branch-fold-threshold=0", true),
            ("-Ccodegen-units=1", true),
            ("-Cdebug-assertions", true),
            ("-Ccodegen-units=16", false),
            ("-Zsanitizer=address", false),
            ("-Cllvm-args=-inline-threshold=5", false),
            ("fuzzing", false),
        ] {
            assert_eq!(is_dropped(OsStr::new(flag)), expected, "{flag}");
        }
    }

    #[test]
    fn the_wrapper_of_the_user_is_read_from_the_configuration() {
        let work = tempfile::tempdir().unwrap();
        let directory = work.path().join(".cargo");
        std::fs::create_dir(&directory).unwrap();
        let of = |text: &str| {
            std::fs::write(directory.join("config.toml"), text).unwrap();
            in_configuration(&directory)
        };
        assert_eq!(
            of("[build]\nrustc-wrapper = \"sccache\"\n"),
            Some("sccache".into())
        );
        let path = work.path().join("tools/wrap").into_os_string();
        assert_eq!(of("[build]\nrustc-wrapper = \"tools/wrap\"\n"), Some(path));
        assert_eq!(of("[build]\nrustc-wrapper = \"\"\n"), None);
        assert_eq!(of("[build]\n"), None);
        assert_eq!(of("[build"), None);
    }
}
