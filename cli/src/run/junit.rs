//! A test report in JUnit's XML format, which CI systems read.

use std::fmt::{self, Write};
use std::path::Path;
use std::time::Duration;

/// The result of a file as a test.
pub struct JunitResult {
    pub name: String,
    pub time: Duration,
    /// Why the test failed, or [`None`] if it did not fail.
    pub failure: Option<String>,
    /// Why a test that did not fail does not count as passed.
    pub skipped: Option<String>,
}

impl JunitResult {
    pub fn is_failure(&self) -> bool {
        self.failure.is_some()
    }

    /// Returns the element inside the test case, or nothing if it passed.
    fn status(&self) -> String {
        match (&self.failure, &self.skipped) {
            (Some(message), _) => format!("<failure message=\"{}\"/>", escaped(message)),
            (None, Some(message)) => format!("<skipped message=\"{}\"/>", escaped(message)),
            (None, None) => String::new(),
        }
    }
}

/// Returns a report with one test for each file.
pub fn report(
    target: &Path,
    results: &[JunitResult],
    elapsed: Duration,
) -> Result<String, fmt::Error> {
    let is_skipped = |result: &&JunitResult| !result.is_failure() && result.skipped.is_some();
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3}\"",
        results.len(),
        results.iter().filter(|result| result.is_failure()).count(),
        results.iter().filter(is_skipped).count(),
        elapsed.as_secs_f64()
    );
    let suite = escaped(&target.file_name().unwrap_or_default().to_string_lossy());
    let mut report = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"zester run\" {counts}>\n    <testsuite name=\"{suite}\" {counts}>\n"
    );
    for result in results {
        writeln!(
            report,
            "        <testcase name=\"{}\" classname=\"outcome\" time=\"{:.3}\">{}</testcase>",
            escaped(&result.name),
            result.time.as_secs_f64(),
            result.status()
        )?;
    }
    report.push_str("    </testsuite>\n</testsuites>\n");
    Ok(report)
}

/// Returns a text as the value of an attribute in double quotes. Characters that XML 1.0 forbids are
/// replaced by U+FFFD.
fn escaped(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => value.push_str("&lt;"),
            '>' => value.push_str("&gt;"),
            '&' => value.push_str("&amp;"),
            '"' => value.push_str("&quot;"),
            // A parser replaces them by blanks, unless they are written as references.
            '\t' | '\n' | '\r' => {
                let _ = write!(value, "&#{};", u32::from(character));
            }
            '\0'..' ' | '\u{FFFE}' | '\u{FFFF}' => value.push('\u{FFFD}'),
            _ => value.push(character),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_and_known_failures_are_marked() {
        let result = |failure: Option<&str>, skipped: Option<&str>| JunitResult {
            name: "1<2>.json".into(),
            time: Duration::from_millis(5),
            failure: failure.map(String::from),
            skipped: skipped.map(String::from),
        };
        let results = [
            result(None, None),
            result(Some("valid, expected time-out"), None),
            result(None, Some("known failure")),
        ];
        let report = report(Path::new("target/json"), &results, Duration::from_secs(1)).unwrap();
        let counts = "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.000\"";
        let case =
            "        <testcase name=\"1&lt;2&gt;.json\" classname=\"outcome\" time=\"0.005\">";
        let expected = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"zester run\" {counts}>
    <testsuite name=\"json\" {counts}>
{case}</testcase>
{case}<failure message=\"valid, expected time-out\"/></testcase>
{case}<skipped message=\"known failure\"/></testcase>
    </testsuite>
</testsuites>
"
        );
        assert_eq!(report, expected);
    }

    #[test]
    fn values_are_well_formed_and_stay_the_same_text() {
        assert_eq!(
            escaped("a & \"b\" 'c'\r\n\t\u{1}\u{1b}[0m\u{FFFF}é😀"),
            "a &amp; &quot;b&quot; 'c'&#13;&#10;&#9;\u{FFFD}\u{FFFD}[0m\u{FFFD}é😀"
        );
    }
}
