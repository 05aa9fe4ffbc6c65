//! The draws of a game, such as cards or dice, from a seed: the same for the referee and for the code that prepares the
//! opening, and in all games of a block.
//!
//! Draws are paired in one of two ways. From a deck, the k-th draw of the game is the same in all games, which is right
//! for cards: those that are left lie in a shuffled order, and each draw takes the top one. Where seats draw different
//! numbers of times, such as dice that may be rolled again, the k-th draw of each seat is the same instead.
//!
//! All random numbers of a match derive from its seed. A seed that is a number starts a stream of random numbers for
//! each block; anyone who knows the cards of a few blocks can find the number by trial and error. A seed that is a key
//! yields separate keys for each block, which reveal nothing about the seed or other blocks.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use buxtehude::rules::Seat;
use rand::rngs::SysRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use crate::record::{Seed, SeedTextError};
pub use rand::rngs::SysError;

/// Maximum number of cards that are shuffled; more are drawn by their weights alone.
const MAX_DECK: u64 = 100_000;

/// Pairing of the draws in the games of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Draws {
    /// The k-th draw of the game is the same.
    #[default]
    Game,
    /// The k-th draw of each seat is the same.
    Seat,
}

impl fmt::Display for Draws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Draws::Game => "game",
            Draws::Seat => "seat",
        })
    }
}

impl FromStr for Draws {
    type Err = String;

    /// Parses the [`Display`](fmt::Display) form; the error names the accepted values.
    fn from_str(text: &str) -> Result<Draws, String> {
        let all = [Draws::Game, Draws::Seat];
        let found = all.into_iter().find(|draws| draws.to_string() == text);
        found.ok_or_else(|| "expected game or seat".to_string())
    }
}

/// The draws of one game.
///
/// # Examples
/// ```
/// use buxtehude::rules::Seat;
/// use matches::plan::deck::{Deck, Draws};
///
/// let left = [("+half".to_string(), 1), ("+show".to_string(), 2)];
/// let draw = || Deck::new(7.into(), Draws::Game).draw(Seat(0), &left);
/// assert_eq!(draw(), draw());
/// ```
#[derive(Clone, Debug)]
pub struct Deck {
    seed: DeckSeed,
    draws: Draws,
    /// Random numbers, by stream: 0 for the game, or those of each seat, from 1.
    streams: BTreeMap<u64, ChaCha8Rng>,
    /// Cards that are left in the order of the game; the last one is the top.
    order: Vec<String>,
}

impl Deck {
    pub fn new(seed: DeckSeed, draws: Draws) -> Deck {
        Deck { seed, draws, streams: BTreeMap::new(), order: Vec::new() }
    }

    /// Draws one of `outcomes` for a seat. They are listed with their numbers, at least 1, which weigh them: for cards,
    /// the kinds that are left.
    ///
    /// If the deck's own cards differ from them (at the first draw, after a reshuffle, or after an opening has fixed a
    /// card), it is first rebuilt from `outcomes` and shuffled. Returns an empty word if there are no outcomes.
    pub fn draw(&mut self, seat: Seat, outcomes: &[(String, u32)]) -> String {
        let stream = match self.draws {
            Draws::Game => 0,
            Draws::Seat => 1 + u64::from(seat.0),
        };
        let random = self.streams.entry(stream).or_insert_with(|| {
            let mut random = self.seed.random();
            random.set_stream(stream);
            random
        });
        if self.draws == Draws::Seat || total(outcomes) > MAX_DECK {
            return at_fraction(random.next_u64(), outcomes);
        }
        if !has_left(&self.order, outcomes) {
            self.order.clear();
            for (card, number) in outcomes {
                let cards = (0..*number).map(|_| card.clone());
                self.order.extend(cards);
            }
            self.order.shuffle(random);
        }
        self.order.pop().unwrap_or_default()
    }
}

fn total(outcomes: &[(String, u32)]) -> u64 {
    outcomes.iter().map(|(_, number)| u64::from(*number)).sum()
}

fn has_left(order: &[String], outcomes: &[(String, u32)]) -> bool {
    let number_of = |wanted: &String| order.iter().filter(|card| *card == wanted).count();
    let mut outcomes = outcomes.iter();
    total(outcomes.as_slice()) == order.len() as u64
        && outcomes.all(|(card, number)| number_of(card) == *number as usize)
}

/// Returns the outcome at `fraction` / 2^64 of the sum of all weights. Games that list different outcomes therefore
/// draw from the same part of their lists.
fn at_fraction(fraction: u64, outcomes: &[(String, u32)]) -> String {
    let mut left = (u128::from(fraction) * u128::from(total(outcomes))) >> 64;
    for (word, weight) in outcomes {
        match left.checked_sub(u128::from(*weight)) {
            None => return word.clone(),
            Some(rest) => left = rest,
        }
    }
    String::new()
}

/// Purpose of random numbers. Numbers for one purpose reveal nothing about numbers for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Blocks,
    /// Candidates for a suite of openings.
    Candidates,
    /// Games outside of a match.
    Tables,
}

