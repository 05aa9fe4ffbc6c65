//! Confidence intervals of a mean.

/// The 0.975 quantiles of Student's t distribution for 1 to 30 degrees of freedom.
/// Source: any table of the distribution, such as Abramowitz and Stegun, table 26.10.
const T_975: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, //
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, //
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// The 0.975 quantile of the normal distribution.
const Z_975: f64 = 1.959_964;

/// The half-width of the 95 % confidence interval of the mean of independent samples, by Student's t;
/// `None` for fewer than two samples.
pub fn half_width(samples: &[f64]) -> Option<f64> {
    if samples.len() < 2 {
        return None;
    }
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    let variance = squares / (count - 1.0);
    Some(quantile(samples.len() - 1) * (variance / count).sqrt())
}

/// The 0.975 quantile of Student's t distribution.
fn quantile(degrees: usize) -> f64 {
    let tabulated = T_975.get(degrees.wrapping_sub(1));
    // Source: Abramowitz and Stegun, 26.7.5, the first two terms.
    let z = Z_975;
    let n = degrees as f64;
    let first = (z.powi(3) + z) / (4.0 * n);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n);
    tabulated.copied().unwrap_or(z + first + second)
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
}
