//! `zester embed`: writes a grammar as a C source file, to link with libzester.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use zester::bounds::Caps;

use crate::input::{parse, source};
use crate::output::Existing;
use crate::problem::Problem;

const EXAMPLES: &str = "\
Examples:
  zester embed json.ebnf -o grammar.c
  zester embed json.ebnf -o grammar.c --force      replace the file after a change of the grammar

Exit status: 0; 1 if the grammar has errors; 2 if a file cannot be read or written.";

/// Write a grammar as a C file, to link with a harness and libzester.
///
/// The file compiles as C and as C++. It defines the constants that `zester.h` declares:
/// `zester_grammar_name`, `zester_grammar` and `zester_grammar_size`. A harness without this file
/// reads its grammar at run time, from --zester_grammar=FILE or ZESTER_GRAMMAR=FILE.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct EmbedCommand {
    /// The grammar: a file in zester's EBNF, or a built fuzz target.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// The C file to write; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    existing: Existing,
}

impl EmbedCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let source = source(&self.grammar)?;
        let (_, report) = parse(&self.grammar, &source, None, &Caps::default())?;
        eprint!("{report}");
        self.existing
            .write(&self.output, file(&self.grammar, &source).as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the C file. In C++, a constant has external linkage only if it is declared `extern`.
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

/// Returns a C string literal. Bytes that are not printable ASCII are escaped with three octal
/// digits, so that a following digit is not part of the escape. Question marks are escaped, because
/// two of them begin a trigraph.
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
