//! Confidence interval of a mean, by Student's t distribution.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Half-width of the 95 % confidence interval of the mean of independent samples, by Student's t; `None` for fewer than
/// two samples.
pub fn half_width(samples: &[f64]) -> Option<f64> {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    let variance = squares / (count - 1.0);
    half_width_of(variance, samples.len() as u64)
}

/// [`half_width`] of samples with this estimated variance, by their number.
pub(super) fn half_width_of(variance: f64, samples: u64) -> Option<f64> {
    Some(quantile(samples)? * (variance / samples as f64).sqrt())
}

/// 0.975 quantile of the mean of `samples` samples, in standard errors; `None` for fewer than two.
pub(super) fn quantile(samples: u64) -> Option<f64> {
    Some(distribution(samples)?.inverse_cdf(0.975))
}

/// Probability of a mean up to `t` standard errors; `None` for fewer than two samples.
pub(super) fn cumulative(t: f64, samples: u64) -> Option<f64> {
    Some(distribution(samples)?.cdf(t))
}

fn distribution(samples: u64) -> Option<StudentsT> {
    // Fails without a degree of freedom.
    StudentsT::new(0.0, 1.0, samples as f64 - 1.0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_agree_with_the_tables() {
        // Source: any table of the distribution, such as Abramowitz and Stegun, table 26.10.
        for (degrees, expected) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (10, 2.228),
            (30, 2.042),
            (40, 2.021),
            (120, 1.980),
            (1000, 1.962),
            (1_000_000, 1.960),
        ] {
            let found = quantile(degrees + 1).unwrap();
            assert!((found - expected).abs() < 0.0006, "{degrees}: {found}");
        }
        assert_eq!((quantile(0), quantile(1)), (None, None));
    }

    #[test]
    fn an_interval_worked_by_hand() {
        // Mean 0.5, variance 0.02, standard error 0.1.
        let found = half_width(&[0.4, 0.6]).unwrap();
        assert!((found - 1.2706).abs() < 1e-4, "{found}");
        assert_eq!(half_width(&[0.3]), None);
        assert_eq!(half_width(&[0.5, 0.5, 0.5]), Some(0.0));
    }
}
