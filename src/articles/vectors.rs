//! Vector search: each mover takes the vector that its strategy prefers.
//!
//! This is the search of the article "AI in Hase und Igel: minimax for three" for two to six seats, with its options as
//! settings. It searches a [`Model`] of the game to a fixed depth.
//!
//! **Ties.** The result never depends on the order of moves. A mover takes the vector with the larger value by the
//! [`Strategy`]; among equal values, the one that is lexicographically larger when read from the mover's seat onwards;
//! for equal vectors, the lower move. (Two seats under [`Strategy::RELATIVE`] have an order of their own, see
//! [`Strategy::rank`].) So the vector of the root is a function of the tree alone. The only exception is
//! [`Prune::Article`], which follows the article.
//!
//! **Means.** For a card, each component of the mean is rounded down. Below a card every vector is searched in full, so
//! the mean is the same with and without pruning.
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
use std::fmt::Debug;
use std::ops::ControlFlow;

use super::strategy::{Prune, Strategy, VectorSettings};
use super::{Extent, Line, Observer, deepen};
use crate::eval::Vector;
use crate::rules::{MAX_SEATS, Seat, Turn};
use crate::search::{Control, MAX_DEPTH, PrincipalVariation, Visits};

/// Searches a position deeper and deeper until a limit is reached, `control` stops the search, the mover is first to
/// its goal, or nothing is left to search.
///
/// # Returns
/// Best line of the last completed depth; before the first, the move with the best static evaluation. `None` if no seat
/// is to move or there is no move to consider.
pub fn search<M: Model>(
    model: &M,
    position: &M::Position,
    settings: &VectorSettings,
    extent: &Extent<M::Move>,
    control: &Control,
    observe: Observer<'_, M::Move, Vector>,
) -> Option<Line<M::Move, Vector>> {
    let mover = model.turn(position).mover()?;
    macro_rules! with_seats {
        ($($seats:literal)*) => {
            match model.seats(position) {
                $($seats => {
                    let walk = Walk::<M, $seats>::new(model, settings, control, extent.nodes);
                    let mut root = Root { position, mover, extent, walk };
                    let best = root.static_best()?;
                    let best = deepen(best, extent, control, observe, |depth, excluded| {
                        root.best_line(depth, excluded)
                    });
                    let nodes = root.walk.visits.nodes;
                    Some(Line { nodes, ..best })
                })*
                _ => None,
            }
        };
    }
    with_seats!(2 3 4 5 6)
}

struct Root<'a, M: Model, const N: usize> {
    position: &'a M::Position,
    mover: Seat,
    extent: &'a Extent<M::Move>,
    walk: Walk<'a, M, N>,
}

impl<M: Model, const N: usize> Root<'_, M, N> {
    /// Best move by static evaluation.
    fn static_best(&mut self) -> Option<Line<M::Move, Vector>> {
        let model = self.walk.model;
        let strategy = self.walk.settings.strategy;
        let moves = self.extent.moves.iter();
        let valued = moves.map(|&mv| (model.static_worth(&model.play(self.position, mv)), mv));
        let mover = self.mover.index();
        let (vector, mv) = valued.reduce(|best, next| {
            let is_better = strategy.compare(mover, &next.0, &best.0).is_gt();
            if is_better { next } else { best }
        })?;
        Some(self.line(0, 1, vector, vec![mv]))
    }

    fn line(
        &self,
        depth: u32,
        multipv: usize,
        vector: [i32; N],
        pv: Vec<M::Move>,
    ) -> Line<M::Move, Vector> {
        let mut all = [0; MAX_SEATS];
        all[..N].copy_from_slice(&vector);
        Line {
            depth,
            seldepth: self.walk.visits.seldepth as u32,
            multipv,
            value: all,
            is_won: self.is_won(&pv),
            pv,
            nodes: self.walk.visits.nodes,
        }
    }

    /// `true` if a line ends with the mover at its goal. Every line ends when a seat reaches its goal.
    fn is_won(&self, pv: &[M::Move]) -> bool {
        let model = self.walk.model;
        let mut position = *self.position;
        for &mv in pv {
            let Turn::Seat(_) = model.turn(&position) else {
                return false;
            };
            position = model.play(&position, mv);
        }
        model.is_decided(&position, self.mover)
    }

    /// Returns the best line at a depth, apart from some moves, and whether any line was cut off by the depth; `None`
    /// if the search was stopped.
    fn best_line(
        &mut self,
        depth: u32,
        excluded: &[M::Move],
    ) -> Option<(Line<M::Move, Vector>, bool)> {
        let wanted = &self.extent.moves;
        let walk = &mut self.walk;
        if excluded.is_empty() {
            walk.visits.seldepth = 0;
        }
        walk.reached_horizon = false;
        walk.pv.clear(0);
        walk.list_moves(self.position, self.mover, 0, |mv| {
            wanted.contains(&mv) && !excluded.contains(&mv)
        });
        let vector = walk.best_of_list(self.position, self.mover, depth, 0, VectorBounds::NONE);
        if walk.visits.stopped {
            return None;
        }
        let reached_horizon = walk.reached_horizon;
        let pv = walk.pv.line(0).to_vec();
        let line = self.line(depth, excluded.len() + 1, vector, pv);
        Some((line, reached_horizon))
    }
}

