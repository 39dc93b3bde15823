//! Line charts and scatter charts, as SVG for HTML pages.
//!
//! Charts take the colours of their page. The background is transparent, and axes and labels have
//! the colour of the text around the chart. A series has the colour of the CSS variable
//! `--series-1` to `--series-8`; a page without these variables has the colours of [`COLOURS`].

use plotters::prelude::{BLACK, ChartBuilder, Circle, IntoDrawingArea, LineSeries, RGBColor};
use plotters::prelude::{Color, SVGBackend, TRANSPARENT};

/// The colours of series on a white page. People with colour blindness can distinguish them. They
/// are those of Okabe and Ito, with darker yellow and sky blue.
pub const COLOURS: [RGBColor; 8] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x3a, 0xa0, 0xd8),
    RGBColor(0x8c, 0x7f, 0x00),
    RGBColor(0x66, 0x66, 0x66),
];

/// A chart of points. The x axis begins at 0.
pub struct Chart<'a> {
    /// The width and the height in pixels.
    pub size: (u32, u32),
    /// The labels of the axes. They may be empty.
    pub axes: [&'a str; 2],
    /// Series of points. Each is drawn in its colour of [`COLOURS`], so that there are at most
    /// eight.
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
            false => 0.0..(1.05 * y).max(1e-9),
        };
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, self.size).into_drawing_area();
            let draw = || {
                let mut chart = ChartBuilder::on(&area)
                    .margin(8)
                    .x_label_area_size(if self.axes[0].is_empty() { 28 } else { 40 })
                    .y_label_area_size(if self.axes[1].is_empty() { 52 } else { 66 })
                    .build_cartesian_2d(0.0..x.max(1e-3), range.clone())?;
                chart
                    .configure_mesh()
                    .light_line_style(TRANSPARENT)
                    .x_label_formatter(&|value| label(*value, x))
                    .y_label_formatter(&|value| label(*value, y))
                    .x_desc(self.axes[0])
                    .y_desc(self.axes[1])
                    .draw()?;
                for (points, colour) in self.series.iter().zip(COLOURS) {
                    if self.is_joined {
                        chart.draw_series(LineSeries::new(
                            points.iter().copied(),
                            colour.stroke_width(2),
                        ))?;
                    } else {
                        chart.draw_series(
                            points.iter().map(|&point| Circle::new(point, 3, colour)),
                        )?;
                    }
                }
                area.present()
            };
            let drawn = draw();
            // Writing to a string cannot fail.
            debug_assert!(drawn.is_ok());
        }
        with_page_colours(&svg)
    }
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

/// Replaces the colours of a chart by those of its page. Leaves out the namespace, which SVG within
/// HTML does not need.
fn with_page_colours(svg: &str) -> String {
    let mut svg = svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
    let black = css(BLACK);
    for attribute in ["fill", "stroke"] {
        svg = svg.replace(
            &format!("{attribute}=\"{black}\""),
            &format!("{attribute}=\"currentColor\""),
        );
        for (number, colour) in (1..).zip(COLOURS) {
            let colour = css(colour);
            svg = svg.replace(
                &format!("{attribute}=\"{colour}\""),
                &format!("{attribute}=\"var(--series-{number}, {colour})\""),
            );
        }
    }
    svg
}

/// Returns a colour as plotters writes it.
fn css(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
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
        assert!(!svg.contains("http:") && !svg.contains("#000000"), "{svg}");
        assert!(!svg.contains("\"#FFFFFF\""), "{svg}");
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
        let has_label = |svg: &str, label: &str| svg.lines().any(|line| line == label);
        assert!(has_label(&svg(true, [700.0, 720.0]), "710"));
        assert!(!has_label(&svg(false, [700.0, 720.0]), "710"));
        assert!(!has_label(&svg(true, [700.0, 720.0]), "100"));
        assert!(has_label(&svg(true, [100.0, 720.0]), "200"));
        assert!(has_label(&svg(true, [700.0, 700.0]), "700"));
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
