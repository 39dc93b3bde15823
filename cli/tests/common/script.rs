//! Writes scripts that tests run.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes an executable file. Another process writes it: a program that this process has open for
/// writing cannot be run while a thread starts a child, which inherits the open file ("Text file
/// busy").
pub fn write(path: &Path, text: &str) {
    let mut shell = Command::new("sh")
        .args(["-c", r#"cat > "$0" && chmod 755 "$0""#])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = shell.stdin.take().unwrap();
    input.write_all(text.as_bytes()).unwrap();
    drop(input);
    assert!(shell.wait().unwrap().success(), "{}", path.display());
}
