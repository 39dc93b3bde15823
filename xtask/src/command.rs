//! Runs other programs: with output only if they fail, with limits of time and memory, or with
//! their output in a file.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Returns the command as a person would type it.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Writes an executable file. Another process writes it: a program that this process has open for
/// writing cannot be run while a thread starts a child, which inherits the open file ("Text file
/// busy").
pub fn script(path: &Path, text: &str) -> Result<()> {
    let mut printf = Command::new("sh");
    quietly(
        printf
            .args(["-c", r#"printf %s "$1" > "$0" && chmod 755 "$0""#])
            .arg(path)
            .arg(text),
    )
}

/// Runs a command without showing its output. If the command fails, the error contains the output.
pub fn quietly(command: &mut Command) -> Result<()> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", shown(command)))?;
    if !output.status.success() {
        let completed = [output.stdout, output.stderr].concat();
        bail!(
            "{} failed ({}):\n{}",
            shown(command),
            output.status,
            end_of(&completed)
        );
    }
    Ok(())
}

/// Runs a command that shows its own progress, such as a build by cargo.
pub fn visibly(command: &mut Command) -> Result<()> {
    let status = command
        .env("RUST_LIB_BACKTRACE", "0")
        .status()
        .with_context(|| format!("cannot run {}", shown(command)))?;
    anyhow::ensure!(status.success(), "{} failed ({status})", shown(command));
    Ok(())
}

/// Returns the standard output of a command that must succeed. What the command writes to standard
/// error appears on the standard error of this process.
pub fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot run {}", shown(command)))?;
    if !output.status.success() {
        bail!("{} failed ({})", shown(command), output.status);
    }
    Ok(output.stdout)
}

/// Returns the first line of a command's output, trimmed.
pub fn line(command: &mut Command) -> Result<String> {
    let output = output(command)?;
    Ok(String::from_utf8_lossy(&output)
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned())
}

/// The outcome of a command that may fail.
#[derive(Debug)]
pub struct Completed {
    /// Its exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The standard output, then the standard error.
    pub text: String,
}

impl Completed {
    /// Returns whether its status is 0.
    pub fn succeeded(&self) -> bool {
        self.status == Some(0)
    }

    /// Returns the status as a shell reports it: 128 plus the number of a signal that ended it.
    pub fn shell_status(&self) -> i32 {
        self.status
            .unwrap_or_else(|| 128 + self.signal.unwrap_or(0))
    }
}

/// Runs a command to its end; any status is allowed.
pub fn completed(command: &mut Command) -> Result<Completed> {
    use std::os::unix::process::ExitStatusExt;
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", shown(command)))?;
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    Ok(Completed {
        status: output.status.code(),
        signal: output.status.signal(),
        text,
    })
}

/// Makes a command append its output and its messages to a file.
pub fn logged<'a>(command: &'a mut Command, log: &Path) -> Result<&'a mut Command> {
    let file = File::options()
        .create(true)
        .append(true)
        .open(log)
        .with_context(|| format!("cannot write {}", log.display()))?;
    Ok(command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file))
}

/// Returns a command that `timeout` ends after some seconds with status 124, by SIGTERM, and five
/// seconds later by SIGKILL.
pub fn limited(seconds: u64, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.args(["-k", "5", &seconds.to_string()]).arg(program);
    command
}

/// Returns a command with a limit of address space in bytes, so that an allocation without limit
/// fails in this command only.
pub fn in_memory(bytes: u64, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("prlimit");
    command.arg(format!("--as={bytes}")).arg("--").arg(program);
    command
}

/// Returns the path of a program on the search path.
pub fn find(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|directory| directory.join(program))
        .find(|path| path.is_file())
}

/// Installs packages with apt-get if one of `programs` is missing and the system has apt-get.
pub fn install(packages: &[&str], programs: &[&str]) -> Result<()> {
    let missing = |programs: &[&str]| programs.iter().any(|program| find(program).is_none());
    if missing(programs) && find("apt-get").is_some() {
        eprintln!("installing {}", packages.join(" "));
        quietly(Command::new("apt-get").arg("update"))?;
        quietly(
            Command::new("apt-get")
                .args(["install", "-y"])
                .args(packages),
        )?;
    }
    if missing(programs) {
        bail!(
            "{}: not all are here (on Debian: apt-get install {})",
            programs.join(", "),
            packages.join(" ")
        );
    }
    Ok(())
}

/// Returns the last lines of a log.
pub fn end_of(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_has_its_output() {
        quietly(Command::new("sh").args(["-c", "echo fine"])).unwrap();
        let error = quietly(Command::new("sh").args(["-c", "echo out; echo wrong >&2; exit 3"]))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("out") && error.contains("wrong") && error.contains("exit status: 3"),
            "{error}"
        );
    }

    #[test]
    fn statuses_are_those_of_a_shell() {
        let status = |script: &str| {
            completed(Command::new("sh").args(["-c", script]))
                .unwrap()
                .shell_status()
        };
        assert_eq!((status("exit 7"), status("kill -TERM $$")), (7, 143));
    }

    #[test]
    fn limits_hold() {
        assert_eq!(
            completed(limited(1, "sleep").arg("20")).unwrap().status,
            Some(124)
        );
        let hungry = "exec 2>/dev/null; head -c 2000000000 /dev/zero | tail -c 2000000000 | wc -c";
        let text = completed(in_memory(300_000_000, "sh").args(["-c", hungry]))
            .unwrap()
            .text;
        assert_eq!(text.trim(), "0");
    }
}
