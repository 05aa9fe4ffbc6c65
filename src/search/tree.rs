//! State of an alpha-beta search, and its values: the lead of one of two sides over the other.
//!
//! With two seats each is a side. With more, the rivals of the root's mover are one side, which only wants to keep the
//! mover from a good place. Source: N. Sturtevant and R. Korf, "On pruning techniques for multi-player games" (2000),
//! the paranoid algorithm.

use super::goal::Goal;
use super::principal_variation::PrincipalVariation;
use super::visits::Visits;
use super::{Aim, MAX_DEPTH, Table, Value};
use crate::eval::{self, CERTAIN, Evaluate, Judge};
use crate::rules::Seat;

/// Value of a decided result, less one for each own move of the root's mover until then.
const DECIDED: i32 = CERTAIN + 100_000;

/// Side of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The root's mover.
    Own,
    /// All its rivals.
    Rivals,
}

/// State of a tree search.
pub struct Tree<'a, G: Evaluate> {
    pub evaluator: &'a Judge<G>,
    /// Node counter and stop flag.
    pub visits: Visits<'a>,
    pub table: &'a Table,
    goal: Goal,
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
    pub fn down(self, mover: Side) -> Path {
        Path { ply: self.ply + 1, own_moves: self.own_moves + i32::from(mover == Side::Own) }
    }
}

impl<'a, G: Evaluate> Tree<'a, G> {
    /// Creates the tree below a position with `root_seat` to move.
    pub fn new(
        root: &G,
        root_seat: Seat,
        aim: Aim,
        evaluator: &'a Judge<G>,
        table: &'a Table,
        visits: Visits<'a>,
    ) -> Tree<'a, G> {
        // With two seats, first place is the share.
        let aim = if root.seats() == 2 { Aim::Placement } else { aim };
        Tree {
            evaluator,
            visits,
            table,
            goal: Goal::new(root, root_seat, aim),
            reached_horizon: false,
            killers: [None; MAX_DEPTH as usize + 1],
            pv: PrincipalVariation::new(),
        }
    }

    /// Key of a position in the table. It includes the goal, since values and proofs hold for no other.
    #[inline]
    pub fn key(&self, position: &G) -> u64 {
        position.key() ^ self.goal.key()
    }

    /// Side of a seat.
    #[inline]
    pub fn side(&self, seat: Seat) -> Side {
        if seat == self.goal.seat { Side::Own } else { Side::Rivals }
    }

    /// Static lead of a side while the place of the root's mover is open; a card may be due in the position.
    #[inline]
    pub fn static_lead(&self, side: Side, position: &G) -> i32 {
        let goal = self.goal;
        let own = if goal.seats == 2 {
            let lead = eval::static_lead_of_two(self.evaluator, position);
            if goal.seat.0 == 0 { lead } else { -lead }
        } else {
            let leads = eval::static_leads(self.evaluator, position);
            goal.lead(leads[goal.seat.index()], || {
                eval::first_chance(self.evaluator, position, goal.seat)
            })
        };
        if side == Side::Own { own } else { -own }
    }

    /// Lead of a side once the place of the root's mover is decided, after `own_moves` of its moves.
    #[inline]
    pub fn decided_lead(&self, side: Side, position: &G, own_moves: i32) -> Option<i32> {
        let goal = self.goal;
        let place = position.place(goal.seat)?;
        let own = match place {
            _ if place == goal.best_open_place => DECIDED - own_moves,
            _ if place == goal.seats => own_moves - DECIDED,
            _ => goal.lead(goal.sum_of_place(place), || 0.0),
        };
        Some(if side == Side::Own { own } else { -own })
    }

    /// Value for all seats of a lead of the root's mover, found along `line`.
    ///
    /// The search knows only the mover's lead. The rivals divide the rest as they do at the end of the line, see
    /// [`Goal::with_own`].
    pub fn value(&self, root: &G, line: &[G::Move], lead: i32) -> Value {
        let goal = self.goal;
        let mate = match lead {
            _ if lead > CERTAIN => DECIDED - lead,
            // Several rivals need not play for the mover's last place.
            _ if lead < -CERTAIN && goal.seats == 2 => -DECIDED - lead,
            _ => 0,
        };
        let mut end = *root;
        let mut last_open = *root;
        for &mv in line {
            last_open = end;
            end = end.play_unchecked(mv);
        }
        let mut leads = eval::static_leads(self.evaluator, &end);
        let own = goal.sum_of_lead(lead.clamp(-CERTAIN, CERTAIN));
        if leads[goal.seat.index()] != own && (!goal.is_first || mate != 0) {
            if end.place(goal.seat).is_some() {
                end = last_open;
                leads = eval::static_leads(self.evaluator, &end);
            }
            leads = goal.with_own(leads, own, &end);
        }
        Value { leads, mate, seats: goal.seats }
    }
}
