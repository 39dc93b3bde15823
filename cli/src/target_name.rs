//! Checks that Cargo and rustc accept the name of a fuzz target, and that every system accepts it as
//! a file name.

/// Names of directories in Cargo's `target` directory.
const DIRECTORIES: [&str; 4] = ["build", "deps", "examples", "incremental"];

/// Crates that come with the compiler.
const CRATES: [&str; 6] = ["alloc", "core", "proc_macro", "proc-macro", "std", "test"];

/// Names that Windows reserves for devices.
const DEVICES: [&str; 22] = [
    "aux", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "con", "lpt1",
    "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "nul", "prn",
];

/// Rust's keywords, reserved ones included.
const KEYWORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The maximum length of a name in bytes. Cargo adds a hash to it, and the result must be a file
/// name.
const MAX_LENGTH: usize = 100;

/// Parses the name of a fuzz target.
///
/// # Errors
/// If the name is not possible. The message says why.
pub fn target_name(name: &str) -> Result<String, String> {
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic());
    if !starts
        || !name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    {
        return Err("a name is a letter, then letters, digits, `_` and `-`".into());
    }
    let lower = name.to_ascii_lowercase();
    let why = match () {
        () if name.len() > MAX_LENGTH => {
            return Err(format!("a name has at most {MAX_LENGTH} characters"));
        }
        () if DIRECTORIES.contains(&lower.as_str()) => "is a directory in Cargo's target directory",
        () if CRATES.contains(&lower.as_str()) => "is a crate that comes with the compiler",
        () if DEVICES.contains(&lower.as_str()) => "is a device on Windows",
        () if KEYWORDS.contains(&name) => "is a keyword of Rust",
        () => return Ok(name.into()),
    };
    Err(format!(
        "`{name}` {why}; take another name, such as `{name}_input`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_break_cargo_are_refused() {
        for name in [
            "build",
            "deps",
            "Build",
            "test",
            "core",
            "proc-macro",
            "con",
            "fn",
            "async",
            "",
            "1a",
            "a.b",
            "../a",
            "a b",
        ] {
            assert!(target_name(name).is_err(), "{name}");
        }
        for name in ["parse", "my-target", "json_2", "tests", "builds", "a"] {
            assert_eq!(target_name(name), Ok(name.into()));
        }
        assert!(target_name(&"a".repeat(101)).is_err());
    }
}
