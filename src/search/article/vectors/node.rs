//! Max^n: the vector of a position is the best of its moves' vectors for the seat that moves.
//!
//! **Shallow pruning** under [`Prune::Exact`] with three or more seats and [`Strategy::RELATIVE`]. Let r(i) be the
//! smallest lead of seat i over a rival. In any vector and for any two seats i and j, r(i) is at most E(i) - E(j), and
//! r(j) is at most E(j) - E(i), so *r(i) + r(j) <= 0*. Suppose that j already has a move of value a = r(j). Another
//! move of j leads to a position where a different seat i has found a move of value b = r(i). The final choice of i is
//! worth at least b to i, so at most -b to j. If a + b > 0, that is strictly less than a: j does not take the move, not
//! even to break a tie, and the other moves of i need not be searched. A vector with a + b = 0 may tie, and is
//! searched. With a card between the two moves a is the value of a mean, so nothing is cut off there. Source: R. Korf,
//! "Multi-player alpha-beta pruning" (1991), where the components have a constant sum.
//!
//! **Alpha-beta** under [`Prune::Exact`] with two seats and [`Strategy::RELATIVE`]. Seat 1 maximises the pair (E1 - E2,
//! E1) and seat 2 minimises it. Pairs are totally ordered, and each pair determines its vector. So the game is zero-sum
//! in pairs, and alpha-beta over them finds the same vector at the root as a search without pruning. This holds with
//! cards too: a position with a card due has the pair of the mean, and the vectors below it are searched with an open
//! window. Among equal moves the lower one is taken, whatever the order. So a move lower than the best so far is
//! searched with a window that includes an equal value. Source: D. Knuth and R. Moore, "An analysis of alpha-beta
//! pruning" (1975).

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::settings::{Prune, Strategy, VectorSettings};
use crate::eval::{Model, mean};
use crate::rules::{Seat, Turn};
use crate::search::principal_variation::PrincipalVariation;
use crate::search::visits::Visits;
use crate::search::{Control, MAX_DEPTH};

/// Search of a tree with `N` seats.
pub struct Walk<'a, M: Model, const N: usize> {
    pub model: &'a M,
    pub settings: &'a VectorSettings,
    pub visits: Visits<'a>,
    /// Set when a position is evaluated at the depth limit; the caller resets it.
    pub reached_horizon: bool,
    pub pv: PrincipalVariation<M::Move>,
    /// Moves of the positions on the current path, one list per ply.
    pub levels: Vec<Vec<Child<M::Move, N>>>,
}

#[derive(Clone, Copy)]
pub struct Child<M, const N: usize> {
    pub mv: M,
    /// Static evaluation of the position after the move, if moves are sorted.
    pub worth: [i32; N],
}

/// Bounds from the positions above.
#[derive(Clone, Copy)]
pub struct VectorBounds {
    /// The seat that moved last and the value of its best move so far, for shallow pruning.
    before: Option<(usize, i64)>,
    /// With two seats under exact pruning, the window of the pairs; with the article's pruning, its bounds on the
    /// component of seat 1. Seat 1 raises alpha, other seats lower beta.
    alpha: i64,
    beta: i64,
}

impl VectorBounds {
    /// No bounds.
    pub const NONE: VectorBounds = VectorBounds { before: None, alpha: -i64::MAX, beta: i64::MAX };
}

