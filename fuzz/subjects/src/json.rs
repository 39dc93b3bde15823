//! The subject `json`: serde_json parses a text to a `Value`.
//!
//! A text is valid if serde_json accepts it. The value must be equal after it was written and read
//! again. This needs serde_json's feature `float_roundtrip`. Without it, a float may be read with
//! an error of one unit in the last place, which is a documented trade for speed, and the check
//! would report false faults.

use serde_json::Value;

/// Parses the text, writes the value and reads it again.
///
/// # Panics
///
/// If serde_json cannot read its own output, or reads it as another value.
pub fn run(text: &str) -> Result<(), String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let written = serde_json::to_string(&value).expect("a parsed value can be written");
    match serde_json::from_str::<Value>(&written) {
        Ok(again) => assert_eq!(again, value, "written as {written}, another value is read"),
        Err(error) => panic!("written as {written}, it is rejected: {error}"),
    }
    Ok(())
}

/// Prefixes of messages about texts that serde_json rejects although RFC 8259's grammar derives
/// them, with the names of the exceptions.
const EXCEPTIONS: [(&str, &str); 4] = [
    // A float beyond the range of f64.
    ("number out of range", "number out of range"),
    // A surrogate `\uD800`…`\uDFFF` without its other half. The second message is also that for a
    // leading surrogate that is followed by anything but `\u`.
    ("lone leading surrogate in hex escape", "lone surrogate"),
    ("unexpected end of hex escape", "lone surrogate"),
    // More than 127 nested arrays and objects.
    ("recursion limit exceeded", "recursion limit"),
];

/// Returns the name of the exception if a message of [`run`] is about one: JSON's grammar derives
/// the text, but implementations may refuse it.
///
/// serde_json stops at the first error, so a message that is not about syntax says nothing about
/// the text after its position.
pub fn exception(message: &str) -> Option<&'static str> {
    let mut exceptions = EXCEPTIONS.iter();
    let found = exceptions.find(|(start, _)| message.starts_with(start));
    found.map(|&(_, name)| name)
}

/// Returns whether a message of [`run`] means that JSON's grammar does not derive the text.
pub fn is_syntax_error(message: &str) -> bool {
    exception(message).is_none()
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
                "null",
                " [1, -2, 3.5e-7, true, {}]\n",
                r#"{"a": {"a": [""]}, "\ud83d\ude00": "\u0000"}"#,
                "[-0, -0.0, 18446744073709551616, 5e-324, 1e-999]",
                // Without `float_roundtrip`, this number is read as 4.872960041217568e-60.
                "4.8729600412175683e-60",
            ],
        );
    }

    #[test]
    fn floats_survive() {
        // Finite numbers with bits from a multiplicative generator.
        let mut bits = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..100_000 {
            bits = bits.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(1);
            let float = f64::from_bits(bits);
            if float.is_finite() {
                assert_eq!(run(&format!("{float:e}")), Ok(()));
            }
        }
    }

    #[test]
    fn rejects_by_syntax() {
        judge::rejects_by_syntax(
            run,
            is_syntax_error,
            &[
                "",
                "[1,]",
                "{\"a\" 1}",
                "01",
                "nul",
                "\"\n\"",
                r#""\x""#,
                "[",
                "1 2",
                "\"\\u12\"",
            ],
        );
    }

    #[test]
    fn rejects_by_meaning() {
        let deep = "[".repeat(128) + &"]".repeat(128);
        judge::rejects_by_meaning(
            run,
            is_syntax_error,
            &[
                "1e999",
                r#""\ud800""#,
                r#""\ud800\n""#,
                r#""\ud800A""#,
                r#""\udc00""#,
                &deep,
            ],
        );
    }
}
