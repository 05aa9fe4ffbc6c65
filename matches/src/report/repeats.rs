//! Games that repeat earlier ones.
//!
//! Engines that always answer the same play the same game again from the same opening, unless chance intervenes. A
//! block that repeats an earlier one is no further sample of their strength, so it does not count.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use crate::record::GameRecord;

/// Number of bytes of a hash that identify a game.
const BYTES: usize = 16;

/// Hash of the engines, the moves and the result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity([u8; BYTES]);

impl Identity {
    /// Returns the identity of a game.
    pub fn of(record: &GameRecord) -> Identity {
        let mut hash = Sha256::new();
        for text in record.seats.iter().chain([&record.start, &record.moves]) {
            hash.update(text);
            hash.update("\n");
        }
        for place in &record.places {
            hash.update(place.to_le_bytes());
        }
        let mut bytes = [0; BYTES];
        bytes.copy_from_slice(&hash.finalize()[..BYTES]);
        Identity(bytes)
    }
}

/// The different games and blocks so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeats {
    seen: HashSet<Identity>,
    /// Blocks by the identities of their games.
    blocks: HashSet<Vec<Identity>>,
    games: u64,
    /// Number of games that repeat one of their own block, because the same engines sit in the same seats there.
    in_block: u64,
}

impl Repeats {
    /// Adds a complete block; returns `true` unless it repeats an earlier one.
    pub fn add(&mut self, block: &[Identity]) -> bool {
        self.games += block.len() as u64;
        let different: HashSet<&Identity> = block.iter().collect();
        self.in_block += (block.len() - different.len()) as u64;
        self.seen.extend(block);
        self.blocks.insert(block.to_vec())
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Number of games that repeat earlier ones.
    pub fn repeated(&self) -> u64 {
        self.games - self.seen.len() as u64
    }

    /// Sentence on the games that repeat earlier ones, with a remedy; `None` if there are none.
    pub fn in_words(&self) -> Option<String> {
        let repeated = self.repeated();
        let remedy = match (repeated > self.in_block, self.in_block > 0) {
            (false, false) => return None,
            (true, false) => "--random-plies or openings",
            (false, true) => "--all-orders",
            (true, true) => "--random-plies or openings, and --all-orders",
        };
        let games = self.games;
        let repeat = match repeated {
            1 => "repeats an earlier one",
            _ => "repeat earlier ones",
        };
        Some(format!("{repeated} of {games} games {repeat}: add {remedy}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(seats: [&str; 2], start: &str, moves: &str, places: [u32; 2]) -> Identity {
        Identity::of(&GameRecord {
            seats: seats.map(String::from).to_vec(),
            start: start.to_string(),
            moves: moves.to_string(),
            places: places.to_vec(),
            ..GameRecord::default()
        })
    }

    #[test]
    fn a_game_is_identified_by_its_engines_start_moves_and_places() {
        let games = [
            game(["a", "b"], "x", "1 2", [1, 2]),
            game(["b", "a"], "x", "1 2", [1, 2]),
            game(["a", "b"], "y", "1 2", [1, 2]),
            game(["a", "b"], "x", "1 3", [1, 2]),
            game(["a", "b"], "x", "1 2", [2, 1]),
        ];
        assert_eq!(HashSet::from(games).len(), games.len());
        assert_eq!(game(["a", "b"], "x", "1 2", [1, 2]), games[0]);
    }

    #[test]
    fn a_block_repeats_another_if_all_its_games_do() {
        let [one, two, three] = ["1", "2", "3"].map(|moves| game(["a", "b"], "", moves, [1, 2]));
        let mut repeats = Repeats::default();
        assert!(repeats.add(&[one, two]));
        assert_eq!(repeats.in_words(), None);
        assert!(repeats.add(&[one, three]));
        let found = repeats.in_words().unwrap();
        assert_eq!(found, "1 of 4 games repeats an earlier one: add --random-plies or openings");
        assert!(!repeats.add(&[one, two]));
        let found = repeats.in_words().unwrap();
        assert_eq!(found, "3 of 6 games repeat earlier ones: add --random-plies or openings");
    }

    #[test]
    fn games_of_one_seating_repeat_each_other_within_their_block() {
        let [one, two, three] = ["1", "2", "3"].map(|moves| game(["a", "b"], "", moves, [1, 2]));
        let mut repeats = Repeats::default();
        assert!(repeats.add(&[one, two, one, two]));
        assert!(repeats.add(&[two, three, two, three]));
        assert!(repeats.in_words().unwrap().starts_with("5 of 8 games"));
        let mut repeats = Repeats::default();
        assert!(repeats.add(&[one, two, one, two]));
        let found = repeats.in_words().unwrap();
        assert_eq!(found, "2 of 4 games repeat earlier ones: add --all-orders");
        assert!(!repeats.add(&[one, two, one, two]));
        let found = repeats.in_words().unwrap();
        assert!(found.ends_with("add --random-plies or openings, and --all-orders"), "{found}");
    }
}
