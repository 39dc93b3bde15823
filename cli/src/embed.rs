//! `zester embed`: a grammar as a C source file, for libzester.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use zester::bounds::Caps;
use zester::notation;

use crate::command::{Problem, parse, read, write};

/// Write a grammar as a C file, to be linked with a harness.
///
/// The file is C and C++. It defines what `zester.h` declares: `zester_grammar_name`, `zester_grammar` and
/// `zester_grammar_size`. A program without it is told by `--zester_grammar=FILE` or `ZESTER_GRAMMAR=FILE`.
#[derive(clap::Args)]
pub struct Embed {
    /// The grammar, in EBNF.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// Where to write the C file; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

impl Embed {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let source = read(&self.grammar, notation::MOST_SOURCE as u64 + 1)?;
        let (_, report) = parse(&self.grammar, &source, &Caps::default())?;
        eprint!("{report}");
        write(&self.output, file(&self.grammar, &source).as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The C file. A constant of C++ is seen outside only if it is declared so.
fn file(path: &Path, source: &[u8]) -> String {
    let name = path.display().to_string();
    let mut text = format!(
        "/* By `zester embed`. */\n#include <stddef.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\
         extern const char zester_grammar_name[];\nextern const unsigned char zester_grammar[];\n\
         extern const size_t zester_grammar_size;\n\nconst char zester_grammar_name[] = {};\n\
         const unsigned char zester_grammar[] =",
        literal(name.as_bytes()),
    );
    for line in source.split_inclusive(|&byte| byte == b'\n') {
        let _ = write!(text, "\n    {}", literal(line));
    }
    if source.is_empty() {
        text.push_str(" \"\"");
    }
    text.push_str(";\nconst size_t zester_grammar_size = sizeof zester_grammar - 1;\n#ifdef __cplusplus\n}\n#endif\n");
    text
}

/// A string literal of C. What is no plain character is three octal digits, which no digit behind them can lengthen; a question
/// mark might begin a trigraph.
fn literal(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'"' | b'\\' | b'?' => text.extend(['\\', byte.into()]),
            b' '..=b'~' => text.push(byte.into()),
            _ => _ = write!(text, "\\{byte:03o}"),
        }
    }
    text + "\""
}
