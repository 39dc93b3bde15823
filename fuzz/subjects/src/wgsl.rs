//! The subjects `wgsl` and `wgsl_old`: two versions of naga read a WGSL shader, validate it and
//! write it as WGSL, SPIR-V, MSL and HLSL.
//!
//! A text is valid if naga's front end and its validator accept it, with all capabilities allowed.
//! Errors of the writers do not count. A writer only gets modules within the capabilities that it
//! declares, so each panic in a writer is a fault and not a broken precondition.

use std::collections::BTreeMap;

/// The prefix of the validator's messages, which are never about syntax.
const VALIDATION: &str = "validation: ";

/// Prefixes of messages which mean that WGSL's grammar does not derive the text, except for the
/// family `expected …, found "…"`. They are from naga 30.0.1, `src/front/wgsl/error.rs`; 0.14.0 has
/// most of them.
const SYNTAX: [&str; 7] = [
    "expected global declaration, but found a global directive",
    "invalid numeric literal format",
    "unterminated block comment",
    // The grammar has `break if` only at the end of a continuing block.
    "A break if is only allowed in a continuing block",
    // Rules of the specification about identifiers that depend on a single token.
    "Identifier can't be ",
    "Identifier starts with a reserved prefix",
    "name `", // `x` is a reserved keyword
];

/// Names of the wrong kind, in the words of the family `expected …, found "…"`. The specification's
/// grammar derives them: any name may be called, be a value, or be in an attribute.
const NAMES: [&str; 3] = [
    "expected variable access, found ",
    "expected function name, found ",
    "expected the `diagnostic` attribute identifier, found ",
];

/// Returns whether a message of `run`, or a plain one of naga's front end, means that WGSL's
/// grammar does not derive the text.
///
/// naga reports some errors while parsing that are not about syntax: unknown or repeated
/// attributes, builtins, address spaces, access modes and extensions (the grammar has a plain name
/// there), numbers out of range, duplicate declarations, missing attributes, and naga's limits on
/// nested braces and expressions. naga stops at the first error and parses the whole text before it
/// resolves names and types, so other errors mean that the syntax before their position is correct.
pub fn is_syntax_error(message: &str) -> bool {
    let starts = |start: &&str| message.starts_with(*start);
    // The older version uses other quotation marks.
    let found = message.contains(", found \"") || message.contains(", found '");
    SYNTAX.iter().any(starts)
        || message.starts_with("expected ") && found && !NAMES.iter().any(starts)
}

/// Defines the common code of both versions, for the crate of this name. It is a macro because the
/// versions share no type. `$bound` refuses texts before naga gets them.
macro_rules! subject {
    ($naga:ident, $bound:expr) => {
        use super::{VALIDATION, instructions};
        use std::error::Error;
        use $naga::Module;
        use $naga::back::{hlsl, msl, spv, wgsl};
        use $naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

        pub use super::is_syntax_error;

        /// Parses and validates the text, then writes a valid module in every language.
        pub fn run(text: &str) -> Result<(), String> {
            outcome(text).map(drop)
        }

        /// Parses and validates the text, then writes a valid module in every language. Returns how often
        /// each instruction occurs in SPIR-V, and the constants. The text is empty if SPIR-V does not support
        /// the module.
        pub fn outcome(text: &str) -> Result<String, String> {
            $bound(text)?;
            let module = $naga::front::wgsl::parse_str(text).map_err(|error| {
                let message = error.message();
                match error.location(text) {
                    Some(at) => format!("{message} at {}:{}", at.line_number, at.line_position),
                    None => message.to_owned(),
                }
            })?;
            let info = validate(&module, Capabilities::all())?;
            Ok(instructions(&write(&module, &info)))
        }

        fn validate(module: &Module, capabilities: Capabilities) -> Result<ModuleInfo, String> {
            Validator::new(ValidationFlags::all(), capabilities)
                .validate(module)
                .map_err(|error| {
                    // Each error describes only its own level: the cause is at the end of the
                    // chain.
                    let mut message = format!("{VALIDATION}{error}");
                    let mut cause = error.as_inner().source();
                    while let Some(error) = cause {
                        message += &format!(": {error}");
                        cause = error.source();
                    }
                    message
                })
        }
    };
}

