//! Endings of two hares, solved: a yardstick for what a net and a search make of them.
//!
//! The value of a position is the chance of the first seat to finish first when both do their best and the cards fall
//! as they may. It is kept between two bounds. At first these are 0 and 1; a look some plies ahead, with 0 and 1 at
//! its ends, narrows them, and a longer look narrows them further. What bounds say is true however far it was looked,
//! so that moves whose bound is below what another is sure of are never looked at again. A game that never ends lies
//! between the bounds too.
//!
//! Source: B. Ballard, "The *-minimax search procedure for trees containing chance nodes" (1983), for bounds through
//! chance; H. Berliner, "The B* tree search algorithm" (1979), for two bounds a position.

use std::collections::HashMap;

use buxtehude::rules::hase::Position;
use buxtehude::rules::{Game, Seat, Turn};

use crate::player::Player;
use crate::records::Played;

/// Bounds this near each other are one value.
const NEAR: f64 = 0.002;

/// A longer look is so many plies longer.
const STEP: u32 = 2;

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    least: f64,
    most: f64,
    /// How many plies ahead it was looked.
    depth: u32,
}

impl Bounds {
    const UNKNOWN: Bounds = Bounds {
        least: 0.0,
        most: 1.0,
        depth: 0,
    };

    fn exactly(value: f64) -> Bounds {
        Bounds {
            least: value,
            most: value,
            depth: u32::MAX,
        }
    }

    /// The same for the chance of a seat, of the chance of the first.
    fn seen_by(self, seat: Seat) -> Bounds {
        match seat {
            Seat(0) => self,
            _ => Bounds {
                least: 1.0 - self.most,
                most: 1.0 - self.least,
                ..self
            },
        }
    }

    fn are_one(&self) -> bool {
        self.most - self.least <= NEAR
    }
}

/// Solves endings, and remembers what it found on the way.
#[derive(Debug)]
pub struct Solver {
    known: HashMap<u64, Bounds>,
    /// Positions that one ending may take.
    most_positions: usize,
}

impl Solver {
    /// A solver that gives an ending up after so many positions.
    pub fn new(most_positions: usize) -> Solver {
        Solver {
            known: HashMap::new(),
            most_positions,
        }
    }

    /// The chance of the first seat to finish first, within a thousandth; `None` where that would take too many
    /// positions.
    ///
    /// # Panics
    /// Unless there are two seats.
    pub fn value(&mut self, position: &Position) -> Option<f64> {
        assert_eq!(position.seats(), 2, "endings are those of two hares");
        self.known.clear();
        for depth in (STEP..).step_by(STEP as usize) {
            let bounds = self.look(position, depth)?;
            if bounds.are_one() {
                return Some((bounds.least + bounds.most) / 2.0);
            }
        }
        None
    }

    /// Bounds after a look so many plies ahead; `None` once the positions are used up.
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
        let bounds = Bounds {
            least: least.max(before.least),
            most: most.min(before.most),
            depth,
        };
        self.known.insert(position.key(), bounds);
        Some(bounds)
    }

    fn known_of(&self, position: &Position) -> Bounds {
        match position.place(Seat(0)) {
            Some(place) => Bounds::exactly(f64::from(u8::from(place == 1))),
            None => *self.known.get(&position.key()).unwrap_or(&Bounds::UNKNOWN),
        }
    }

    /// The mean over the cards, weighted.
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

    /// What the best move leaves to `mover`, as the first seat sees it.
    fn over_moves(&mut self, position: &Position, mover: Seat, depth: u32) -> Option<(f64, f64)> {
        let moves = position.legal_moves();
        let mut after: Vec<(Position, Bounds)> = moves
            .map(|mv| position.play_unchecked(mv))
            .map(|next| (next, self.known_of(&next).seen_by(mover)))
            .collect();
        after.sort_by(|(_, a), (_, b)| b.most.total_cmp(&a.most).then(b.least.total_cmp(&a.least)));
        let sure = after.iter().map(|(_, bounds)| bounds.least);
        let mut best = Bounds {
            least: sure.fold(0.0, f64::max),
            most: 0.0,
            depth,
        };
        for (next, known) in after {
            // No later move can be worth more either.
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

/// How far from solved endings what is expected of them is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Endings solved.
    pub solved: usize,
    /// Endings that were given up.
    pub given_up: usize,
    at_first_sight: f64,
    searched: f64,
}

impl Errors {
    /// The mean error of the chance to finish first at first sight, from 0 to 1.
    pub fn at_first_sight(&self) -> f64 {
        self.at_first_sight / self.solved as f64
    }

    /// The same of what the player's search expects.
    pub fn searched(&self) -> f64 {
        self.searched / self.solved as f64
    }
}

/// Holds a player with a search against the endings of games of two: the first position of each in which both hares are
/// this many turns from home or fewer.
///
/// # Panics
/// Where a game is not of two.
pub fn errors(player: &mut Player, games: &[Played], turns: u32, solver: &mut Solver) -> Errors {
    let first = Seat(0);
    let mut errors = Errors::default();
    for (positions, _) in games {
        let is_near = |position: &&Position| {
            let ways = [first, Seat(1)].map(|seat| position.turns_home(seat));
            ways.iter().all(|way| way.is_some_and(|way| way <= turns))
        };
        let Some(position) = positions.iter().find(is_near) else {
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
        errors.at_first_sight += (f64::from(player.wins(position, first)) - value).abs();
    }
    errors
}
