//! State of an alpha-beta search, and its values: the lead of one of two sides over the other.
//!
//! With two seats each is a side. With more, the rivals of the root's mover are one side, which only wants to keep the
//! mover from a good place. Source: N. Sturtevant and R. Korf, "On pruning techniques for multi-player games" (2000),
//! the paranoid algorithm.

use super::principal_variation::PrincipalVariation;
use super::visits::Visits;
use super::{Aim, MAX_DEPTH, Table, Value};
use crate::eval::{self, CERTAIN, Evaluate, Judge, Vector};
use crate::rules::Seat;

/// Value of a decided result, less one for each own move of the root's mover until then.
const DECIDED: i32 = CERTAIN + 100_000;

/// A chance of first place counts this much more than the place, for a seat that wants to win.
const FIRST_WEIGHT: i32 = 63;

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

/// Goal of the root's mover.
#[derive(Clone, Copy, Debug)]
struct Goal {
    /// Seat that moves at the root.
    seat: Seat,
    seats: usize,
    /// Best place that is open at the root.
    best_open_place: usize,
    /// `true` if only first place counts; always `false` with two seats.
    is_first: bool,
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
        Path {
            ply: self.ply + 1,
            own_moves: self.own_moves + i32::from(mover == Side::Own),
        }
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
        let (seats, best_open_place) = (root.seats(), root.best_open_place());
        Tree {
            evaluator,
            visits,
            table,
            goal: Goal {
                seat: root_seat,
                seats,
                best_open_place,
                is_first: aim == Aim::Win && seats > 2 && best_open_place == 1,
            },
            reached_horizon: false,
            killers: [None; MAX_DEPTH as usize + 1],
            pv: PrincipalVariation::new(),
        }
    }

    /// Key of a position in the table. It includes the goal, since values and proofs hold for no other.
    #[inline]
    pub fn key(&self, position: &G) -> u64 {
        let goal = self.goal;
        let place = (goal.best_open_place as u64 - 1) << 4;
        let goal = u64::from(goal.seat.0) | u64::from(goal.is_first) << 3 | place;
        position.key() ^ goal.rotate_right(1)
    }

    /// Side of a seat.
    #[inline]
    pub fn side(&self, seat: Seat) -> Side {
        if seat == self.goal.seat {
            Side::Own
        } else {
            Side::Rivals
        }
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
            let lead = goal.lead_of_sum(leads[goal.seat.index()]);
            if goal.is_first {
                let chance = eval::first_chance(self.evaluator, position, goal.seat);
                let first = ((2.0 * chance - 1.0) * CERTAIN as f32) as i32;
                (FIRST_WEIGHT * first + lead) / (FIRST_WEIGHT + 1)
            } else {
                lead
            }
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
            _ => {
                let lead = goal.lead_of_sum((goal.seats as i32 + 1 - 2 * place as i32) * CERTAIN);
                if goal.is_first {
                    (lead - FIRST_WEIGHT * CERTAIN) / (FIRST_WEIGHT + 1)
                } else {
                    lead
                }
            }
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
        Value { leads, mate }
    }
}

impl Goal {
    /// Scales the summed lead of the seat so that the best open place is [`CERTAIN`], and the last one -[`CERTAIN`].
    fn lead_of_sum(self, sum: i32) -> i32 {
        let taken = self.best_open_place as i32 - 1;
        (sum + taken * CERTAIN) / (self.seats as i32 - 1 - taken)
    }

    /// Inverse of [`Goal::lead_of_sum`].
    fn sum_of_lead(self, lead: i32) -> i32 {
        let taken = self.best_open_place as i32 - 1;
        lead * (self.seats as i32 - 1 - taken) - taken * CERTAIN
    }

    /// Changes the leads in a position where the seat's place is open, so that its own is `own`: moves all open seats'
    /// leads towards those where the seat has the best place left, or the last one, and the others are equal.
    fn with_own<G: Evaluate>(self, leads: Vector, own: i32, position: &G) -> Vector {
        let seats = self.seats as i32;
        let was = leads[self.seat.index()];
        let extreme = if own > was {
            (seats + 1 - 2 * position.best_open_place() as i32) * CERTAIN
        } else {
            (1 - seats) * CERTAIN
        };
        let is_open = |seat: &usize| position.place(Seat(*seat as u8)).is_none();
        let open: Vec<usize> = (0..self.seats).filter(is_open).collect();
        let whole: i32 = open.iter().map(|&seat| leads[seat]).sum();
        let others = (whole - extreme) / (open.len() as i32 - 1).max(1);
        let way = i64::from(extreme - was);
        if way == 0 {
            return leads;
        }
        let step = i64::from(own - was).clamp(way.min(0), way.max(0));
        let mut moved = leads;
        for seat in open {
            let target = if seat == self.seat.index() {
                extreme
            } else {
                others
            };
            let change = i64::from(target - leads[seat]) * step / way;
            moved[seat] += change as i32;
        }
        moved
    }
}
