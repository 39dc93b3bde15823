//! Line charts and scatter charts, as SVG for HTML pages.
//!
//! Charts take the colours of their page. The background is transparent, and axes and labels have
//! the colour of the text around the chart. A series has the colour of the CSS variable
//! `--series-1` to `--series-8`; a page without these variables has the colours of [`COLOURS`].

use std::fmt::Write;
use std::ops::Range;

use crate::document::escaped;

/// The colours of series on a white page. People with colour blindness can distinguish them. They
/// are those of Okabe and Ito, with darker yellow and sky blue.
pub const COLOURS: [&str; 8] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#3aa0d8", "#8c7f00", "#666666",
];

/// The distance of the plot from the upper and the right edge of the chart, in pixels.
const MARGIN: f64 = 8.0;

/// A chart of points. The x axis begins at 0.
pub struct Chart<'a> {
    /// The width and the height in pixels.
    pub size: (u32, u32),
    /// The labels of the axes. They may be empty.
    pub axes: [&'a str; 2],
    /// Series of points, at most one for each of [`COLOURS`].
    pub series: Vec<Vec<(f64, f64)>>,
    /// Whether points are joined by lines.
    pub is_joined: bool,
    /// Whether the y axis begins near the smallest value if that is more than half of the largest.
    /// Otherwise it begins at 0.
    pub is_zoomed: bool,
}