/// Returns the instructions of a SPIR-V module with the number of times that each occurs, and the values of
/// its constants. Names, the identifiers of results, labels and unconditional branches are not part of it.
fn instructions(words: &[u32]) -> String {
    const IGNORED: [u32; 6] = [3, 5, 6, 7, 248, 249];
    const CONSTANT: u32 = 43;
    let mut found: BTreeMap<(u32, &[u32]), usize> = BTreeMap::new();
    let mut rest = words.get(5..).unwrap_or_default();
    while let [first, operands @ ..] = rest {
        let (length, code) = ((first >> 16).max(1) as usize, first & 0xffff);
        let length = length.min(rest.len());
        let values = match code {
            CONSTANT => operands.get(2..length - 1).unwrap_or_default(),
            _ => &[],
        };
        if !IGNORED.contains(&code) {
            *found.entry((code, values)).or_default() += 1;
        }
        rest = &rest[length..];
    }
    let line = |((code, values), count)| match (code, values) {
        (CONSTANT, values) => format!("constant {values:?} {count}\n"),
        (code, _) => format!("{code} {count}\n"),
    };
    found.into_iter().map(line).collect()
}

/// The tests that both versions pass, with a shader that each writer supports.
#[cfg(test)]
macro_rules! tests {
    ($shader:expr) => {
        #[test]
        fn accepts_valid_texts() {
            judge::accepts(
                run,
                &[
                    "",
                    ";",
                    "const a = 1 + 2;",
                    "/* /* */ */ fn f() {}",
                    $shader,
                ],
            );
        }

        #[test]
        fn outcomes_have_no_names() {
            let text = "@compute @workgroup_size(1) fn f() { let x = 7 + 1; }";
            let outcome = outcome(text).unwrap();
            assert!(outcome.contains("constant [8] 1\n"), "{outcome}");
            let other = "@compute @workgroup_size(1) fn g() { let y = (8); }";
            assert_eq!(super::outcome(other), Ok(outcome));
        }

        #[test]
        fn rejects_by_syntax() {
            judge::rejects_by_syntax(
                run,
                is_syntax_error,
                &[
                    "const a 1;",
                    "fn f( {}",
                    "fn f() { return",
                    "const a = 1 +;",
                    "const a = 1.5u;",
                    "const a = 1; enable f16;",
                    "fn f() { break if true; }",
                    "fn f() { loop { break if true; } }",
                    "const _ = 1;",
                    "const __a = 1;",
                    "const await = 1;",
                    "const a = \u{1F600};",
                ],
            );
        }

        #[test]
        fn rejects_by_meaning() {
            let deep = format!("const a = {}1{};", "(".repeat(500), ")".repeat(500));
            judge::rejects_by_meaning(
                run,
                is_syntax_error,
                &[
                    "const a = b;",
                    "const a = 1; const a = 2;",
                    "const a: u32 = 1.5;",
                    "const a = 99999999999i;",
                    "fn f() {} const a = f;",
                    "const f = 1; fn g() { f(); }",
                    "fn f(a: i32) {} fn g() { f(); }",
                    "@compute fn f() {}",
                    "var<nowhere> a: u32;",
                    "struct S {}",
                    "var<uniform> a: u32;",
                    "fn f() -> i32 {}",
                    &deep,
                ],
            );
        }
    };
}

/// naga 30.0.1.
#[cfg(feature = "wgsl")]
pub mod new {
    subject!(naga, |_| Ok::<_, String>(()));
    use naga::back::{PipelineConstants, pipeline_constants};

    /// Writes the module with every writer that supports it. Returns the words of the SPIR-V
    /// module, or none if SPIR-V does not support it.
    ///
    /// The language versions are the newest ones, which refuse least. GLSL is left out: naga 30.0.1
    /// panics there within seconds (writer.rs:2294, the offset of `textureSampleGrad`), and its
    /// output for `x % x % x …` doubles with every remainder.
    fn write(module: &Module, info: &ModuleInfo) -> Vec<u32> {
        let _ = wgsl::write_string(module, info, wgsl::WriterFlags::all());

        // The other languages have no overrides, so each override gets its default value, if it has
        // one.
        let constants = PipelineConstants::default();
        let Ok((module, info)) =
            pipeline_constants::process_overrides(module, info, None, &constants)
        else {
            return Vec::new();
        };
        // Validation takes longer than writing, so it runs once for all writers.
        let common = spv::supported_capabilities()
            & msl::supported_capabilities()
            & hlsl::supported_capabilities();
        if validate(&module, common).is_err() {
            return Vec::new();
        }
        let options = spv::Options {
            lang_version: (1, 6),
            ..Default::default()
        };
        let words = spv::write_vec(&module, &info, &options, None);

        let options = msl::Options {
            lang_version: (4, 0),
            ..Default::default()
        };
        let _ = msl::write_string(&module, &info, &options, &Default::default());

        let options = hlsl::Options {
            shader_model: hlsl::ShaderModel::V6_9,
            ..Default::default()
        };
        let pipeline = hlsl::PipelineOptions::default();
        let mut written = String::new();
        let _ = hlsl::Writer::new(&mut written, &options, &pipeline).write(&module, &info, None);
        words.unwrap_or_default()
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::judge;

        const SHADER: &str = "
            enable f16;
            override scale: f32 = 2.0;
            struct Out { @builtin(position) place: vec4f, @location(0) tint: vec3<f32> }
            @group(0) @binding(0) var<storage, read_write> cells: array<atomic<u32>>;
            fn half_of(x: f32) -> f32 { return x / 2.0; }
            @vertex fn vertices(@builtin(vertex_index) i: u32) -> Out {
                return Out(vec4f(f32(i) * scale), vec3(half_of(1.0)));
            }
            @fragment fn fragments(in: Out) -> @location(0) vec4f {
                if in.tint.x < 0.5 { discard; }
                return vec4(in.tint, 1.0);
            }
            @compute @workgroup_size(8, 1) fn computes(@builtin(global_invocation_id) at: vec3u) {
                for (var i = 0u; i < at.x; i++) { atomicAdd(&cells[i], 1u); }
            }";

        tests!(SHADER);

        #[test]
        fn knows_more_than_the_older_version() {
            assert_eq!(
                run("override a: u32; @compute @workgroup_size(a) fn f() {}"),
                Ok(())
            );
            assert!(is_syntax_error(&run("/* ").unwrap_err()));
            judge::rejects_by_meaning(
                run,
                is_syntax_error,
                &[
                    "fn f() { @align(4) {} }",
                    "@align(4) fn f() {}",
                    "enable nothing;",
                ],
            );
        }

        #[test]
        fn writes_every_language() {
            let module = naga::front::wgsl::parse_str(SHADER).unwrap();
            validate(&module, Capabilities::all()).unwrap();
            for capabilities in [
                spv::supported_capabilities(),
                msl::supported_capabilities(),
                hlsl::supported_capabilities(),
            ] {
                assert!(validate(&module, capabilities).is_ok());
            }
        }
    }
}

