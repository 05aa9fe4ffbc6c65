//! Max^n: the vector of a position is the best of its moves' vectors for the seat that moves.
//!
//! **Shallow pruning** under [`Prune::Exact`], three seats and more, [`Strategy::Relative`](super::Strategy).
//! Write r(i) for the smallest lead of seat i over a rival. Of any vector, and two seats i and j, r(i) is
//! at most E(i) - E(j) and r(j) at most E(j) - E(i), so that *r(i) + r(j) <= 0*. Let j have a move of value a
//! = r(j) already, and let another move of j lead to a position in which i, another seat, has found a
//! move of value b = r(i). Its final choice is worth at least b to i, so at most -b to j. If a + b > 0, that is
//! strictly less than a: j does not take it, nor does it need it to break a tie, and the other moves of i
//! need not be looked at. A vector with a + b = 0 may tie, and is worked out. With cards between the two moves
//! a is the value of a mean, so that nothing is cut there.
//! Source: R. Korf, "Multi-player alpha-beta pruning" (1991), where the components have a constant sum.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::Strategy;
use super::settings::{Prune, VectorSettings};
use crate::eval::{Model, mean};
use crate::rules::{Seat, Turn};
use crate::search::principal_variation::PrincipalVariation;
use crate::search::visits::Visits;
use crate::search::{Control, MAX_DEPTH};

/// A tree with `N` seats that is being walked.
pub struct Walk<'a, M: Model, const N: usize> {
    pub model: &'a M,
    pub settings: &'a VectorSettings,
    pub visits: Visits<'a>,
    /// Whether a position was evaluated for want of depth since it was set to false.
    pub reached_horizon: bool,
    pub pv: PrincipalVariation<M::Move>,
    /// The moves of the positions on the path, one list a ply.
    pub levels: Vec<Vec<Child<M::Move, N>>>,
}

/// A move.
#[derive(Clone, Copy)]
pub struct Child<M, const N: usize> {
    pub mv: M,
    /// The static worth of the position it leads to, where moves are sorted.
    pub worth: [i32; N],
}

/// What is known from the positions above.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// The seat that moved before and the value of its best move so far, for shallow pruning.
    before: Option<(usize, i64)>,
    /// The article's bounds on the component of seat 1.
    alpha: i32,
    beta: i32,
}

impl Bounds {
    /// Nothing is known.
    pub const NONE: Bounds = Bounds {
        before: None,
        alpha: i32::MIN,
        beta: i32::MAX,
    };
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

    /// The vector of a position that seat `moved` led to, searched `depth` plies deep.
    pub fn vector_after(
        &mut self,
        position: &M::Position,
        moved: Seat,
        depth: u32,
        ply: usize,
        bounds: Bounds,
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
                    let vector = self.vector_after(&next, moved, depth, ply, Bounds::NONE);
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

    /// Whether the moves of the last ply are looked at in an order that matters. In the others it would
    /// cost as much to sort them as to look at all of them, and the best is within any cap.
    fn is_order_of_last_ply_asked(&self, ply: usize) -> bool {
        self.settings.prune == Prune::Article && self.is_sorted(ply)
    }

    fn is_sorted(&self, ply: usize) -> bool {
        self.settings.sort || self.settings.caps.at(ply).is_some()
    }

    /// The best vector of a position one ply above the horizon.
    fn best_of_last_ply(
        &mut self,
        position: &M::Position,
        mover: Seat,
        ply: usize,
        bounds: Bounds,
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

    /// Lists moves of a position, with what they are worth where they are to be sorted; not more than the cap.
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

    /// The best vector of the moves listed for `ply`.
    pub fn best_of_list(
        &mut self,
        position: &M::Position,
        mover: Seat,
        depth: u32,
        ply: usize,
        bounds: Bounds,
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
            let vector = self.vector_after(&next, mover, depth - 1, ply + 1, choice.bounds_below());
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

/// Swaps the best of the moves from `index` on to `index`.
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

/// The choice of a mover among its moves.
struct Choice<M, const N: usize> {
    strategy: Strategy,
    prune: Prune,
    mover: usize,
    bounds: Bounds,
    best: Option<M>,
    vector: [i32; N],
    /// The rank of `vector`, or under the article's pruning its value.
    value: i64,
}

impl<M: Copy + Ord, const N: usize> Choice<M, N> {
    #[inline(always)]
    fn new(settings: &VectorSettings, mover: Seat, bounds: Bounds) -> Choice<M, N> {
        Choice {
            strategy: settings.strategy,
            prune: settings.prune,
            mover: mover.index(),
            bounds,
            best: None,
            vector: [0; N],
            value: i64::MIN,
        }
    }

    /// Takes a move if it is the best so far; whether it did.
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

    /// Whether a move of the best value so far is the better one.
    #[inline(always)]
    fn wins_tie(&self, vector: &[i32; N], mv: M) -> bool {
        // As the article has it: the first of equals.
        if self.prune == Prune::Article {
            return false;
        }
        match self.strategy.compare(self.mover, vector, &self.vector) {
            Ordering::Less => false,
            Ordering::Equal => self.best.is_some_and(|best| mv < best),
            Ordering::Greater => true,
        }
    }

    /// Whether the moves that were not considered need not be, now that one led to `vector`.
    #[inline(always)]
    fn is_settled(&mut self, vector: &[i32; N]) -> bool {
        match self.prune {
            Prune::Off => false,
            Prune::Exact => match self.bounds.before {
                Some((seat, value)) if seat != self.mover => value + self.value > 0,
                _ => false,
            },
            Prune::Article => {
                if self.mover == 0 {
                    self.bounds.alpha = self.bounds.alpha.max(vector[0]);
                } else {
                    self.bounds.beta = self.bounds.beta.min(vector[0]);
                }
                self.bounds.beta <= self.bounds.alpha
            }
        }
    }

    /// What is known where one of the moves leads.
    #[inline(always)]
    fn bounds_below(&self) -> Bounds {
        // With two seats the rank is no plain value; they have a search of their own.
        let is_bound = N > 2
            && self.prune == Prune::Exact
            && self.strategy == Strategy::Relative
            && self.best.is_some();
        Bounds {
            before: is_bound.then_some((self.mover, self.value)),
            ..self.bounds
        }
    }
}
