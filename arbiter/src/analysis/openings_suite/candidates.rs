//! Candidates for a suite: random plies from the start. Each candidate follows from the seed and its number.

use std::collections::HashSet;

use buxtehude::rules::{AnyPosition, Seat, Turn};
use rand::RngExt;

use super::SuitePlan;
use matches::plan::Opening;
use matches::plan::deck::Deck;
use matches::plan::schedule::play_random_ply;
use matches::plan::seed::Purpose;

/// Iterator over the numbered candidates of a plan, from 0.
pub struct Candidates<'a> {
    plan: &'a SuitePlan,
    next: u64,
    /// Texts of all positions drawn.
    seen: HashSet<String>,
}

/// Result of one draw.
pub enum Drawn {
    /// A new position.
    Fresh(Candidate),
    /// A position that an earlier candidate has.
    Repeated,
    /// No position: a seat would have finished before the last ply.
    Short,
}

/// An opening to judge.
pub struct Candidate {
    /// Arguments of `position` in the protocol.
    pub line: String,
    /// The position reached.
    pub position: AnyPosition,
    /// The seat to move there.
    pub mover: Seat,
}

impl<'a> Candidates<'a> {
    pub fn new(plan: &'a SuitePlan) -> Candidates<'a> {
        Candidates {
            plan,
            next: 0,
            seen: HashSet::new(),
        }
    }

    /// Draws the candidate of a number; `None` if a seat would finish too early.
    fn draw(&self, number: u64) -> Option<Candidate> {
        let (cards, mut rng) = self.plan.seed.numbered(Purpose::Candidates, number);
        let mut deck = Deck::new(cards);
        let plies = rng.random_range(self.plan.plies.clone());
        let mut position = self.plan.variant.start(self.plan.seats).ok()?;
        let mut moves = Vec::new();
        for _ in 0..plies {
            if !play_random_ply(&mut position, &mut moves, &mut rng, &mut deck) {
                return None;
            }
        }
        let Turn::Seat(mover) = position.turn() else {
            return None;
        };
        let opening = Opening { start: None, moves };
        Some(Candidate {
            line: opening.line(self.plan.seats),
            position,
            mover,
        })
    }
}

impl Iterator for Candidates<'_> {
    type Item = (u64, Drawn);

    fn next(&mut self) -> Option<(u64, Drawn)> {
        let number = self.next;
        if number >= self.plan.tries {
            return None;
        }
        self.next += 1;
        let drawn = match self.draw(number) {
            None => Drawn::Short,
            Some(candidate) if !self.seen.insert(candidate.position.to_string()) => Drawn::Repeated,
            Some(candidate) => Drawn::Fresh(candidate),
        };
        Some((number, drawn))
    }
}