/// A tree of positions with a value for each seat: a game as it is, or simplified for the search.
pub trait Model {
    /// A position.
    type Position: Copy + Debug;
    /// A move; of two with equal values for all seats the lower is taken.
    type Move: Copy + Ord + Debug;

    /// Number of seats.
    fn seats(&self, position: &Self::Position) -> usize;

    /// The next action in a position. A card can be due only after [`Model::play`].
    fn turn(&self, position: &Self::Position) -> Turn;

    /// Legal moves of the seat to move, in ascending order.
    fn moves(&self, position: &Self::Position) -> impl Iterator<Item = Self::Move>;

    /// Returns the position after a legal move.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// Positions after each kind of card that can be drawn, with its number of cards.
    fn outcomes(&self, position: &Self::Position) -> impl Iterator<Item = (Self::Position, u32)>;

    /// `true` if a seat's place is decided.
    fn is_decided(&self, position: &Self::Position, seat: Seat) -> bool;

    /// Value of a position to each of its `N` seats; no card may be due.
    fn worth<const N: usize>(&self, position: &Self::Position) -> [i32; N];

    /// Static value of a position to each of its `N` seats; if a card is due, the mean over the cards.
    #[inline(always)]
    fn static_worth<const N: usize>(&self, position: &Self::Position) -> [i32; N] {
        match self.turn(position) {
            Turn::Card(_) => {
                mean(self.outcomes(position).map(|(next, weight)| (self.worth(&next), weight)))
            }
            _ => self.worth(position),
        }
    }

    /// Calls `take` for each move of `mover`, the seat to move, in ascending order, with the static value of the
    /// position after it and whether the mover's place is decided there; stops when `take` breaks.
    #[inline(always)]
    fn each_worth<const N: usize>(
        &self,
        position: &Self::Position,
        mover: Seat,
        take: impl FnMut(Self::Move, [i32; N], bool) -> ControlFlow<()>,
    ) {
        each_worth_by_playing(self, position, mover, take);
    }
}

/// [`Model::each_worth`] for any model: plays each move.
#[inline(always)]
pub fn each_worth_by_playing<M: Model + ?Sized, const N: usize>(
    model: &M,
    position: &M::Position,
    mover: Seat,
    mut take: impl FnMut(M::Move, [i32; N], bool) -> ControlFlow<()>,
) {
    for mv in model.moves(position) {
        let next = model.play(position, mv);
        let worth = model.static_worth(&next);
        if take(mv, worth, model.is_decided(&next, mover)).is_break() {
            return;
        }
    }
}

/// Search of a tree with `N` seats.
struct Walk<'a, M: Model, const N: usize> {
    model: &'a M,
    settings: &'a VectorSettings,
    visits: Visits<'a>,
    /// Set when a position is evaluated at the depth limit; the caller resets it.
    reached_horizon: bool,
    pv: PrincipalVariation<M::Move>,
    /// Moves of the positions on the current path, one list per ply.
    levels: Vec<Vec<Child<M::Move, N>>>,
}

#[derive(Clone, Copy)]
struct Child<M, const N: usize> {
    mv: M,
    /// Static evaluation of the position after the move, if moves are sorted.
    worth: [i32; N],
}

/// Bounds from the positions above.
#[derive(Clone, Copy)]
struct VectorBounds {
    /// The seat that moved last and the value of its best move so far, for shallow pruning.
    before: Option<(usize, i64)>,
    /// With two seats under exact pruning, the window of the pairs; with the article's pruning, its bounds on the
    /// component of seat 1. Seat 1 raises alpha, other seats lower beta.
    alpha: i64,
    beta: i64,
}

impl VectorBounds {
    /// No bounds.
    const NONE: VectorBounds = VectorBounds { before: None, alpha: -i64::MAX, beta: i64::MAX };
}

impl<'a, M: Model, const N: usize> Walk<'a, M, N> {
    fn new(
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
    fn vector_after(
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
    fn list_moves(
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
    fn best_of_list(
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
fn bring_best_forward<M: Copy + Ord, const N: usize>(
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

/// Mean of weighted vectors, each component rounded down; zeros if there are none.
fn mean<const N: usize>(vectors: impl Iterator<Item = ([i32; N], u32)>) -> [i32; N] {
    let mut sums = [0i64; N];
    let mut total = 0;
    for (vector, weight) in vectors {
        for (sum, component) in sums.iter_mut().zip(vector) {
            *sum += i64::from(weight) * i64::from(component);
        }
        total += i64::from(weight);
    }
    sums.map(|sum| sum.div_euclid(total.max(1)) as i32)
}
