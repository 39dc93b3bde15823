//! Reads JSON without building a tree: a value is a slice of the text, and is parsed on demand.
//!
//! Memory use does not grow with the text, and no function recurses. [`document`] first checks the
//! size of the text and the depth of its brackets.

use crate::error::Error;
use tinyjson::JsonValue;

/// The maximum size of a text in bytes: 64 MiB. The weights of a hundred samples take about half a
/// megabyte.
pub(super) const MAX_BYTES: usize = 64 << 20;

/// The maximum depth of nested brackets. A weights file has six levels.
const MAX_DEPTH: usize = 16;

/// A value of a JSON text, which is not parsed yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonSlice<'t> {
    /// The whole text.
    text: &'t str,
    /// The offset of the first byte of the value.
    from: usize,
    /// The offset after the last byte of the value.
    to: usize,
}

/// Returns the JSON value of a whole text.
///
/// # Errors
/// If the text is too long or nested too deeply, or if a bracket or a string is not closed. The
/// message names the line and column.
pub(super) fn document(text: &str) -> Result<JsonSlice<'_>, Error> {
    if text.len() > MAX_BYTES {
        return Err(format!(
            "the file has {} bytes; at most {MAX_BYTES} are read",
            text.len()
        )
        .into());
    }
    let (bytes, mut open) = (text.as_bytes(), Vec::with_capacity(MAX_DEPTH));
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at)
                    .ok_or_else(|| error(text, at, "this string has no end"))?;
                continue;
            }
            b'[' | b'{' if open.len() == MAX_DEPTH => {
                return Err(error(
                    text,
                    at,
                    &format!("brackets are nested more than {MAX_DEPTH} deep"),
                ));
            }
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            byte @ (b']' | b'}') if open.pop() != Some(byte) => {
                return Err(error(text, at, "this bracket does not match an open one"));
            }
            _ => {}
        }
        at += 1;
    }
    if !open.is_empty() {
        return Err(error(text, text.len(), "a bracket is not closed"));
    }
    let value = JsonSlice {
        text,
        from: skip_blanks(bytes, 0),
        to: text.trim_end_matches(BLANKS).len(),
    };
    if value.from >= value.to || value_end(bytes, value.from) != value.to {
        return Err(error(
            text,
            value.from.min(value.to),
            "one JSON value expected",
        ));
    }
    Ok(value)
}

impl<'t> JsonSlice<'t> {
    /// Returns the fields of an object in the order of the text.
    ///
    /// # Errors
    /// If the value is not a well-formed object.
    pub fn fields(self) -> Result<Vec<(String, JsonSlice<'t>)>, Error> {
        let mut fields = Vec::new();
        let bytes = self.text.as_bytes();
        self.each(b'{', "an object expected", |from| {
            let to = value_end(bytes, from);
            let name = JsonSlice { from, to, ..self }
                .string()
                .ok_or_else(|| self.error_at(from, "a field's name expected"))?;
            let colon = skip_blanks(bytes, to);
            if bytes.get(colon) != Some(&b':') {
                return Err(self.error_at(colon, "`:` expected"));
            }
            let from = skip_blanks(bytes, colon + 1);
            let value = JsonSlice {
                from,
                to: value_end(bytes, from),
                ..self
            };
            fields.push((name, value));
            Ok(value.to)
        })?;
        Ok(fields)
    }

