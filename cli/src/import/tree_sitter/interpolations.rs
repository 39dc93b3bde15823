//! Limits the tokens with which an interpolation can begin.
//!
//! In a string of Python, `{{` is the text `{`. So an interpolation, which begins with `{`, has no expression that begins
//! with `{`.
// NOTE: A blank between the signs would separate them, but the notation cannot require it.

use std::collections::HashSet;

use super::build::sequence;
use super::first_limits::FirstLimits;
use super::first_tokens;
use super::json::Json;
use super::operands::nodes::{elements, type_of};

/// The sign that begins an interpolation. Two of these signs are a character of the string.
const SIGN: &str = "{";

/// Returns the rules with limited interpolations, and the rules that these need.
pub fn limit(source: &Json, members: Vec<(String, Json)>) -> Vec<(String, Json)> {
    let externals = source.get("externals").map(Json::elements);
    let mut names = externals
        .unwrap_or_default()
        .iter()
        .filter_map(|token| token.text_of("name"));
    if !names.any(|name| name.contains("escape_interpolation")) {
        return members;
    }
    let first = first_tokens::of(&members);
    let without = HashSet::from([SIGN.to_string()]);
    let mut taken: HashSet<String> = members.iter().map(|(name, _)| name.clone()).collect();
    let mut limits = FirstLimits::new(&members, &first, &without);
    let mut all = Vec::new();
    for (name, body) in &members {
        let limited = match elements(body) {
            [sign, content, rest @ ..]
                if type_of(body) == "SEQ" && name.contains("interpolation") =>
            {
                let is_sign = sign.text_of("value") == Some(SIGN);
                let limited = limits.limited(content, &mut taken).filter(|_| is_sign);
                limited.map(|content| {
                    let parts = [sign.clone(), content].into_iter();
                    sequence(body, parts.chain(rest.iter().cloned()).collect())
                })
            }
            _ => None,
        };
        all.push((name.clone(), limited.unwrap_or_else(|| body.clone())));
    }
    all.extend(limits.rules(&mut taken));
    all
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::super::testing::{rules, shown};
    use super::*;

    #[test]
    fn an_interpolation_does_not_begin_with_two_signs() {
        let rules = rules(&[
            ("interpolation", "( { value } )"),
            ("value", "[ set | x ]"),
            ("set", "( { x } )"),
        ]);
        let limited = |external: &str| {
            let token = format!(r#"{{"type": "SYMBOL", "name": "{external}"}}"#);
            let source = json::parse(&format!(r#"{{"externals": [{token}]}}"#)).unwrap();
            let limited = limit(&source, rules.clone()).into_iter();
            limited
                .map(|(_, body)| shown(&body))
                .collect::<Vec<String>>()
        };
        let found = limited("escape_interpolation");
        assert_eq!(found[0], "({ value_limited })");
        assert_eq!(limited("string_start")[0], "({ value })");
    }
}
