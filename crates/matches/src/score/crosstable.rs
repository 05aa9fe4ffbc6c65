//! Results of each engine against each other, whichever engines have the other seats.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::rating::{Meeting, POINT};

/// Comparisons between the seats of two engines, in one or more games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparisons {
    /// Number of pairs of a seat of the first engine and a seat of the second.
    pub pairs: u32,
    /// Half-points of the first engine: two for each pair with the better place, one for each shared place.
    pub halves: u32,
}

impl Comparisons {
    /// Adds a pair of seats, given their places.
    fn add(&mut self, place: u32, other_place: u32) {
        self.pairs += 1;
        self.halves += match place.cmp(&other_place) {
            Ordering::Less => 2,
            Ordering::Equal => 1,
            Ordering::Greater => 0,
        };
    }

    /// Points of the first engine: 1 for each better place, 1/2 for each shared one.
    pub fn points(&self) -> f64 {
        f64::from(self.halves) / 2.0
    }

    /// Points per comparison, 0 to 1; `None` without comparisons.
    pub fn score(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.points() / f64::from(self.pairs))
    }
}

/// Comparisons of places between every two engines, over all games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crosstable {
    /// Comparisons of each engine with those after it in the plan, if they met.
    cells: BTreeMap<(usize, usize), Comparisons>,
}

impl Crosstable {
    /// Counts a game, given the index of each seat's engine, if any, and its place. Seats of the same engine are not
    /// compared.
    ///
    /// # Examples
    /// ```
    /// use matches::score::{Comparisons, Crosstable};
    ///
    /// // Engine 0 is first and last, engine 1 between.
    /// let mut crosstable = Crosstable::default();
    /// crosstable.add(&[Some(0), Some(1), Some(0)], &[1, 2, 3]);
    /// assert_eq!(crosstable.between(0, 1), Comparisons { pairs: 2, halves: 2 });
    /// ```
    pub fn add(&mut self, engines: &[Option<usize>], places: &[u32]) {
        let seats = || engines.iter().zip(places);
        for (one, place) in seats() {
            for (other, other_place) in seats() {
                if let Some((one, other)) = one.zip(*other).filter(|(one, other)| one < other) {
                    let cell = self.cells.entry((one, other)).or_default();
                    cell.add(*place, *other_place);
                }
            }
        }
    }

    /// Comparisons of the seats of one engine with those of another, both by index in the plan; empty if they never
    /// met.
    pub fn between(&self, one: usize, other: usize) -> Comparisons {
        let (first, second) = (one.min(other), one.max(other));
        let found = self.cells.get(&(first, second)).copied();
        let found = found.unwrap_or_default();
        if one == first {
            found
        } else {
            Comparisons { halves: 2 * found.pairs - found.halves, ..found }
        }
    }

    /// The pairs of engines that met, for their ratings.
    pub(super) fn meetings(&self) -> impl Iterator<Item = Meeting> {
        self.cells.iter().map(|(&engines, found)| Meeting {
            engines,
            comparisons: found.pairs,
            points: i64::from(found.halves) * (POINT / 2),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_of_seats_is_one_comparison_of_their_engines() {
        let mut crosstable = Crosstable::default();
        crosstable.add(&[Some(0), Some(1), Some(0)], &[1, 2, 3]);
        crosstable.add(&[Some(2), Some(1), None], &[1, 1, 3]);
        let cell = |one, other| {
            let found = crosstable.between(one, other);
            (found.halves, found.pairs)
        };
        assert_eq!([cell(0, 1), cell(1, 0)], [(2, 2), (2, 2)]);
        assert_eq!([cell(1, 2), cell(2, 1)], [(1, 1), (1, 1)]);
        assert_eq!([cell(0, 0), cell(0, 2), cell(7, 1)], [(0, 0); 3]);
    }
}
