//! Comparisons of one engine with another, by game and by block.

use std::cmp::Ordering;

use super::blocks::BlockScores;

/// Comparisons between the seats of two engines, in one or more games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparisons {
    /// Number of pairs of a seat of the first engine and a seat of the second.
    pub pairs: u32,
    /// Half-points of the first engine: two for each pair with the better place, one for each shared place.
    pub halves: u32,
}

impl Comparisons {
    /// Compares two engines of a game, given the index of each seat's engine, if any, and its place.
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

    /// Adds a pair of seats, given their places.
    pub(super) fn add(&mut self, place: u32, other_place: u32) {
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
}

/// Counts a complete block in `scores`. The first block sets the number of games and pairs per block; blocks with
/// another number of pairs, or none, are skipped.
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
