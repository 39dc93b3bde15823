//! `report.html`: the curves of the goals, the exceptions, the slowest inputs, and the changes of the
//! probabilities.
//!
//! The page is one file and loads no other file. Text of inputs is escaped, so that it is never
//! markup, and all its characters are visible.

use std::fmt::Write;

use zester::weights::{Probabilities, Table, Transform, Weights};

use super::record::Figures;
use super::report::EvolutionReport;
use crate::chart::Chart;
use crate::html::{escaped, excerpt, first_line, head, percent};

/// The maximum number of changed probabilities that are shown.
const CHANGES: usize = 25;

const STYLE: &str = "
body { margin: 2em auto; max-width: 70em; padding: 0 1em; font: 15px/1.4 system-ui, sans-serif; color: #1a1a1a; background: #fff }
h1, h2 { font-size: 1.5em; margin: 1.5em 0 .3em } h3 { font-size: 1em; margin: .8em 0 .2em }
.curves { display: flex; flex-wrap: wrap; gap: 1em } figure { margin: 0 } figcaption { font-weight: bold } svg { max-width: 100%; height: auto }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .3em .6em; border-top: 1px solid #ccc }
td.number, th.number { text-align: right; white-space: nowrap }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.35 ui-monospace, monospace }
code { font: 12px ui-monospace, monospace; overflow-wrap: anywhere }
@media print { body { margin: 0; max-width: none; font-size: 9pt } tr { break-inside: avoid } }
";

/// Returns the value of a curve after a generation.
type CurveValue = fn(&Figures) -> f64;

/// The title and the value of each curve.
const CURVES: [(&str, CurveValue); 4] = [
    ("Functions", |figures| figures.functions as f64),
    ("Different exceptions", |figures| {
        figures.unique_exceptions as f64
    }),
    ("Longest run in milliseconds", |figures| {
        1e3 * figures.slowest.as_secs_f64()
    }),
    ("Mappings", |figures| figures.mappings as f64),
];

/// Returns the page.
pub fn page(report: &EvolutionReport<'_>) -> String {
    let target = escaped(
        &report
            .target
            .file_name()
            .unwrap_or_default()
            .to_string_lossy(),
    );
    let mut text = format!(
        "{}<h1>{target}: evolved inputs</h1>\n<p>Strategy {}; weights of the goals {}.</p>\n<p>{}.</p>\n",
        head(&format!("{target}: evolved inputs"), STYLE),
        escaped(&report.strategy),
        escaped(&report.goals.to_string()),
        escaped(report.summary().lines().next().unwrap_or_default()),
    );
    curves(report, &mut text);
    exceptions(report, &mut text);
    slowest(report, &mut text);
    changes(report, &mut text);
    text.push_str("</body>\n</html>\n");
    text
}

fn curves(report: &EvolutionReport<'_>, text: &mut String) {
    text.push_str("<h2>Goals over generations</h2>\n<div class=\"curves\">\n");
    for (title, value) in CURVES {
        let mut points = vec![(0.0, 0.0)];
        points.extend(
            (1..)
                .zip(&report.record.generations)
                .map(|(number, figures)| (f64::from(number), value(figures))),
        );
        let chart = Chart {
            size: (440, 200),
            axes: ["generation", ""],
            series: vec![points],
            is_joined: true,
            is_zoomed: false,
        };
        let _ = writeln!(
            text,
            "<figure><figcaption>{title}</figcaption>{}</figure>",
            chart.svg()
        );
    }
    text.push_str("</div>\n");
}

fn exceptions(report: &EvolutionReport<'_>, text: &mut String) {
    let all = &report.record.exceptions;
    if all.is_empty() {
        text.push_str("<h2>Exceptions</h2>\n<p>None.</p>\n");
        return;
    }
    text.push_str(
        "<h2>Exceptions</h2>\n<table>\n<tr><th>exception</th><th class=\"number\">inputs</th><th class=\"number\">first in run</th>\
         <th>shortest input</th></tr>\n",
    );
    for (signature, exception) in all {
        let _ = writeln!(
            text,
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td><pre>{}</pre></td></tr>",
            escaped(signature),
            exception.count,
            exception.first + 1,
            excerpt(&exception.text)
        );
    }
    text.push_str("</table>\n");
}

fn slowest(report: &EvolutionReport<'_>, text: &mut String) {
    text.push_str("<h2>Slowest inputs</h2>\n");
    let all = &report.record.slowest;
    let points = all
        .iter()
        .map(|(time, input)| (input.len() as f64, 1e3 * time.as_secs_f64()))
        .collect();
    let chart = Chart {
        size: (640, 220),
        axes: ["bytes", "milliseconds"],
        series: vec![points],
        is_joined: false,
        is_zoomed: false,
    };
    text.push_str(&chart.svg());
    text.push_str("\n<table>\n<tr><th class=\"number\">milliseconds</th><th class=\"number\">bytes</th><th>input</th></tr>\n");
    for (time, input) in all {
        let milliseconds = 1e3 * time.as_secs_f64();
        let _ = writeln!(
            text,
            "<tr><td class=\"number\">{milliseconds:.3}</td><td class=\"number\">{}</td><td><details><summary><code>{}</code></summary>\
             <pre>{}</pre></details></td></tr>",
            input.len(),
            first_line(input),
            excerpt(input)
        );
    }
    text.push_str("</table>\n");
}

/// Writes the alternatives with the largest changes of their probabilities.
fn changes(report: &EvolutionReport<'_>, text: &mut String) {
    let tables = |weights: &Weights| -> Option<Vec<Table>> {
        let probabilities =
            Probabilities::new(report.grammar, weights, Transform::default()).ok()?;
        Some(probabilities.explain(report.grammar, weights))
    };
    let (Some(before), Some(after)) = (tables(report.samples), tables(report.weights)) else {
        return;
    };
    let mut changed = Vec::new();
    for (before, after) in before
        .iter()
        .zip(&after)
        .filter(|(_, after)| after.is_rule && after.times > 0.0)
    {
        for chosen in &after.chosen {
            let of = before
                .chosen
                .iter()
                .find(|other| other.name == chosen.name)
                .map_or(0.0, |other| other.probability);
            changed.push((chosen.probability - of, &after.name, chosen, of));
        }
    }
    changed.sort_by(|(one, ..), (other, ..)| other.abs().total_cmp(&one.abs()));
    changed.truncate(CHANGES);
    text.push_str(
        "<h2>Probabilities</h2>\n<p>The alternatives with the largest changes of their probability between the samples and the end.</p>\n<table>\n\
         <tr><th>rule</th><th>alternative</th><th class=\"number\">samples</th><th class=\"number\">end</th></tr>\n",
    );
    for (_, rule, chosen, before) in changed {
        let _ = writeln!(
            text,
            "<tr><td><code>{}</code></td><td><code>{}</code></td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
            escaped(rule),
            escaped(&chosen.name),
            percent(before),
            percent(chosen.probability)
        );
    }
    text.push_str("</table>\n");
}
