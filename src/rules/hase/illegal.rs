//! Errors of illegal moves and cards: the rule that is broken, with its numbers.

use thiserror::Error;

use super::cards::Card;
use super::moves::Move;
use super::position::Position;
use super::track::{FINISH, Square, cost};
use crate::rules::{Game, Seat, Turn};

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