/// Seed of the cards of a game.
///
/// # Examples
/// ```
/// use matches::plan::deck::DeckSeed;
///
/// assert_eq!(DeckSeed::from(7), DeckSeed::from(7));
/// assert_ne!(DeckSeed::from(7), DeckSeed::from(8));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckSeed([u8; 32]);

impl From<u64> for DeckSeed {
    fn from(number: u64) -> DeckSeed {
        DeckSeed(ChaCha8Rng::seed_from_u64(number).get_seed())
    }
}

impl fmt::Display for DeckSeed {
    /// Writes the first 16 hexadecimal digits, enough to tell seeds apart.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl DeckSeed {
    /// Returns the seed of other cards, about which these cards reveal nothing.
    pub fn another(self) -> DeckSeed {
        DeckSeed(Sha256::digest([self.0.as_slice(), b"another"].concat()).into())
    }

    /// Returns the random numbers that shuffle the cards.
    pub fn random(self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.0)
    }
}

impl Seed {
    /// Returns an unpredictable key.
    ///
    /// # Errors
    /// The system cannot provide random numbers.
    pub fn secret() -> Result<Seed, SysError> {
        let mut key = [0; 16];
        SysRng.try_fill_bytes(&mut key)?;
        Ok(Seed::Key(key))
    }

    /// `true` if the random numbers cannot be predicted without knowledge of the seed.
    pub fn is_secret(self) -> bool {
        matches!(self, Seed::Key(_))
    }

    /// Returns the deck seed of block or candidate `number`, from 0, and the random numbers for everything else in it.
    pub fn numbered(self, purpose: Purpose, number: u64) -> (DeckSeed, ChaCha8Rng) {
        match self {
            Seed::Number(seed) => {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                random.set_stream(number);
                (DeckSeed::from(random.next_u64()), random)
            }
            Seed::Key(key) => {
                let [cards, plies] = match purpose {
                    Purpose::Blocks => ["cards of block", "plies of block"],
                    Purpose::Candidates => ["cards of candidate", "plies of candidate"],
                    Purpose::Tables => ["cards of table", "plies of table"],
                };
                let plies = ChaCha8Rng::from_seed(derived(key, plies, number));
                (DeckSeed(derived(key, cards, number)), plies)
            }
        }
    }

    /// Returns the random numbers that sample outcomes of a game. They are independent of the outcomes that it draws.
    pub fn samples(self, game: u64) -> ChaCha8Rng {
        match self {
            Seed::Number(seed) => {
                let hash = Sha256::new()
                    .chain_update(seed.to_be_bytes())
                    .chain_update(game.to_be_bytes())
                    .chain_update("samples");
                ChaCha8Rng::from_seed(hash.finalize().into())
            }
            Seed::Key(key) => ChaCha8Rng::from_seed(derived(key, "samples of game", game)),
        }
    }

    /// Returns the random numbers that shuffle the openings.
    pub fn order_of_openings(self) -> ChaCha8Rng {
        match self {
            Seed::Number(seed) => ChaCha8Rng::seed_from_u64(seed),
            Seed::Key(key) => ChaCha8Rng::from_seed(derived(key, "order of openings", 0)),
        }
    }
}

