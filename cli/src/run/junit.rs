//! A test report in JUnit's XML format, which CI systems read.

use std::path::Path;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use zester::subject::Run;

use crate::expectation::{self, Expectation};

/// Returns a report with one test for each file. A test fails if the outcome is not the expected
/// one.
pub fn report(
    target: &Path,
    results: &[(Expectation, Run)],
    elapsed: Duration,
) -> Result<String, SerializeError> {
    let mut suite = TestSuite::new(target.file_name().unwrap_or_default().to_string_lossy());
    suite.set_time(elapsed);
    for (expected, run) in results {
        let status = if expected.is_met(&run.outcome) {
            TestCaseStatus::success()
        } else {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(format!(
                "{}, expected {}",
                expectation::describe(&run.outcome),
                expected.describe()
            ));
            status
        };
        let mut case = TestCase::new(expected.file.as_str(), status);
        case.set_classname("outcome").set_time(run.time);
        suite.add_test_case(case);
    }
    let mut report = Report::new("zester run");
    report.set_time(elapsed).add_test_suite(suite);
    report.to_string()
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
        assert!(
            report.contains("tests=\"2\"") && report.contains("failures=\"1\""),
            "{report}"
        );
        assert!(
            report.contains("name=\"1&lt;2&gt;.json\"")
                && report.contains("valid, expected time-out"),
            "{report}"
        );
    }
}
