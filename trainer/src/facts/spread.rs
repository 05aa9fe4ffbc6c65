//! How numbers are spread: their mean and quartiles.

use matches::report::Column;

/// The columns of [`cells`].
pub const COLUMNS: [Column; 4] = [
    Column::right("mean"),
    Column::right("lower quartile"),
    Column::right("median"),
    Column::right("upper quartile"),
];

/// Mean and quartiles for a table, a dash each where there are no numbers.
pub fn cells(numbers: &[f64]) -> [String; 4] {
    let (Some(mean), Some([lower, median, upper])) = (mean(numbers), quartiles(numbers)) else {
        return ["-"; 4].map(String::from);
    };
    [
        format!("{mean:.1}"),
        short(lower),
        short(median),
        short(upper),
    ]
}

/// The mean, or `None` of no numbers.
pub fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// The lower quartile, the median and the upper quartile, between two numbers by their distance; `None` of no
/// numbers.
/// Source: Hyndman and Fan, Sample Quantiles in Statistical Packages, definition 7.
pub fn quartiles(numbers: &[f64]) -> Option<[f64; 3]> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some([0.25, 0.5, 0.75].map(|part| {
        let at = part * last as f64;
        let below = sorted[at.floor() as usize];
        let above = sorted[at.ceil() as usize];
        below + (above - below) * at.fract()
    }))
}

/// A quartile of whole numbers, without a decimal where it is whole.
fn short(number: f64) -> String {
    if number.fract() == 0.0 {
        format!("{number:.0}")
    } else {
        format!("{number:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_the_numbers() {
        assert_eq!(quartiles(&[]), None);
        assert_eq!(quartiles(&[7.0]), Some([7.0; 3]));
        assert_eq!(quartiles(&[4.0, 1.0, 3.0, 2.0]), Some([1.75, 2.5, 3.25]));
        assert_eq!(quartiles(&[5.0, 1.0, 3.0, 2.0, 4.0]), Some([2.0, 3.0, 4.0]));
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
        assert_eq!(cells(&[1.0, 2.0]), ["1.5", "1.2", "1.5", "1.8"]);
        assert_eq!(cells(&[]), ["-"; 4]);
    }
}
