//! Fisher's exact test for two groups, one-sided.

/// Returns the probability that at least `failed` of the `failed + others_failed` failures fall into a group of `n`
/// items if they are spread at random over these and `others` further items.
pub fn chance(failed: u64, n: u64, others_failed: u64, others: u64) -> f64 {
    let (all, failures) = (n + others, failed + others_failed);
    if failed == 0 {
        return 1.0;
    }
    let ln =
        ln_choose(failures, failed) + ln_choose(all - failures, n - failed) - ln_choose(all, n);
    // Each term follows from the previous one, which has one failure less in the group.
    let (mut term, mut sum) = (ln.exp(), 0.0);
    for more in failed..=failures.min(n) {
        sum += term;
        let left = (failures - more) as f64 * (n - more) as f64;
        // Adds before it subtracts: the difference alone could be negative.
        term *= left / ((more + 1) as f64 * (all + more + 1 - failures - n) as f64);
    }
    sum.min(1.0)
}

/// Logarithm of the binomial coefficient; minus infinity if it is 0.
fn ln_choose(n: u64, k: u64) -> f64 {
    if k > n {
        return f64::NEG_INFINITY;
    }
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

fn ln_factorial(n: u64) -> f64 {
    const EXACT: u64 = 32;
    if n < EXACT {
        return (2..=n).map(|number| (number as f64).ln()).sum();
    }
    // Stirling's series: the next term is below 1e-12 here.
    let x = n as f64;
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    x * x.ln() - x + (std::f64::consts::TAU * x).ln() / 2.0 + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_is_that_of_the_hypergeometric_distribution() {
        for (failed, n, others_failed, others, expected) in [
            // 1 of the 12,870 ways to choose 8 of 16.
            (8, 8, 0, 8, 1.0 / 12_870.0),
            // Fisher's lady tasting tea: 3 or more of 4 by chance in 17 of 70 cases.
            (3, 4, 1, 4, 17.0 / 70.0),
            (0, 4, 3, 4, 1.0),
            (5, 5, 5, 5, 1.0),
        ] {
            let found = chance(failed, n, others_failed, others);
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn large_numbers_are_no_trouble() {
        let even = chance(1000, 100_000, 9000, 900_000);
        assert!((0.45..0.55).contains(&even), "{even}");
        assert!(chance(1200, 100_000, 9000, 900_000) < 1e-8);
        assert!(chance(1000, 1000, 0, 5) < 1e-12);
    }
}
