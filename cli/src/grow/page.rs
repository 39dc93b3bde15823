//! `suite.html`: a drawing of the lattice, the curve of coverage, and the files of the suite.

use std::collections::BTreeSet;
use std::fmt::Write;

use zester::subject::Outcome;

use super::lattice::Fuzzer;
use super::node_store::FinishedNode;
use super::regression_suite::{RegressionSuite, SuiteFile};
use crate::chart::Chart;
use crate::document::{
    Content, Document, code, details, excerpt, figure, grid, heading, key, line_break, paragraph,
    severe, small, strong, table,
};
use crate::expectation;

/// The width and the height of the box of two nodes in pixels.
const BOX: (u32, u32) = (116, 62);

/// The maximum number of functions of a file that are shown. Further functions are folded.
const FUNCTIONS: usize = 6;

/// Returns the page.
pub fn page(suite: &RegressionSuite, files: &[(String, &SuiteFile)]) -> String {
    let mut page = paragraph(format!("{}.", suite.figures()))
        + heading("Fuzzers")
        + paragraph(
            "Each box is a pair of fuzzers with the same bounds: on the left the one that keeps valid sentences only, on \
             the right the one that keeps all. The numbers are: edges that are new in comparison to the fuzzers below it, valid \
             sentences in its corpus in percent, and characters per sentence. The darker, the more new edges.",
        )
        + grid(lattice(&suite.nodes))
        + curve(&suite.nodes);
    if !suite.crashes.is_empty() {
        let crashes = suite
            .crashes
            .iter()
            .map(|(sentence, outcome)| [excerpt(sentence), severe(expectation::describe(outcome))]);
        page += heading("Crashes")
            + paragraph("The smallest sentence of each outcome.")
            + table([""; 2], crashes);
    }
    page += heading("Files")
        + paragraph(
            "Smallest first. For each file: the number of edges that it is the first to cover, the functions that it is the \
             first to enter, and the fuzzer after which all of this was covered. A valid file counts again what only invalid files \
             before it covered.",
        )
        + table(
            ["file", "outcome", "text", "what it is the first to cover"],
            files.iter().map(|(name, entry)| row(name, entry)),
        );
    Document::new(format!("{}: a grown corpus", suite.target), page).html()
}

/// Draws the nodes. Each bound of identifiers has a drawing, with a column for each bound of items and
/// a row for each bound of depth.
fn lattice(nodes: &[FinishedNode]) -> Content {
    let mut drawings = Content::default();
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
        let mut text = String::new();
        let _ = writeln!(
            text,
            "<svg class=\"lattice\" width=\"{all_width}\" height=\"{all_height}\" viewBox=\"0 0 {all_width} {all_height}\" role=\"img\" \
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
                &mut text,
            );
        }
        drawings += figure(format!("identifiers: {identifiers}"), text + "</svg>\n");
    }
    drawings
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
fn curve(nodes: &[FinishedNode]) -> Content {
    let (mut seconds, mut edges, mut valid_edges) = (0.0, 0, 0);
    let (mut all, mut valid) = (vec![(0.0, 0.0)], vec![(0.0, 0.0)]);
    for grown in nodes {
        seconds += grown.time.as_secs_f64();
        (edges, valid_edges) = (edges.max(grown.edges), valid_edges.max(grown.valid_edges));
        all.push((seconds, edges as f64));
        valid.push((seconds, valid_edges as f64));
    }
    let chart = Chart {
        size: (900, 260),
        axes: ["", ""],
        series: vec![all, valid],
        is_joined: true,
        is_zoomed: false,
    };
    let legend = key("series-1", "edges")
        + key("series-2", "edges by valid sentences")
        + "over the time of all fuzzers one after the other, in seconds, those with small bounds first.";
    heading("Coverage") + paragraph(legend) + figure("", chart.svg())
}

/// Returns the table row of a file.
fn row(name: &str, entry: &SuiteFile) -> [Content; 4] {
    let outcome = expectation::describe(&entry.outcome);
    let outcome = match entry.outcome {
        _ if entry.is_valid() => strong(outcome),
        Outcome::Finished(_) => outcome.into(),
        _ => severe(outcome),
    };
    let mut covered = Content::from(format!("{} edges", entry.edges));
    if entry.is_valid() && entry.valid_edges > entry.edges {
        covered += format!(", {} by valid files", entry.valid_edges);
    }
    for name in entry.functions.iter().take(FUNCTIONS) {
        covered += line_break() + code(name);
    }
    let rest: Vec<Content> = entry.functions.iter().skip(FUNCTIONS).map(code).collect();
    if !rest.is_empty() {
        let summary = format!("{} more functions", rest.len());
        covered += details(summary, false, Content::joined(rest, ", "));
    }
    [
        Content::from(name) + line_break() + small(entry.fuzzer.to_string()),
        outcome,
        excerpt(&entry.text),
        covered,
    ]
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
