//! What searches by the default evaluation share while they walk the tree.

use super::principal_variation::PrincipalVariation;
use super::visits::Visits;
use super::{MAX_DEPTH, Table, Value};
use crate::eval::{self, CERTAIN, Evaluate, Judge};
use crate::rules::Seat;

/// A decided result is worth this much, less one for each own move of the root's mover until then.
const DECIDED: i32 = CERTAIN + 100_000;

/// A search tree that is being walked.
pub struct Tree<'a, G: Evaluate> {
    /// What evaluates positions.
    pub evaluator: &'a Judge<G>,
    /// Counting and stopping.
    pub visits: Visits<'a>,
    /// Values of positions reached before.
    pub table: &'a Table,
    /// The seat that moves at the root.
    pub root_seat: Seat,
    /// The best place that is open at the root.
    best_open_place: usize,
    /// Whether a position was estimated for want of depth since it was set to false.
    pub reached_horizon: bool,
    /// The last move of each ply that the rival would not have allowed. Positions that differ by a card
    /// have much the same replies.
    pub killers: [Option<G::Move>; MAX_DEPTH as usize + 1],
    /// The best lines.
    pub pv: PrincipalVariation<G::Move>,
}

/// Where a node is: how far below the root, and how many moves of the root's mover.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Plies from the root.
    pub ply: usize,
    /// Own moves of the root's mover.
    pub own_moves: i32,
}

impl Path {
    /// The path to the child that a move of `mover` leads to.
    pub fn down<G: Evaluate>(self, mover: Seat, tree: &Tree<'_, G>) -> Path {
        let own = i32::from(mover == tree.root_seat);
        Path {
            ply: self.ply + 1,
            own_moves: self.own_moves + own,
        }
    }
}

impl<'a, G: Evaluate> Tree<'a, G> {
    /// The tree below a position in which `root_seat` moves.
    pub fn new(
        root: &G,
        root_seat: Seat,
        evaluator: &'a Judge<G>,
        table: &'a Table,
        visits: Visits<'a>,
    ) -> Tree<'a, G> {
        Tree {
            evaluator,
            visits,
            table,
            root_seat,
            best_open_place: root.best_open_place(),
            reached_horizon: false,
            killers: [None; MAX_DEPTH as usize + 1],
            pv: PrincipalVariation::new(),
        }
    }

    /// The key of a position in the table. What is certain is counted in moves of the root's mover, so that what was
    /// found for the other seat is not found again.
    #[inline]
    pub fn key(&self, position: &G) -> u64 {
        position.key() ^ u64::from(self.root_seat.0) << 63
    }

    /// The certainty of the root mover's place after `own_moves` of its moves; see [`Value::mate`].
    pub fn mate(&self, position: &G, own_moves: i32) -> i32 {
        match position.place(self.root_seat) {
            Some(place) if place == self.best_open_place => own_moves,
            Some(place) if place == position.seats() => -own_moves,
            _ => 0,
        }
    }

    /// The lead of `seat` as a position stands, in which a card may be due.
    #[inline]
    pub fn static_lead(&self, seat: Seat, position: &G) -> i32 {
        let lead = eval::static_lead_of_two(self.evaluator, position);
        if seat.0 == 0 { lead } else { -lead }
    }

    /// The static value of a position.
    pub fn static_value(&self, position: &G, own_moves: i32) -> Value {
        Value {
            leads: eval::static_leads(self.evaluator, position),
            mate: self.mate(position, own_moves),
        }
    }
}

/// The lead of a seat that is first of two, decided after as many own moves of the root's mover.
pub fn decided_lead(is_first: bool, own_moves: i32) -> i32 {
    let lead = DECIDED - own_moves;
    if is_first { lead } else { -lead }
}

/// The value to all of a lead that `seat` has over the other of two.
pub fn value_of_two(lead: i32, seat: Seat) -> Value {
    let mut leads = [0; crate::rules::MAX_SEATS];
    let clamped = lead.clamp(-CERTAIN, CERTAIN);
    leads[seat.index()] = clamped;
    leads[1 - seat.index()] = -clamped;
    let mate = match lead {
        _ if lead > CERTAIN => DECIDED - lead,
        _ if lead < -CERTAIN => -DECIDED - lead,
        _ => 0,
    };
    Value { leads, mate }
}

/// The lead of `seat`, one of two, from a value: what [`value_of_two`] was made of.
pub fn lead_of_two(value: &Value, seat: Seat) -> i32 {
    match value.mate {
        0 => value.leads[seat.index()],
        mate if mate > 0 => DECIDED - mate,
        mate => -DECIDED - mate,
    }
}

impl Value {
    /// The value to the root's mover as one number: the larger the better, a certain place the sooner
    /// the better and a certain last place the later.
    pub fn rank(&self, seat: Seat) -> i64 {
        i64::from(self.leads[seat.index()]) * (1 << 20) + self.mate_rank()
    }

    /// The part of [`Value::rank`] that tells certain results apart.
    pub fn mate_rank(&self) -> i64 {
        match self.mate {
            0 => 0,
            mate if mate > 0 => (1 << 19) - i64::from(mate),
            mate => -(1 << 19) - i64::from(mate),
        }
    }
}
