//! The calls of a suite of inputs, and how two suites compare.

use std::collections::{BTreeMap, BTreeSet};

use super::distributions::{distance, p_value};
use super::entered::Entered;
use crate::figures::{mean, percent};

/// The calls of a suite of inputs.
pub struct MeasuredSuite {
    /// The mean size in bytes.
    pub bytes: f64,
    /// The share of valid inputs.
    pub valid: f64,
    /// The number of inputs that ended the program or took a minute.
    pub ended: usize,
    /// The functions that are entered.
    functions: BTreeMap<u64, Calls>,
    /// The functions that all valid inputs enter, or [`None`] if no input is valid.
    by_all: Option<BTreeSet<u64>>,
}

/// The calls of a function by the inputs of a suite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Calls {
    /// The mean number of calls in an input.
    frequency: f64,
    /// The share of inputs that call the function.
    inputs: f64,
}

impl MeasuredSuite {
    /// Returns the calls of inputs, given their texts and runs.
    pub fn new(texts: &[Vec<u8>], runs: &[Entered]) -> Self {
        let all = runs.len() as f64;
        let mut functions: BTreeMap<u64, Calls> = BTreeMap::new();
        let mut by_all: Option<BTreeSet<u64>> = None;
        for run in runs {
            for (&function, &calls) in run.numbers.iter().zip(&run.hits) {
                let function = functions.entry(function).or_default();
                function.frequency += calls as f64 / all;
                function.inputs += 1.0 / all;
            }
            if run.outcome == "valid" {
                let own: BTreeSet<u64> = run.numbers.iter().copied().collect();
                by_all = Some(by_all.map_or_else(|| own.clone(), |all| &all & &own));
            }
        }
        let of = |outcome: &str| runs.iter().filter(|run| run.outcome == outcome).count();
        Self {
            bytes: mean(texts.iter().map(|text| text.len() as f64)),
            valid: of("valid") as f64 / all,
            ended: of("ended"),
            functions,
            by_all,
        }
    }

    /// Returns the number of functions that the suite enters.
    pub fn count(&self) -> f64 {
        self.functions.len() as f64
    }

    /// Returns the number of functions that this suite enters and the other one does not.
    pub fn beyond(&self, other: &MeasuredSuite) -> f64 {
        let only = |function: &&u64| !other.functions.contains_key(function);
        self.functions.keys().filter(only).count() as f64
    }

    /// Returns the percentage of this suite's functions that the other one covers.
    pub fn covered_by(&self, other: &MeasuredSuite) -> f64 {
        percent(self.count() - self.beyond(other), self.count())
    }

    /// Returns the functions that all valid inputs of this suite and of others enter.
    pub fn shared(&self, others: &[&MeasuredSuite]) -> BTreeSet<u64> {
        let sets = [&[self], others].concat();
        let mut sets = sets.into_iter().filter_map(|suite| suite.by_all.clone());
        let first = sets.next().unwrap_or_default();
        sets.fold(first, |all, own| &all & &own)
    }

    /// Returns the mean percentage of a suite's inputs that enter a function of this suite.
    /// Functions in `shared` do not count.
    pub fn entered_by(&self, other: &MeasuredSuite, shared: &BTreeSet<u64>) -> f64 {
        let functions = self.functions.keys().filter(|one| !shared.contains(one));
        100.0
            * mean(functions.map(|one| other.functions.get(one).map_or(0.0, |calls| calls.inputs)))
    }

    /// Returns D and p of the two-sample Kolmogorov-Smirnov test of the call frequencies, with a
    /// value for each function that one of the suites enters.
    pub fn compared(&self, other: &MeasuredSuite) -> (f64, f64) {
        let [one, other] = frequencies(self, other);
        (distance(&one, &other), p_value(&one, &other))
    }
}

/// Returns the call frequencies in both suites, sorted, with a value for each function that one of
/// them enters.
fn frequencies(one: &MeasuredSuite, other: &MeasuredSuite) -> [Vec<f64>; 2] {
    let union: BTreeSet<u64> = one
        .functions
        .keys()
        .chain(other.functions.keys())
        .copied()
        .collect();
    [one, other].map(|suite| {
        let of = |function| {
            suite
                .functions
                .get(function)
                .map_or(0.0, |calls| calls.frequency)
        };
        let mut values: Vec<f64> = union.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(outcome: &str, numbers: &[u64], hits: &[u64]) -> Entered {
        Entered {
            outcome: outcome.into(),
            numbers: numbers.to_vec(),
            hits: hits.to_vec(),
        }
    }

    #[test]
    fn a_suite_has_the_frequency_of_each_function() {
        let texts = [b"ab".to_vec(), b"abcd".to_vec()];
        let runs = [run("valid", &[1, 2], &[1, 300]), run("ended", &[2], &[4])];
        let one = MeasuredSuite::new(&texts, &runs);
        assert_eq!((one.bytes, one.valid, one.ended), (3.0, 0.5, 1));
        let calls = |frequency, inputs| Calls { frequency, inputs };
        assert_eq!(
            one.functions,
            BTreeMap::from([(1, calls(0.5, 0.5)), (2, calls(152.0, 1.0))])
        );
        let other = MeasuredSuite::new(&texts[..1], &[run("valid", &[2, 3], &[1, 2])]);
        assert_eq!((one.beyond(&other), other.beyond(&one)), (1.0, 1.0));
        assert_eq!((one.count(), one.covered_by(&other)), (2.0, 50.0));
        assert_eq!(
            frequencies(&one, &other),
            [vec![0.0, 0.5, 152.0], vec![0.0, 1.0, 2.0]]
        );
    }

    #[test]
    fn functions_that_all_valid_inputs_enter_are_shared() {
        let texts = [b"a".to_vec(), b"b".to_vec()];
        let samples = MeasuredSuite::new(
            &texts,
            &[
                run("valid", &[1, 2], &[1, 1]),
                run("valid", &[1, 3], &[1, 1]),
            ],
        );
        let others = MeasuredSuite::new(
            &texts,
            &[run("valid", &[1, 2], &[1, 1]), run("invalid", &[3], &[1])],
        );
        let shared = samples.shared(&[&others]);
        assert_eq!(shared, BTreeSet::from([1]));
        // The functions 2 and 3 each occur in one of two inputs.
        assert_eq!(samples.entered_by(&others, &shared), 50.0);
    }
}
