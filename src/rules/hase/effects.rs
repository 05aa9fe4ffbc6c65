//! Effects of moves and cards on a position.
//!
//! Each effect reads its position and writes a new one. The search plays many moves from one position, whose data stay
//! the same for all of them. Since the effects are inlined into its loop over the moves, income, square and next seat
//! are computed only once.

use super::cards::Card;
use super::moves::Move;
use super::position::{Hare, Position};
use super::track::{FINISH, TEN_CARROTS, cost};
use crate::rules::Seat;

impl Position {
    /// Returns the position after a legal move.
    #[inline(always)]
    pub(super) fn after_move(&self, mv: Move) -> Position {
        match mv.code() {
            steps @ 1..=64 => self.after_step_forward(steps as u16),
            0 => self.after_forced_stay(),
            back @ -63..=-1 => self.after_step_back(back.unsigned_abs()),
            code => {
                let held = self.held_with_income();
                self.after_stay(if code == Move::TAKE.code() {
                    held.saturating_add(TEN_CARROTS)
                } else {
                    held - TEN_CARROTS
                })
            }
        }
    }

    #[inline(always)]
    fn after_step_forward(&self, steps: u16) -> Position {
        let mover = self.mover();
        let price = cost(steps);
        let square = mover.square + steps as u8;
        let carrots = self.held_with_income() - price;
        let mut next = self.with_mover(Hare { carrots, square, ..mover });
        next.occupied = self.without_mover();
        if square == FINISH {
            next.order[usize::from(self.finished)] = self.seat;
            next.finished = self.finished + 1;
            next.racing = self.racing & !(1 << self.seat);
            next.seat = self.seat_after(next.racing);
            return next;
        }
        let bit = 1u64 << square;
        let track = &self.ruleset.track;
        let draws = track.hares & bit != 0;
        next.occupied |= bit;
        next.paid = if draws { price } else { 0 };
        next.missing = self.missing | u8::from(track.lettuces & bit != 0) << self.seat;
        next.seat = if draws { self.seat } else { self.seat_after(self.racing) };
        next
    }

    #[inline(always)]
    fn after_step_back(&self, steps: u16) -> Position {
        let mover = self.mover();
        let square = mover.square - steps as u8;
        let carrots = self.held_with_income().saturating_add(TEN_CARROTS * steps);
        let mut next = self.with_mover(Hare { carrots, square, ..mover });
        next.occupied = self.without_mover() | 1 << square;
        next.seat = self.seat_after(self.racing);
        next
    }

    #[inline(always)]
    fn after_stay(&self, carrots: u16) -> Position {
        let mut next = self.with_mover(Hare { carrots, ..self.mover() });
        next.seat = self.seat_after(self.racing);
        next
    }

    fn after_forced_stay(&self) -> Position {
        let mut mover = self.mover();
        if !self.misses_turn(Seat(self.seat)) {
            // No other move is legal: the hare goes back to the start, and the same seat moves again.
            let mut next =
                self.with_mover(Hare { square: 0, carrots: self.ruleset.carrots, ..mover });
            next.occupied = self.without_mover();
            return next;
        }
        if self.ruleset.track.lettuces >> mover.square & 1 == 1 {
            mover.lettuces -= 1;
            mover.gain(self.income(Seat(self.seat)));
        }
        let mut next = self.with_mover(mover);
        next.missing = self.missing & !(1 << self.seat);
        next.seat = self.seat_after(self.racing);
        next
    }

    /// Returns the position after drawing a card that is left in the deck.
    #[inline(always)]
    pub(super) fn after_card(&self, card: Card) -> Position {
        let mut next = *self;
        let mark = 1 << self.seat;
        let mut mover = self.mover();
        next.paid = 0;
        next.drawn[card as usize] += 1;
        next.seat = self.seat_after(self.racing);
        match card {
            Card::Behind => {
                let ahead = self.rank(Seat(self.seat)) - 1;
                let behind = u16::from(self.seats) - 1 - ahead;
                if behind > ahead {
                    next.missing |= mark;
                } else {
                    next.seat = self.seat;
                }
            }
            Card::Draw if mover.lettuces == 0 => next.missing |= mark,
            Card::Draw => mover.gain(10 * u16::from(mover.lettuces)),
            Card::Restore => mover.carrots = Card::RESTORED,
            Card::Half => mover.carrots = mover.carrots.div_ceil(2),
            Card::Free => mover.gain(self.paid),
            Card::Show => {}
            Card::Give => mover.carrots -= next.give_to_those_behind(mover),
            Card::Shuffle => {
                mover.gain(next.collect_from_others(self.seat));
                next.drawn = [0; 8];
            }
        }
        next.hares[usize::from(self.seat)] = mover;
        next
    }

    /// Gives ten carrots to every hare behind, or five, or one, or none; returns the sum.
    fn give_to_those_behind(&mut self, giver: Hare) -> u16 {
        let behind = |hare: &Hare| hare.square < giver.square;
        let receivers = self.hares().iter().filter(|hare| behind(hare)).count() as u16;
        let gift = [10, 5, 1].into_iter().find(|gift| gift * receivers <= giver.carrots);
        let gift = gift.unwrap_or(0);
        for hare in &mut self.hares[..usize::from(self.seats)] {
            if behind(hare) {
                hare.gain(gift);
            }
        }
        gift * receivers
    }

    /// Takes a carrot from every hare in the race that has one, except the collector's; returns the sum.
    fn collect_from_others(&mut self, collector: u8) -> u16 {
        let mut collected = 0;
        for (seat, hare) in (0..self.seats).zip(&mut self.hares) {
            if seat != collector && hare.square != FINISH && hare.carrots > 0 {
                hare.carrots -= 1;
                collected += 1;
            }
        }
        collected
    }

    /// The position with another state of the hare to move.
    #[inline(always)]
    fn with_mover(&self, hare: Hare) -> Position {
        let mut next = *self;
        // Reading the seat back from the copy just written would stall on the store.
        next.hares[usize::from(self.seat)] = hare;
        next
    }

    /// Squares occupied by the other hares.
    #[inline(always)]
    fn without_mover(&self) -> u64 {
        self.occupied & !(1u64 << self.mover().square)
    }

    /// Next seat in the mask `racing` after the one to move.
    #[inline(always)]
    fn seat_after(&self, racing: u8) -> u8 {
        let later = racing & 0xFEu8.unbounded_shl(self.seat.into());
        let next = if later != 0 { later } else { racing };
        next.trailing_zeros() as u8
    }
}

impl Hare {
    /// Adds carrots, up to the limit of 65535.
    fn gain(&mut self, carrots: u16) {
        self.carrots = self.carrots.saturating_add(carrots);
    }
}
