//! Picire (Hodován, Kiss, *Modernizing hierarchical delta debugging*, A-TEST 2016), the reducer
//! that the paper on Bonsai fuzzing uses.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};

use zester_xtask::command::quietly;

/// Reads a line with a text in hexadecimal digits. Sends each candidate in the same form and reads
/// whether it is interesting, `1` or `0`. At the end sends `=` and the result.
const PROGRAM: &str = r#"
import logging, sys
import picire
logging.disable(logging.CRITICAL)

def reduce(text):
    def test(config, config_id):
        candidate = "".join(text[index] for index in config)
        print(candidate.encode("utf-8", "surrogateescape").hex(), flush=True)
        return picire.Outcome.FAIL if sys.stdin.readline().strip() == "1" else picire.Outcome.PASS
    reducer = picire.DD(test, cache=picire.ConfigCache())
    try:
        return "".join(text[index] for index in reducer(list(range(len(text)))))
    except AssertionError:  # The text is not interesting any more, because a run is not the same each time.
        return text

for line in sys.stdin:
    text = bytes.fromhex(line.strip()).decode("utf-8", "surrogateescape")
    reduced = reduce(text) if text else text
    print("=" + reduced.encode("utf-8", "surrogateescape").hex(), flush=True)
"#;

/// The version that is installed from PyPI.
const PACKAGE: &str = "picire==21.8";

/// A Python process with Picire.
pub struct Picire {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Picire {
    /// Installs Picire in a virtual environment, unless it is there, and starts it.
    pub fn install(directory: &Path) -> Result<Self> {
        let python = directory.join("bin/python");
        if !directory.join("installed").exists() {
            quietly(Command::new("python3").args(["-m", "venv"]).arg(directory))?;
            quietly(Command::new(&python).args(["-m", "pip", "install", "--quiet", PACKAGE]))?;
            std::fs::write(directory.join("installed"), PACKAGE)?;
        }
        let mut child = Command::new(&python)
            .args(["-c", PROGRAM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().context("no standard input")?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?);
        Ok(Picire {
            child,
            input,
            output,
        })
    }

    /// Reduces a text, by characters.
    pub fn reduce(
        &mut self,
        text: &[u8],
        mut is_interesting: impl FnMut(&[u8]) -> Result<bool>,
    ) -> Result<Vec<u8>> {
        writeln!(self.input, "{}", digits(text))?;
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "Picire has ended");
            if let Some(result) = line.trim().strip_prefix('=') {
                return bytes(result);
            }
            let answer = is_interesting(&bytes(line.trim())?)?;
            writeln!(self.input, "{}", u8::from(answer))?;
        }
    }
}

impl Drop for Picire {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(digits: &str) -> Result<Vec<u8>> {
    ensure!(
        digits.len().is_multiple_of(2) && digits.is_ascii(),
        "no hexadecimal digits: {digits:.50}"
    );
    let pair =
        |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).context("no hexadecimal digits");
    (0..digits.len()).step_by(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_passed_in_hexadecimal_digits() {
        assert_eq!(bytes(&digits(b"a\n\xff")).unwrap(), b"a\n\xff");
        assert!(bytes("abc").is_err() && bytes("zz").is_err());
    }
}
