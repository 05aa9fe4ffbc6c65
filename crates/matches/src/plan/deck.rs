//! The draws of a game, such as cards or dice, from a seed: the same for the referee and for the code that prepares the
//! opening, and in all games of a block.
//!
//! Draws are paired in one of two ways. From a deck, the k-th draw of the game is the same in all games, which is right
//! for cards: those that are left lie in a shuffled order, and each draw takes the top one. Where seats draw different
//! numbers of times, such as dice that may be rolled again, the k-th draw of each seat is the same instead.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use buxtehude::rules::Seat;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::plan::seed::DeckSeed;

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
}
