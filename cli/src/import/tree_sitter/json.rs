//! Reads JSON with the order of the members of objects and with the span of every value.

use std::ops::Range;

/// The maximum nesting depth of lists and objects.
const MAX_DEPTH: usize = 400;

/// A value with its range of bytes.
#[derive(Clone, Debug)]
pub struct Json {
    pub span: Range<usize>,
    pub value: JsonValue,
}

#[derive(Clone, Debug)]
pub enum JsonValue {
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
    Number(f64),
    /// `true`, `false` or `null`.
    Word,
}

impl Json {
    /// The value of a member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        let member = self.members().iter().find(|(member, _)| member == name);
        member.map(|(_, value)| value)
    }

    /// The members of an object; none if it is something else.
    pub fn members(&self) -> &[(String, Json)] {
        match &self.value {
            JsonValue::Object(members) => members,
            _ => &[],
        }
    }

    /// The elements of a list; none if it is something else.
    pub fn elements(&self) -> &[Json] {
        match &self.value {
            JsonValue::List(elements) => elements,
            _ => &[],
        }
    }

    /// The members of an object, to be changed.
    pub fn members_mut(&mut self) -> &mut [(String, Json)] {
        match &mut self.value {
            JsonValue::Object(members) => members,
            _ => &mut [],
        }
    }

    /// The elements of a list, to be changed.
    pub fn elements_mut(&mut self) -> &mut [Json] {
        match &mut self.value {
            JsonValue::List(elements) => elements,
            _ => &mut [],
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.value {
            JsonValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a member of an object.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Json::text)
    }
}

/// Reads a text that is one value.
///
/// # Errors
/// Where it is not JSON, and why.
pub fn parse(text: &str) -> Result<Json, (usize, String)> {
    let mut reader = JsonReader { text, at: 0 };
    let value = reader.value(0)?;
    reader.blank();
    if reader.at < text.len() {
        return Err((reader.at, "the text goes on after the value".into()));
    }
    Ok(value)
}

struct JsonReader<'a> {
    text: &'a str,
    at: usize,
}

impl JsonReader<'_> {
    fn blank(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// Skips white space, and `sign` if it is there.
    fn skip(&mut self, sign: char) -> bool {
        self.blank();
        let is_there = self.text[self.at..].starts_with(sign);
        self.at += usize::from(is_there);
        is_there
    }

    fn value(&mut self, depth: usize) -> Result<Json, (usize, String)> {
        self.blank();
        let start = self.at;
        if depth > MAX_DEPTH {
            return Err((start, "too many groups inside each other".into()));
        }
        let value = if self.skip('{') {
            let mut members = Vec::new();
            while !self.skip('}') {
                if !members.is_empty() && !self.skip(',') {
                    return Err((self.at, "`,` or `}` is missing".into()));
                }
                self.blank();
                let name = self.string()?;
                if !self.skip(':') {
                    return Err((self.at, "`:` is missing".into()));
                }
                members.push((name, self.value(depth + 1)?));
            }
            JsonValue::Object(members)
        } else if self.skip('[') {
            let mut elements = Vec::new();
            while !self.skip(']') {
                if !elements.is_empty() && !self.skip(',') {
                    return Err((self.at, "`,` or `]` is missing".into()));
                }
                elements.push(self.value(depth + 1)?);
            }
            JsonValue::List(elements)
        } else if self.text[start..].starts_with('"') {
            JsonValue::Text(self.string()?)
        } else {
            let rest = &self.text[start..];
            let is_other = |c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c));
            let word = &rest[..rest.find(is_other).unwrap_or(rest.len())];
            self.at += word.len();
            match word {
                "true" | "false" | "null" => JsonValue::Word,
                _ => serde_json::from_str(word)
                    .map(JsonValue::Number)
                    .map_err(|_| (start, "a value is missing".to_string()))?,
            }
        };
        Ok(Json {
            span: start..self.at,
            value,
        })
    }

    fn string(&mut self) -> Result<String, (usize, String)> {
        let start = self.at;
        let rest = &self.text[start..];
        let mut is_escaped = true;
        // The quotation mark at the beginning counts as escaped.
        let end = rest.char_indices().find(|&(_, c)| {
            let is_end = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        });
        let Some((end, _)) = end.filter(|_| rest.starts_with('"')) else {
            return Err((start, "a string is missing, or its end".into()));
        };
        self.at += end + 1;
        serde_json::from_str(&rest[..=end])
            .map_err(|_| (start, "a string has a wrong escape".to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_keep_their_order() {
        let json = parse(r#" {"z": [1, "a\"\n", true], "a": {}} "#).unwrap();
        let names: Vec<&str> = json.members().iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["z", "a"]);
        let list = json.get("z").unwrap();
        assert_eq!(list.span, 7..25);
        assert_eq!(list.elements()[1].text(), Some("a\"\n"));
    }

    #[test]
    fn wrong_texts_are_errors_with_their_span() {
        for (text, at) in [
            ("", 0),
            ("{", 1),
            ("[1 2]", 3),
            ("{\"a\" 1}", 5),
            ("\"a", 0),
            ("[x]", 1),
            ("1 1", 2),
        ] {
            assert_eq!(parse(text).unwrap_err().0, at, "{text}");
        }
        assert!(parse(&"[".repeat(1_000_000)).is_err());
    }
}
