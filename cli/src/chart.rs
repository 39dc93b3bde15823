//! Line charts and scatter charts, as SVG for HTML pages.

use plotters::prelude::{
    ChartBuilder, Circle, IntoDrawingArea, LineSeries, RGBColor, SVGBackend, WHITE,
};

/// Blue and orange. People with colour blindness can distinguish them.
pub const COLOURS: [RGBColor; 2] = [RGBColor(0x00, 0x72, 0xb2), RGBColor(0xe6, 0x9f, 0x00)];

/// A chart of points. Both axes begin at 0.
pub struct Chart<'a> {
    /// The width and the height in pixels.
    pub size: (u32, u32),
    /// The labels of the axes. They may be empty.
    pub axes: [&'a str; 2],
    /// Series of points. Each is drawn in its colour of [`COLOURS`], so that there are at most two.
    pub series: Vec<Vec<(f64, f64)>>,
    /// Whether points are joined by lines.
    pub is_joined: bool,
}

impl Chart<'_> {
    /// Returns the chart as an SVG element.
    pub fn svg(&self) -> String {
        let all = || self.series.iter().flatten();
        let (x, y) = all().fold((0.0, 0.0), |(x, y): (f64, f64), point| {
            (x.max(point.0), y.max(point.1))
        });
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, self.size).into_drawing_area();
            let drawn = area.fill(&WHITE).and_then(|()| {
                let mut chart = ChartBuilder::on(&area)
                    .margin(8)
                    .x_label_area_size(if self.axes[0].is_empty() { 28 } else { 40 })
                    .y_label_area_size(if self.axes[1].is_empty() { 52 } else { 66 })
                    .build_cartesian_2d(0.0..x.max(1e-3), 0.0..(1.05 * y).max(1e-9))?;
                let whole = |value: &f64| format!("{value:.0}");
                let decimal = |value: &f64| {
                    format!("{:.3}", value)
                        .trim_end_matches('0')
                        .trim_end_matches('.')
                        .to_string()
                };
                let labels = |maximum: f64| {
                    if maximum >= 10.0 {
                        &whole as &dyn Fn(&f64) -> String
                    } else {
                        &decimal
                    }
                };
                chart
                    .configure_mesh()
                    .light_line_style(WHITE)
                    .x_label_formatter(labels(x))
                    .y_label_formatter(labels(y))
                    .x_desc(self.axes[0])
                    .y_desc(self.axes[1])
                    .draw()?;
                for (points, colour) in self.series.iter().zip(COLOURS) {
                    if self.is_joined {
                        chart.draw_series(LineSeries::new(points.iter().copied(), colour))?;
                    } else {
                        chart.draw_series(
                            points.iter().map(|&point| Circle::new(point, 3, colour)),
                        )?;
                    }
                }
                area.present()
            });
            // Writing to a string cannot fail.
            debug_assert!(drawn.is_ok());
        }
        svg
    }
}
