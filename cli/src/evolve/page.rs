//! `report.html`, the page that `zester evolve` writes: four curves over the generations, the
//! exceptions, the slowest inputs, and the changes of the probabilities.

use zester::weights::{Probabilities, Table, Transform, Weights};

use super::record::Figures;
use super::report::EvolutionReport;
use crate::chart::Chart;
use crate::document::{
    Content, Document, code, excerpt, figure, folded, grid, heading, number, paragraph, table,
};
use crate::numbers::percent;

/// The maximum number of changed probabilities that are shown.
const CHANGES: usize = 25;

/// Returns the value of a curve from the figures after a generation.
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

/// Returns the HTML of `report.html`.
pub fn page(report: &EvolutionReport<'_>) -> String {
    let target = report.target.file_name().unwrap_or_default();
    let summary = report.summary();
    let page = paragraph(format!(
        "Strategy {}; weights of the goals {}.",
        report.strategy, report.goals
    )) + paragraph(format!("{}.", summary.lines().next().unwrap_or_default()))
        + curves(report)
        + exceptions(report)
        + slowest(report)
        + changes(report).unwrap_or_default();
    Document::new(
        format!("{}: evolved inputs", target.to_string_lossy()),
        page,
    )
    .html()
}

fn curves(report: &EvolutionReport<'_>) -> Content {
    let mut curves = Content::default();
    for (title, value) in CURVES {
        let generations = (1..).zip(&report.record.generations);
        let mut points = vec![(0.0, 0.0)];
        points.extend(generations.map(|(number, figures)| (f64::from(number), value(figures))));
        let chart = Chart {
            size: (440, 200),
            axes: ["generation", ""],
            series: vec![points],
            is_joined: true,
            is_zoomed: false,
        };
        curves += figure(title, chart.svg());
    }
    heading("Goals over generations") + grid(curves)
}

fn exceptions(report: &EvolutionReport<'_>) -> Content {
    let all = &report.record.exceptions;
    if all.is_empty() {
        return heading("Exceptions") + paragraph("None.");
    }
    let rows = all.iter().map(|(signature, exception)| {
        [
            Content::from(&**signature),
            number(exception.count),
            number(exception.first + 1),
            excerpt(&exception.text),
        ]
    });
    let titles = ["exception", "inputs", "first in run", "shortest input"];
    heading("Exceptions") + table(titles, rows)
}

fn slowest(report: &EvolutionReport<'_>) -> Content {
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
    let rows = all.iter().map(|(time, input)| {
        let milliseconds = format!("{:.3}", 1e3 * time.as_secs_f64());
        [number(milliseconds), number(input.len()), folded(input)]
    });
    heading("Slowest inputs")
        + figure("", chart.svg())
        + table(["milliseconds", "bytes", "input"], rows)
}

/// Returns a table of the [`CHANGES`] alternatives whose probabilities changed most. Returns [`None`]
/// if the weights cannot be turned into probabilities.
fn changes(report: &EvolutionReport<'_>) -> Option<Content> {
    let tables = |weights: &Weights| -> Option<Vec<Table>> {
        let probabilities =
            Probabilities::new(report.grammar, weights, Transform::default()).ok()?;
        Some(probabilities.explain(report.grammar, weights))
    };
    let (before, after) = (tables(report.samples)?, tables(report.weights)?);
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
    let rows = changed.into_iter().map(|(_, rule, chosen, before)| {
        [
            code(rule),
            code(&chosen.name),
            number(percent(before)),
            number(percent(chosen.probability)),
        ]
    });
    let intro = "The alternatives whose probability in the samples and at the end differ most.";
    let titles = ["rule", "alternative", "samples", "end"];
    Some(heading("Probabilities") + paragraph(intro) + table(titles, rows))
}