    /// Calls `take` with each element of an array.
    ///
    /// # Errors
    /// If the value is not a well-formed array, or if `take` fails.
    pub fn elements(
        self,
        mut take: impl FnMut(JsonSlice<'t>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let bytes = self.text.as_bytes();
        self.each(b'[', "an array expected", |from| {
            let value = JsonSlice {
                from,
                to: value_end(bytes, from),
                ..self
            };
            take(value)?;
            Ok(value.to)
        })
    }

    /// Calls `take` with the offset of each member. `take` returns the offset after the member.
    fn each(
        self,
        open: u8,
        expected: &str,
        mut take: impl FnMut(usize) -> Result<usize, Error>,
    ) -> Result<(), Error> {
        let bytes = &self.text.as_bytes()[..self.to];
        if bytes.get(self.from) != Some(&open) {
            return Err(self.error(expected));
        }
        let mut at = skip_blanks(bytes, self.from + 1);
        if at + 1 == self.to {
            return Ok(());
        }
        loop {
            at = skip_blanks(bytes, take(at)?);
            match bytes.get(at) {
                Some(b',') => at = skip_blanks(bytes, at + 1),
                Some(_) if at + 1 == self.to => return Ok(()),
                _ => return Err(self.error_at(at, "`,` or the closing bracket expected")),
            }
        }
    }

    /// Returns the value as a string, or [`None`] if it is not one.
    pub fn string(self) -> Option<String> {
        self.is_a(b'"')
            .then(|| self.scalar()?.try_into().ok())
            .flatten()
    }

    /// Returns the value as a number, or [`None`] if it is not one.
    pub fn number(self) -> Option<f64> {
        (!self.is_a(b'[') && !self.is_a(b'{'))
            .then(|| self.scalar()?.try_into().ok())
            .flatten()
    }

    /// Returns whether the value is `null`.
    pub fn is_null(self) -> bool {
        &self.text[self.from..self.to] == "null"
    }

    /// Whether the text of the value begins with a byte.
    fn is_a(self, first: u8) -> bool {
        self.text.as_bytes()[self.from..self.to].first() == Some(&first)
    }

    /// Parses the value by `tinyjson`. Returns [`None`] if it is malformed.
    fn scalar(self) -> Option<JsonValue> {
        self.text[self.from..self.to].parse().ok()
    }

    /// Returns a message that begins with the line and column of the value.
    pub fn error(self, message: &str) -> Error {
        self.error_at(self.from, message)
    }

    fn error_at(self, at: usize, message: &str) -> Error {
        error(self.text, at, message)
    }
}

/// The white space characters of JSON.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Returns the offset of the first byte from `from` on that is not white space.
fn skip_blanks(bytes: &[u8], from: usize) -> usize {
    from + bytes[from.min(bytes.len())..]
        .iter()
        .take_while(|byte| BLANKS.contains(&char::from(**byte)))
        .count()
}

/// Returns the offset after the string that begins at `from`, or [`None`] if the string is not
/// closed.
fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns the offset after the value that begins at `from`.
fn value_end(bytes: &[u8], from: usize) -> usize {
    let (mut at, mut depth) = (from, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at).unwrap_or(bytes.len());
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 0 => return at,
            b']' | b'}' if depth == 1 => return at + 1,
            b']' | b'}' => depth -= 1,
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Returns a message that begins with the line and column of an offset. Both count from 1.
fn error(text: &str, at: usize, message: &str) -> Error {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
    let column = 1 + before
        .iter()
        .rev()
        .take_while(|&&byte| byte != b'\n')
        .count();
    format!("line {line}, column {column}: {message}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_elements_are_read_in_order() {
        let value =
            document(" {\"a\\u0062\": [1, -2.5e1 ,\"x\\\"]\"], \"c\":{}, \"d\" : null}\n").unwrap();
        let fields = value.fields().unwrap();
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["ab", "c", "d"]);
        let mut elements = Vec::new();
        let mut push = |element: JsonSlice<'_>| {
            elements.push((element.number(), element.string()));
            Ok(())
        };
        fields[0].1.elements(&mut push).unwrap();
        assert_eq!(
            elements,
            [
                (Some(1.0), None),
                (Some(-25.0), None),
                (None, Some("x\"]".into()))
            ]
        );
        assert!(fields[1].1.fields().unwrap().is_empty());
        assert!(fields[2].1.is_null() && !fields[1].1.is_null());
    }

    #[test]
    fn errors_name_a_line_and_a_column() {
        for (text, message) in [
            ("", "line 1, column 1: one JSON value expected"),
            ("{} {}", "line 1, column 1: one JSON value expected"),
            ("{\"a\": \"b}", "line 1, column 7: this string has no end"),
            (
                "[\n  ]]",
                "line 2, column 4: this bracket does not match an open one",
            ),
            (
                "[}",
                "line 1, column 2: this bracket does not match an open one",
            ),
            ("{\"a\": [", "line 1, column 8: a bracket is not closed"),
        ] {
            assert_eq!(
                document(text).map(|_| ()).unwrap_err(),
                message.into(),
                "{text}"
            );
        }
        for (text, message) in [
            ("[]", "line 1, column 1: an object expected"),
            ("{1: 2}", "line 1, column 2: a field's name expected"),
            ("{\"a\" 2}", "line 1, column 6: `:` expected"),
            (
                "{\"a\": 2\n \"b\": 3}",
                "line 2, column 2: `,` or the closing bracket expected",
            ),
            ("{\"a\": 2,}", "line 1, column 9: a field's name expected"),
        ] {
            assert_eq!(
                document(text).unwrap().fields().map(|_| ()).unwrap_err(),
                message.into(),
                "{text}"
            );
        }
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_stack_overflow() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(document(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(
            document(&nested(20_000)).map(|_| ()).unwrap_err(),
            "line 1, column 17: brackets are nested more than 16 deep".into()
        );
        let quoted = format!("\"{}\"", nested(20_000));
        assert_eq!(document(&quoted).unwrap().string().unwrap().len(), 40_000);
    }

    #[test]
    fn long_texts_are_refused() {
        let text = " ".repeat(MAX_BYTES + 1);
        assert_eq!(
            document(&text).map(|_| ()).unwrap_err(),
            "the file has 67108865 bytes; at most 67108864 are read".into()
        );
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        // The test reads every string of up to six of these characters.
        const CHARACTERS: &[u8] = b"[]{}\",:1";
        fn visit(value: JsonSlice<'_>) {
            let _ = (
                value.string(),
                value.number(),
                value.is_null(),
                value.error("x"),
            );
            value
                .fields()
                .into_iter()
                .flatten()
                .for_each(|(_, value)| visit(value));
            let _ = value.elements(|value| {
                visit(value);
                Ok(())
            });
        }
        for length in 0..=6_u32 {
            for number in 0..CHARACTERS.len().pow(length) {
                let digits = (0..length).map(|digit| {
                    CHARACTERS[number / CHARACTERS.len().pow(digit) % CHARACTERS.len()]
                });
                let text = String::from_utf8(digits.collect()).unwrap();
                if let Ok(value) = document(&text) {
                    visit(value);
                }
            }
        }
    }
}
