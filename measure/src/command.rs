//! Running other programs: quietly unless they fail, with limits of time and of memory, with their output in a file.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The command as a person would type it.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// Runs a command and says nothing if it succeeds. If it fails, the error has its output.
pub fn quietly(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {}", shown(command)))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        bail!("{} failed ({}):\n{}", shown(command), output.status, end_of(&said));
    }
    Ok(())
}

/// The standard output of a command that must succeed; its messages go where ours do.
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

/// The first line of what a command prints, trimmed.
pub fn line(command: &mut Command) -> Result<String> {
    let output = output(command)?;
    Ok(String::from_utf8_lossy(&output).lines().next().unwrap_or_default().trim().to_owned())
}

/// What came of a command whose failure is no error.
#[derive(Debug)]
pub struct Said {
    /// Its exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Its output and its messages, the latter last.
    pub text: String,
}

impl Said {
    /// Whether its status is 0.
    pub fn succeeded(&self) -> bool {
        self.status == Some(0)
    }

    /// The status as a shell has it: 128 and the number of the signal that ended it.
    pub fn shell_status(&self) -> i32 {
        self.status.unwrap_or_else(|| 128 + self.signal.unwrap_or(0))
    }
}

/// Runs a command to its end, whatever its status.
pub fn said(command: &mut Command) -> Result<Said> {
    use std::os::unix::process::ExitStatusExt;
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {}", shown(command)))?;
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    Ok(Said { status: output.status.code(), signal: output.status.signal(), text })
}

/// Lets a command append its output and its messages to a file.
pub fn logged<'a>(command: &'a mut Command, log: &Path) -> Result<&'a mut Command> {
    let file = File::options().create(true).append(true).open(log).with_context(|| format!("cannot write {}", log.display()))?;
    Ok(command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file))
}

/// A command that `timeout` ends after some seconds, with status 124: by SIGTERM, and by SIGKILL five seconds later.
pub fn limited(seconds: u64, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.args(["-k", "5", &seconds.to_string()]).arg(program);
    command
}

/// A command that gets at most so many bytes of address space, so that an allocation without limit fails in it alone.
pub fn in_memory(bytes: u64, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("prlimit");
    command.arg(format!("--as={bytes}")).arg("--").arg(program);
    command
}

/// Where a program is on the search path.
pub fn find(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|directory| directory.join(program)).find(|path| path.is_file())
}

/// Installs packages by apt-get, where there is one and something of `programs` is missing.
pub fn install(packages: &[&str], programs: &[&str]) -> Result<()> {
    let missing = |programs: &[&str]| programs.iter().any(|program| find(program).is_none());
    if missing(programs) && find("apt-get").is_some() {
        eprintln!("installing {}", packages.join(" "));
        quietly(Command::new("apt-get").arg("update"))?;
        quietly(Command::new("apt-get").args(["install", "-y"]).args(packages))?;
    }
    if missing(programs) {
        bail!("{}: not all are here (on Debian: apt-get install {})", programs.join(", "), packages.join(" "));
    }
    Ok(())
}

/// The last lines of a log.
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
        let error = quietly(Command::new("sh").args(["-c", "echo out; echo wrong >&2; exit 3"])).unwrap_err().to_string();
        assert!(error.contains("out") && error.contains("wrong") && error.contains("exit status: 3"), "{error}");
    }

    #[test]
    fn statuses_are_those_of_a_shell() {
        let status = |script: &str| said(Command::new("sh").args(["-c", script])).unwrap().shell_status();
        assert_eq!((status("exit 7"), status("kill -INT $$")), (7, 130));
    }

    #[test]
    fn limits_hold() {
        assert_eq!(said(limited(1, "sleep").arg("20")).unwrap().status, Some(124));
        let hungry = "exec 2>/dev/null; head -c 2000000000 /dev/zero | tail -c 2000000000 | wc -c";
        let text = said(in_memory(300_000_000, "sh").args(["-c", hungry])).unwrap().text;
        assert_eq!(text.trim(), "0");
    }
}
