//! Student's t distribution, and the confidence interval of a mean.

use std::f64::consts::FRAC_2_PI;

/// 0.975 quantiles of Student's t distribution for 1 to 30 degrees of freedom.
/// Source: any table of the distribution, such as Abramowitz and Stegun, table 26.10.
const T_975: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, //
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, //
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// 0.975 quantile of the normal distribution.
const Z_975: f64 = 1.959_964;

/// Half-width of the 95 % confidence interval of the mean of independent samples, by Student's t; `None` for fewer than
/// two samples.
pub fn half_width(samples: &[f64]) -> Option<f64> {
    half_width_of_counts(samples.iter().map(|&sample| (sample, 1)))
}

/// Like [`half_width`], for pairs of a value and the number of its occurrences.
pub(super) fn half_width_of_counts(
    samples: impl Iterator<Item = (f64, u64)> + Clone,
) -> Option<f64> {
    let number: u64 = samples.clone().map(|(_, times)| times).sum();
    let degrees = usize::try_from(number.checked_sub(1)?)
        .ok()
        .filter(|&degrees| degrees > 0)?;
    let count = number as f64;
    let sum: f64 = samples
        .clone()
        .map(|(sample, times)| sample * times as f64)
        .sum();
    let mean = sum / count;
    let squares: f64 = samples
        .map(|(sample, times)| (sample - mean).powi(2) * times as f64)
        .sum();
    let variance = squares / (count - 1.0);
    Some(quantile(degrees) * (variance / count).sqrt())
}

/// 0.975 quantile for `degrees` degrees of freedom, at least 1.
pub(super) fn quantile(degrees: usize) -> f64 {
    let tabulated = T_975.get(degrees.wrapping_sub(1));
    // Source: Abramowitz and Stegun, 26.7.5, the first two terms.
    let z = Z_975;
    let n = degrees as f64;
    let first = (z.powi(3) + z) / (4.0 * n);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n);
    tabulated.copied().unwrap_or(z + first + second)
}

/// Probability of a value up to `t`, for `degrees` degrees of freedom, at least 1.
pub(super) fn cumulative(t: f64, degrees: usize) -> f64 {
    // Source: Abramowitz and Stegun, 26.7.3 and 26.7.4: a finite series in the cosine of this angle. Its terms decrease
    // and soon become negligible.
    let angle = (t / (degrees as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let is_odd = degrees % 2 == 1;
    let (mut term, mut sum) = match (is_odd, degrees) {
        (true, 1) => (0.0, 0.0),
        (true, _) => (cosine, cosine),
        (false, _) => (1.0, 1.0),
    };
    let mut factor = if is_odd { 3 } else { 2 };
    while factor < degrees && term > f64::EPSILON * sum {
        term *= cosine.powi(2) * (factor - 1) as f64 / factor as f64;
        sum += term;
        factor += 2;
    }
    let within = match is_odd {
        true => (angle + sine * sum) * FRAC_2_PI,
        false => sine * sum,
    };
    (1.0 + within) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_agree_with_the_tables() {
        for (degrees, expected) in [
            (1, 12.706),
            (30, 2.042),
            (40, 2.021),
            (120, 1.980),
            (1000, 1.962),
        ] {
            let found = quantile(degrees);
            assert!((found - expected).abs() < 0.0006, "{degrees}: {found}");
        }
    }

    #[test]
    fn an_interval_worked_by_hand() {
        // Mean 0.5, variance 0.02, standard error 0.1.
        let found = half_width(&[0.4, 0.6]).unwrap();
        assert!((found - 1.2706).abs() < 1e-9, "{found}");
        assert_eq!(half_width(&[0.3]), None);
        assert_eq!(half_width(&[0.5, 0.5, 0.5]), Some(0.0));
    }

    #[test]
    fn probabilities_are_the_inverse_of_quantiles() {
        for degrees in [1, 2, 3, 4, 7, 10, 29, 30, 120, 1001, 50_000] {
            let t = quantile(degrees);
            let found = cumulative(t, degrees);
            assert!((found - 0.975).abs() < 2e-5, "{degrees}: {found}");
            let below = cumulative(-t, degrees);
            assert!((found + below - 1.0).abs() < 1e-12, "{degrees}: {below}");
            assert!((cumulative(0.0, degrees) - 0.5).abs() < 1e-12, "{degrees}");
        }
        // One degree of freedom is the Cauchy distribution; two have a closed form.
        assert!((cumulative(1.0, 1) - 0.75).abs() < 1e-12);
        assert!((cumulative(3.0, 2) - (0.5 + 1.5 / 11f64.sqrt())).abs() < 1e-12);
    }
}
