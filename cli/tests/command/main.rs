//! Runs the `zester` command as a user does. The tests are in files by subject.

mod artifacts;
mod check;
mod corpus;
mod decode;
mod documentation;
mod ends;
mod export;
mod generate;
mod help;
mod import;
mod instrumentation;
mod learn;
mod new;
mod output;
mod packages;
mod reduce;
mod report;
mod shell;
mod suite;

#[path = "../common/script.rs"]
mod script;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The directory of the repository, in which commands run.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn zester(arguments: &[&str], input: &[u8]) -> Output {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_zester"))
        .args(arguments)
        .current_dir(ROOT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
