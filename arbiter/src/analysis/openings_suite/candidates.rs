//! Candidates for a suite: random plies from the start, each line following from the seed and its number.

use std::collections::HashSet;

use buxtehude::rules::{AnyPosition, Seat, Turn};
use rand::RngExt;

use super::SuitePlan;
use matches::plan::Opening;
use matches::plan::deck::Deck;
use matches::plan::schedule::play_random_ply;
use matches::plan::seed::Purpose;

/// All candidates of a plan in the order of their numbers, counted from 0.
pub struct Candidates<'a> {
    plan: &'a SuitePlan,
    next: u64,
    /// The texts of all positions so far.
    seen: HashSet<String>,
}

/// What the next number gives.
pub enum Drawn {
    /// A position that has not been there before.
    Fresh(Candidate),
    /// One that has.
    Repeated,
    /// None: a seat would have finished before all plies were played.
    Short,
}

/// An opening to be judged.
pub struct Candidate {
    /// What follows `position` in the protocol.
    pub line: String,
    /// Where it leads.
    pub position: AnyPosition,
    /// Whose turn it is there.
    pub mover: Seat,
}

impl<'a> Candidates<'a> {
    /// The candidates of a plan, none of them drawn yet.
    pub fn new(plan: &'a SuitePlan) -> Candidates<'a> {
        Candidates {
            plan,
            next: 0,
            seen: HashSet::new(),
        }
    }

    /// The candidate of a number, or `None` where it is short.
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
