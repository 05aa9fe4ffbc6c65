//! Games that repeat earlier ones.
//!
//! Engines that always answer the same play the same game again from the same opening, unless chance intervenes. A
//! block that repeats an earlier one is then no further sample of their strength, so it does not count. But if an
//! opening has led to different blocks, the play depends on chance, and equal blocks are samples as well.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use buxtehude::rules::is_card;
use sha2::{Digest, Sha256};

use crate::record::{GameRecord, TurnSums};

/// Number of bytes of a hash that identify an opening or a game.
const HASH_LENGTH: usize = 16;

/// Hashes of the engines, the start and the opening of a game, and of these with all moves and the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    opening: [u8; HASH_LENGTH],
    game: [u8; HASH_LENGTH],
}

impl Identity {
    /// Returns the identity of a game, given the totals of each seat's turns, since the record may lack the turns.
    pub fn of(record: &GameRecord, sums: &[TurnSums]) -> Identity {
        let timed: u64 = sums.iter().map(|sums| sums.turns).sum();
        let turns = record.turns.len().max(timed as usize);
        let opening = beginning(&record.moves, record.plies().saturating_sub(turns));
        let mut hash = Sha256::new();
        for text in record.seats.iter().map(String::as_str).chain([&*record.start, opening]) {
            hash.update(text);
            hash.update("\n");
        }
        let opening = first_bytes(hash.clone());
        hash.update(&record.moves);
        hash.update("\n");
        for place in &record.places {
            hash.update(place.to_le_bytes());
        }
        Identity { opening, game: first_bytes(hash) }
    }
}

/// Returns the beginning of a game up to this number of moves, with the cards before the last of them.
fn beginning(moves: &str, plies: usize) -> &str {
    let Some(index) = plies.checked_sub(1) else {
        return "";
    };
    let words = moves.split(' ').scan(0, |end, word| {
        *end += word.len() + 1;
        Some((word, *end - 1))
    });
    let mut ends = words.filter(|(word, _)| !word.is_empty() && !is_card(word));
    ends.nth(index).map_or(moves, |(_, end)| &moves[..end])
}

fn first_bytes(hash: Sha256) -> [u8; HASH_LENGTH] {
    let mut bytes = [0; HASH_LENGTH];
    bytes.copy_from_slice(&hash.finalize()[..HASH_LENGTH]);
    bytes
}

/// The openings so far, with blocks of games `T`.
#[derive(Clone, Debug)]
pub(super) struct Repeats<T> {
    /// Keyed by the openings of all games of a block.
    openings: HashMap<Vec<[u8; HASH_LENGTH]>, Opening<T>>,
    games: u64,
    /// Number of games in blocks that do not count.
    withheld: u64,
    /// Number of games that repeat one of their own block, because the same engines sit in the same seats there.
    in_block: u64,
}

/// The blocks that were played from an opening.
#[derive(Clone, Debug)]
struct Opening<T> {
    /// The games of the first block.
    first: Vec<Identity>,
    /// The later blocks, which are equal to the first; `None` once there was a different one.
    equal: Option<Vec<Vec<T>>>,
}

impl<T> Default for Repeats<T> {
    fn default() -> Repeats<T> {
        Repeats { openings: HashMap::new(), games: 0, withheld: 0, in_block: 0 }
    }
}

impl<T> Repeats<T> {
    /// Adds a complete block with the identities of its games, and returns the blocks that count from now on: none if
    /// it repeats the only block from its opening so far, and with the first different block also those repeats.
    pub fn add(&mut self, identities: Vec<Identity>, block: Vec<T>) -> Vec<Vec<T>> {
        let games = block.len() as u64;
        self.games += games;
        let openings = identities.iter().map(|identity| identity.opening).collect();
        let opening = match self.openings.entry(openings) {
            Entry::Vacant(vacant) => {
                self.in_block += repeats_within(&identities);
                vacant.insert(Opening { first: identities, equal: Some(Vec::new()) });
                return vec![block];
            }
            Entry::Occupied(occupied) => occupied.into_mut(),
        };
        if let Some(equal) = &mut opening.equal
            && opening.first == identities
        {
            equal.push(block);
            self.withheld += games;
            return Vec::new();
        }
        let mut blocks = opening.equal.take().unwrap_or_default();
        self.withheld -= blocks.iter().map(|block| block.len() as u64).sum::<u64>();
        self.in_block += blocks.len() as u64 * repeats_within(&opening.first);
        self.in_block += repeats_within(&identities);
        blocks.push(block);
        blocks
    }