impl Chart<'_> {
    /// Returns the chart as an SVG element.
    pub fn svg(&self) -> String {
        debug_assert!(self.series.len() <= COLOURS.len());
        let all = || self.series.iter().flatten();
        let (x, y) = all().fold((0.0, 0.0), |(x, y): (f64, f64), point| {
            (x.max(point.0), y.max(point.1))
        });
        let bottom = all().fold(y, |bottom, point| bottom.min(point.1));
        let range = match self.is_zoomed && bottom > y / 2.0 {
            // A constant curve is in the middle.
            true if bottom == y => 0.9 * y..1.1 * y,
            true => bottom - 0.1 * (y - bottom)..y + 0.1 * (y - bottom),
            false if y == 0.0 => 0.0..1.0,
            false => 0.0..1.05 * y,
        };
        let plot = Plot::new(self, 0.0..x.max(1e-3), range);
        let (width, height) = self.size;
        let mut svg = format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\" fill=\"currentColor\">\n"
        );
        plot.draw_axes(self.axes, [x, y], &mut svg);
        for (number, (points, colour)) in (1..).zip(self.series.iter().zip(COLOURS)) {
            let colour = format!("var(--series-{number}, {colour})");
            let positions = points.iter().map(|&(x, y)| (plot.x(x), plot.y(y)));
            if self.is_joined {
                let _ = write!(
                    svg,
                    "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\""
                );
                for (x, y) in positions {
                    let _ = write!(svg, "{x:.1},{y:.1} ");
                }
                svg.push_str("\"/>\n");
            } else {
                for (x, y) in positions {
                    let _ = writeln!(
                        svg,
                        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"none\" stroke=\"{colour}\"/>"
                    );
                }
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// The rectangle between the axes, and the values that it shows.
struct Plot {
    left: f64,
    right: f64,
    bottom: f64,
    x: Range<f64>,
    y: Range<f64>,
}

impl Plot {
    /// Returns the plot of a chart, with space for the labels of the axes.
    fn new(chart: &Chart<'_>, x: Range<f64>, y: Range<f64>) -> Plot {
        let space = |label: &str, without, with| if label.is_empty() { without } else { with };
        Plot {
            left: space(chart.axes[1], 60.0, 74.0),
            right: f64::from(chart.size.0) - MARGIN,
            bottom: f64::from(chart.size.1) - space(chart.axes[0], 36.0, 48.0),
            x,
            y,
        }
    }

    /// Returns the position of a value of the x axis in pixels.
    fn x(&self, value: f64) -> f64 {
        let share = (value - self.x.start) / (self.x.end - self.x.start);
        self.left + share * (self.right - self.left)
    }

    /// Returns the position of a value of the y axis in pixels.
    fn y(&self, value: f64) -> f64 {
        let share = (value - self.y.start) / (self.y.end - self.y.start);
        self.bottom - share * (self.bottom - MARGIN)
    }

    /// Draws the axes, their labels, and a line across the plot at each labelled value. `maxima` are
    /// the largest values of the axes. They determine the units of the labels.
    fn draw_axes(&self, labels: [&str; 2], maxima: [f64; 2], svg: &mut String) {
        let Plot {
            left,
            right,
            bottom,
            ..
        } = *self;
        let (mut grid, mut text) = (String::new(), String::new());
        for value in ticks(&self.x, ((right - left) / 60.0) as u32) {
            let (x, label) = (self.x(value), label(value, maxima[0]));
            let _ = write!(grid, "M{x:.1} {MARGIN}V{bottom}");
            let below = bottom + 16.0;
            let _ = writeln!(
                text,
                "<text x=\"{x:.1}\" y=\"{below}\" text-anchor=\"middle\">{label}</text>"
            );
        }
        for value in ticks(&self.y, ((bottom - MARGIN) / 28.0) as u32) {
            let (y, label) = (self.y(value), label(value, maxima[1]));
            let _ = write!(grid, "M{left} {y:.1}H{right}");
            let (x, y) = (left - 6.0, y + 4.0);
            let _ = writeln!(
                text,
                "<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{label}</text>"
            );
        }
        let _ = writeln!(
            svg,
            "<path d=\"{grid}\" stroke=\"currentColor\" stroke-opacity=\"0.2\"/>\n\
             <path d=\"M{left} {MARGIN}V{bottom}H{right}\" fill=\"none\" stroke=\"currentColor\"/>\n{text}\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (left + right) / 2.0,
            bottom + 36.0,
            escaped(labels[0]),
            (bottom + MARGIN) / 2.0,
            escaped(labels[1]),
        );
    }
}

/// Returns round values in a range, at most `count` + 1 of them. Their distance is 1, 2 or 5 times a
/// power of 10.
fn ticks(range: &Range<f64>, count: u32) -> Vec<f64> {
    let least = (range.end - range.start) / f64::from(count.max(1));
    let power = 10f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = step.into_iter().find(|step| *step >= least);
    let step = step.unwrap_or(10.0 * power);
    let first = (range.start / step).ceil() as i64;
    let last = (range.end / step).floor() as i64;
    (first..=last).map(|number| number as f64 * step).collect()
}

/// Returns the label of a value on an axis that ends at `maximum`.
fn label(value: f64, maximum: f64) -> String {
    match maximum {
        1e6.. => short(value / 1e6, " M"),
        1e4.. => short(value / 1e3, " k"),
        10.0.. => format!("{value:.0}"),
        _ => short(value, ""),
    }
}

/// Writes a number with at most three decimals and a unit. 0 has no unit.
fn short(value: f64, unit: &str) -> String {
    let digits = format!("{value:.3}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    match digits {
        "0" | "-0" => "0".into(),
        _ => format!("{digits}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_have_the_colours_of_their_page() {
        let series = (1..=8).map(|y| vec![(0.0, 0.0), (1.0, f64::from(y))]);
        let svg = Chart {
            size: (300, 200),
            axes: ["x", "y"],
            series: series.collect(),
            is_joined: true,
            is_zoomed: false,
        }
        .svg();
        for number in 1..=8 {
            assert!(svg.contains(&format!("var(--series-{number}, ")), "{svg}");
        }
        assert!(svg.contains("\"currentColor\""), "{svg}");
        // Without a fallback, a colour would not follow the page.
        assert!(!svg.contains("http:") && !svg.contains("\"#"), "{svg}");
    }

    #[test]
    fn a_zoomed_axis_begins_near_the_smallest_value() {
        let svg = |is_zoomed, values: [f64; 2]| {
            let points = (0..).map(f64::from).zip(values);
            let chart = Chart {
                size: (300, 200),
                axes: ["", ""],
                series: vec![points.collect()],
                is_joined: true,
                is_zoomed,
            };
            chart.svg()
        };
        let has_label = |svg: &str, label: &str| svg.contains(&format!(">{label}</text>"));
        assert!(has_label(&svg(true, [700.0, 720.0]), "710"));
        assert!(!has_label(&svg(false, [700.0, 720.0]), "710"));
        assert!(!has_label(&svg(true, [700.0, 720.0]), "100"));
        assert!(has_label(&svg(true, [100.0, 720.0]), "200"));
        assert!(has_label(&svg(true, [700.0, 700.0]), "700"));
    }

    #[test]
    fn points_are_between_the_axes() {
        let svg = Chart {
            size: (274, 156),
            axes: ["x", "y < 1"],
            series: vec![vec![(0.0, 0.0), (10.0, 100.0), (5.0, 50.0)]],
            is_joined: true,
            is_zoomed: false,
        }
        .svg();
        // The y axis ends at 105.
        assert!(
            svg.contains("points=\"74.0,108.0 266.0,12.8 170.0,60.4 \""),
            "{svg}"
        );
        assert!(svg.contains(">y &lt; 1</text>"), "{svg}");
    }

    #[test]
    fn ticks_are_few_and_round() {
        let near = |range: Range<f64>, count, expected: &[f64]| {
            let ticks = ticks(&range, count);
            assert_eq!(ticks.len(), expected.len(), "{ticks:?}");
            let is_near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-9;
            assert!(ticks.iter().zip(expected).all(is_near), "{ticks:?}");
        };
        near(0.0..756.0, 5, &[0.0, 200.0, 400.0, 600.0]);
        near(698.0..722.0, 5, &[700.0, 705.0, 710.0, 715.0, 720.0]);
        near(0.0..1e-3, 2, &[0.0, 5e-4, 1e-3]);
        near(0.0..1e-9, 0, &[0.0, 1e-9]);
        for count in 1..20 {
            for end in 1..200 {
                let found = ticks(&(0.0..f64::from(end)), count).len();
                assert!(found as u32 <= count + 1 && found > 0, "{count} {end}");
            }
        }
    }

    #[test]
    fn labels_are_short() {
        for (value, maximum, expected) in [
            (0.0, 2e6, "0"),
            (1_500_000.0, 2e6, "1.5 M"),
            (20_000.0, 50_000.0, "20 k"),
            (8_000.0, 9_000.0, "8000"),
            (0.25, 1.0, "0.25"),
        ] {
            assert_eq!(label(value, maximum), expected);
        }
    }
}
