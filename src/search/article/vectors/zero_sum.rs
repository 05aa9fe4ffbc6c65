//! Two seats under [`Strategy::Relative`](super::Strategy): alpha-beta, exact for the whole vector.
//!
//! Seat 1 maximises the pair (E1 - E2, E1) and seat 2 minimises it. Pairs are totally ordered, and each pair determines
//! its vector. So the game is zero-sum in pairs, and alpha-beta over them finds the same pair at the root, hence the
//! same vector, as a search without pruning. This holds with cards too: a position with a card due has the pair of the
//! mean, and the vectors below it are searched with an open window.
//!
//! Among equal moves the lower one is taken, whatever the order. So a move lower than the best so far is searched with
//! a window that includes an equal value. Source: D. Knuth and R. Moore, "An analysis of alpha-beta pruning" (1975).

use std::ops::ControlFlow;

use super::node::{Walk, bring_best_forward};
use super::strategy::{pair, unpair};
use crate::eval::{Model, mean};
use crate::rules::{Seat, Turn};

/// Above the pair of any vector.
pub const INFINITY: i64 = i64::MAX / 2;

/// Search window over pairs, from the point of view of seat 1. Values within it are exact.
#[derive(Clone, Copy)]
pub struct Window {
    pub alpha: i64,
    pub beta: i64,
}

impl Window {
    /// Contains every value.
    pub const OPEN: Window = Window {
        alpha: -INFINITY,
        beta: INFINITY,
    };

    /// The window from the point of view of `mover`.
    fn seen_by(self, mover: Seat) -> Window {
        if mover.0 == 0 {
            return self;
        }
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}

/// Pair of a vector as one number.
pub fn key<const N: usize>(vector: &[i32; N]) -> i64 {
    pair(vector[0] - vector[1], vector[0])
}

/// Vector of a pair.
pub fn vector_of<const N: usize>(key: i64) -> [i32; N] {
    let (lead, first) = unpair(key);
    let mut vector = [0; N];
    vector[0] = first;
    vector[1] = first - lead;
    vector
}

impl<M: Model, const N: usize> Walk<'_, M, N> {
    /// Pair of a position after a move of seat `moved`, searched `depth` plies deep: exact within the window, a bound
    /// outside.
    fn key_after(
        &mut self,
        position: &M::Position,
        moved: Seat,
        depth: u32,
        ply: usize,
        window: Window,
    ) -> i64 {
        if self.visits.visit(ply) {
            return 0;
        }
        self.pv.clear(ply);
        if self.model.is_decided(position, moved) {
            return key::<N>(&self.model.worth(position));
        }
        match self.model.turn(position) {
            Turn::Card(_) => {
                let model = self.model;
                let mean: [i32; N] = mean(model.outcomes(position).map(|(next, weight)| {
                    let key = self.key_after(&next, moved, depth, ply, Window::OPEN);
                    (vector_of(key), weight)
                }));
                self.pv.clear(ply);
                key(&mean)
            }
            Turn::Seat(mover) if depth == 1 => {
                self.best_key_of_last_ply(position, mover, ply, window)
            }
            Turn::Seat(mover) if depth > 0 => {
                self.list_moves(position, mover, ply, |_| true);
                self.best_key_of_list(position, mover, depth, ply, window)
            }
            turn => {
                self.reached_horizon |= turn != Turn::Over;
                key::<N>(&self.model.worth(position))
            }
        }
    }

    /// Best pair of a position one ply above the horizon.
    fn best_key_of_last_ply(
        &mut self,
        position: &M::Position,
        mover: Seat,
        ply: usize,
        window: Window,
    ) -> i64 {
        let model = self.model;
        let sign = sign_of(mover);
        let window = window.seen_by(mover);
        let mut best = -INFINITY;
        let mut best_mv = None;
        let mut seen = 0;
        let mut reached_horizon = false;
        model.each_worth(position, mover, |mv, worth, is_decided| {
            seen += 1;
            reached_horizon |= !is_decided;
            let value = sign * key::<N>(&worth);
            // Moves are in ascending order, so the first of equal moves is the lowest.
            if value > best {
                best = value;
                best_mv = Some(mv);
                if best >= window.beta {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        self.reached_horizon |= reached_horizon;
        if self.visits.visit_all(seen, ply + 1) {
            return 0;
        }
        self.pv.clear(ply + 1);
        if let Some(mv) = best_mv {
            self.pv.extend(ply, mv);
        }
        sign * best
    }

    /// Best pair of the moves listed for `ply`.
    pub fn best_key_of_list(
        &mut self,
        position: &M::Position,
        mover: Seat,
        depth: u32,
        ply: usize,
        window: Window,
    ) -> i64 {
        let model = self.model;
        let sign = sign_of(mover);
        let window = window.seen_by(mover);
        let mut children = std::mem::take(&mut self.levels[ply]);
        let mut best = -INFINITY;
        let mut best_mv: Option<M::Move> = None;
        for index in 0..children.len() {
            if self.settings.sort {
                bring_best_forward(&mut children, index, self.settings.strategy, mover);
            }
            let mv = children[index].mv;
            let next = model.play(position, mv);
            let is_lower = best_mv.is_some_and(|best_mv| mv < best_mv);
            let below = Window {
                alpha: window.alpha.max(best - i64::from(is_lower)),
                beta: window.beta,
            };
            let value =
                sign * self.key_after(&next, mover, depth - 1, ply + 1, below.seen_by(mover));
            if self.visits.stopped {
                break;
            }
            if value > best || (value == best && is_lower) {
                best = value;
                best_mv = Some(mv);
                self.pv.extend(ply, mv);
                if best >= window.beta {
                    break;
                }
            }
        }
        self.levels[ply] = children;
        sign * best
    }
}

fn sign_of(mover: Seat) -> i64 {
    if mover.0 == 0 { 1 } else { -1 }
}
