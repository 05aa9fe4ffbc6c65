//! Linear equations with a symmetric, positive definite matrix.

/// Cholesky factor: the lower triangular matrix whose product with its transpose is `matrix`.
fn factor(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for row in 0..matrix.len() {
        let (above, rest) = matrix.split_at_mut(row);
        let current = &mut rest[0];
        for (column, other) in above.iter().enumerate() {
            let known = dot(&current[..column], &other[..column]);
            current[column] = (current[column] - known) / other[column];
        }
        let known = dot(&current[..row], &current[..row]);
        current[row] = (current[row] - known).sqrt();
    }
    matrix
}

/// Solves a system with a factored matrix.
fn solve_factored(factor: &[Vec<f64>], mut values: Vec<f64>) -> Vec<f64> {
    for row in 0..values.len() {
        let known = dot(&factor[row][..row], &values[..row]);
        values[row] = (values[row] - known) / factor[row][row];
    }
    for row in (0..values.len()).rev() {
        values[row] /= factor[row][row];
        let value = values[row];
        for (earlier, factor) in values[..row].iter_mut().zip(&factor[row]) {
            *earlier -= factor * value;
        }
    }
    values
}

/// Solves `matrix` x = `values`.
pub(super) fn solve(matrix: Vec<Vec<f64>>, values: Vec<f64>) -> Vec<f64> {
    solve_factored(&factor(matrix), values)
}

pub(super) fn inverse(matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let factor = factor(matrix);
    let column = |index: usize| {
        let mut unit = vec![0.0; size];
        unit[index] = 1.0;
        solve_factored(&factor, unit)
    };
    (0..size).map(column).collect()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_worked_by_hand() {
        let matrix = vec![vec![4.0, 2.0, 0.0], vec![2.0, 5.0, 2.0], vec![0.0, 2.0, 5.0]];
        // Determinant 64.
        let expected = [[21.0, -10.0, 4.0], [-10.0, 20.0, -8.0], [4.0, -8.0, 16.0]];
        let found = inverse(matrix.clone());
        for (found, expected) in found.iter().zip(expected) {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected / 64.0).abs() < 1e-12, "{found} {expected}");
            }
        }
        let solved = solve(matrix, vec![6.0, 9.0, 7.0]);
        assert!(solved.iter().all(|value| (value - 1.0).abs() < 1e-12), "{solved:?}");
    }
}
