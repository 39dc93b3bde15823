//! The tables of the results.

use serde_json::Value;

use super::PREFIXES;
use crate::figures::{mean, median, percent};

/// The meaning of the columns.
pub const COLUMNS: &str = "\
A line for each subject.

Samples:
  files, bytes   the number of samples, and their mean size
  functions      the number of functions that they enter
  others         five more files, drawn in the same way, for comparison: the share of the samples' functions that they cover, and D
Common and inverted suites:
  valid, bytes   the share of valid inputs, and the mean size of all inputs
  new            the number of functions that a suite enters and the samples do not
  1, 5, 20, 100  the share of the samples' functions that so many inputs cover
  enter%         the mean share of inputs that enter one of the samples' functions; functions that every sample and every valid input
                 of both suites enter do not count. The same figure of the samples comes first.
A to D, the tables of the paper:
  A, B           functions that a suite of inverted inputs enters and the common suite of the same seed does not: their number, and
                 their percentage of the functions that the common suite enters
  -A             functions that the common suite enters and the inverted suite does not
  C, D           Kolmogorov and Smirnov's D and its p, of the samples and a suite: common (C), inverted (D), and the share of
                 suites for which the test rejects that the distributions are equal (p < 0.05)

Figures of suites are medians of all suites; valid, bytes and enter% are means. C and D compare two sets of call frequencies, with
a value for each function that the samples or the suite enter: the mean number of its calls in a sample, and in an input of the
suite. D is the maximum difference of their empirical distributions. p is the asymptotic p of the two-sample Kolmogorov-Smirnov test;
it belongs to the suite with the median D.";

/// Prints the tables. `results` returns the figures of a subject's samples and of its suites.
pub fn print<'a>(
    subjects: &[String],
    results: impl Fn(&str) -> (Option<&'a Value>, Vec<&'a Value>),
) {
    let all: Vec<Results<'a>> = subjects
        .iter()
        .map(|name| {
            let (samples, suites) = results(name);
            Results {
                name: name.clone(),
                samples,
                suites,
            }
        })
        .filter(|results| !results.suites.is_empty())
        .collect();
    println!(
        "\n{:10} {:>6} {:>5} {:>6} {:>9} {:>8} {:>5}",
        "samples", "suites", "files", "bytes", "functions", "others%", "D"
    );
    all.iter().for_each(|of| println!("{}", of.samples()));
    for kind in ["common", "inverted"] {
        let sizes = PREFIXES.map(|size| format!("{size:>5}")).join(" ");
        println!(
            "\n{kind:10} {:>6} {:>6} {:>5} {sizes} {:>9} {:>6}",
            "valid%", "bytes", "new", "samples", "enter%"
        );
        all.iter().for_each(|of| println!("{}", of.suites(kind)));
    }
    let tests = format!("{:>5} {:>6} {:>7}", "D", "p", "p<0.05%");
    println!(
        "\n{:10} {:>5} {:>5} {:>5}  C {tests}  D {tests}",
        "A to D", "A", "B%", "-A"
    );
    all.iter().for_each(|of| println!("{}", of.paper()));
}

/// The results of a subject.
struct Results<'a> {
    name: String,
    samples: Option<&'a Value>,
    suites: Vec<&'a Value>,
}

impl Results<'_> {
    /// Returns a figure of all suites, by its path in the JSON.
    fn each(&self, path: &str) -> Vec<f64> {
        let figure = |suite: &&Value| suite.pointer(path).and_then(Value::as_f64);
        self.suites.iter().filter_map(figure).collect()
    }

    fn samples(&self) -> String {
        let figure = |name: &str| self.samples.and_then(|samples| samples[name].as_f64());
        let shown = |name: &str, digits: usize| {
            figure(name).map_or("-".to_owned(), |figure| format!("{figure:.digits$}"))
        };
        format!(
            "{:10} {:6} {:>5} {:>6} {:>9} {:>8} {:>5}",
            self.name,
            self.suites.len(),
            shown("files", 0),
            shown("bytes", 0),
            shown("functions", 0),
            shown("others_cover", 1),
            shown("others_distance", 2)
        )
    }

    fn suites(&self, kind: &str) -> String {
        let of = |name: &str| self.each(&format!("/{kind}/{name}"));
        let cover =
            (0..PREFIXES.len()).map(|at| format!("{:5.1}", median(of(&format!("cover/{at}")))));
        let cover: Vec<String> = cover.collect();
        let mut row = format!(
            "{:10} {:6.1} {:6.0} {:5.0} {} {:9.1} {:6.1}",
            self.name,
            100.0 * mean(of("valid")),
            mean(of("bytes")),
            median(of("new")),
            cover.join(" "),
            mean(self.each("/samples_enter")),
            mean(of("enter"))
        );
        let ended: f64 = of("ended").iter().sum();
        if ended > 0.0 {
            row += &format!("  {ended:.0} inputs ended the program or took a minute");
        }
        row
    }

    fn paper(&self) -> String {
        let share = |suite: &&Value| {
            let common = suite["common"]["functions"].as_f64()?;
            Some(percent(suite["beyond"].as_f64()?, common))
        };
        format!(
            "{:10} {:5.0} {:5.1} {:5.0}    {}    {}",
            self.name,
            median(self.each("/beyond")),
            median(self.suites.iter().filter_map(share)),
            median(self.each("/missing")),
            self.test("common"),
            self.test("inverted")
        )
    }

    /// Returns the median D, the p of that suite, and the percentage of suites with p below 0.05.
    fn test(&self, kind: &str) -> String {
        let of = |name: &str| self.each(&format!("/{kind}/{name}"));
        let mut tests: Vec<(f64, f64)> = of("distance").into_iter().zip(of("p")).collect();
        tests.sort_by(|a, b| a.0.total_cmp(&b.0));
        let rejected = tests.iter().filter(|(_, p)| *p < 0.05).count();
        let (distance, p) = tests[(tests.len() - 1) / 2];
        let rejected = percent(rejected as f64, tests.len() as f64);
        format!("{distance:5.2} {p:6.3} {rejected:7.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_have_the_medians_of_all_suites() {
        let kind = |distance: f64, p: f64| {
            json!({
                "valid": 0.5, "bytes": 10, "new": 3, "cover": [1, 2, 3, 4], "enter": 7, "ended": 1,
                "distance": distance, "p": p, "functions": 20,
            })
        };
        let suite = |beyond: u32| {
            json!({
                "common": kind(0.5, 0.01), "inverted": kind(0.25, 0.5),
                "beyond": beyond, "missing": 1, "samples_enter": 50,
            })
        };
        let suites = [suite(2), suite(4), suite(9)];
        let samples = json!({ "files": 4, "bytes": 900, "functions": 30, "others_cover": null });
        let results = Results {
            name: "json".into(),
            samples: Some(&samples),
            suites: suites.iter().collect(),
        };
        let words = |row: String| {
            row.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            words(results.samples()),
            ["json", "3", "4", "900", "30", "-", "-"]
        );
        let row = words(results.suites("common"));
        assert_eq!(
            row[..9],
            [
                "json", "50.0", "10", "3", "1.0", "2.0", "3.0", "4.0", "50.0"
            ]
        );
        assert_eq!(row[9..11], ["7.0", "3"]);
        let row = words(results.paper());
        assert_eq!(
            row,
            [
                "json", "4", "20.0", "1", "0.50", "0.010", "100", "0.25", "0.500", "0"
            ]
        );
    }
}
