//! `suite.html`: the lattice of fuzzers, the curve of coverage, and the files of the suite.

use std::collections::BTreeSet;

use zester::subject::Outcome;

use super::lattice::Fuzzer;
use super::node_store::FinishedNode;
use super::regression_suite::{RegressionSuite, SuiteFile};
use crate::chart::Chart;
use crate::document::{
    Content, Document, bar, code, details, excerpt, figure, heading, key, line_break, paragraph,
    severe, small, strong, table,
};
use crate::expectation;
use crate::numbers::counted;

/// The maximum number of functions of a file that are shown. Further functions are folded.
const FUNCTIONS: usize = 6;

pub fn page(suite: &RegressionSuite, files: &[(String, &SuiteFile)]) -> String {
    let mut page = paragraph(format!("{}.", suite.figures()))
        + heading("Fuzzers")
        + paragraph(
            "Each cell is a pair of fuzzers with the same bounds: the one that keeps valid sentences only, and the one that keeps \
             all. The numbers are: edges that are new in comparison to the fuzzers below it, valid sentences in its corpus in \
             percent, and characters per sentence. The longer the bar, the more new edges.",
        )
        + lattice(&suite.nodes)
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

/// Returns the nodes. Each bound of identifiers has a table, with a column for each bound of items and
/// a row for each bound of depth.
fn lattice(nodes: &[FinishedNode]) -> Content {
    let all = |bound: fn(Fuzzer) -> u32| {
        let bounds = nodes.iter().map(|grown| bound(grown.fuzzer));
        bounds.collect::<BTreeSet<u32>>()
    };
    let (columns, rows) = (all(|fuzzer| fuzzer.items), all(|fuzzer| fuzzer.depth));
    let max_gain = nodes.iter().map(|grown| gain(grown, nodes)).max();
    let mut tables = Content::default();
    for identifiers in all(|fuzzer| fuzzer.identifiers) {
        let titles = columns.iter().map(|items| format!("items: {items}"));
        let rows = rows.iter().map(|depth| {
            let cells = columns.iter().map(|items| {
                let parameters = (identifiers, *depth, *items);
                let is_here =
                    |Fuzzer {
                         identifiers,
                         depth,
                         items,
                         ..
                     }| (identifiers, depth, items) == parameters;
                let here = nodes.iter().filter(|grown| is_here(grown.fuzzer));
                here.map(|grown| node(grown, gain(grown, nodes), max_gain.unwrap_or(0)))
                    .collect()
            });
            let depth = Content::from(format!("depth: {depth}"));
            [depth].into_iter().chain(cells)
        });
        let corner = format!("identifiers: {identifiers}");
        tables += table([corner].into_iter().chain(titles), rows);
    }
    tables
}

/// Returns the figures of a node.
fn node(grown: &FinishedNode, gain: usize, max_gain: usize) -> Content {
    // Gains differ by powers of ten, so the length of the bar is their logarithm.
    let share = ((gain + 1) as f64).ln() / ((max_gain.max(1) + 1) as f64).ln();
    let valid = 100.0 * grown.valid as f64 / grown.inputs.max(1) as f64;
    let kept = if grown.fuzzer.keeps_all {
        "all"
    } else {
        "valid"
    };
    let figures = format!(
        "{}: {}, {} by valid sentences; {}, {} valid; {:.1} s",
        grown.fuzzer,
        counted(grown.edges, "edge"),
        grown.valid_edges,
        counted(grown.inputs, "sentence"),
        grown.valid,
        grown.time.as_secs_f64(),
    );
    let crashes = match grown.crashes {
        0 => Content::default(),
        count => severe(format!("; {}", counted(count, "crash"))),
    };
    let summary = strong(format!("+{gain}")) + format!(", {valid:.0} %, {:.1} ", grown.characters);
    bar(&format!("+{gain}"), [("", share)])
        + details(summary + small(kept) + crashes, false, figures.into())
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
    let mut covered = Content::from(counted(entry.edges, "edge"));
    if entry.is_valid() && entry.valid_edges > entry.edges {
        covered += format!(", {} by valid files", entry.valid_edges);
    }
    for name in entry.functions.iter().take(FUNCTIONS) {
        covered += line_break() + code(name);
    }
    let rest: Vec<Content> = entry.functions.iter().skip(FUNCTIONS).map(code).collect();
    if !rest.is_empty() {
        let summary = counted(rest.len(), "more function");
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
        assert_eq!(page.matches(" by valid sentences; ").count(), 8);
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
