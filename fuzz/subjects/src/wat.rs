//! The subject `wat`: wast reads WebAssembly's text format and writes a binary, and wasmparser
//! validates the binary.
//!
//! A text is valid if wast reads it and resolves its names, and wasmparser accepts the binary with
//! every feature that its build has. Nothing is executed.

use wasmparser::{Validator, WasmFeatures};
use wast::Wat;
use wast::parser::{self, ParseBuffer};

/// Prefixes of the messages of the three stages.
const SYNTAX: &str = "syntax: ";
const NAMES: &str = "names: ";
const VALIDATION: &str = "validation: ";

/// Parses the text, encodes and validates it.
pub fn run(text: &str) -> Result<(), String> {
    let describe = |stage: &str, error: wast::Error| {
        let (line, column) = error.span().linecol_in(text);
        format!("{stage}{} at {}:{}", error.message(), line + 1, column + 1)
    };
    let buffer = ParseBuffer::new(text).map_err(|error| describe(SYNTAX, error))?;
    let mut wat = parser::parse::<Wat>(&buffer).map_err(|error| describe(SYNTAX, error))?;
    let binary = wat.encode().map_err(|error| describe(NAMES, error))?;
    let mut validator = Validator::new_with_features(WasmFeatures::all());
    match validator.validate_all(&binary) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!(
            "{VALIDATION}{} at {:#x}",
            error.message(),
            error.offset()
        )),
    }
}

/// Messages of wast's parser about limits, which are not about syntax, and messages of its encoder
/// that are. They are from wast 263.0.0, `src/parser.rs` and `src/core/resolve`.
const LIMITS: [&str; 1] = ["item nesting too deep"];
const SYNTAX_OF_NAMES: [&str; 2] = ["import after ", "mismatching labels between end and block"];

/// Returns whether a message of [`run`] means that the grammar of the text format does not derive
/// the text.
///
/// These are the messages of wast's parser, numbers out of range included, and those of its encoder
/// about the order of imports and the labels at the ends of blocks. Unknown and duplicate names are
/// not syntax errors.
pub fn is_syntax_error(message: &str) -> bool {
    let is = |stage: &str, starts: &[&str]| {
        message
            .strip_prefix(stage)
            .map(|message| starts.iter().any(|start| message.starts_with(start)))
    };
    is(SYNTAX, &LIMITS) == Some(false) || is(NAMES, &SYNTAX_OF_NAMES) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;

    #[test]
    fn accepts_valid_texts() {
        judge::accepts(
            run,
            &[
                "(module)",
                "(func)",
                "(func (param $i i32) (result i32) local.get $i i32.const -1 i32.add)",
                "(memory 1) (data (i32.const 0) \"\\00\" \"a\") (func (export \"f\") (drop (i32.load offset=4 (i32.const 0))))",
                "(type $s (struct (field $a (mut i8)))) (func (result i32) (struct.get_u $s $a (struct.new_default $s)))",
                "(tag $e (param i32)) (func (throw $e (i32.const 1)))",
                "(memory i64 1) (func (param i64) (drop (v128.load (local.get 0))))",
                "(type $f (func)) (type $k (cont $f)) (func (param (ref null $k)) (resume $k (local.get 0)))",
                "(;(;;);) ;; nothing\n(global f32 (f32.const nan:0x200000))",
            ],
        );
    }

    #[test]
    fn rejects_by_syntax() {
        judge::rejects_by_syntax(
            run,
            is_syntax_error,
            &[
                "",
                "(module",
                "(module) (module)",
                "(func (i32.nothing))",
                "(func (i32.const 4294967296) drop)",
                "(func i32.const-1 drop)",
                "(func (i8x16.extract_lane_s 256))",
                "(func (i32.load align=3))",
                "(data \"a\"\"b\")",
                "(data \"\\q\")",
                "(func) (import \"a\" \"b\" (func))",
                "(func block $a end $b)",
                "(func (if (nop)))",
            ],
        );
    }

    #[test]
    fn rejects_by_meaning() {
        judge::rejects_by_meaning(
            run,
            is_syntax_error,
            &[
                "(func (call $f))",
                "(func $f) (func $f)",
                "(func (result i32))",
                "(func i32.add)",
                "(func (i32.load (i32.const 0)) drop)",
                "(func (br 1))",
                "(type (sub 7 (func)))",
                "(func (type 3))",
                "(memory 65537)",
                "(start 0)",
            ],
        );
    }
}
