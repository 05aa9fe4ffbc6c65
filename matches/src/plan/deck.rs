//! The cards of a game, drawn from a seed.
//!
//! The cards that are left lie in a shuffled order, and each draw takes the top one. The k-th card of a seed is
//! therefore the same for all moves between the draws, and the referee and the code that prepares the opening can
//! replay the same draws from the same seed.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::plan::seed::DeckSeed;

/// A shuffled deck.
///
/// # Examples
/// ```
/// use matches::plan::deck::Deck;
///
/// let left = [("+half".to_string(), 1), ("+show".to_string(), 2)];
/// let card = Deck::new(7.into()).draw(&left);
/// assert_eq!(card, Deck::new(7.into()).draw(&left));
/// ```
#[derive(Clone, Debug)]
pub struct Deck {
    random: ChaCha8Rng,
    /// Cards that are left; the last one is the top.
    order: Vec<String>,
}

impl Deck {
    /// Creates the deck of a seed; its cards are set by the first draw.
    pub fn new(seed: DeckSeed) -> Deck {
        Deck {
            random: seed.random(),
            order: Vec::new(),
        }
    }

    /// Draws one of `outcomes`, which lists the kinds of card that are left, each with its number.
    ///
    /// If the deck's own cards differ (at the first draw, after a reshuffle, or after an opening has fixed a card), the
    /// deck is first rebuilt from `outcomes` and shuffled. Returns an empty word if `outcomes` contains no card.
    pub fn draw(&mut self, outcomes: &[(String, u32)]) -> String {
        if !self.has_left(outcomes) {
            self.order.clear();
            for (card, number) in outcomes {
                self.order.extend((0..*number).map(|_| card.clone()));
            }
            self.order.shuffle(&mut self.random);
        }
        self.order.pop().unwrap_or_default()
    }

    fn has_left(&self, outcomes: &[(String, u32)]) -> bool {
        let number_of = |wanted: &String| self.order.iter().filter(|card| *card == wanted).count();
        let total: usize = outcomes.iter().map(|(_, number)| *number as usize).sum();
        total == self.order.len()
            && outcomes
                .iter()
                .all(|(card, number)| number_of(card) == *number as usize)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn cards(composition: &[(&str, u32)]) -> Vec<(String, u32)> {
        composition
            .iter()
            .map(|(card, number)| (card.to_string(), *number))
            .collect()
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
            let card = deck.draw(&left);
            left = if card == "+shuffle" {
                full.to_vec()
            } else {
                without(&left, &card)
            };
            drawn.push(card);
        }
        drawn
    }

    #[test]
    fn a_seed_fixes_all_cards_across_shuffles() {
        let full = cards(&[("+half", 2), ("+show", 2), ("+give", 2), ("+shuffle", 1)]);
        let first = draws(&mut Deck::new(3.into()), &full, 100);
        assert_eq!(first, draws(&mut Deck::new(3.into()), &full, 100));
        assert_ne!(first, draws(&mut Deck::new(4.into()), &full, 100));
        assert!(
            first.iter().filter(|card| *card == "+shuffle").count() > 5,
            "{first:?}"
        );
    }

    #[test]
    fn a_card_from_elsewhere_leaves_only_what_is_left() {
        let full = cards(&[("+half", 1), ("+show", 1), ("+give", 1)]);
        for seed in 0..50 {
            let mut deck = Deck::new(seed.into());
            deck.draw(&full);
            let after = without(&full, "+give");
            let second = deck.draw(&after);
            let third = deck.draw(&without(&after, &second));
            assert_ne!(second, third, "seed {seed}");
            assert!(
                second != "+give" && third != "+give",
                "seed {seed}: {second} {third}"
            );
        }
    }

    #[test]
    fn each_card_comes_first_as_often_as_its_number_says() {
        let full = cards(&[("+half", 1), ("+show", 3)]);
        let mut first = BTreeMap::new();
        for seed in 0..4000 {
            *first.entry(Deck::new(seed.into()).draw(&full)).or_insert(0) += 1;
        }
        // 1000 are expected, with a standard deviation of 27.
        let half = first["+half"];
        assert!((850..1150).contains(&half), "{first:?}");
    }
}
