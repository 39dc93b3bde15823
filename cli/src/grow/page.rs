//! `suite.html`: a drawing of the lattice, the curve of coverage, and the files of the suite.
//!
//! The page is one file and loads no other file. Text of files is escaped, so that it is never
//! markup, and all its characters are visible.

use std::collections::BTreeSet;
use std::fmt::Write;

use zester::subject::Outcome;

use super::lattice::Fuzzer;
use super::node_store::FinishedNode;
use super::regression_suite::{RegressionSuite, SuiteFile};
use crate::chart::Chart;
use crate::expectation;
use crate::html::{escaped, excerpt, head};

/// The width and the height of the box of two nodes in pixels.
const BOX: (u32, u32) = (116, 62);

/// The maximum number of functions of a file that are shown. Further functions are folded.
const FUNCTIONS: usize = 6;

const STYLE: &str = "
body { margin: 2em auto; max-width: 76em; padding: 0 1em; font: 15px/1.4 system-ui, sans-serif; color: #1a1a1a; background: #fff }
h1, h2 { font-size: 1.5em; margin: 1.5em 0 .3em } h3 { font-size: 1em; margin: .8em 0 .2em; font-weight: normal }
.lattice { display: flex; flex-wrap: wrap; gap: 1.5em } svg { max-width: 100%; height: auto }
svg text { font: 11px system-ui, sans-serif } svg .new { font-weight: bold; font-size: 13px }
table { border-collapse: collapse; width: 100%; table-layout: fixed } td, th { text-align: left; vertical-align: top; padding: .3em .6em; border-top: 1px solid #ccc }
th.name { width: 7em } th.outcome { width: 8em } th.shows { width: 45% }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.35 ui-monospace, monospace }
code { font: 12px ui-monospace, monospace; overflow-wrap: anywhere } small { color: #555 } summary { cursor: pointer }
.valid { color: #00603f } .crash { color: #a00; font-weight: bold }
.key::before { content: ''; display: inline-block; width: 1em; height: .25em; margin-right: .4em; vertical-align: .25em; background: var(--of) }
@media print { body { margin: 0; max-width: none; font-size: 9pt } tr { break-inside: avoid } }
";

/// Returns the page.
pub fn page(suite: &RegressionSuite, files: &[(String, &SuiteFile)]) -> String {
    let target = escaped(&suite.target);
    let mut text = format!(
        "{}<h1>{target}: a grown corpus</h1>\n<p>{}.</p>\n",
        head(&format!("{target}: a grown corpus"), STYLE),
        suite.figures()
    );
    lattice(&suite.nodes, &mut text);
    curve(&suite.nodes, &mut text);
    if !suite.crashes.is_empty() {
        text.push_str("<h2>Crashes</h2>\n<p>The smallest sentence of each outcome.</p>\n<table>\n");
        for (sentence, outcome) in &suite.crashes {
            let what = escaped(&expectation::describe(outcome));
            let _ = writeln!(
                text,
                "<tr><td><pre>{}</pre></td><td class=\"crash\">{what}</td></tr>",
                excerpt(sentence)
            );
        }
        text.push_str("</table>\n");
    }
    text.push_str(
        "<h2>Files</h2>\n<p>Smallest first. For each file: the number of edges that it is the first to cover, the functions that it is the \
         first to enter, and the fuzzer after which all of this was covered. A valid file counts again what only invalid files before it covered.</p>\n\
         <table>\n<tr><th class=\"name\">file</th><th class=\"outcome\">outcome</th><th>text</th><th class=\"shows\">what it is the first to \
         cover</th></tr>\n",
    );
    files
        .iter()
        .for_each(|(name, entry)| row(name, entry, &mut text));
    text.push_str("</table>\n</body>\n</html>\n");
    text
}

/// Draws the nodes. Each bound of identifiers has a drawing, with a column for each bound of items and
/// a row for each bound of depth.
fn lattice(nodes: &[FinishedNode], text: &mut String) {
    text.push_str(
        "<h2>Fuzzers</h2>\n<p>Each box is a pair of fuzzers with the same bounds: on the left the one that keeps valid sentences only, on \
         the right the one that keeps all. The numbers are: edges that are new in comparison to the fuzzers below it, valid sentences in \
         its corpus in percent, and characters per sentence. The darker, the more new edges.</p>\n<div class=\"lattice\">\n",
    );
    let all = |bound: fn(Fuzzer) -> u32| {
        nodes
            .iter()
            .map(|grown| bound(grown.fuzzer))
            .collect::<BTreeSet<u32>>()
    };
    let (columns, rows) = (all(|fuzzer| fuzzer.items), all(|fuzzer| fuzzer.depth));
    let (width, height) = BOX;
    let max_gain = nodes
        .iter()
        .map(|grown| gain(grown, nodes))
        .max()
        .unwrap_or(0)
        .max(1);
    for identifiers in all(|fuzzer| fuzzer.identifiers) {
        let (all_width, all_height) = (
            60 + width * columns.len() as u32,
            24 + height * rows.len() as u32,
        );
        let _ = writeln!(
            text,
            "<figure style=\"margin:0\"><figcaption>identifiers: {identifiers}</figcaption>\n\
             <svg width=\"{all_width}\" height=\"{all_height}\" viewBox=\"0 0 {all_width} {all_height}\" role=\"img\" \
             aria-label=\"The fuzzers with at most {identifiers} identifiers\">"
        );
        for (column, items) in columns.iter().enumerate() {
            let _ = writeln!(
                text,
                "<text x=\"{}\" y=\"14\">items: {items}</text>",
                60 + width * column as u32
            );
        }
        for (row, depth) in rows.iter().enumerate() {
            let _ = writeln!(
                text,
                "<text x=\"0\" y=\"{}\">depth: {depth}</text>",
                24 + height * row as u32 + height / 2
            );
        }
        for grown in nodes
            .iter()
            .filter(|grown| grown.fuzzer.identifiers == identifiers)
        {
            let place = |all: &BTreeSet<u32>, bound| {
                all.iter().position(|&one| one == bound).unwrap_or(0) as u32
            };
            let half = if grown.fuzzer.keeps_all {
                width / 2 - 2
            } else {
                0
            };
            let x = 60 + width * place(&columns, grown.fuzzer.items) + half;
            node(
                grown,
                gain(grown, nodes),
                max_gain,
                (x, 24 + height * place(&rows, grown.fuzzer.depth)),
                text,
            );
        }
        text.push_str("</svg></figure>\n");
    }
    text.push_str("</div>\n");
}

/// Draws a node as one half of a box, with its upper left corner at `(x, y)`.
fn node(grown: &FinishedNode, gain: usize, max_gain: usize, (x, y): (u32, u32), text: &mut String) {
    let (width, height) = (BOX.0 / 2 - 2, BOX.1 - 6);
    // Gains differ by powers of ten, so the shade is their logarithm.
    let shade = ((gain + 1) as f64).ln() / ((max_gain + 1) as f64).ln();
    let opacity = 0.05 + 0.6 * shade;
    let valid = 100.0 * grown.valid as f64 / grown.inputs.max(1) as f64;
    let title = format!(
        "{}: {} edges, {} by valid sentences; {} sentences, {} valid; {:.1} s{}",
        grown.fuzzer,
        grown.edges,
        grown.valid_edges,
        grown.inputs,
        grown.valid,
        grown.time.as_secs_f64(),
        if grown.crashes > 0 {
            format!("; {} crashes", grown.crashes)
        } else {
            String::new()
        },
    );
    let border = if grown.crashes > 0 { "#a00" } else { "#555" };
    let _ = writeln!(
        text,
        "<g><title>{title}</title><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"#0072b2\" \
         fill-opacity=\"{opacity:.2}\" stroke=\"{border}\"/>\
         <text class=\"new\" x=\"{0}\" y=\"{1}\">+{gain}</text><text x=\"{0}\" y=\"{2}\">{valid:.0} %</text>\
         <text x=\"{0}\" y=\"{3}\">{4:.1}</text></g>",
        x + 4,
        y + 16,
        y + 32,
        y + 47,
        grown.characters,
    );
}

/// Returns the number of edges of a node minus the maximum of the nodes below it.
fn gain(grown: &FinishedNode, nodes: &[FinishedNode]) -> usize {
    let below = nodes
        .iter()
        .filter(|other| other.fuzzer.is_below(grown.fuzzer))
        .map(|other| other.edges)
        .max();
    grown.edges.saturating_sub(below.unwrap_or(0))
}

/// Draws the number of edges over the sum of the times of the fuzzers.
fn curve(nodes: &[FinishedNode], text: &mut String) {
    let (mut seconds, mut edges, mut valid_edges) = (0.0, 0, 0);
    let (mut all, mut valid) = (vec![(0.0, 0.0)], vec![(0.0, 0.0)]);
    for grown in nodes {
        seconds += grown.time.as_secs_f64();
        (edges, valid_edges) = (edges.max(grown.edges), valid_edges.max(grown.valid_edges));
        all.push((seconds, edges as f64));
        valid.push((seconds, valid_edges as f64));
    }
    let _ = write!(
        text,
        "<h2>Coverage</h2>\n<p><span class=\"key\" style=\"--of:#0072b2\">edges</span> &emsp; \
         <span class=\"key\" style=\"--of:#e69f00\">edges by valid sentences</span>, over the time of all fuzzers one after the other, in \
         seconds, those with small bounds first.</p>\n"
    );
    let chart = Chart {
        size: (900, 260),
        axes: ["", ""],
        series: vec![all, valid],
        is_joined: true,
        is_zoomed: false,
    };
    text.push_str(&chart.svg());
}

/// Writes the table row of a file.
fn row(name: &str, entry: &SuiteFile, text: &mut String) {
    let class = match entry.outcome {
        _ if entry.is_valid() => "valid",
        Outcome::Finished(_) => "",
        _ => "crash",
    };
    let _ = write!(
        text,
        "<tr><td>{}<br><small>{}</small></td><td class=\"{class}\">{}</td><td><pre>{}</pre></td><td>{} edges",
        escaped(name),
        entry.fuzzer,
        escaped(&expectation::describe(&entry.outcome)),
        excerpt(&entry.text),
        entry.edges,
    );
    if entry.is_valid() && entry.valid_edges > entry.edges {
        let _ = write!(text, ", {} by valid files", entry.valid_edges);
    }
    let names: Vec<String> = entry
        .functions
        .iter()
        .map(|name| format!("<code>{}</code>", escaped(name)))
        .collect();
    let (first, rest) = names.split_at(names.len().min(FUNCTIONS));
    first.iter().for_each(|name| _ = write!(text, "<br>{name}"));
    if !rest.is_empty() {
        let _ = write!(
            text,
            "<details><summary>{} more functions</summary>{}</details>",
            rest.len(),
            rest.join("<br>")
        );
    }
    text.push_str("</td></tr>\n");
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use zester::Validity;

    use super::super::lattice::Lattice;
    use super::super::selection::Covered;
    use super::*;

    #[test]
    fn pages_have_all_nodes_and_no_markup_of_texts() {
        let nodes: Vec<FinishedNode> = "2,1,2"
            .parse::<Lattice>()
            .unwrap()
            .fuzzers()
            .into_iter()
            .map(FinishedNode::new)
            .collect();
        let nodes: Vec<FinishedNode> = nodes
            .into_iter()
            .map(|grown| FinishedNode {
                edges: 10 * grown.fuzzer.rank() as usize,
                time: Duration::from_secs(2),
                ..grown
            })
            .collect();
        let entry = SuiteFile {
            text: b"<b>\n\x1b[0m&\xff".to_vec(),
            outcome: Outcome::Finished(Validity::Valid),
            fuzzer: nodes[0].fuzzer,
            edges: 7,
            valid_edges: 9,
            functions: (0..9).map(|number| format!("a<T>::f{number}")).collect(),
        };
        let suite = RegressionSuite::for_tests(nodes, entry, Covered::default());
        let files = [("1.x".to_string(), &suite.entries[0])];
        let page = page(&suite, &files);
        assert_eq!(page.matches("<title>").count(), 8 + 1);
        assert!(
            page.contains("&lt;b&gt;\n\\u{1b}[0m&amp;\u{fffd}</pre>"),
            "{page}"
        );
        assert!(
            page.contains("7 edges, 9 by valid files")
                && page.contains("3 more functions")
                && page.contains("a&lt;T&gt;::f8")
        );
        assert!(page.chars().all(|char| char == '\n' || !char.is_control()));
    }
}
