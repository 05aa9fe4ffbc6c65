//! Luck of a game: what its cards gave each seat, according to an evaluator.

use serde::{Deserialize, Serialize};

/// Billionths of all points in a permille.
const BILLIONTHS: f64 = 1e6;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Luck {
    /// Identity of the evaluator: its name or hash, and its budget.
    pub by: String,
    /// Gain of each seat from all cards, in permille of the points, rounded to [`Luck::round`]; the sum is near 0.
    pub shares: Vec<f64>,
}

impl Luck {
    /// Rounds a number of permille to a billionth of all points, so that sums do not depend on their order.
    pub fn round(permille: f64) -> f64 {
        // Adding zero turns -0 into 0.
        (permille * BILLIONTHS).round() / BILLIONTHS + 0.0
    }

    /// Luck of each seat in billionths of all points.
    pub fn billionths(&self) -> impl Iterator<Item = i64> {
        self.shares.iter().map(|share| (share * BILLIONTHS).round() as i64)
    }

    /// `true` if there is one finite number for each of `seats` seats, all within the points and with a sum near 0.
    pub fn is_valid(&self, seats: usize) -> bool {
        let sum: f64 = self.shares.iter().sum();
        self.shares.len() == seats
            && self.shares.iter().all(|share| share.abs() <= MAX_SHARE)
            && sum.abs() < seats as f64 / BILLIONTHS
    }
}

/// Maximum luck of a seat in permille, by absolute value; one card moves it by at most 1000.
const MAX_SHARE: f64 = 1e6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back_as_they_were() {
        let numbers = [12.345_678_9, -0.000_000_4, 1000.0 / 3.0, -999.999_999_9];
        let rounded = numbers.map(Luck::round);
        for number in rounded {
            assert_eq!(number.to_string().parse::<f64>().unwrap(), number);
            assert_eq!(Luck::round(number), number);
        }
        let luck = Luck { by: String::new(), shares: rounded.into() };
        let billionths: Vec<i64> = luck.billionths().collect();
        assert_eq!(billionths, [12_345_679, 0, 333_333_333, -1_000_000_000]);
    }

    #[test]
    fn luck_adds_up_to_nothing() {
        let is_valid = |shares: &[f64]| {
            let by = String::new();
            let shares = shares.to_vec();
            Luck { by, shares }.is_valid(2)
        };
        assert!(is_valid(&[1.5, -1.5]) && is_valid(&[0.0, 0.0]));
        assert!(!is_valid(&[1.5, -1.4]) && !is_valid(&[0.0]) && !is_valid(&[f64::NAN, 0.0]));
        assert!(!is_valid(&[1e7, -1e7]));
    }
}
