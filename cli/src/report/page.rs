//! The HTML page of `zester report`.

use std::cmp::Reverse;

use super::curves::{CURVES, Curve, unit};
use super::replay_section;
use super::statistics::{MutatorCounts, RecordedCampaign};
use super::summary::{figures, grouped};
use super::{ReplayOf, Report};
use crate::chart::Chart;
use crate::document::{
    self, Content, Document, code, figure, grid, heading, key, note, number, paragraph, small,
    table,
};

pub fn page(report: &Report) -> String {
    let campaigns = &report.campaigns;
    // The end of a heading that names campaigns, if there are several.
    let of = |names: &[String]| match campaigns.len() {
        1 => String::new(),
        _ => format!(" of {}", names.join(", ")),
    };
    let names: Vec<&str> = campaigns.iter().map(|campaign| &*campaign.name).collect();
    let mut page = match &campaigns[..] {
        [campaign] => document::values(figures(campaign)),
        _ => heading("Final figures") + table_of_figures(campaigns),
    };
    page += curves(campaigns);
    for ReplayOf { names, replay } in &report.replays {
        page += heading(format!("Corpus{}", of(names)));
        page += match replay {
            Ok(replay) => replay_section::section(replay),
            Err(message) => note(format!("The corpus was not run: {message}")),
        };
    }
    let is_counted = |of: &&RecordedCampaign| !report.was_run(of) && !of.failures.is_empty();
    for campaign in campaigns.iter().filter(is_counted) {
        let failures = campaign.failures.iter();
        let rows = failures.map(|(signature, count)| [number(grouped(*count)), code(signature)]);
        page += heading(format!(
            "Failures{}",
            of(std::slice::from_ref(&campaign.name))
        )) + table(["count", "signature"], rows);
    }
    for campaign in campaigns.iter().filter(|of| !of.mutators.is_empty()) {
        page += heading(format!(
            "Mutators{}",
            of(std::slice::from_ref(&campaign.name))
        )) + mutators(campaign);
    }
    Document::new(format!("Fuzzing report: {}", names.join(", ")), page).html()
}

/// Returns the figures of several campaigns side by side.
fn table_of_figures(campaigns: &[RecordedCampaign]) -> Content {
    let names = (1..).zip(campaigns);
    let names = names.map(|(at, campaign)| key(&format!("series-{at}"), &*campaign.name));
    let columns: Vec<_> = campaigns.iter().map(figures).collect();
    let rows = columns[0].iter().enumerate().map(|(row, (name, _))| {
        let values = columns.iter().map(move |column| number(&column[row].1));
        [Content::from(*name)].into_iter().chain(values)
    });
    table([Content::default()].into_iter().chain(names), rows)
}

/// Returns the curves that have points.
fn curves(campaigns: &[RecordedCampaign]) -> Content {
    let mut content = heading("Over time");
    let end = campaigns.iter().map(|campaign| campaign.last().seconds);
    let (unit, length) = unit(end.fold(0.0, f64::max));
    if campaigns.len() > 1 {
        let names = (1..).zip(campaigns);
        let names = names.map(|(at, campaign)| key(&format!("series-{at}"), &*campaign.name));
        content += paragraph(Content::joined(names, " "));
    }
    content += paragraph(small("The axes of edges may begin above 0."));
    let mut figures = Content::default();
    for Curve {
        title,
        points,
        is_zoomed,
    } in CURVES
    {
        let series = campaigns.iter().map(|campaign| {
            let points = points(campaign).into_iter();
            points.map(|(x, y)| (x / length, y)).collect()
        });
        let series: Vec<Vec<(f64, f64)>> = series.collect();
        if series.iter().all(Vec::is_empty) {
            continue;
        }
        let chart = Chart {
            size: (520, 240),
            axes: [unit, ""],
            series,

            is_joined: true,
            is_zoomed,
        };
        figures += figure(title, chart.svg());
    }
    content + grid(figures)
}

/// Returns a table of the mutators of a campaign, with those that found most first.
fn mutators(campaign: &RecordedCampaign) -> Content {
    let mut rows: Vec<(&String, &MutatorCounts)> = campaign.mutators.iter().collect();
    rows.sort_by_key(|(_, counts)| Reverse(counts.found));
    let rows = rows.into_iter().map(|(name, counts)| {
        let numbers = [counts.tried, counts.changed, counts.found, counts.kept];
        let share = format!("{:.2}", counts.found_per_thousand());
        let numbers = numbers.map(grouped).into_iter().chain([share]);
        [code(name)].into_iter().chain(numbers.map(number))
    });
    let titles = [
        "mutator",
        "tried",
        "changed",
        "found",
        "kept",
        "found per 1,000 tries",
    ];
    let intro = "A mutator found something if the run of its sentence reached new edges. \
                 libFuzzer kept the input if it added it to the corpus.";
    paragraph(small(intro)) + table(titles, rows)
}
