//! Statistics of repeated runs: medians, shares, the effect size A12 and the p of its test; processor time.

use anyhow::Result;
use nix::sys::resource::{UsageWho, getrusage};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

/// Returns the median. For an even number of values it is the mean of the two in the middle, and
/// for none it is 0.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        length => (values[(length - 1) / 2] + values[length / 2]) / 2.0,
    }
}

/// Returns the arithmetic mean, or 0 for no values.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (count, sum) = values
        .into_iter()
        .fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
    if count == 0 {
        0.0
    } else {
        sum / f64::from(count)
    }
}

/// Returns the minimum and the maximum. There must be at least one value.
pub fn range(values: &[f64]) -> (f64, f64) {
    (
        values.iter().copied().fold(f64::INFINITY, f64::min),
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    )
}

/// Returns what percentage of the whole a part is, or 0 if the whole is 0.
pub fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        100.0 * part / whole
    } else {
        0.0
    }
}

/// Returns the effect size of Vargha and Delaney (2000): the probability that a value of the first
/// group is greater than one of the second, where ties count half. 0.5 means no difference.
pub fn a12(first: &[f64], second: &[f64]) -> f64 {
    let wins = |x: f64| {
        second
            .iter()
            .map(|&y| {
                if x > y {
                    1.0
                } else if x == y {
                    0.5
                } else {
                    0.0
                }
            })
            .sum::<f64>()
    };
    first.iter().map(|&x| wins(x)).sum::<f64>() / (first.len() * second.len()) as f64
}

/// Returns Vargha and Delaney's name of an effect of this size.
fn effect_name(a12: f64) -> &'static str {
    // Rounded, because 0.56 - 0.5 is a little less than 0.06 in floating point.
    match ((a12 - 0.5).abs() * 1e9).round() / 1e9 {
        distance if distance >= 0.21 => "large",
        distance if distance >= 0.14 => "medium",
        distance if distance >= 0.06 => "small",
        _ => "negligible",
    }
}

/// The number of random divisions by which [`p_value`] estimates.
const DIVISIONS: u32 = 20_000;

/// Returns an estimate of the two-sided p of Mann and Whitney's U test. p is the share of all
/// divisions of the values into groups of these sizes whose A12 is at least as far from 0.5. The
/// estimate is this share among 20,000 random divisions. Unlike the normal approximation, it is
/// also right for small groups and for ties.
pub fn p_value(first: &[f64], second: &[f64]) -> f64 {
    let distance = |first: &[f64], second: &[f64]| (a12(first, second) - 0.5).abs();
    let observed = distance(first, second) - 1e-9;
    let mut all = [first, second].concat();
    let mut rng = SmallRng::seed_from_u64(1);
    let extreme = (0..DIVISIONS).filter(|_| {
        all.shuffle(&mut rng);
        let (first, second) = all.split_at(first.len());
        distance(first, second) >= observed
    });
    (extreme.count() + 1) as f64 / f64::from(DIVISIONS + 1)
}

/// Returns a table of two groups with the size, median, minimum and maximum of each, and A12 of the
/// first against the second.
pub fn comparison(first: &[f64], second: &[f64]) -> String {
    let mut table = format!(
        "{:<8}{:>5}{:>14}{:>14}{:>14}\n",
        "group", "n", "median", "min", "max"
    );
    for (name, group) in [("first", first), ("second", second)] {
        let (minimum, maximum) = range(group);
        let figures = [median(group.iter().copied()), minimum, maximum]
            .map(|figure| format!("{:>14}", plain(figure)));
        table += &format!("{name:<8}{:>5}{}\n", group.len(), figures.concat());
    }
    let effect = a12(first, second);
    table + &format!("A12 {effect:.3} ({})\n", effect_name(effect))
}

/// Returns a number with at most six decimals and no trailing zeros.
fn plain(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the processor time in seconds of this process and of its children that have ended.
pub fn processor_seconds() -> Result<f64> {
    let seconds = |who| -> Result<f64> {
        let usage = getrusage(who)?;
        let time =
            |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
        Ok(time(usage.user_time()) + time(usage.system_time()))
    };
    Ok(seconds(UsageWho::RUSAGE_SELF)? + seconds(UsageWho::RUSAGE_CHILDREN)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median([]), 0.0);
        assert_eq!((mean([1.0, 2.0, 6.0]), mean([])), (3.0, 0.0));
        assert_eq!((percent(1.0, 4.0), percent(1.0, 0.0)), (25.0, 0.0));
    }

    #[test]
    fn effect_sizes() {
        assert_eq!(a12(&[2.0, 3.0], &[0.0, 1.0]), 1.0);
        assert_eq!(a12(&[1.0], &[1.0]), 0.5);
        assert_eq!(a12(&[1.0, 2.0], &[2.0, 3.0]), 0.125);
        let names = [0.5, 0.56, 0.36, 0.71, 0.0].map(effect_name);
        assert_eq!(names, ["negligible", "small", "medium", "large", "large"]);
    }

    #[test]
    fn different_groups_have_a_small_p() {
        // Two of the 252 divisions are as extreme.
        let p = p_value(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0]);
        assert!((p - 2.0 / 252.0).abs() < 0.002, "{p}");
        assert!(p_value(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]) > 0.9);
        assert_eq!(p_value(&[0.0; 5], &[0.0; 5]), 1.0);
    }

    #[test]
    fn a_comparison_is_a_table() {
        let expected = "group       n        median           min           max\n\
                        first       2           1.5             1             2\n\
                        second      1        1000.5        1000.5        1000.5\n\
                        A12 0.000 (large)\n";
        assert_eq!(comparison(&[1.0, 2.0], &[1000.5]), expected);
    }
}
