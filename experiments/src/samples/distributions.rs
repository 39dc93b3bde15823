//! The two-sample Kolmogorov-Smirnov test: the statistic D, and p by the asymptotic distribution.

use std::f64::consts::PI;

/// Returns Kolmogorov and Smirnov's D, from 0 to 1: the maximum difference of the empirical
/// distributions of two sorted samples, which are not empty.
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

/// Returns the probability p, from 0 to 1, that two samples of one distribution differ by at least
/// the D of these sorted samples.
///
/// It is the asymptotic p for samples of *n* and *m* values: that of Kolmogorov's distribution at
/// *D sqrt(n m / (n + m))*. It is right for continuous distributions. If values are equal, the true
/// p is smaller.
pub fn p_value(first: &[f64], second: &[f64]) -> f64 {
    let (n, m) = (first.len() as f64, second.len() as f64);
    exceeds(distance(first, second) * (n * m / (n + m)).sqrt())
}

/// Returns the probability that a variable of Kolmogorov's distribution is above `x`.
///
/// Two series give it, each of which converges fast on its side of 1 (Kolmogorov 1933; Feller, "On
/// the Kolmogorov-Smirnov limit theorems for empirical distributions", 1948).
fn exceeds(x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let terms = (1..=10).map(f64::from);
    let p = if x < 1.0 {
        let term = |k: f64| (-((2.0 * k - 1.0) * PI / x).powi(2) / 8.0).exp();
        1.0 - (2.0 * PI).sqrt() / x * terms.map(term).sum::<f64>()
    } else {
        let term = |k: f64| (-1_f64).powf(k - 1.0) * (-2.0 * (k * x).powi(2)).exp();
        2.0 * terms.map(term).sum::<f64>()
    };
    p.clamp(0.0, 1.0)
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

    /// The critical values are those of tables (Smirnov 1948; Miller 1956).
    #[test]
    fn the_distribution_has_the_known_values() {
        for (x, p) in [
            (1.2238, 0.10),
            (1.3581, 0.05),
            (1.6276, 0.01),
            (1.9495, 0.001),
            (0.8276, 0.5),
            (1.0, 0.26999967),
        ] {
            let found = exceeds(x);
            assert!((found - p).abs() < 1e-3 * p, "{x}: {found}, not {p}");
        }
        assert_eq!(exceeds(0.0), 1.0);
        assert!(exceeds(0.05) == 1.0 && exceeds(10.0) < 1e-80);
        let (below, above) = (exceeds(1.0 - 1e-12), exceeds(1.0));
        assert!((below - above).abs() < 1e-11, "both series agree");
    }

    #[test]
    fn p_depends_on_the_sizes_of_both_samples() {
        let line = |from: i32, to: i32| (from..to).map(f64::from).collect::<Vec<_>>();
        // D = 0.5, n = m = 8: x = 0.5 sqrt(4) = 1.
        let p = p_value(&line(0, 8), &line(4, 12));
        assert!((p - 0.26999967).abs() < 1e-8, "{p}");
        // D = 0.75, n = 8 and m = 16: x = 0.75 sqrt(128 / 24).
        let p = p_value(&line(0, 8), &line(4, 20));
        assert!((p - exceeds(0.75 * (128_f64 / 24.0).sqrt())).abs() < 1e-12 && p < 0.01);
        assert_eq!(p_value(&line(0, 8), &line(0, 8)), 1.0);
    }
}
