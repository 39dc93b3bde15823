//! The curves of a comparison as a page.

use std::fmt::Write;

use crate::figures::{median, range};

/// The width and the height of a picture without its labels, in pixels.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 220.0;

/// The space for labels, in pixels.
const SPACE: f64 = 60.0;

/// Colours that people with any kind of colour vision can tell apart (Okabe and Ito).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

/// The curves of one fuzzer on one subject.
pub struct Curves {
    pub fuzzer: &'static str,
    /// The values of each run, at equal distances of time.
    pub runs: Vec<Vec<f64>>,
}

impl Curves {
    /// Returns the values of all runs at a point.
    fn at(&self, point: usize) -> Vec<f64> {
        let values = self.runs.iter();
        values.filter_map(|run| run.get(point).copied()).collect()
    }

    /// Returns the number of points.
    fn points(&self) -> usize {
        self.runs.iter().map(Vec::len).min().unwrap_or(0)
    }
}

/// Returns a page with a picture for each subject: the median of each fuzzer's runs, and the range from the minimum
/// to the maximum. `seconds` is the processor time of a run.
pub fn page(subjects: &[(String, Vec<Curves>)], seconds: u64) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Comparison of fuzzers</title>\n\
         <style>body {{ font: 15px sans-serif; margin: 2em; }} figure {{ display: inline-block; margin: 0 2em 2em 0; }} \
         text {{ font-size: 12px; }}</style>\n<h1>Edges by valid texts in {seconds} s of processor time</h1>\n\
         <p>Medians, and the range from the minimum to the maximum of all runs.</p>\n"
    );
    for (subject, curves) in subjects {
        _ = writeln!(
            page,
            "<figure><figcaption><b>{subject}</b></figcaption>\n{}</figure>",
            picture(curves, seconds)
        );
    }
    page + "</html>\n"
}

/// Returns a picture of the curves of one subject.
fn picture(curves: &[Curves], seconds: u64) -> String {
    let all = curves.iter().flat_map(|one| one.runs.iter().flatten());
    let top = all.copied().fold(1.0, f64::max);
    let coordinates = |point: usize, points: usize, value: f64| {
        let across = WIDTH * (point + 1) as f64 / points as f64;
        format!(
            "{:.1},{:.1}",
            SPACE + across,
            HEIGHT * (1.0 - value / top) + 10.0
        )
    };
    let mut picture = format!(
        "<svg width=\"{:.0}\" height=\"{:.0}\">\n\
         <path d=\"M{SPACE},10 V{bottom} H{right}\" fill=\"none\" stroke=\"#888\"/>\n\
         <text x=\"{label}\" y=\"20\" text-anchor=\"end\">{top:.0}</text>\
         <text x=\"{label}\" y=\"{bottom}\" text-anchor=\"end\">0</text>\
         <text x=\"{right}\" y=\"{under}\" text-anchor=\"end\">{seconds} s</text>\n",
        WIDTH + 2.0 * SPACE + 60.0,
        HEIGHT + 40.0,
        bottom = HEIGHT + 10.0,
        right = SPACE + WIDTH,
        label = SPACE - 6.0,
        under = HEIGHT + 26.0,
    );
    let mut names: Vec<(f64, &str, &str)> = Vec::new();
    for (one, colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        let points = one.points();
        let ranges: Vec<(f64, f64)> = (0..points).map(|at| range(&one.at(at))).collect();
        let low = ranges
            .iter()
            .enumerate()
            .map(|(at, of)| coordinates(at, points, of.0));
        let high = ranges
            .iter()
            .enumerate()
            .map(|(at, of)| coordinates(at, points, of.1));
        let band: Vec<String> = low.chain(high.rev()).collect();
        let line: Vec<String> = (0..points)
            .map(|at| coordinates(at, points, median(one.at(at))))
            .collect();
        _ = writeln!(
            picture,
            "<polygon points=\"{}\" fill=\"{colour}\" opacity=\"0.15\"/><polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            band.join(" "),
            line.join(" ")
        );
        let last = points.checked_sub(1).map_or(0.0, |at| median(one.at(at)));
        names.push((HEIGHT * (1.0 - last / top) + 14.0, one.fuzzer, colour));
    }
    // The names are beside the ends of their curves, and do not overlap.
    names.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut free = 0.0_f64;
    for (wanted, name, colour) in names {
        let at = wanted.max(free);
        free = at + 13.0;
        _ = writeln!(
            picture,
            "<text x=\"{:.0}\" y=\"{at:.0}\" fill=\"{colour}\">{name}</text>",
            SPACE + WIDTH + 6.0
        );
    }
    picture + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fuzzer_has_a_curve_and_a_name() {
        let curves = |fuzzer, runs: &[[f64; 2]]| Curves {
            fuzzer,
            runs: runs.iter().map(|run| run.to_vec()).collect(),
        };
        let both = vec![
            curves("one", &[[1.0, 10.0], [3.0, 8.0]]),
            curves("two", &[[0.0, 5.0]]),
        ];
        let page = page(&[("json".into(), both)], 60);
        assert_eq!(page.matches("<polyline").count(), 2, "{page}");
        // The median of 10 and 8 is at a tenth of the height.
        assert!(page.contains("480.0,32.0"), "{page}");
        assert!(
            page.contains(">one</text>") && page.contains("60 s"),
            "{page}"
        );
    }
}
