//! The figures, as lines of text or as one line of JSON, with the same names in the same order.

use crate::edge_files::EdgeFiles;
use crate::edges;
use crate::run::Runs;
use std::fmt::Write;

/// Prints a line of JSON with the outcome of a text, the edges in `kept` that it hit as the member
/// `name`, and how often it hit each of them as `hits`.
pub fn each(outcome: &str, name: &str, hits: &[u64], kept: impl Fn(usize) -> bool) {
    let (edges, hits): (Vec<String>, Vec<String>) = (0..hits.len())
        .filter(|&e| hits[e] != 0 && kept(e))
        .map(|e| (e.to_string(), hits[e].to_string()))
        .unzip();
    println!(
        "{{\"outcome\":\"{outcome}\",\"{name}\":[{}],\"hits\":[{}]}}",
        edges.join(","),
        hits.join(",")
    );
}

/// The figures of a subject, by name.
pub struct Report {
    subject: String,
    figures: Vec<(&'static str, usize)>,
}

impl Report {
    /// Computes the figures; functions count only if the options ask for them.
    pub fn new(subject: &str, runs: &Runs, edge_files: &EdgeFiles, functions: bool) -> Self {
        let mut figures = vec![
            ("files", runs.files),
            ("valid", runs.valid),
            ("panics", runs.panics),
            ("skipped", runs.skipped),
        ];
        let mut count = |name, kept: &dyn Fn(usize) -> bool| {
            let edges = (0..edges::count()).filter(|&e| !edge_files.own[e] && kept(e));
            figures.push((name, edges.count()));
        };
        let hit = |e: usize| runs.hit[e] != 0;
        let valid = |e: usize| runs.hit_valid[e] != 0;
        let within = |e: usize| edge_files.within[e];
        let entry = edges::is_function;
        count("edges", &hit);
        count("edges_valid", &valid);
        count("within", &|e| within(e) && hit(e));
        count("within_valid", &|e| within(e) && valid(e));
        count("within_all", &within);
        if functions {
            count("functions", &|e| entry(e) && hit(e));
            count("functions_valid", &|e| entry(e) && valid(e));
            count("functions_within", &|e| entry(e) && within(e) && hit(e));
            count("functions_within_valid", &|e| {
                entry(e) && within(e) && valid(e)
            });
            count("functions_within_all", &|e| entry(e) && within(e));
        }
        Self {
            subject: subject.to_owned(),
            figures,
        }
    }

    /// Returns the figures as text, one a line.
    pub fn text(&self) -> String {
        let mut text = format!("{:<23} {:>8}\n", "subject", self.subject);
        for (name, value) in &self.figures {
            let _ = writeln!(text, "{name:<23} {value:>8}");
        }
        text
    }

    /// Returns the figures as a JSON object in one line. Names and subjects need no escapes.
    pub fn json(&self) -> String {
        let mut json = format!("{{\"subject\":\"{}\"", self.subject);
        for (name, value) in &self.figures {
            let _ = write!(json, ",\"{name}\":{value}");
        }
        json + "}"
    }
}
