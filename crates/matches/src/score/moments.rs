//! Exact moments of a sample, which do not depend on the order of its values.

use super::student;

/// Number of whole numbers, their sum and the sum of their squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    count: u64,
    sum: i128,
    squares: i128,
}

impl Moments {
    /// Adds a number, below 2^50 by absolute value; then no sum of a match overflows.
    pub fn add(&mut self, value: i64) {
        let value = i128::from(value);
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    pub fn add_all(&mut self, other: &Moments) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// Removes all numbers of `part`, which were added before.
    pub fn less(&self, part: &Moments) -> Moments {
        Moments {
            count: self.count.saturating_sub(part.count),
            sum: self.sum - part.sum,
            squares: self.squares - part.squares,
        }
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean; `None` without a number.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Estimated variance of a number; `None` for fewer than two.
    pub fn variance(&self) -> Option<f64> {
        let count = i128::from(self.count);
        // Exact up to here: no digits are lost by the subtraction.
        let spread = (self.squares * count - self.sum * self.sum) as f64;
        (count > 1).then(|| spread / (count * (count - 1)) as f64)
    }

    /// Half-width of the 95 % interval of the mean, by Student's t; `None` for fewer than two different numbers.
    pub fn half_width(&self) -> Option<f64> {
        let variance = self.variance().filter(|variance| *variance > 0.0)?;
        student::half_width_of(variance, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[i64]) -> Moments {
        let mut moments = Moments::default();
        values.iter().for_each(|&value| moments.add(value));
        moments
    }

    #[test]
    fn moments_agree_with_the_samples() {
        let values = [4, -7, 12, 12, 0];
        let samples = values.map(|value| value as f64);
        let found = of(&values);
        assert_eq!((found.count(), found.mean()), (5, Some(4.2)));
        let variance = found.variance().unwrap();
        let expected = samples.map(|sample| (sample - 4.2).powi(2)).iter().sum::<f64>() / 4.0;
        assert!((variance - expected).abs() < 1e-12, "{variance} {expected}");
        let (found, expected) =
            (found.half_width().unwrap(), student::half_width(&samples).unwrap());
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        assert_eq!(of(&[3]).variance(), None);
        assert_eq!(of(&[3, 3, 3]).half_width(), None);
        assert_eq!(of(&[]).mean(), None);
    }

    #[test]
    fn a_part_can_be_removed_again() {
        let mut all = of(&[1, 5, 9]);
        let part = of(&[5, 9]);
        assert_eq!(all.less(&part), of(&[1]));
        all.add_all(&part);
        assert_eq!(all, of(&[1, 5, 9, 9, 5]));
    }

    #[test]
    fn a_small_variance_of_large_numbers_is_exact() {
        let large = 1 << 49;
        let found = of(&[large, large + 1, large + 2]);
        assert_eq!(found.variance(), Some(1.0));
    }
}
