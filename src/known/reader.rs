//! Reads the text of a file of known failures.

use std::collections::BTreeSet;

use toml::{Table, Value};

use super::{FaultIdentity, KnownFailure};
use crate::shape::FailureShape;

/// The version of the format.
const VERSION: i64 = 1;

/// Reads the text of a file. Returns the entries that count on the day `today`, such as `2026-11-27`,
/// and warnings.
pub(super) fn parse(text: &str, today: &str) -> Result<(Vec<KnownFailure>, Vec<String>), String> {
    let file: Table = toml::from_str(text).map_err(|error| error.to_string())?;
    check_keys("the file", &file, &["version", "failure"])?;
    match file.get("version").and_then(Value::as_integer) {
        Some(VERSION) => {}
        Some(other) => {
            return Err(format!(
                "has the version {other}, and this zester reads version {VERSION}"
            ));
        }
        None => return Err(format!("has no version; expected version = {VERSION}")),
    }
    let all = match file.get("failure") {
        None => &[][..],
        Some(Value::Array(all)) => all,
        Some(_) => return Err("expected entries that begin with [[failure]]".into()),
    };
    let (mut entries, mut warnings, mut unreasoned) = (Vec::new(), Vec::new(), 0);
    for (at, entry) in all.iter().enumerate() {
        let name = format!("entry {}", at + 1);
        let entry = entry.as_table().ok_or(format!("{name}: expected keys"))?;
        let entry = KnownFailure {
            number: at + 1,
            ..parse_entry(&name, entry)?
        };
        match &entry.expires {
            Some(expires) if **expires < *today => warnings.push(format!(
                "{name} does not count, because it expired on {expires}: {}",
                entry.why()
            )),
            _ => {
                unreasoned += usize::from(entry.reason.trim().is_empty());
                entries.push(entry);
            }
        }
    }
    if unreasoned > 0 {
        warnings.push(format!("entries without a reason: {unreasoned}"));
    }
    Ok((entries, warnings))
}

/// Reads an entry. `name` is its name in messages.
fn parse_entry(name: &str, entry: &Table) -> Result<KnownFailure, String> {
    let keys = [
        "reason", "link", "expires", "text", "shape", "cause", "fault",
    ];
    check_keys(name, entry, &keys)?;
    let Some(Value::Table(fault)) = entry.get("fault") else {
        return Err(format!("{name}: expected a table [failure.fault]"));
    };
    let of_fault = format!("{name}, fault");
    let keys = ["kind", "functions", "file", "origin", "message", "line"];
    check_keys(&of_fault, fault, &keys)?;
    let functions = match fault.get("functions") {
        None => Some(BTreeSet::new()),
        Some(Value::Array(all)) => all.iter().map(|name| Some(name.as_str()?.into())).collect(),
        Some(_) => None,
    };
    let expires = match entry.get("expires") {
        None => None,
        Some(Value::Datetime(time)) if time.date.is_some() => time.date,
        Some(_) => {
            return Err(format!(
                "{name}: expires: expected a date such as 2027-01-31"
            ));
        }
    };
    Ok(KnownFailure {
        number: 0,
        reason: text_of(name, entry, "reason")?.unwrap_or_default(),
        link: text_of(name, entry, "link")?,
        expires: expires.map(|date| date.to_string()),
        text: text_of(name, entry, "text")?,
        shape: shape_of(name, entry)?,
        fault: FaultIdentity {
            kind: text_of(&of_fault, fault, "kind")?.ok_or(format!("{of_fault}: has no kind"))?,
            functions: functions.ok_or(format!("{of_fault}: functions: expected strings"))?,
            file: text_of(&of_fault, fault, "file")?,
            origin: text_of(&of_fault, fault, "origin")?,
            message: text_of(&of_fault, fault, "message")?,
            line: match fault.get("line") {
                None => None,
                Some(line) => Some(
                    line.as_integer()
                        .and_then(|line| line.try_into().ok())
                        .ok_or(format!("{of_fault}: line: expected a number"))?,
                ),
            },
        },
    })
}

/// Returns the shape of an entry, if there is one.
fn shape_of(name: &str, entry: &Table) -> Result<Option<FailureShape>, String> {
    let cause = text_of(name, entry, "cause")?;
    let cause = cause.map(|cause| cause.parse()).transpose();
    let cause = cause.map_err(|error| format!("{name}: cause: {error}"))?;
    if cause.is_some() && !entry.contains_key("shape") {
        return Err(format!("{name}: a cause without a shape"));
    }
    Ok(text_of(name, entry, "shape")?.map(|shape| {
        let Ok(shape) = shape.parse();
        FailureShape { shape, cause }
    }))
}

/// Returns the text of a key, if it is there.
fn text_of(name: &str, table: &Table, key: &str) -> Result<Option<String>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("{name}: {key}: expected a string")),
    }
}

/// Checks that a table has only the keys in `keys`.
fn check_keys(name: &str, table: &Table, keys: &[&str]) -> Result<(), String> {
    match table.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(format!(
            "{name}: no key {key:?}; the keys are {}",
            keys.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expired_entries_and_mistakes_are_named() {
        let entry = |more: &str| {
            format!(
                "version = 1\n[[failure]]\nreason = \"r\"\n{more}\n[failure.fault]\nkind = \"panic\"\n"
            )
        };
        let count = |text: &str, today| {
            let (entries, warnings) = parse(text, today).unwrap();
            (entries.len(), warnings.len())
        };
        let dated = entry("expires = 2026-11-27");
        assert_eq!(count(&dated, "2026-11-27"), (1, 0));
        assert_eq!(count(&dated, "2026-11-28"), (0, 1));
        assert_eq!(count(&dated.replace("\"r\"", "\"\""), "2026-11-26"), (1, 1));
        for (text, expected) in [
            (
                entry("resaon = 1"),
                "entry 1: no key \"resaon\"; the keys are reason,",
            ),
            (entry("link = "), "line 4, column 8"),
            ("version = 2".into(), "this zester reads version 1"),
            ("[[failure]]\n".into(), "has no version"),
            (
                "version = 1\n[[failure]]\n".into(),
                "entry 1: expected a table [failure.fault]",
            ),
            (entry("expires = 3"), "entry 1: expires: expected a date"),
            (
                entry("cause = \"a: b\""),
                "entry 1: a cause without a shape",
            ),
            (
                entry("shape = \"a\"\ncause = \"b\""),
                "entry 1: cause: expected the name of a rule",
            ),
        ] {
            let error = parse(&text, "2026-11-27").unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
