//! The report for programs: JSON lines, and SARIF 2.1.0.

use serde_json::{Value, json};

use super::artifact::Tested;
use super::groups::FaultGroup;
use super::report::{Report, source_location};
use crate::fault::local_path;
use crate::fault::severity::Class;

/// Returns one JSON object for each group, a line each. Artifacts that do not fail are a group whose
/// fault is `null`.
pub fn json_lines(report: &Report<'_>) -> String {
    let mut lines: String = (1..=report.groups.len())
        .map(|number| format!("{}\n", group_object(report, number)))
        .collect();
    let passing: Vec<&Tested> = report.passing().collect();
    if !passing.is_empty() {
        lines += &format!(
            "{}\n",
            json!({ "fault": null, "artifacts": paths(&passing) })
        );
    }
    lines
}

fn group_object(report: &Report<'_>, number: usize) -> Value {
    let group = &report.groups[number - 1];
    let fault = &group.fault;
    let found = source_location(group);
    let text = group.smallest.text.as_ref();
    json!({
        "fault": group.heading(),
        "kind": fault.kind,
        "file": found.map(|(file, ..)| file),
        "line": found.map(|(_, line, _)| line).filter(|line| *line > 0),
        "column": found.map(|(.., column)| column).filter(|column| *column > 0),
        "message": fault.message,
        "known": group.known,
        "severity": fault.severity.class.to_string(),
        "severity_source": fault.severity.source,
        "artifacts": paths(&report.artifacts(group)),
        "text": text.map(|text| String::from_utf8_lossy(text)),
        "input": group.smallest.how,
        "failing_equivalent": group.smallest.failing.as_ref().map(|failing| json!({
            "text": failing.equivalent,
            "equivalence": failing.equivalence,
        })),
        "shape": report.shape(group),
        "cause": report.cause(group),
        "variants": report.variants(group),
        "command": report.command(number),
        "stack": report.stack(group),
        "similar": group.similar,
    })
}

fn paths(artifacts: &[&Tested]) -> Vec<String> {
    let paths = artifacts
        .iter()
        .map(|artifact| artifact.path.to_string_lossy());
    paths.map(|path| path.into_owned()).collect()
}

/// Returns the groups as a log in SARIF 2.1.0, with a result for each group.
pub fn sarif(report: &Report<'_>) -> String {
    let mut kinds: Vec<&str> = report
        .groups
        .iter()
        .map(|group| &group.fault.kind[..])
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    let rules: Vec<Value> = kinds
        .iter()
        .map(|kind| json!({ "id": kind, "shortDescription": { "text": kind } }))
        .collect();
    let results: Vec<Value> = (1..=report.groups.len())
        .map(|number| result(report, number))
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "zester triage",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn result(report: &Report<'_>, number: usize) -> Value {
    let group = &report.groups[number - 1];
    let fault = &group.fault;
    let mut message = group.heading();
    for part in [&fault.message, &report.command(number)] {
        if !part.is_empty() {
            message += &format!("\n{part}");
        }
    }
    let frames = fault.frames.iter().map(|frame| {
        let mut location = physical(local_path(frame), frame.line, frame.column);
        location["message"] = json!({ "text": frame.function });
        json!({ "location": location })
    });
    let frames: Vec<Value> = frames.collect();
    let mut result = json!({
        "ruleId": fault.kind,
        "level": "error",
        "message": { "text": message },
        "locations": [location(report, group)],
        "occurrenceCount": group.artifacts.len(),
        "partialFingerprints": { "zesterFault/v1": group.heading() },
        "properties": {
            "security-severity": score(fault.severity.class),
            "severity": fault.severity.to_string(),
            "artifacts": paths(&report.artifacts(group)),
        },
    });
    if !frames.is_empty() {
        result["stacks"] = json!([{ "frames": frames }]);
    }
    result
}

/// Returns the location of a group. Without a source file, it is the target.
fn location(report: &Report<'_>, group: &FaultGroup) -> Value {
    match source_location(group) {
        Some((file, line, column)) => physical(file, line, column),
        None => physical(&report.target.to_string_lossy(), 0, 0),
    }
}

fn physical(file: &str, line: u32, column: u32) -> Value {
    if file.is_empty() {
        return json!({});
    }
    let mut location = json!({ "artifactLocation": { "uri": uri(file) } });
    if line > 0 {
        location["region"] = json!({ "startLine": line });
    }
    if line > 0 && column > 0 {
        location["region"]["startColumn"] = json!(column);
    }
    json!({ "physicalLocation": location })
}

/// Returns the score of a class, as in CASR's logs.
fn score(class: Class) -> &'static str {
    match class {
        Class::Exploitable => "8.0",
        Class::ProbablyExploitable => "6.0",
        Class::NotExploitable | Class::Unknown => "3.0",
    }
}

/// Returns the URI of a path. A relative path is a relative reference.
fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(byte.into());
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("/w/a b.c"), "file:///w/a%20b.c");
        assert_eq!(uri("src/é:1.rs"), "src/%C3%A9%3A1.rs");
    }
}
