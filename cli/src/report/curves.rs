//! The curves of a campaign over time.

use super::statistics::{CampaignFigures, RecordedCampaign};

/// The maximum number of points of a curve.
const MAX_POINTS: usize = 300;

/// Returns the points of a curve: seconds and values.
type CurvePoints = fn(&RecordedCampaign) -> Vec<(f64, f64)>;

/// The curves of a chart, one for each campaign.
pub struct Curve {
    pub title: &'static str,
    pub points: CurvePoints,
    /// Whether the axis begins near the smallest value, so that small differences are visible.
    pub is_zoomed: bool,
}

impl Curve {
    const fn new(title: &'static str, is_zoomed: bool, points: CurvePoints) -> Curve {
        Curve {
            title,
            points,
            is_zoomed,
        }
    }
}

/// All charts of the page.
pub const CURVES: [Curve; 5] = [
    Curve::new("Executions a second", false, |campaign| {
        rates(campaign, |from, to| {
            (to.executions - from.executions) as f64 / (to.seconds - from.seconds)
        })
    }),
    Curve::new("Edges", true, |campaign| {
        values(campaign, |figures| figures.edges as f64)
    }),
    Curve::new("Edges by valid inputs", true, |campaign| {
        values(campaign, |figures| figures.valid_edges as f64)
    }),
    Curve::new("Inputs of the corpus", false, |campaign| {
        thinned(&campaign.inputs)
    }),
    Curve::new("Mean length of sentences in bytes", false, |campaign| {
        rates(campaign, |from, to| {
            (to.bytes - from.bytes).max(0.0) / (to.executions - from.executions) as f64
        })
    }),
];

/// Returns a figure at each time.
fn values(campaign: &RecordedCampaign, value: fn(&CampaignFigures) -> f64) -> Vec<(f64, f64)> {
    let point = |figures: &CampaignFigures| (figures.seconds, value(figures));
    thinned(&campaign.points.iter().map(point).collect::<Vec<_>>())
}

/// Returns a rate for each step of at least two points. Steps without executions are left out. An
/// incomplete last step is left out, too, unless it is the only one, because the rate of a short time
/// is not exact.
fn rates(
    campaign: &RecordedCampaign,
    rate: fn(&CampaignFigures, &CampaignFigures) -> f64,
) -> Vec<(f64, f64)> {
    let points = &campaign.points;
    let step = (points.len() / MAX_POINTS).max(2);
    let mut before = CampaignFigures::default();
    let mut curve = Vec::new();
    for (at, point) in points.iter().enumerate() {
        let is_only = curve.is_empty() && at + 1 == points.len();
        let is_end = (at + 1) % step == 0 || is_only;
        let is_later = point.seconds > before.seconds && point.executions > before.executions;
        if is_end && is_later {
            curve.push((point.seconds, rate(&before, point)));
            before = *point;
        }
    }
    curve
}

/// Leaves out points, so that about [`MAX_POINTS`] are left. The last point stays.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let step = points.len().div_ceil(MAX_POINTS).max(1);
    let is_kept = |at: usize| at.is_multiple_of(step) || at + 1 == points.len();
    let kept = points.iter().enumerate().filter(|(at, _)| is_kept(*at));
    kept.map(|(_, &point)| point).collect()
}

/// Returns the unit of a time axis that ends at `seconds`, with its length in seconds.
pub fn unit(seconds: f64) -> (&'static str, f64) {
    match seconds {
        ..300.0 => ("seconds", 1.0),
        ..18_000.0 => ("minutes", 60.0),
        ..432_000.0 => ("hours", 3_600.0),
        _ => ("days", 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_are_thinned() {
        let points: Vec<(f64, f64)> = (0..10_000).map(|at| (f64::from(at), 1.0)).collect();
        let thin = thinned(&points);
        assert!((250..=301).contains(&thin.len()), "{}", thin.len());
        assert_eq!(thin.last(), points.last());
    }

    #[test]
    fn rates_are_of_the_time_since_the_last_point() {
        let figures = |seconds: f64, executions: u64| CampaignFigures {
            seconds,
            executions,
            ..CampaignFigures::default()
        };
        let campaign = RecordedCampaign {
            points: vec![
                figures(2.0, 10),
                figures(4.0, 40),
                figures(6.0, 40),
                figures(8.0, 80),
            ],
            ..RecordedCampaign::default()
        };
        assert_eq!((CURVES[0].points)(&campaign), [(4.0, 10.0), (8.0, 10.0)]);
    }
}
