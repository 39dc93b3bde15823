//! Parsers as processes that read files on request.
//!
//! A request is a line: seconds, then files, separated by tabs. The process reads the files into
//! memory and parses them one after the other, again and again, until the seconds are over, but
//! each at least once. The answer is a line: the bytes parsed, the processor seconds, the number of
//! files parsed, the number of files with an error, and the growth of the process' peak of memory
//! in kilobytes.

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use zester::bounds::Caps;
use zester::derivation::Derivation;
use zester::notation;
use zester::parse::Parser;

use crate::languages::Language;

/// A running parser.
pub struct Server {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

#[derive(Clone, Copy)]
pub struct Reply {
    pub bytes: f64,
    pub seconds: f64,
    pub texts: usize,
    pub wrong: usize,
    pub kilobytes: f64,
}

impl Server {
    pub fn start(command: &str) -> Server {
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = shell.spawn().expect("a shell");
        let requests = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Server {
            child,
            requests,
            answers,
        }
    }

    /// Returns [`None`] if the process has ended.
    pub fn ask(&mut self, seconds: f64, files: &[PathBuf]) -> Option<Reply> {
        let mut request = seconds.to_string();
        for file in files {
            request += "\t";
            request += file.to_str()?;
        }
        writeln!(self.requests, "{request}").ok()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer).ok()?;
        let numbers: Vec<f64> = answer
            .split_whitespace()
            .map_while(|number| number.parse().ok())
            .collect();
        let &[bytes, seconds, texts, wrong, kilobytes] = &numbers[..] else {
            return None;
        };
        Some(Reply {
            bytes,
            seconds: seconds.max(1e-6),
            texts: texts as usize,
            wrong: wrong as usize,
            kilobytes,
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Serves requests with one of the parsers in this process.
pub fn serve(name: &str, file: &Path) {
    match name {
        "zester" => {
            let source = std::fs::read(file).expect("GRAMMAR can be read");
            let (grammar, _) = notation::read("grammar", &source, &Caps::default())
                .unwrap_or_else(|report| panic!("{report}"));
            let (mut parser, mut derivation) = (Parser::new(&grammar), Derivation::default());
            answer(|text| parser.parse_into(text, &mut derivation).is_ok());
        }
        "tree-sitter" => {
            let mut parser = Language::of(file)
                .tree_sitter
                .expect("a grammar for tree-sitter");
            answer(|text| parser.accepts(text));
        }
        _ => answer(|text| black_box(serde_json::from_slice::<serde_json::Value>(text)).is_ok()),
    }
}

fn answer(mut parse: impl FnMut(&[u8]) -> bool) {
    for request in std::io::stdin().lines().map_while(Result::ok) {
        let mut words = request.split('\t');
        let least: f64 = words
            .next()
            .and_then(|word| word.parse().ok())
            .expect("seconds");
        let texts: Vec<Vec<u8>> = words
            .map(|file| std::fs::read(file).expect("a text"))
            .collect();
        let (before, start, busy) = (memory("VmRSS"), Instant::now(), processor_time());
        let (mut bytes, mut read, mut wrong) = (0, 0, 0);
        while read == 0 || start.elapsed().as_secs_f64() < least {
            let text = &texts[read % texts.len()];
            wrong += usize::from(!parse(text) && read < texts.len());
            bytes += text.len();
            read += 1;
        }
        let seconds = match (busy, processor_time()) {
            // The system counts in steps of some milliseconds.
            (Some(from), Some(to)) if start.elapsed().as_secs_f64() > 0.05 => to - from,
            _ => start.elapsed().as_secs_f64(),
        };
        println!(
            "{bytes} {seconds} {} {wrong} {}",
            read.min(texts.len()),
            memory("VmHWM") - before
        );
    }
}

/// Returns the processor seconds of this thread, or `None` if Linux does not provide them.
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

/// Returns the current or peak memory of this process in kilobytes, or 0 if Linux does not provide
/// it.
fn memory(which: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(which));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0.0)
}
