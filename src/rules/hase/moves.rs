//! Moves and cards, their words, the sets of those that are possible, and the rules that illegal ones break.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::race::Position;
use super::track::{FINISH, Square, cost};
use crate::rules::{Game, Seat, Turn};

/// A move, identified by its code: 1 to 64 steps forward, -1 to -63 steps back, 1001 and 1002 to stay on a carrot
/// square, 0 for a forced stay. Moves are ordered by code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(i16);

impl Move {
    /// Forced stay.
    pub const STAY: Move = Move(0);
    /// Stays on a carrot square and takes ten carrots.
    pub const TAKE: Move = Move(1001);
    /// Stays on a carrot square and gives ten carrots.
    pub const GIVE: Move = Move(1002);

    /// Move of `steps` squares forward.
    ///
    /// # Panics
    /// If `steps` is not 1 to 64.
    pub const fn forward(steps: u8) -> Move {
        assert!(steps >= 1 && steps <= 64, "a move forward has 1 to 64 steps");
        Move(steps as i16)
    }

    /// Move of `steps` squares, -63 to 64: forward, back, or a forced stay.
    pub(crate) const fn by(steps: i16) -> Move {
        Move(steps)
    }

    /// Integer code.
    pub const fn code(self) -> i16 {
        self.0
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The word is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected 1 to 64, -1 to -63, 1001, 1002 or 0")]
pub struct MoveError;

impl FromStr for Move {
    type Err = MoveError;

    fn from_str(text: &str) -> Result<Move, MoveError> {
        let code: i16 = text.parse().map_err(|_| MoveError)?;
        let known = matches!(code, -63..=64 | 1001 | 1002);
        // Accepts only the canonical spelling, not `+5`, `05` or `-0`.
        if known && Move(code).to_string() == text { Ok(Move(code)) } else { Err(MoveError) }
    }
}

/// A set of moves that iterates in ascending order.
#[derive(Clone, Copy, Debug)]
pub struct Moves {
    /// Bit n: n + 1 steps forward.
    pub(super) forward: u64,
    /// Steps back, or 0 for none.
    pub(super) back: u8,
    /// Bit 0: the forced stay; bit 1: take; bit 2: give.
    pub(super) staying: u8,
}

impl Moves {
    pub(super) const NONE: Moves = Moves { forward: 0, back: 0, staying: 0 };
    pub(super) const FORCED: Moves = Moves { forward: 0, back: 0, staying: 1 };

    pub(super) const TAKE: u8 = 2;
    pub(super) const GIVE: u8 = 4;

    /// `true` if no move is left.
    pub fn is_empty(&self) -> bool {
        self.forward == 0 && self.back == 0 && self.staying == 0
    }

    /// `true` if `mv` is in the set.
    pub fn contains(&self, mv: Move) -> bool {
        match mv.0 {
            1..=64 => self.forward >> (mv.0 - 1) & 1 == 1,
            0 => self.staying & 1 == 1,
            1001 => self.staying & Moves::TAKE != 0,
            1002 => self.staying & Moves::GIVE != 0,
            code => self.back != 0 && code == -i16::from(self.back),
        }
    }
}

impl Iterator for Moves {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        if self.back != 0 {
            let steps = std::mem::take(&mut self.back);
            return Some(Move(-i16::from(steps)));
        }
        if self.forward != 0 {
            let bit = self.forward.trailing_zeros();
            self.forward &= self.forward - 1;
            return Some(Move(bit as i16 + 1));
        }
        if self.staying == 0 {
            return None;
        }
        // The forced stay is always the only move, so its place in the order does not matter.
        let bit = self.staying.trailing_zeros();
        self.staying &= self.staying - 1;
        Some(if bit == 0 { Move::STAY } else { Move(1000 + bit as i16) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count =
            self.forward.count_ones() + self.staying.count_ones() + u32::from(self.back != 0);
        (count as usize, Some(count as usize))
    }
}

impl ExactSizeIterator for Moves {}

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

    /// Letter of the card in the text of a position. `Shuffle` has none, since it is shuffled back at once.
    pub(super) fn letter(self) -> Option<char> {
        let first = self.token().chars().nth(1)?.to_ascii_uppercase();
        (self != Card::Shuffle).then_some(first)
    }
}

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

/// The rule that a move breaks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// A card must be drawn first.
    #[error("seat {seat} must draw a card first")]
    CardDue {
        /// Seat that must draw.
        seat: Seat,
    },
    /// All places are decided.
    #[error("the game is over")]
    GameOver,
    /// The hare misses this turn.
    #[error("seat {seat} misses this turn; only 0 is legal")]
    MissesTurn {
        /// The seat to move.
        seat: Seat,
    },
    /// A forced stay although another move is legal.
    #[error("seat {seat} has other moves than 0 and does not miss this turn")]
    NotForced {
        /// The seat to move.
        seat: Seat,
    },
    /// The hare does not have enough carrots for the move.
    #[error("seat {seat}: a move of {steps} costs {cost} carrots, the hare holds {held}")]
    TooFewCarrots {
        /// The seat to move.
        seat: Seat,
        /// Squares forward.
        steps: u8,
        /// Carrots that the move costs.
        cost: u16,
        /// Carrots held, including the income of this turn.
        held: u16,
    },
    /// The target is beyond the finish.
    #[error("seat {seat}: square {target} is beyond the finish, 64")]
    BeyondFinish {
        /// The seat to move.
        seat: Seat,
        /// Target of the move.
        target: u8,
    },
    /// Another hare is on the target.
    #[error("seat {seat}: square {target} is taken by seat {by}")]
    Taken {
        /// The seat to move.
        seat: Seat,
        /// The target.
        target: u8,
        /// Seat of the hare on the target.
        by: Seat,
    },
    /// A move forward onto a hedgehog.
    #[error("seat {seat}: square {target} is a hedgehog, reached only backwards")]
    OntoHedgehog {
        /// The seat to move.
        seat: Seat,
        /// The target.
        target: u8,
    },
    /// A move onto a lettuce square without a lettuce.
    #[error("seat {seat}: square {target} is a lettuce square, the hare has no lettuce")]
    NoLettuce {
        /// The seat to move.
        seat: Seat,
        /// The target.
        target: u8,
    },
    /// Finishing with lettuces in hand.
    #[error("seat {seat}: it cannot finish with {lettuces} lettuces in hand")]
    FinishWithLettuces {
        /// The seat to move.
        seat: Seat,
        /// Lettuces in hand.
        lettuces: u8,
    },
    /// Finishing with too many carrots.
    #[error("seat {seat}: it would finish with {left} carrots, at most {most} are allowed")]
    FinishWithCarrots {
        /// The seat to move.
        seat: Seat,
        /// Carrots left after paying.
        left: u16,
        /// Most carrots that the next finisher may keep.
        most: u16,
    },
    /// A move back that does not end on the nearest hedgehog behind.
    #[error("seat {seat}: the nearest hedgehog behind square {from} is {nearest}")]
    NotNearestHedgehog {
        /// The seat to move.
        seat: Seat,
        /// Square of the hare.
        from: u8,
        /// The nearest hedgehog behind.
        nearest: u8,
    },
    /// A move back without a hedgehog behind.
    #[error("seat {seat}: there is no hedgehog behind square {from}")]
    NoHedgehog {
        /// The seat to move.
        seat: Seat,
        /// Square of the hare.
        from: u8,
    },
    /// Taking or giving carrots on another square than a carrot square.
    #[error("seat {seat}: square {square} is not a carrot square")]
    NotOnCarrots {
        /// The seat to move.
        seat: Seat,
        /// Square of the hare.
        square: u8,
    },
    /// Giving ten carrots with fewer in hand.
    #[error("seat {seat}: it cannot give 10 carrots of {held}")]
    TooFewToGive {
        /// The seat to move.
        seat: Seat,
        /// Carrots held.
        held: u16,
    },
}

/// Reason why a card cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalCard {
    /// No card is due.
    #[error("no card is due")]
    NoneDue,
    /// All cards of the kind are drawn.
    #[error("no {card} is left in the deck")]
    NoneLeft {
        /// The card.
        card: Card,
    },
}