impl<'a, M: Model, const N: usize> Walk<'a, M, N> {
    pub fn new(
        model: &'a M,
        settings: &'a VectorSettings,
        control: &'a Control,
        nodes: u64,
    ) -> Walk<'a, M, N> {
        Walk {
            model,
            settings,
            visits: Visits::new(control, nodes),
            reached_horizon: false,
            pv: PrincipalVariation::new(),
            levels: (0..MAX_DEPTH as usize + 2).map(|_| Vec::new()).collect(),
        }
    }

    /// Vector of a position after a move of seat `moved`, searched `depth` plies deep.
    pub fn vector_after(
        &mut self,
        position: &M::Position,
        moved: Seat,
        depth: u32,
        ply: usize,
        bounds: VectorBounds,
    ) -> [i32; N] {
        if self.visits.visit(ply) {
            return [0; N];
        }
        self.pv.clear(ply);
        if self.model.is_decided(position, moved) {
            return self.model.worth(position);
        }
        match self.model.turn(position) {
            Turn::Card(_) => {
                let model = self.model;
                let mean = mean(model.outcomes(position).map(|(next, weight)| {
                    let vector = self.vector_after(&next, moved, depth, ply, VectorBounds::NONE);
                    (vector, weight)
                }));
                self.pv.clear(ply);
                mean
            }
            Turn::Seat(mover) if depth == 1 && !self.is_order_of_last_ply_asked(ply) => {
                self.best_of_last_ply(position, mover, ply, bounds)
            }
            Turn::Seat(mover) if depth > 0 => {
                self.list_moves(position, mover, ply, |_| true);
                self.best_of_list(position, mover, depth, ply, bounds)
            }
            turn => {
                self.reached_horizon |= turn != Turn::Over;
                self.model.worth(position)
            }
        }
    }

    /// `true` if the order of moves at the last ply matters. Otherwise sorting them would cost as much as searching all
    /// of them, and the best move is within any cap.
    fn is_order_of_last_ply_asked(&self, ply: usize) -> bool {
        self.settings.prune == Prune::Article && self.is_sorted(ply)
    }

    fn is_sorted(&self, ply: usize) -> bool {
        self.settings.sort || self.settings.caps.at(ply).is_some()
    }

    /// Best vector of a position one ply above the horizon.
    fn best_of_last_ply(
        &mut self,
        position: &M::Position,
        mover: Seat,
        ply: usize,
        bounds: VectorBounds,
    ) -> [i32; N] {
        let model = self.model;
        let mut choice = Choice::new(self.settings, mover, bounds);
        let mut seen = 0;
        let mut reached_horizon = false;
        model.each_worth(position, mover, |mv, worth, is_decided| {
            seen += 1;
            reached_horizon |= !is_decided;
            choice.consider(worth, mv);
            if choice.is_settled(&worth) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        self.reached_horizon |= reached_horizon;
        if self.visits.visit_all(seen, ply + 1) {
            return [0; N];
        }
        self.pv.clear(ply + 1);
        if let Some(mv) = choice.best {
            self.pv.extend(ply, mv);
        }
        choice.vector
    }

    /// Lists the moves of a position up to the cap, with their static evaluations if they are to be sorted.
    #[inline(always)]
    pub fn list_moves(
        &mut self,
        position: &M::Position,
        mover: Seat,
        ply: usize,
        is_wanted: impl Fn(M::Move) -> bool,
    ) {
        let model = self.model;
        let mut children = std::mem::take(&mut self.levels[ply]);
        children.clear();
        if self.is_sorted(ply) {
            model.each_worth(position, mover, |mv, worth, _| {
                if is_wanted(mv) {
                    children.push(Child { mv, worth });
                }
                ControlFlow::Continue(())
            });
        } else {
            let moves = model.moves(position).filter(|mv| is_wanted(*mv));
            children.extend(moves.map(|mv| Child { mv, worth: [0; N] }));
        }
        if let Some(cap) = self.settings.caps.at(ply)
            && cap < children.len()
        {
            for index in 0..cap {
                bring_best_forward(&mut children, index, self.settings.strategy, mover);
            }
            children.truncate(cap);
        }
        self.levels[ply] = children;
    }

    /// Best vector of the moves listed for `ply`.
    pub fn best_of_list(
        &mut self,
        position: &M::Position,
        mover: Seat,
        depth: u32,
        ply: usize,
        bounds: VectorBounds,
    ) -> [i32; N] {
        let model = self.model;
        let mut children = std::mem::take(&mut self.levels[ply]);
        let mut choice = Choice::new(self.settings, mover, bounds);
        for index in 0..children.len() {
            if self.settings.sort {
                bring_best_forward(&mut children, index, self.settings.strategy, mover);
            }
            let mv = children[index].mv;
            let next = model.play(position, mv);
            let vector =
                self.vector_after(&next, mover, depth - 1, ply + 1, choice.bounds_below(mv));
            if self.visits.stopped {
                break;
            }
            if choice.consider(vector, mv) {
                self.pv.extend(ply, mv);
            }
            if choice.is_settled(&vector) {
                break;
            }
        }
        self.levels[ply] = children;
        choice.vector
    }
}

/// Swaps the best move from `index` onwards into place `index`.
#[inline(always)]
pub fn bring_best_forward<M: Copy + Ord, const N: usize>(
    children: &mut [Child<M, N>],
    index: usize,
    strategy: Strategy,
    mover: Seat,
) {
    let mut best = index;
    for other in index + 1..children.len() {
        let order = strategy.compare(mover.index(), &children[other].worth, &children[best].worth);
        if order.then_with(|| children[best].mv.cmp(&children[other].mv)) == Ordering::Greater {
            best = other;
        }
    }
    children.swap(index, best);
}

/// Best move of a mover so far.
struct Choice<M, const N: usize> {
    strategy: Strategy,
    prune: Prune,
    /// Whether alpha-beta over pairs applies.
    is_zero_sum: bool,
    mover: usize,
    bounds: VectorBounds,
    best: Option<M>,
    vector: [i32; N],
    /// Rank of `vector`; with the article's pruning, its value.
    value: i64,
}

impl<M: Copy + Ord, const N: usize> Choice<M, N> {
    #[inline(always)]
    fn new(settings: &VectorSettings, mover: Seat, bounds: VectorBounds) -> Choice<M, N> {
        Choice {
            strategy: settings.strategy,
            prune: settings.prune,
            is_zero_sum: settings.prune == Prune::Exact && settings.strategy.is_zero_sum::<N>(),
            mover: mover.index(),
            bounds,
            best: None,
            vector: [0; N],
            value: i64::MIN,
        }
    }

    /// Takes a move if it is the best so far; returns whether it is.
    #[inline(always)]
    fn consider(&mut self, vector: [i32; N], mv: M) -> bool {
        let value = match self.prune {
            Prune::Article => self.strategy.value(self.mover, &vector),
            Prune::Off | Prune::Exact => self.strategy.rank(self.mover, &vector),
        };
        let is_better = value > self.value || (value == self.value && self.wins_tie(&vector, mv));
        if is_better {
            self.best = Some(mv);
            self.vector = vector;
            self.value = value;
        }
        is_better
    }

    /// `true` if a move with the same value as the best so far is better.
    #[inline(always)]
    fn wins_tie(&self, vector: &[i32; N], mv: M) -> bool {
        // The article takes the first of equal moves.
        if self.prune == Prune::Article {
            return false;
        }
        match self.strategy.compare(self.mover, vector, &self.vector) {
            Ordering::Less => false,
            Ordering::Equal => self.best.is_some_and(|best| mv < best),
            Ordering::Greater => true,
        }
    }

    /// `true` if the remaining moves can be skipped after one led to `vector`.
    #[inline(always)]
    fn is_settled(&mut self, vector: &[i32; N]) -> bool {
        match self.prune {
            Prune::Off => false,
            Prune::Exact if self.is_zero_sum && self.mover == 0 => self.value >= self.bounds.beta,
            Prune::Exact if self.is_zero_sum => -self.value <= self.bounds.alpha,
            Prune::Exact => match self.bounds.before {
                Some((seat, value)) if seat != self.mover => value + self.value > 0,
                _ => false,
            },
            Prune::Article => {
                if self.mover == 0 {
                    self.bounds.alpha = self.bounds.alpha.max(vector[0].into());
                } else {
                    self.bounds.beta = self.bounds.beta.min(vector[0].into());
                }
                self.bounds.beta <= self.bounds.alpha
            }
        }
    }

    /// VectorBounds for the position after a move.
    #[inline(always)]
    fn bounds_below(&self, mv: M) -> VectorBounds {
        let mut bounds = self.bounds;
        if self.prune == Prune::Exact && self.strategy == Strategy::RELATIVE {
            bounds.before = None;
            if let Some(best) = self.best {
                // A lower move wins a tie.
                let value = self.value - i64::from(mv < best);
                match self.mover {
                    _ if !self.is_zero_sum => bounds.before = Some((self.mover, self.value)),
                    0 => bounds.alpha = bounds.alpha.max(value),
                    _ => bounds.beta = bounds.beta.min(-value),
                }
            }
        }
        bounds
    }
}
