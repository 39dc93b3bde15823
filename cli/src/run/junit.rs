//! A test report in JUnit's XML format, which CI systems read.

use std::path::Path;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

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

    fn status(&self) -> TestCaseStatus {
        let (mut status, message) = match (&self.failure, &self.skipped) {
            (Some(message), _) => {
                let kind = NonSuccessKind::Failure;
                (TestCaseStatus::non_success(kind), message)
            }
            (None, Some(message)) => (TestCaseStatus::skipped(), message),
            (None, None) => return TestCaseStatus::success(),
        };
        status.set_message(message.as_str());
        status
    }
}

/// Returns a report with one test for each file.
pub fn report(
    target: &Path,
    results: &[JunitResult],
    elapsed: Duration,
) -> Result<String, SerializeError> {
    let mut suite = TestSuite::new(target.file_name().unwrap_or_default().to_string_lossy());
    suite.set_time(elapsed);
    for result in results {
        let mut case = TestCase::new(result.name.as_str(), result.status());
        case.set_classname("outcome").set_time(result.time);
        suite.add_test_case(case);
    }
    let mut report = Report::new("zester run");
    report.set_time(elapsed).add_test_suite(suite);
    report.to_string()
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
        for part in [
            "tests=\"3\"",
            "failures=\"1\"",
            "name=\"1&lt;2&gt;.json\"",
            "<failure message=\"valid, expected time-out\"",
            "<skipped message=\"known failure\"",
        ] {
            assert!(report.contains(part), "{part}: {report}");
        }
    }
}