impl Position {
    /// Returns the rule that an illegal move breaks.
    pub(super) fn illegal_move(&self, mv: Move) -> IllegalMove {
        let seat = match self.turn() {
            Turn::Card(seat) => return IllegalMove::CardDue { seat },
            Turn::Over => return IllegalMove::GameOver,
            Turn::Seat(seat) => seat,
        };
        if self.misses_turn(seat) {
            return IllegalMove::MissesTurn { seat };
        }
        let hare = self.hare(seat);
        let held = hare.carrots.saturating_add(self.income(seat));
        match mv.code() {
            0 => IllegalMove::NotForced { seat },
            steps @ 1..=64 => self.illegal_forward_move(seat, steps as u8, held),
            -63..=-1 => {
                let nearest = self.ruleset().track.hedgehog_behind[usize::from(hare.square)];
                let from = hare.square;
                if nearest == 0 {
                    IllegalMove::NoHedgehog { seat, from }
                } else if mv.code().unsigned_abs() != u16::from(from - nearest) {
                    IllegalMove::NotNearestHedgehog { seat, from, nearest }
                } else {
                    self.taken(seat, nearest)
                }
            }
            _ if self.ruleset().track.square(hare.square) != Square::Carrot => {
                IllegalMove::NotOnCarrots { seat, square: hare.square }
            }
            _ => IllegalMove::TooFewToGive { seat, held },
        }
    }

    fn illegal_forward_move(&self, seat: Seat, steps: u8, held: u16) -> IllegalMove {
        let hare = self.hare(seat);
        let target = hare.square + steps;
        let price = cost(steps.into());
        if target > FINISH {
            return IllegalMove::BeyondFinish { seat, target };
        }
        if price > held {
            return IllegalMove::TooFewCarrots { seat, steps, cost: price, held };
        }
        if target == FINISH {
            if hare.lettuces > 0 {
                return IllegalMove::FinishWithLettuces { seat, lettuces: hare.lettuces };
            }
            let (left, most) = (held - price, self.most_at_finish());
            return IllegalMove::FinishWithCarrots { seat, left, most };
        }
        match self.ruleset().track.square(target) {
            Square::Hedgehog => IllegalMove::OntoHedgehog { seat, target },
            Square::Lettuce if hare.lettuces == 0 => IllegalMove::NoLettuce { seat, target },
            _ => self.taken(seat, target),
        }
    }

    fn taken(&self, seat: Seat, target: u8) -> IllegalMove {
        let by = self.hares().iter().position(|hare| hare.square == target);
        // All other rules have been checked, so another hare is there.
        IllegalMove::Taken { seat, target, by: Seat(by.unwrap_or_default() as u8) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_yields_what_it_contains_in_ascending_order() {
        let set = Moves { forward: 1 << 63 | 0b101, back: 6, staying: Moves::TAKE | Moves::GIVE };
        let codes: Vec<i16> = set.map(Move::code).collect();
        assert_eq!(codes, [-6, 1, 3, 64, 1001, 1002]);
        assert_eq!(set.len(), codes.len());
        for code in (-63..=64).chain([1001, 1002]) {
            assert_eq!(set.contains(Move(code)), codes.contains(&code), "{code}");
        }
    }
}