    pub fn games(&self) -> u64 {
        self.games
    }

    /// Number of games that repeat earlier ones: those in blocks that do not count, and within blocks that do.
    pub fn repeated(&self) -> u64 {
        self.withheld + self.in_block
    }

    /// Sentence on the games that repeat earlier ones, with a remedy; `None` if there are none.
    pub fn in_words(&self) -> Option<String> {
        let repeated = self.repeated();
        let remedy = match (self.withheld > 0, self.in_block > 0) {
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

/// Number of games of a block that repeat one of it.
fn repeats_within(block: &[Identity]) -> u64 {
    let different: HashSet<&Identity> = block.iter().collect();
    (block.len() - different.len()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game whose first move is its opening.
    fn game(seats: [&str; 2], start: &str, moves: &str, places: [u32; 2]) -> Identity {
        let record = GameRecord {
            seats: seats.map(String::from).to_vec(),
            start: start.to_string(),
            moves: moves.to_string(),
            places: places.to_vec(),
            ..GameRecord::default()
        };
        let turns = (record.plies() as u64).saturating_sub(1);
        Identity::of(&record, &[TurnSums { turns, ..TurnSums::default() }])
    }

    fn add(repeats: &mut Repeats<()>, games: &[Identity]) -> usize {
        repeats.add(games.to_vec(), vec![(); games.len()]).len()
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
        let openings = games.map(|game| game.opening);
        assert_eq!(HashSet::from(openings).len(), 3);
        assert_eq!([openings[3], openings[4]], [openings[0]; 2]);
    }

    #[test]
    fn cards_after_the_last_move_of_an_opening_are_no_part_of_it() {
        let moves = "+7 1 +8 2 +9 3";
        let found = [0, 1, 2, 3, 4].map(|plies| beginning(moves, plies));
        assert_eq!(found, ["", "+7 1", "+7 1 +8 2", moves, moves]);
        assert_eq!(beginning("", 1), "");
    }

    #[test]
    fn blocks_repeat_an_opening_until_it_leads_to_a_different_one() {
        let [one, two, three] =
            ["1 1", "1 2", "1 3"].map(|moves| game(["a", "b"], "", moves, [1, 2]));
        let mut repeats = Repeats::default();
        assert_eq!(add(&mut repeats, &[one, two]), 1);
        assert_eq!(repeats.in_words(), None);
        assert_eq!(add(&mut repeats, &[one, two]), 0);
        assert_eq!(add(&mut repeats, &[one, two]), 0);
        let found = repeats.in_words().unwrap();
        assert_eq!(found, "4 of 6 games repeat earlier ones: add --random-plies or openings");
        let other = game(["a", "b"], "", "2 1", [1, 2]);
        assert_eq!(add(&mut repeats, &[other, other]), 1);
        // The repeats so far were samples, too.
        assert_eq!(add(&mut repeats, &[one, three]), 3);
        assert_eq!(add(&mut repeats, &[one, two]), 1);
        assert_eq!(add(&mut repeats, &[other, other]), 0);
        assert_eq!((repeats.games(), repeats.repeated()), (14, 3));
    }

    #[test]
    fn games_of_one_seating_repeat_each_other_within_their_block() {
        let [one, two, three] =
            ["1 1", "2 2", "1 3"].map(|moves| game(["a", "b"], "", moves, [1, 2]));
        let mut repeats = Repeats::default();
        assert_eq!(add(&mut repeats, &[one, two, one, two]), 1);
        let found = repeats.in_words().unwrap();
        assert_eq!(found, "2 of 4 games repeat earlier ones: add --all-orders");
        assert_eq!(add(&mut repeats, &[one, two, one, two]), 0);
        let found = repeats.in_words().unwrap();
        assert!(found.starts_with("6 of 8 games"), "{found}");
        assert!(found.ends_with("add --random-plies or openings, and --all-orders"), "{found}");
        assert_eq!(add(&mut repeats, &[three, two, three, two]), 2);
        assert!(repeats.in_words().unwrap().starts_with("6 of 12 games"));
    }
}
