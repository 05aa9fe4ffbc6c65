//! Solved endings of two hares, as a measure for nets and searches.
//!
//! The value of a position is the first seat's chance of finishing first when both play optimally. It is kept as a
//! lower and an upper bound, at first 0 and 1. A search some plies deep, with 0 and 1 at its leaves, tightens them, and
//! deeper searches tighten them further. The bounds hold at any depth, so moves whose upper bound is below the lower
//! bound of another are never searched again. The value of a game that never ends lies within the bounds too.
//!
//! Source: B. Ballard, "The *-minimax search procedure for trees containing chance nodes" (1983), for bounds through
//! chance nodes; H. Berliner, "The B* tree search algorithm" (1979), for two bounds per position.

use std::collections::HashMap;
use std::fmt;

use buxtehude::rules::hase::Position;
use buxtehude::rules::{Game, Seat, Turn};

use crate::player::Player;
use crate::records::RecordedGame;

/// Largest difference between the bounds of a solved position.
const NEAR: f64 = 0.002;

/// Growth of the depth, in plies.
const DEPTH_STEP: u32 = 2;

/// Bounds of a position's value.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    least: f64,
    most: f64,
    /// Search depth in plies.
    depth: u32,
}

impl Bounds {
    const UNKNOWN: Bounds = Bounds { least: 0.0, most: 1.0, depth: 0 };

    fn exactly(value: f64) -> Bounds {
        Bounds { least: value, most: value, depth: u32::MAX }
    }

    /// Converts bounds of the first seat's chance to bounds of `seat`'s chance, or back.
    fn seen_by(self, seat: Seat) -> Bounds {
        match seat {
            Seat(0) => self,
            _ => Bounds { least: 1.0 - self.most, most: 1.0 - self.least, ..self },
        }
    }

    fn are_one(&self) -> bool {
        self.most - self.least <= NEAR
    }
}

/// Solves endings, with a table of the bounds found.
#[derive(Debug)]
pub struct Solver {
    known: HashMap<u64, Bounds>,
    /// Largest number of positions per ending.
    most_positions: usize,
}

impl Solver {
    /// Creates a solver that gives up an ending after this number of positions.
    pub fn new(most_positions: usize) -> Solver {
        Solver { known: HashMap::new(), most_positions }
    }

    /// Returns the first seat's chance of finishing first, within a thousandth, or `None` if that would take too many
    /// positions.
    ///
    /// # Panics
    /// If there are not two seats.
    pub fn value(&mut self, position: &Position) -> Option<f64> {
        assert_eq!(position.seats(), 2, "an ending has two hares");
        self.known.clear();
        for depth in (DEPTH_STEP..).step_by(DEPTH_STEP as usize) {
            let bounds = self.look(position, depth)?;
            if bounds.are_one() {
                return Some((bounds.least + bounds.most) / 2.0);
            }
        }
        None
    }

    /// Returns bounds after a search to a depth, or `None` once the limit of positions is reached.
    fn look(&mut self, position: &Position, depth: u32) -> Option<Bounds> {
        let before = self.known_of(position);
        if before.depth >= depth || before.least >= before.most {
            return Some(before);
        }
        if self.known.len() >= self.most_positions {
            return None;
        }
        let (least, most) = match position.turn() {
            Turn::Card(_) => self.over_cards(position, depth - 1)?,
            Turn::Seat(mover) => self.over_moves(position, mover, depth - 1)?,
            Turn::Over => return Some(before),
        };
        let bounds = Bounds { least: least.max(before.least), most: most.min(before.most), depth };
        self.known.insert(position.key(), bounds);
        Some(bounds)
    }

    fn known_of(&self, position: &Position) -> Bounds {
        match position.place(Seat(0)) {
            Some(place) => Bounds::exactly(f64::from(u8::from(place == 1))),
            None => *self.known.get(&position.key()).unwrap_or(&Bounds::UNKNOWN),
        }
    }

    /// Weighted mean over the cards.
    fn over_cards(&mut self, position: &Position, depth: u32) -> Option<(f64, f64)> {
        let (mut least, mut most, mut whole) = (0.0, 0.0, 0.0);
        for (card, weight) in position.outcomes() {
            let bounds = self.look(&position.draw_unchecked(card), depth)?;
            let weight = f64::from(weight);
            least += weight * bounds.least;
            most += weight * bounds.most;
            whole += weight;
        }
        Some((least / whole, most / whole))
    }

    /// Bounds for the best move of `mover`, from the point of view of the first seat.
    fn over_moves(&mut self, position: &Position, mover: Seat, depth: u32) -> Option<(f64, f64)> {
        let moves = position.legal_moves();
        let mut after: Vec<(Position, Bounds)> = moves
            .map(|mv| position.play_unchecked(mv))
            .map(|next| (next, self.known_of(&next).seen_by(mover)))
            .collect();
        after.sort_by(|(_, a), (_, b)| b.most.total_cmp(&a.most).then(b.least.total_cmp(&a.least)));
        let sure = after.iter().map(|(_, bounds)| bounds.least);
        let mut best = Bounds { least: sure.fold(0.0, f64::max), most: 0.0, depth };
        for (next, known) in after {
            // The later moves have no larger upper bound.
            if known.most <= best.least {
                break;
            }
            let bounds = self.look(&next, depth)?.seen_by(mover);
            best.least = best.least.max(bounds.least);
            best.most = best.most.max(bounds.most);
        }
        best.most = best.most.max(best.least);
        let best = best.seen_by(mover);
        Some((best.least, best.most))
    }
}

/// Mean errors of the expected results against solved endings, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    pub solved: usize,
    /// Endings given up.
    pub given_up: usize,
    /// Error of the static chance of finishing first.
    pub by_static_evaluation: f64,
    /// Error of the chance according to the player's search.
    pub searched: f64,
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} endings solved, {} given up\n\
             mean error of the chance of finishing first: static {:.4}, with search {:.4}",
            self.solved, self.given_up, self.by_static_evaluation, self.searched
        )
    }
}

/// Compares a player that searches with the solved endings of two-seat games. It uses the first position of each game
/// where both hares are at most `turns` turns from home.
///
/// # Panics
/// If a game does not have two seats.
pub fn errors(
    player: &mut Player,
    games: &[RecordedGame],
    turns: u32,
    solver: &mut Solver,
) -> Errors {
    let first = Seat(0);
    let mut errors = Errors::default();
    for game in games {
        let is_near = |position: &&Position| {
            let ways = [first, Seat(1)].map(|seat| position.turns_home(seat));
            ways.iter().all(|way| way.is_some_and(|way| way <= turns))
        };
        let mut positions = game.plies.iter().map(|ply| &ply.before);
        let Some(position) = positions.find(is_near) else {
            continue;
        };
        let Some(value) = solver.value(position) else {
            errors.given_up += 1;
            continue;
        };
        player.begin();
        let expected = player.searched(position);
        let searched = expected.map_or(value, |(_, wins)| f64::from(wins[0]));
        errors.solved += 1;
        errors.searched += (searched - value).abs();
        errors.by_static_evaluation += (f64::from(player.wins(position, first)) - value).abs();
    }
    errors.by_static_evaluation /= errors.solved as f64;
    errors.searched /= errors.solved as f64;
    errors
}
