//! The hare cards: their tokens, and the cards left in a deck.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A hare card, ordered as in the deck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Card {
    /// If more hares are behind than ahead, misses the next turn; otherwise moves again at once.
    Behind,
    /// Gains ten carrots for each lettuce in hand; with none, misses the next turn.
    Draw,
    /// Sets the carrots to exactly 65.
    Restore,
    /// Loses half of the carrots, keeping the larger half.
    Half,
    /// Refunds the carrots paid for this move.
    Free,
    /// No effect.
    Show,
    /// Gives ten carrots to every hare behind, or else five, or else one.
    Give,
    /// Takes a carrot from every other hare in the race; then all cards are shuffled.
    Shuffle,
}

impl Card {
    /// All cards in deck order.
    pub const ALL: [Card; 8] = [
        Card::Behind,
        Card::Draw,
        Card::Restore,
        Card::Half,
        Card::Free,
        Card::Show,
        Card::Give,
        Card::Shuffle,
    ];

    /// Carrots of a hare after [`Card::Restore`].
    pub const RESTORED: u16 = 65;

    /// Token of the card in move lists.
    pub const fn token(self) -> &'static str {
        match self {
            Card::Behind => "+behind",
            Card::Draw => "+draw",
            Card::Restore => "+restore",
            Card::Half => "+half",
            Card::Free => "+free",
            Card::Show => "+show",
            Card::Give => "+give",
            Card::Shuffle => "+shuffle",
        }
    }

    /// Instruction on the card, addressed to the player who draws it.
    pub const fn words(self) -> &'static str {
        match self {
            Card::Behind => {
                "If there are more hares behind you than ahead of you, miss your next turn; if not, move again at once."
            }
            Card::Draw => {
                "Take 10 carrots for each lettuce that you still hold. If you hold none, miss your next turn."
            }
            Card::Restore => "You now hold exactly 65 carrots.",
            Card::Half => "Lose half of your carrots. Of an odd number you keep the larger half.",
            Card::Free => {
                "Your last move costs nothing: take back the carrots that you paid for it."
            }
            Card::Show => "Show your carrots to all players.",
            Card::Give => {
                "Give 10 carrots to each hare behind you. If you do not have enough, give 5, or 1, or nothing."
            }
            Card::Shuffle => {
                "Take one carrot from every other hare in the race. Then all hare cards are shuffled."
            }
        }
    }

    /// Letter of the card in the text of a position. `Shuffle` has none, since it is shuffled back at once.
    pub(super) fn letter(self) -> Option<char> {
        let first = self.token().chars().nth(1)?.to_ascii_uppercase();
        (self != Card::Shuffle).then_some(first)
    }
}

/// The deck of fifteen: two of each card, but one `Shuffle`.
pub(super) const FIFTEEN: [u8; 8] = [2, 2, 2, 2, 2, 2, 2, 1];

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.token())
    }
}

/// The word is not a card.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected +behind, +draw, +restore, +half, +free, +show, +give or +shuffle")]
pub struct CardError;

impl FromStr for Card {
    type Err = CardError;

    fn from_str(text: &str) -> Result<Card, CardError> {
        Card::ALL.into_iter().find(|card| card.token() == text).ok_or(CardError)
    }
}

/// Kinds of card left, in deck order, each with its number.
#[derive(Clone, Copy, Debug)]
pub struct Outcomes {
    /// Byte n: the number of cards of kind n that are left and not yet yielded, below 128.
    left: u64,
}

impl Outcomes {
    pub(super) const NONE: Outcomes = Outcomes { left: 0 };

    /// Returns the cards of a deck that are not drawn.
    #[inline]
    pub(super) fn left_of(deck: &[u8; 8], drawn: &[u8; 8]) -> Outcomes {
        // The cards drawn of a kind never exceed those in the deck, so no byte borrows from the next.
        Outcomes { left: u64::from_le_bytes(*deck) - u64::from_le_bytes(*drawn) }
    }
}

impl Iterator for Outcomes {
    type Item = (Card, u32);

    #[inline]
    fn next(&mut self) -> Option<(Card, u32)> {
        if self.left == 0 {
            return None;
        }
        let kind = self.left.trailing_zeros() / 8;
        let number = self.left >> (8 * kind) & 0xFF;
        self.left &= !(0xFF << (8 * kind));
        Some((Card::ALL[kind as usize], number as u32))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        // Adding 127 carries into the top bit of every byte that is not 0.
        let top_bits = (self.left + 0x7F7F_7F7F_7F7F_7F7F) & 0x8080_8080_8080_8080;
        let kinds = top_bits.count_ones() as usize;
        (kinds, Some(kinds))
    }
}

impl ExactSizeIterator for Outcomes {}
