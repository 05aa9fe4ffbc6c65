//! Preferences of a mover among vectors.
//!
//! Source: the article "AI in Hase und Igel: minimax for three". It attributes the first strategy to the noble Leslie
//! and the second to the cunning Faith, and proposes the third.

use std::cmp::Ordering;

/// Main criterion of a mover among vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Its own component.
    #[default]
    Absolute,
    /// Its smallest lead over a rival.
    Relative,
    /// Its own component, and then its smallest lead over a rival.
    Hybrid,
}

impl Strategy {
    /// Value of a vector to seat `mover`, without tie-breaks.
    #[inline(always)]
    pub fn value<const N: usize>(self, mover: usize, vector: &[i32; N]) -> i64 {
        match self {
            Strategy::Absolute => vector[mover].into(),
            Strategy::Relative => smallest_lead(mover, vector).into(),
            Strategy::Hybrid => pair(vector[mover], smallest_lead(mover, vector)),
        }
    }

    /// [`Strategy::value`] with the tie-break order included as far as it fits into the number; for two seats
    /// completely.
    #[inline(always)]
    pub fn rank<const N: usize>(self, mover: usize, vector: &[i32; N]) -> i64 {
        if N > 2 {
            return self.value(mover, vector);
        }
        match self {
            Strategy::Absolute => pair(vector[mover], vector[1 - mover]),
            // Seat 1 maximises the pair, and seat 2 minimises it.
            Strategy::Relative if mover == 0 => pair(vector[0] - vector[1], vector[0]),
            Strategy::Relative => -pair(vector[0] - vector[1], vector[0]),
            Strategy::Hybrid => pair(vector[mover], -vector[1 - mover]),
        }
    }

    /// Compares two vectors for seat `mover`: the greater is the better.
    #[inline(always)]
    pub fn compare<const N: usize>(self, mover: usize, a: &[i32; N], b: &[i32; N]) -> Ordering {
        let by_rank = self.rank(mover, a).cmp(&self.rank(mover, b));
        by_rank.then_with(|| {
            let from_mover = |vector: &[i32; N]| {
                let mut vector = *vector;
                vector.rotate_left(mover);
                vector
            };
            from_mover(a).cmp(&from_mover(b))
        })
    }
}

/// Smallest lead of a seat over another; negative if it is behind one.
#[inline(always)]
fn smallest_lead<const N: usize>(seat: usize, vector: &[i32; N]) -> i32 {
    let mut smallest = i32::MAX;
    for (rival, &worth) in vector.iter().enumerate() {
        if rival != seat {
            smallest = smallest.min(vector[seat] - worth);
        }
    }
    smallest
}

/// Combines two numbers into one, ordered by the first and then by the second.
#[inline(always)]
pub fn pair(first: i32, second: i32) -> i64 {
    (i64::from(first) << 32) + i64::from(second)
}

/// Splits a [`pair`] into its two numbers.
#[inline(always)]
pub fn unpair(pair: i64) -> (i32, i32) {
    let second = pair as i32;
    (((pair - i64::from(second)) >> 32) as i32, second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leslie_and_faith_choose_as_in_the_article() {
        let (far, near) = ([5, 5], [2, 1]);
        assert_eq!(
            Strategy::Absolute.compare(0, &far, &near),
            Ordering::Greater
        );
        assert_eq!(Strategy::Relative.compare(0, &far, &near), Ordering::Less);
        assert_eq!(Strategy::Hybrid.compare(0, &far, &near), Ordering::Greater);
        assert_eq!(
            Strategy::Hybrid.compare(0, &[5, 4], &far),
            Ordering::Greater
        );
        assert_eq!(Strategy::Absolute.compare(0, &[5, 4], &far), Ordering::Less);
        assert_eq!(Strategy::Relative.value(1, &[4, 9, 6]), 3);
        assert_eq!(Strategy::Relative.value(2, &[4, 9, 6]), -3);
    }

    #[test]
    fn equal_values_are_read_from_the_mover_on() {
        let (a, b) = ([7, 5, 3], [1, 5, 4]);
        assert_eq!(Strategy::Absolute.compare(1, &a, &b), Ordering::Less);
        let (a, b) = ([7, 5, 4], [8, 5, 4]);
        assert_eq!(Strategy::Absolute.compare(1, &a, &b), Ordering::Less);
        assert_eq!(Strategy::Absolute.compare(1, &a, &a), Ordering::Equal);
        // Two seats under `Relative`: among equal leads seat 2 prefers the lower pair.
        assert_eq!(
            Strategy::Relative.compare(0, &[5, 4], &[4, 3]),
            Ordering::Greater
        );
        assert_eq!(
            Strategy::Relative.compare(1, &[5, 4], &[4, 3]),
            Ordering::Less
        );
    }

    #[test]
    fn pairs_are_ordered_and_come_apart_again() {
        let numbers = [i32::MIN / 4, -7, -1, 0, 1, 7, i32::MAX / 4];
        for a in numbers {
            for b in numbers {
                assert_eq!(unpair(pair(a, b)), (a, b));
                for c in numbers {
                    for d in numbers {
                        assert_eq!(pair(a, b).cmp(&pair(c, d)), (a, b).cmp(&(c, d)));
                    }
                }
            }
        }
    }
}
