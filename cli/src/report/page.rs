//! The HTML page of `zester report`.
//!
//! The page is one file and loads no other file. Texts are escaped, so that they are never markup,
//! and all their characters are visible.

use std::fmt::Write;

use super::curves::{CURVES, Curve, unit};
use super::replay_section;
use super::statistics::{MutatorCounts, RecordedCampaign};
use super::summary::{figures, grouped};
use super::{ReplayOf, Report};
use crate::chart::Chart;
use crate::html::{escaped, head};

const STYLE: &str = include_str!("style.css");

/// Returns the page.
pub fn page(report: &Report) -> String {
    let campaigns = &report.campaigns;
    let names: Vec<String> = campaigns
        .iter()
        .map(|campaign| escaped(&campaign.name))
        .collect();
    let title = format!("Fuzzing report: {}", names.join(", "));
    let mut text = format!("{}<h1>{title}</h1>\n", head(&title, STYLE));
    match &campaigns[..] {
        [campaign] => tiles(campaign, &mut text),
        _ => table_of_figures(campaigns, &mut text),
    }
    curves(campaigns, &mut text);
    for ReplayOf { names, replay } in &report.replays {
        let names = match campaigns.len() {
            1 => String::new(),
            _ => format!(" of {}", escaped(&names.join(", "))),
        };
        let _ = writeln!(text, "<h2>Corpus{names}</h2>");
        match replay {
            Ok(replay) => replay_section::section(replay, &mut text),
            Err(message) => {
                let message = escaped(message);
                let _ = writeln!(
                    text,
                    "<p class=\"note\">The corpus was not run: {message}</p>"
                );
            }
        }
    }
    for campaign in campaigns.iter().filter(|of| !report.was_run(of)) {
        counted_failures(campaign, &of_campaign(campaigns, campaign), &mut text);
    }
    mutators(campaigns, &mut text);
    text.push_str("</body>\n</html>\n");
    text
}

/// Writes the figures of one campaign.
fn tiles(campaign: &RecordedCampaign, text: &mut String) {
    text.push_str("<dl class=\"tiles\">\n");
    for (name, value) in figures(campaign) {
        let value = escaped_figure(&value);
        let _ = writeln!(text, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    text.push_str("</dl>\n");
}

/// Writes the figures of several campaigns side by side.
fn table_of_figures(campaigns: &[RecordedCampaign], text: &mut String) {
    text.push_str("<h2>Final figures</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th></th>");
    for (number, campaign) in (1..).zip(campaigns) {
        let name = escaped(&campaign.name);
        let _ = write!(text, "<th class=\"number\">{}{name}</th>", key(number));
    }
    text.push_str("</tr></thead>\n");
    let columns: Vec<_> = campaigns.iter().map(figures).collect();
    for (row, (name, _)) in columns[0].iter().enumerate() {
        let _ = write!(text, "<tr><th>{name}</th>");
        for column in &columns {
            let value = escaped_figure(&column[row].1);
            let _ = write!(text, "<td class=\"number\">{value}</td>");
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</table></div>\n");
}

/// Escapes a figure. The narrow spaces between digits stay, which [`escaped`] would show as codes.
fn escaped_figure(text: &str) -> String {
    let parts: Vec<String> = text.split('\u{202f}').map(escaped).collect();
    parts.join("\u{202f}")
}

/// Returns the sign of a series in a legend.
fn key(number: usize) -> String {
    format!("<span class=\"key\" style=\"--of:var(--series-{number})\"></span>")
}

/// Draws the curves that have points.
fn curves(campaigns: &[RecordedCampaign], text: &mut String) {
    text.push_str("<h2>Over time</h2>\n");
    let end = campaigns.iter().map(|campaign| campaign.last().seconds);
    let (unit, length) = unit(end.fold(0.0, f64::max));
    if campaigns.len() > 1 {
        text.push_str("<ul class=\"legend\">\n");
        for (number, campaign) in (1..).zip(campaigns) {
            let _ = writeln!(text, "<li>{}{}</li>", key(number), escaped(&campaign.name));
        }
        text.push_str("</ul>\n");
    }
    text.push_str(
        "<p class=\"soft\">The axes of edges may begin above 0.</p>\n<div class=\"curves\">\n",
    );
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
        let svg = chart.svg();
        let _ = writeln!(
            text,
            "<figure><figcaption>{title}</figcaption>{svg}</figure>"
        );
    }
    text.push_str("</div>\n");
}

/// Writes the failures that a campaign counted, if its corpus was not run.
fn counted_failures(campaign: &RecordedCampaign, of_campaign: &str, text: &mut String) {
    if campaign.failures.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "<h2>Failures{of_campaign}</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th class=\"number\">count</th><th>signature</th></tr></thead>"
    );
    for (signature, count) in &campaign.failures {
        let (signature, count) = (escaped(signature), grouped(*count));
        let _ = writeln!(
            text,
            "<tr><td class=\"number\">{count}</td><td class=\"text\"><code>{signature}</code></td></tr>"
        );
    }
    text.push_str("</table></div>\n");
}

/// Returns the end of a heading that names a campaign, if there are several.
fn of_campaign(campaigns: &[RecordedCampaign], campaign: &RecordedCampaign) -> String {
    match campaigns.len() {
        1 => String::new(),
        _ => format!(" of {}", escaped(&campaign.name)),
    }
}

/// Writes a table of the mutators of each campaign, with those that found most first.
fn mutators(campaigns: &[RecordedCampaign], text: &mut String) {
    for campaign in campaigns.iter().filter(|of| !of.mutators.is_empty()) {
        let _ = writeln!(
            text,
            "<h2>Mutators{}</h2>\n<p class=\"soft\">A mutator found something if the run of its sentence reached new edges. libFuzzer \
             kept the input if it added it to the corpus.</p>\n<div class=\"scroll\"><table>\n<thead><tr><th>mutator</th>{}</tr></thead>",
            of_campaign(campaigns, campaign),
            ["tried", "changed", "found", "kept", "found per 1,000 tries"]
                .map(|title| format!("<th class=\"number\">{title}</th>"))
                .concat()
        );
        let mut rows: Vec<(&String, &MutatorCounts)> = campaign.mutators.iter().collect();
        rows.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.found));
        for (name, counts) in rows {
            let numbers = [counts.tried, counts.changed, counts.found, counts.kept].map(grouped);
            let cells = numbers.map(|number| format!("<td class=\"number\">{number}</td>"));
            let _ = writeln!(
                text,
                "<tr><td><code>{}</code></td>{}<td class=\"number\">{:.2}</td></tr>",
                escaped(name),
                cells.concat(),
                counts.found_per_thousand()
            );
        }
        text.push_str("</table></div>\n");
    }
}
