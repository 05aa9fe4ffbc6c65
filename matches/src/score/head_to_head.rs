//! One engine against another, whoever else sits at the table: the comparisons of a game, summed up by block.

use std::cmp::Ordering;

use super::blocks::BlockScores;

/// What the seats of two engines are to each other in a game, or in several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparisons {
    /// Pairs of a seat of the one and a seat of the other.
    pub pairs: u32,
    /// Twice the pairs in which the one has the better place, and once those that share theirs.
    pub halves: u32,
}

impl Comparisons {
    /// The comparisons of a game between two of its engines, given the engine of each seat, as a
    /// number if it is known, and its place.
    ///
    /// # Examples
    /// ```
    /// use arbiter::score::Comparisons;
    ///
    /// // Engine 0 is first and last, engine 1 between.
    /// let game = Comparisons::of_game(&[Some(0), Some(1), Some(0)], &[1, 2, 3], 0, 1);
    /// assert_eq!(game, Comparisons { pairs: 2, halves: 2 });
    /// ```
    pub fn of_game(
        engines: &[Option<usize>],
        places: &[u32],
        one: usize,
        other: usize,
    ) -> Comparisons {
        let places_of = |engine| {
            let seats = engines.iter().zip(places);
            seats
                .filter(move |(sitting, _)| **sitting == Some(engine))
                .map(|(_, place)| place)
        };
        let mut comparisons = Comparisons::default();
        for place in places_of(one) {
            for other_place in places_of(other) {
                comparisons.add(*place, *other_place);
            }
        }
        comparisons
    }

    /// Compares one more pair of seats by their places.
    pub(super) fn add(&mut self, place: u32, other_place: u32) {
        self.pairs += 1;
        self.halves += match place.cmp(&other_place) {
            Ordering::Less => 2,
            Ordering::Equal => 1,
            Ordering::Greater => 0,
        };
    }

    /// What the one engine has won of the comparisons: one for each better place, half of one for a shared one.
    pub fn points(&self) -> f64 {
        f64::from(self.halves) / 2.0
    }
}

/// Counts a whole block of one engine against another in `scores`; the first one decides how many games and
/// pairs a block has. A block in which they do not meet, or not as often, is passed over.
pub(super) fn add_block(scores: &mut Option<BlockScores>, games: &[Comparisons]) {
    let pairs: u32 = games.iter().map(|game| game.pairs).sum();
    let halves = games.iter().map(|game| game.halves).sum();
    if pairs > 0 {
        let scores = scores.get_or_insert_with(|| BlockScores::new(games.len() as u32, pairs));
        if scores.pairs_per_block() == pairs {
            scores.add(halves);
        }
    }
}
