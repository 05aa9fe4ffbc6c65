//! State of a search with the default evaluation.

use super::principal_variation::PrincipalVariation;
use super::visits::Visits;
use super::{MAX_DEPTH, Table, Value};
use crate::eval::{self, CERTAIN, Evaluate, Judge};
use crate::rules::Seat;

/// Value of a decided result, less one for each own move of the root's mover until then.
const DECIDED: i32 = CERTAIN + 100_000;

/// State of a tree search.
pub struct Tree<'a, G: Evaluate> {
    pub evaluator: &'a Judge<G>,
    /// Node counter and stop flag.
    pub visits: Visits<'a>,
    pub table: &'a Table,
    /// Seat that moves at the root.
    pub root_seat: Seat,
    /// Best place that is open at the root.
    best_open_place: usize,
    /// Set when a position is evaluated at the depth limit; the caller resets it.
    pub reached_horizon: bool,
    /// Last move of each ply that caused a cutoff. Positions that differ only by a card have similar replies.
    pub killers: [Option<G::Move>; MAX_DEPTH as usize + 1],
    /// Principal variation.
    pub pv: PrincipalVariation<G::Move>,
}

/// Depth of a node below the root, in plies and in moves of the root's mover.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Plies from the root.
    pub ply: usize,
    /// Moves of the root's mover.
    pub own_moves: i32,
}

impl Path {
    /// Path to the child after a move of `mover`.
    pub fn down<G: Evaluate>(self, mover: Seat, tree: &Tree<'_, G>) -> Path {
        let own = i32::from(mover == tree.root_seat);
        Path {
            ply: self.ply + 1,
            own_moves: self.own_moves + own,
        }
    }
}

impl<'a, G: Evaluate> Tree<'a, G> {
    /// Creates the tree below a position with `root_seat` to move.
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

    /// Key of a position in the table. It includes the root's mover, since proofs count that seat's moves and are not
    /// valid for the other seat.
    #[inline]
    pub fn key(&self, position: &G) -> u64 {
        position.key() ^ u64::from(self.root_seat.0) << 63
    }

    /// Certainty of the root mover's place after `own_moves` of its moves; see [`Value::mate`].
    pub fn mate(&self, position: &G, own_moves: i32) -> i32 {
        match position.place(self.root_seat) {
            Some(place) if place == self.best_open_place => own_moves,
            Some(place) if place == position.seats() => -own_moves,
            _ => 0,
        }
    }

    /// Static lead of `seat`; a card may be due in the position.
    #[inline]
    pub fn static_lead(&self, seat: Seat, position: &G) -> i32 {
        let lead = eval::static_lead_of_two(self.evaluator, position);
        if seat.0 == 0 { lead } else { -lead }
    }

    /// Static value of a position.
    pub fn static_value(&self, position: &G, own_moves: i32) -> Value {
        Value {
            leads: eval::static_leads(self.evaluator, position),
            mate: self.mate(position, own_moves),
        }
    }
}

/// Lead of a seat that is decided after `own_moves` moves of the root's mover; `is_first` if the seat is first of two.
pub fn decided_lead(is_first: bool, own_moves: i32) -> i32 {
    let lead = DECIDED - own_moves;
    if is_first { lead } else { -lead }
}

/// Value to both seats if `seat` has a lead over the other of two.
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

/// Lead of `seat`, one of two, from a value; inverse of [`value_of_two`].
pub fn lead_of_two(value: &Value, seat: Seat) -> i32 {
    match value.mate {
        0 => value.leads[seat.index()],
        mate if mate > 0 => DECIDED - mate,
        mate => -DECIDED - mate,
    }
}

impl Value {
    /// Value to the root's mover as one number, larger for better values: a certain best place ranks higher the sooner
    /// it comes, a certain last place the later.
    pub fn rank(&self, seat: Seat) -> i64 {
        let certainty = match i64::from(self.mate) {
            0 => 0,
            mate => mate.signum() * (1 << 19) - mate,
        };
        i64::from(self.leads[seat.index()]) * (1 << 20) + certainty
    }
}