/// Returns the key for one purpose and number: the SHA-256 of the secret, the purpose and the number.
fn derived(key: [u8; 16], what: &str, number: u64) -> [u8; 32] {
    // Key and number have fixed lengths, so that different inputs never hash the same bytes.
    let hash =
        Sha256::new().chain_update(key).chain_update(number.to_be_bytes()).chain_update(what);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cards(composition: &[(&str, u32)]) -> Vec<(String, u32)> {
        composition.iter().map(|(card, number)| (card.to_string(), *number)).collect()
    }

    fn without(outcomes: &[(String, u32)], drawn: &str) -> Vec<(String, u32)> {
        let mut left = outcomes.to_vec();
        for (card, number) in &mut left {
            *number -= u32::from(card == drawn);
        }
        left.retain(|(_, number)| *number > 0);
        left
    }

    /// Draws `number` cards and puts all of them back after each `+shuffle`.
    fn draws(deck: &mut Deck, full: &[(String, u32)], number: usize) -> Vec<String> {
        let mut left = full.to_vec();
        let mut drawn = Vec::new();
        for _ in 0..number {
            let card = deck.draw(Seat(0), &left);
            left = if card == "+shuffle" { full.to_vec() } else { without(&left, &card) };
            drawn.push(card);
        }
        drawn
    }

    #[test]
    fn a_seed_fixes_all_cards_across_shuffles() {
        let full = cards(&[("+half", 2), ("+show", 2), ("+give", 2), ("+shuffle", 1)]);
        let first = draws(&mut Deck::new(3.into(), Draws::Game), &full, 100);
        assert_eq!(first, draws(&mut Deck::new(3.into(), Draws::Game), &full, 100));
        assert_ne!(first, draws(&mut Deck::new(4.into(), Draws::Game), &full, 100));
        assert!(first.iter().filter(|card| *card == "+shuffle").count() > 5, "{first:?}");
    }

    #[test]
    fn a_card_from_elsewhere_leaves_only_what_is_left() {
        let full = cards(&[("+half", 1), ("+show", 1), ("+give", 1)]);
        for seed in 0..50 {
            let mut deck = Deck::new(seed.into(), Draws::Game);
            deck.draw(Seat(0), &full);
            let after = without(&full, "+give");
            let second = deck.draw(Seat(0), &after);
            let third = deck.draw(Seat(0), &without(&after, &second));
            assert_ne!(second, third, "seed {seed}");
            assert!(second != "+give" && third != "+give", "seed {seed}: {second} {third}");
        }
    }

    #[test]
    fn each_card_comes_first_as_often_as_its_number_says() {
        let full = cards(&[("+half", 1), ("+show", 3)]);
        let mut first = BTreeMap::new();
        for seed in 0..4000 {
            *first.entry(Deck::new(seed.into(), Draws::Game).draw(Seat(0), &full)).or_insert(0) +=
                1;
        }
        // 1000 are expected, with a standard deviation of 27.
        let half = first["+half"];
        assert!((850..1150).contains(&half), "{first:?}");
    }

    #[test]
    fn the_draws_of_a_seat_do_not_depend_on_those_of_others() {
        let dice = cards(&[("+1", 1), ("+2", 1), ("+3", 1), ("+4", 1), ("+5", 1), ("+6", 1)]);
        let mut alone = Deck::new(5.into(), Draws::Seat);
        let first: Vec<String> = (0..100).map(|_| alone.draw(Seat(1), &dice)).collect();
        let mut among = Deck::new(5.into(), Draws::Seat);
        for (number, expected) in first.iter().enumerate() {
            for _ in 0..number % 3 {
                among.draw(Seat(0), &dice);
            }
            assert_eq!(among.draw(Seat(1), &dice), *expected, "draw {number}");
        }
        let mut other = Deck::new(5.into(), Draws::Seat);
        let others: Vec<String> = (0..100).map(|_| other.draw(Seat(0), &dice)).collect();
        assert_ne!(first, others);
    }

    #[test]
    fn each_outcome_is_drawn_as_often_as_its_weight_says() {
        let outcomes = cards(&[("+a", 1), ("+b", u32::MAX), ("+c", u32::MAX)]);
        assert_eq!(at_fraction(0, &outcomes), "+a");
        assert_eq!(at_fraction(u64::MAX / 2 - 1, &outcomes), "+b");
        assert_eq!(at_fraction(u64::MAX, &outcomes), "+c");
        let outcomes = cards(&[("+a", 1), ("+b", 3)]);
        let mut deck = Deck::new(1.into(), Draws::Seat);
        let drawn = (0..4000).filter(|_| deck.draw(Seat(0), &outcomes) == "+a");
        // 1000 are expected, with a standard deviation of 27.
        let drawn = drawn.count();
        assert!((850..1150).contains(&drawn), "{drawn}");
    }

    const KEY: [u8; 16] = *b"sixteen letters!";

    fn drawn(seed: Seed, purpose: Purpose, number: u64) -> (DeckSeed, u64) {
        let (cards, mut random) = seed.numbered(purpose, number);
        (cards, random.next_u64())
    }

    /// Recorded matches with a number as seed must stay reproducible.
    #[test]
    fn what_follows_from_a_number_stays_as_it_is() {
        let (cards, next) = drawn(Seed::Number(9), Purpose::Blocks, 3);
        let mut random = ChaCha8Rng::seed_from_u64(9);
        random.set_stream(3);
        assert_eq!(cards, DeckSeed::from(random.next_u64()));
        assert_eq!(next, random.next_u64());
        let mut deck = cards.random();
        random.set_stream(3);
        random.set_word_pos(0);
        let mut expected = ChaCha8Rng::seed_from_u64(random.next_u64());
        assert_eq!(deck.next_u64(), expected.next_u64());
    }

    /// Expected value from `sha256sum` of the letters of the key, eight bytes of the number, and the words.
    #[test]
    fn a_key_is_hashed_with_number_and_purpose() {
        let (cards, _) = drawn(Seed::Key(KEY), Purpose::Blocks, 1);
        assert_eq!(cards.to_string(), "22d27592bebfe907");
    }

    #[test]
    fn nothing_follows_twice_from_a_key() {
        let mut seen = Vec::new();
        for purpose in [Purpose::Blocks, Purpose::Candidates, Purpose::Tables] {
            for number in 0..20 {
                let (cards, random) = Seed::Key(KEY).numbered(purpose, number);
                seen.extend([cards.0, random.get_seed()]);
            }
        }
        seen.push(Seed::Key(KEY).order_of_openings().get_seed());
        let number = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), number);
    }

    #[test]
    fn no_two_secrets_are_the_same() {
        assert_ne!(Seed::secret().unwrap(), Seed::secret().unwrap());
    }
}