/// naga 0.14.0, which has known faults.
#[cfg(feature = "wgsl_old")]
pub mod old {
    subject!(naga_old, |text| crate::bound::bound(text, LONGEST, DEEPEST));

    /// The maximum bytes of a text, and the maximum depth of brackets: this version recurses as
    /// deep as a text nests.
    const LONGEST: usize = 4_000;
    const DEEPEST: usize = 127;

    /// Writes the module with every writer. The writers declare no capabilities, so the allowed
    /// ones are naga's default. Returns the words of SPIR-V.
    fn write(module: &Module, info: &ModuleInfo) -> Vec<u32> {
        let _ = wgsl::write_string(module, info, wgsl::WriterFlags::all());
        if validate(module, Capabilities::default()).is_err() {
            return Vec::new();
        }
        let options = spv::Options {
            lang_version: (1, 6),
            ..Default::default()
        };
        let words = spv::write_vec(module, info, &options, None);

        let options = msl::Options {
            lang_version: (3, 0),
            ..Default::default()
        };
        let _ = msl::write_string(module, info, &options, &Default::default());

        let options = hlsl::Options {
            shader_model: hlsl::ShaderModel::V6_0,
            ..Default::default()
        };
        let mut written = String::new();
        let _ = hlsl::Writer::new(&mut written, &options).write(module, info);
        words.unwrap_or_default()
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::judge;

        const SHADER: &str = "
            struct Out { @builtin(position) place: vec4<f32>, @location(0) tint: vec3<f32> }
            @group(0) @binding(0) var<storage, read_write> cells: array<atomic<u32>>;
            fn half_of(x: f32) -> f32 { return x / 2.0; }
            @vertex fn vertices(@builtin(vertex_index) i: u32) -> Out {
                return Out(vec4<f32>(f32(i) * 2.0), vec3<f32>(half_of(1.0)));
            }
            @fragment fn fragments(in: Out) -> @location(0) vec4<f32> {
                if in.tint.x < 0.5 { discard; }
                return vec4(in.tint, 1.0);
            }
            @compute @workgroup_size(8, 1) fn computes(@builtin(global_invocation_id) at: vec3<u32>) {
                for (var i = 0u; i < at.x; i++) { atomicAdd(&cells[i], 1u); }
            }";

        tests!(SHADER);

        #[test]
        fn stays_within_the_stack() {
            let not = format!("fn f(a: bool) -> bool {{ return {}a; }}", "!".repeat(3_900));
            let add = format!("fn f(a: i32) -> i32 {{ return a{}; }}", "+a".repeat(1_900));
            let open = format!(
                "fn f(a: i32) -> i32 {{ return {}a{}; }}",
                "(".repeat(126),
                ")".repeat(126)
            );
            for text in [not, add, open] {
                assert_eq!(run(&text), Ok(()), "{text}");
            }
        }

        #[test]
        fn writes_every_language() {
            let module = naga_old::front::wgsl::parse_str(SHADER).unwrap();
            assert!(validate(&module, Capabilities::default()).is_ok());
        }
    }
}
