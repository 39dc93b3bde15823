//! The table and the curves of a comparison.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use serde_json::Value;

use super::page::Curves;
use crate::figures::{a12, median, p_value};

/// The results of all runs.
#[derive(Default)]
pub struct Table {
    /// By subject and fuzzer, in the order in which they were added.
    groups: Vec<(String, &'static str, Vec<Value>)>,
    /// By subject and fuzzer: the number of edges that its valid texts cover and those of the first fuzzer do not,
    /// and the reverse.
    only: HashMap<(String, &'static str), [f64; 2]>,
}

/// Returns the figures of one run as a line.
pub fn line(run: &Value) -> String {
    let [edges, valid] = ["edges", "valid_edges"].map(|name| last(run, name));
    format!(
        "{edges} edges, {valid} by valid texts, {} executions, {} inputs, {} locations of panics",
        run["executions"],
        run["inputs"],
        run["places"].as_array().map_or(0, Vec::len),
    )
}

/// Returns the last point of a curve.
fn last(run: &Value, name: &str) -> f64 {
    let points = run[name].as_array();
    points
        .and_then(|points| points.last()?.as_f64())
        .unwrap_or(0.0)
}

impl Table {
    /// Adds a run.
    pub fn add(&mut self, subject: &str, fuzzer: &'static str, run: Value) {
        let group = self
            .groups
            .iter_mut()
            .find(|(of, by, _)| of == subject && *by == fuzzer);
        match group {
            Some((_, _, runs)) => runs.push(run),
            None => self.groups.push((subject.to_owned(), fuzzer, vec![run])),
        }
    }

    /// Adds the number of edges that the valid texts of a fuzzer cover and those of the first fuzzer do not, and
    /// the reverse, over all runs.
    pub fn add_only(&mut self, subject: &str, fuzzer: &'static str, edges: [f64; 2]) {
        self.only.insert((subject.to_owned(), fuzzer), edges);
    }

    /// Returns the medians of each fuzzer on each subject. The first fuzzer of a subject is compared with each
    /// other one by edges of valid texts: A12, and p after Holm's correction over all comparisons.
    pub fn markdown(&self) -> String {
        let valid = |runs: &[Value]| -> Vec<f64> {
            runs.iter().map(|run| last(run, "valid_edges")).collect()
        };
        let first = |subject: &str| {
            let group = self.groups.iter().find(|(of, _, _)| of == subject);
            group.map_or(Vec::new(), |(_, _, runs)| valid(runs))
        };
        let is_first = |at: usize| {
            self.groups[..at]
                .iter()
                .all(|(of, _, _)| *of != self.groups[at].0)
        };
        let others: Vec<usize> = (0..self.groups.len()).filter(|&at| !is_first(at)).collect();
        let p: Vec<f64> = others
            .iter()
            .map(|&at| p_value(&first(&self.groups[at].0), &valid(&self.groups[at].2)))
            .collect();
        let corrected = holm(&p);
        let mut text = String::from(
            "| subject | fuzzer | runs | edges | valid edges (min to max) | executions | inputs | panic locations in all runs | A12 | p | edges of one only |\n\
             |---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        for (at, (subject, fuzzer, runs)) in self.groups.iter().enumerate() {
            let of = |name: &str| median(runs.iter().map(|run| last(run, name)));
            let number = |name: &str| median(runs.iter().filter_map(|run| run[name].as_f64()));
            let own = valid(runs);
            let (low, high) = crate::figures::range(&own);
            let locations: BTreeSet<&str> = runs
                .iter()
                .flat_map(|run| run["places"].as_array().into_iter().flatten())
                .filter_map(Value::as_str)
                .collect();
            let compared = match others.iter().position(|&other| other == at) {
                Some(index) => {
                    let only = self.only.get(&(subject.clone(), fuzzer));
                    format!(
                        "{:.2} | {:.3} | {}",
                        a12(&first(subject), &own),
                        corrected[index],
                        only.map_or(String::new(), |[own, first]| format!("{own}, {first}")),
                    )
                }
                None => " | | ".into(),
            };
            _ = writeln!(
                text,
                "| {subject} | {fuzzer} | {} | {:.0} | {:.0} ({low:.0} to {high:.0}) | {:.0} | {:.0} | {} | {compared} |",
                runs.len(),
                of("edges"),
                of("valid_edges"),
                number("executions"),
                number("inputs"),
                locations.len(),
            );
        }
        text
    }

    /// Returns the curves of valid edges, by subject.
    pub fn subjects(&self) -> Vec<(String, Vec<Curves>)> {
        let mut found: Vec<(String, Vec<Curves>)> = Vec::new();
        for (subject, fuzzer, runs) in &self.groups {
            let points = |run: &Value| {
                let points = run["valid_edges"].as_array().into_iter().flatten();
                points.filter_map(Value::as_f64).collect()
            };
            let curves = Curves {
                fuzzer,
                runs: runs.iter().map(points).collect(),
            };
            match found.iter_mut().find(|(of, _)| of == subject) {
                Some((_, all)) => all.push(curves),
                None => found.push((subject.clone(), vec![curves])),
            }
        }
        found
    }

    /// Returns all curves as comma-separated values.
    pub fn curves(&self) -> String {
        let mut text = String::from("subject,fuzzer,run,share of the time,edges,valid edges\n");
        for (subject, fuzzer, runs) in &self.groups {
            for (number, run) in runs.iter().enumerate() {
                let points = |name: &str| run[name].as_array().cloned().unwrap_or_default();
                let (edges, valid) = (points("edges"), points("valid_edges"));
                for (at, (edges, valid)) in edges.iter().zip(&valid).enumerate() {
                    let share = (at + 1) as f64 / valid_points(run) as f64;
                    _ = writeln!(
                        text,
                        "{subject},{fuzzer},{},{share:.2},{edges},{valid}",
                        number + 1
                    );
                }
            }
        }
        text
    }
}

/// Returns the number of points of a run.
fn valid_points(run: &Value) -> usize {
    run["valid_edges"].as_array().map_or(1, Vec::len)
}

/// Returns the values of p after the correction of Holm (1979) for as many comparisons as there are values.
fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&one, &other| p[one].total_cmp(&p[other]));
    let (mut corrected, mut largest) = (vec![1.0; p.len()], 0.0_f64);
    for (rank, at) in order.into_iter().enumerate() {
        largest = largest.max(p[at] * (p.len() - rank) as f64).min(1.0);
        corrected[at] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn p_is_corrected_in_ascending_order() {
        let corrected = holm(&[0.01, 0.04, 0.03]);
        let expected = [0.03, 0.06, 0.06];
        let is_near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-9;
        assert!(
            corrected.iter().zip(&expected).all(is_near),
            "{corrected:?}"
        );
        assert_eq!(holm(&[0.6, 0.9]), [1.0, 1.0]);
    }

    #[test]
    fn the_first_fuzzer_of_a_subject_is_compared_with_the_others() {
        let run = |valid: f64| json!({ "edges": [1.0, valid + 1.0], "valid_edges": [0.0, valid], "places": ["a"], "executions": 7.0, "inputs": 2 });
        let mut table = Table::default();
        for (fuzzer, valid) in [("a", 9.0), ("b", 4.0), ("a", 8.0), ("b", 5.0)] {
            table.add("json", fuzzer, run(valid));
        }
        table.add_only("json", "b", [1.0, 4.0]);
        let text = table.markdown();
        assert!(
            text.contains("| json | a | 2 | 10 | 8 (8 to 9) | 7 | 2 | 1 |  | |  |"),
            "{text}"
        );
        assert!(
            text.contains("| json | b | 2 | 6 | 4 (4 to 5) | 7 | 2 | 1 | 1.00 | "),
            "{text}"
        );
        assert!(text.ends_with(" | 1, 4 |\n"), "{text}");
        assert_eq!(table.curves().lines().count(), 9);
        assert!(
            table.curves().contains("json,b,2,1.00,6.0,5.0"),
            "{}",
            table.curves()
        );
    }
}
