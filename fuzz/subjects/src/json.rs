//! The subject `json`: serde_json, parsing into a `Value`.
//!
//! A text is valid when serde_json accepts it; the value must then survive being written and read
//! again. That holds for every value only with serde_json's feature `float_roundtrip`: without it
//! reading a float may be off by one unit in the last place, a documented trade for speed, and
//! the check would raise a false alarm. So the feature is on and the check is plain equality.

use serde_json::Value;

/// Parses the text, writes the value and reads it again.
///
/// # Panics
///
/// If what serde_json wrote it cannot read again, or reads as another value.
pub fn run(text: &str) -> Result<(), String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let written = serde_json::to_string(&value).expect("a parsed value can be written");
    match serde_json::from_str::<Value>(&written) {
        Ok(again) => assert_eq!(again, value, "written as {written}, another value is read"),
        Err(error) => panic!("written as {written}, it is rejected: {error}"),
    }
    Ok(())
}

/// What serde_json rejects although RFC 8259's grammar derives it: how its messages start, and names.
const EXCEPTIONS: [(&str, &str); 4] = [
    // A float beyond the range of f64.
    ("number out of range", "number out of range"),
    // A surrogate `\uD800`…`\uDFFF` without its other half; the second message also stands for a
    // leading surrogate followed by something else than `\u`.
    ("lone leading surrogate in hex escape", "lone surrogate"),
    ("unexpected end of hex escape", "lone surrogate"),
    // More than 127 arrays and objects, one in another.
    ("recursion limit exceeded", "recursion limit"),
];

/// The name of the exception, if a message of [`run`] tells of one: the text is derived by JSON's
/// grammar, which leaves to implementations what they refuse of it.
///
/// serde_json stops at the first error, so a message that is not about syntax says nothing about
/// the text behind that place.
pub fn exception(message: &str) -> Option<&'static str> {
    let mut exceptions = EXCEPTIONS.iter();
    let found = exceptions.find(|(start, _)| message.starts_with(start));
    found.map(|&(_, name)| name)
}

/// Whether a message of [`run`] tells that the text is not derived by JSON's grammar.
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
                // Without `float_roundtrip` this one comes back as 4.872960041217568e-60.
                "4.8729600412175683e-60",
            ],
        );
    }

    #[test]
    fn floats_survive() {
        // Bits spread by a multiplicative generator; finite ones only.
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
            &["", "[1,]", "{\"a\" 1}", "01", "nul", "\"\n\"", r#""\x""#, "[", "1 2", "\"\\u12\""],
        );
    }

    #[test]
    fn rejects_by_meaning() {
        let deep = "[".repeat(128) + &"]".repeat(128);
        judge::rejects_by_meaning(
            run,
            is_syntax_error,
            &["1e999", r#""\ud800""#, r#""\ud800\n""#, r#""\ud800A""#, r#""\udc00""#, &deep],
        );
    }
}
