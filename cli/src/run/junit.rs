//! A test report in JUnit's XML format, which CI systems read.

use std::fmt::{self, Write};
use std::path::Path;
use std::time::Duration;

use zester::subject::Run;

use crate::expectation::{self, Expectation};

/// Returns a report with one test for each file. A test fails if the outcome is not the expected
/// one.
pub fn report(
    target: &Path,
    results: &[(Expectation, Run)],
    elapsed: Duration,
) -> Result<String, fmt::Error> {
    let is_failure = |(expected, run): &&(Expectation, Run)| !expected.is_met(&run.outcome);
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"{:.3}\"",
        results.len(),
        results.iter().filter(is_failure).count(),
        elapsed.as_secs_f64()
    );
    let suite = escaped(&target.file_name().unwrap_or_default().to_string_lossy());
    let mut report = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"zester run\" {counts}>\n    <testsuite name=\"{suite}\" {counts}>\n"
    );
    for (expected, run) in results {
        write!(
            report,
            "        <testcase name=\"{}\" classname=\"outcome\" time=\"{:.3}\">",
            escaped(&expected.file),
            run.time.as_secs_f64()
        )?;
        if !expected.is_met(&run.outcome) {
            let outcome = escaped(&expectation::describe(&run.outcome));
            let wanted = escaped(&expected.describe());
            write!(
                report,
                "<failure message=\"{outcome}, expected {wanted}\"/>"
            )?;
        }
        report.push_str("</testcase>\n");
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
    use zester::Validity;
    use zester::subject::Outcome;

    use super::*;

    #[test]
    fn another_outcome_is_a_failed_test() {
        let run = Run::new(Outcome::Finished(Validity::Valid), Duration::from_millis(5));
        let expected = |outcome: &Outcome| Expectation::new("1<2>.json".into(), outcome);
        let results = [
            (expected(&run.outcome), run.clone()),
            (expected(&Outcome::TimeOut), run),
        ];
        let report = report(Path::new("target/json"), &results, Duration::from_secs(1)).unwrap();
        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"zester run\" tests=\"2\" failures=\"1\" errors=\"0\" time=\"1.000\">
    <testsuite name=\"json\" tests=\"2\" failures=\"1\" errors=\"0\" time=\"1.000\">
        <testcase name=\"1&lt;2&gt;.json\" classname=\"outcome\" time=\"0.005\"></testcase>
        <testcase name=\"1&lt;2&gt;.json\" classname=\"outcome\" time=\"0.005\"><failure message=\"valid, expected time-out\"/></testcase>
    </testsuite>
</testsuites>
";
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
