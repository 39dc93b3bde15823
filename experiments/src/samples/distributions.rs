//! The Kolmogorov-Smirnov test, with p by smoothed bootstrap.

use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};

use crate::figures::mean;

/// The number of pairs that are drawn for p.
const RESAMPLES: usize = 1_000;

/// Returns Kolmogorov and Smirnov's D: the maximum difference of the empirical distributions of two
/// sorted samples.
pub fn distance(first: &[f64], second: &[f64]) -> f64 {
    let below = |values: &[f64], value: f64| {
        values.partition_point(|&other| other <= value) as f64 / values.len() as f64
    };
    first
        .iter()
        .chain(second)
        .map(|&value| (below(first, value) - below(second, value)).abs())
        .fold(0.0, f64::max)
}

/// Returns the probability p that two samples of one distribution differ by at least the D of these
/// samples.
///
/// Both samples are drawn with replacement from the union of the two, with Gaussian noise of
/// Silverman's bandwidth.
pub fn p_value(first: &[f64], second: &[f64], seed: u64) -> f64 {
    let pooled = [first, second].concat();
    let (noise, observed) = (bandwidth(&pooled), distance(first, second));
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut draw = |count: usize| {
        let one =
            |rng: &mut SmallRng| pooled[rng.random_range(0..pooled.len())] + noise * gaussian(rng);
        let mut drawn: Vec<f64> = (0..count).map(|_| one(&mut rng)).collect();
        drawn.sort_by(f64::total_cmp);
        drawn
    };
    let exceeded = (0..RESAMPLES)
        .filter(|_| distance(&draw(first.len()), &draw(second.len())) >= observed)
        .count();
    (exceeded + 1) as f64 / (RESAMPLES + 1) as f64
}

/// Returns Silverman's bandwidth: 0.9 min(s, IQR / 1.34) n^(-1/5), with s alone if IQR is 0.
fn bandwidth(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let middle = mean(values.iter().copied());
    let deviation = (values
        .iter()
        .map(|value| (value - middle).powi(2))
        .sum::<f64>()
        / (n - 1.0).max(1.0))
    .sqrt();
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let spread = (quantile(&sorted, 0.75) - quantile(&sorted, 0.25)) / 1.34;
    0.9 * if spread > 0.0 {
        deviation.min(spread)
    } else {
        deviation
    } * n.powf(-0.2)
}

/// Returns a quantile of sorted values, interpolated around the position q (n + 1).
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let position = (q * (sorted.len() + 1) as f64 - 1.0).clamp(0.0, (sorted.len() - 1) as f64);
    let (below, above) = (
        sorted[position.floor() as usize],
        sorted[position.ceil() as usize],
    );
    below + (above - below) * position.fract()
}

/// Returns a normally distributed number (Box and Muller).
fn gaussian(rng: &mut impl Rng) -> f64 {
    let (u, v): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance(&[1.0, 2.0], &[1.0, 2.0]), 0.0);
        assert_eq!(distance(&[1.0, 2.0], &[3.0, 4.0]), 1.0);
        assert_eq!(distance(&[1.0, 3.0], &[2.0, 4.0]), 0.5);
    }

    #[test]
    fn samples_of_one_distribution_are_distinguished_from_others() {
        let line = |from: f64| {
            (0..40)
                .map(|step| from + f64::from(step))
                .collect::<Vec<_>>()
        };
        assert!(p_value(&line(0.0), &line(0.5), 1) > 0.5);
        assert!(p_value(&line(0.0), &line(100.0), 1) < 0.01);
    }

    #[test]
    fn quantiles_lie_between_values() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(
            [
                quantile(&values, 0.25),
                quantile(&values, 0.5),
                quantile(&values, 0.75)
            ],
            [1.25, 2.5, 3.75]
        );
        assert_eq!(bandwidth(&[5.0; 10]), 0.0);
    }

    #[test]
    fn noise_is_normal() {
        let mut rng = SmallRng::seed_from_u64(1);
        let drawn: Vec<f64> = (0..10_000).map(|_| gaussian(&mut rng)).collect();
        let (middle, square) = (
            mean(drawn.iter().copied()),
            mean(drawn.iter().map(|value| value * value)),
        );
        assert!(
            middle.abs() < 0.05 && (square - 1.0).abs() < 0.05,
            "{middle} {square}"
        );
    }
}
