//! A slow proof of certain places, which tries all cards and all moves of the rivals.

use std::collections::HashMap;

use buxtehude::rules::hase::Position;
use buxtehude::rules::{Game, Seat, Turn};

use super::slow::{best_open_place, mover};

/// `true` if a reported mate of a root move is correct. If positive, the root's mover can force the best open place
/// within `mate` own moves, including the root move. If negative, it comes in last by then against any play; in a game
/// of two seats, if the rival plays for that.
pub fn holds(root: &Position, next: &Position, mate: i32) -> bool {
    let mover = mover(root);
    let mut proof = Proof {
        mover,
        is_good: mate > 0,
        seats: root.seats(),
        place: if mate > 0 { best_open_place(root) } else { root.seats() },
        known: HashMap::new(),
    };
    mate != 0 && proof.is_certain(next, mate.unsigned_abs() - 1)
}

struct Proof {
    mover: Seat,
    /// `true` if the mover wants the place; `false` if it avoids it where possible.
    is_good: bool,
    seats: usize,
    place: usize,
    known: HashMap<(u64, u32), bool>,
}

impl Proof {
    /// `true` if the place is certain within `own_moves` further moves of the mover.
    fn is_certain(&mut self, position: &Position, own_moves: u32) -> bool {
        if let Some(place) = position.place(self.mover) {
            return place == self.place;
        }
        if let Some(&known) = self.known.get(&(position.key(), own_moves)) {
            return known;
        }
        // A repetition of the position proves nothing.
        self.known.insert((position.key(), own_moves), false);
        let is_certain = match position.turn() {
            Turn::Card(_) => position
                .outcomes()
                .all(|(card, _)| self.is_certain(&position.draw_unchecked(card), own_moves)),
            Turn::Seat(seat) if seat == self.mover => {
                let is_good = self.is_good;
                let mut moves = position.legal_moves();
                let mut after = |mv| self.is_certain(&position.play_unchecked(mv), own_moves - 1);
                match own_moves {
                    0 => false,
                    _ if is_good => moves.any(&mut after),
                    _ => moves.all(&mut after),
                }
            }
            _ => {
                let rival_wants_it = self.seats == 2 && !self.is_good;
                let mut moves = position.legal_moves();
                let mut after = |mv| self.is_certain(&position.play_unchecked(mv), own_moves);
                if rival_wants_it { moves.any(&mut after) } else { moves.all(&mut after) }
            }
        };
        self.known.insert((position.key(), own_moves), is_certain);
        is_certain
    }
}
