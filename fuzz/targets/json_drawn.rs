//! Fuzzes serde_json with values that a function draws at random, with a planted fault.
#![no_main]

use rand::RngExt;
use zester::generator::ParameterRng;
use zester_subjects::json::run;

/// A value of JSON, in which keys may be repeated.
#[derive(Debug)]
enum Json {
    /// A text without parts.
    Scalar(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Draws a value. Many have a number out of range or half of a surrogate pair, which serde_json rejects.
fn value(rng: &mut ParameterRng, depth: u32) -> Json {
    match rng.random_range(0..if depth == 0 { 3 } else { 5_u32 }) {
        0 => Json::Scalar(["null", "true", "false"][rng.random_range(0..3_usize)].into()),
        1 => Json::Scalar(format!("1e{}", rng.random_range(0..500_u32))),
        2 => Json::Scalar(string(rng)),
        3 => Json::Array(
            (0..rng.random_range(0..4_u32))
                .map(|_| value(rng, depth - 1))
                .collect(),
        ),
        _ => Json::Object(
            (0..rng.random_range(0..4_u32))
                .map(|_| (string(rng), value(rng, depth - 1)))
                .collect(),
        ),
    }
}

fn string(rng: &mut ParameterRng) -> String {
    let characters = (0..rng.random_range(0..4_u32)).map(|_| match rng.random_range(0..8_u32) {
        0 => format!("\\u{:04x}", rng.random_range(0xc000..0xe000_u32)),
        _ => char::from(rng.random_range(b'a'..=b'z')).to_string(),
    });
    format!("\"{}\"", characters.collect::<String>())
}

impl Json {
    fn text(&self) -> String {
        let list = |parts: Vec<String>| parts.join(",");
        match self {
            Json::Scalar(text) => text.clone(),
            Json::Array(parts) => format!("[{}]", list(parts.iter().map(Json::text).collect())),
            Json::Object(parts) => {
                let member = |(key, value): &(String, Json)| format!("{key}:{}", value.text());
                format!("{{{}}}", list(parts.iter().map(member).collect()))
            }
        }
    }

    /// Returns whether the value is an array that contains an array.
    fn is_nested(&self) -> bool {
        matches!(self, Json::Array(parts) if parts.iter().any(|part| matches!(part, Json::Array(_))))
    }

    /// Fails if an object repeats a key, and the second value of the key is nested. That is the planted fault.
    fn check_keys(&self) {
        match self {
            Json::Scalar(_) => {}
            Json::Array(parts) => parts.iter().for_each(Json::check_keys),
            Json::Object(parts) => {
                for (at, (key, value)) in parts.iter().enumerate() {
                    if key.len() > 2 && parts[..at].iter().any(|(other, _)| other == key) {
                        assert!(!value.is_nested(), "the planted fault");
                    }
                    value.check_keys();
                }
            }
        }
    }
}

zester::fuzz_target!(rng: |rng| value(rng, 6), |value: Json| run(&value.text()).inspect(|()| value.check_keys()));
