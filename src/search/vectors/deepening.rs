//! Iterative deepening of the search for vectors. The depths do not learn from each other, so that what
//! a depth finds is what a search of that depth alone would.

use super::node::{Bounds, Walk};
use super::zero_sum::{self, Window};
use super::{Prune, Strategy, VectorSettings};
use crate::eval::{Model, Vector};
use crate::rules::{MAX_SEATS, Seat, Turn};
use crate::search::{Control, MAX_DEPTH};

/// How far and where to search.
#[derive(Clone, Debug)]
pub struct Extent<M> {
    /// The moves to consider at the root, all legal.
    pub moves: Vec<M>,
    /// The deepest iteration, from 1.
    pub depth: u32,
    /// Positions to visit at most.
    pub nodes: u64,
    /// How many of the best moves to report, from 1.
    pub multipv: usize,
}

/// What is known of a root move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<M> {
    /// Plies searched in full.
    pub depth: u32,
    /// The deepest ply reached.
    pub seldepth: u32,
    /// The rank of the move among the best, from 1.
    pub multipv: usize,
    /// What the line is worth to each seat; 0 beyond the last.
    pub vector: Vector,
    /// The line, the root move first; a card ends it.
    pub pv: Vec<M>,
    /// Whether the line ends with the mover's goal, before any other seat has reached its own.
    pub is_won: bool,
    /// Positions visited since the search began.
    pub nodes: u64,
}

/// Searches a position in which a seat is to move, deeper and deeper until the extent is reached, `control`
/// says stop, the mover is first to its goal, or nothing is left to search.
///
/// # Returns
/// The best line of the last depth that was completed; before the first, that of the best static vector.
/// `None` if no seat is to move or there is no move to consider.
pub fn search<M: Model>(
    model: &M,
    position: &M::Position,
    settings: &VectorSettings,
    extent: &Extent<M::Move>,
    control: &Control,
    observe: &mut dyn FnMut(&Line<M::Move>),
) -> Option<Line<M::Move>> {
    let Turn::Seat(mover) = model.turn(position) else {
        return None;
    };
    macro_rules! with_seats {
        ($($seats:literal)*) => {
            match model.seats(position) {
                $($seats => {
                    let walk = Walk::<M, $seats>::new(model, settings, control, extent.nodes);
                    Root { position, mover, extent, walk }.deepen(control, observe)
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
    fn deepen(
        &mut self,
        control: &Control,
        observe: &mut dyn FnMut(&Line<M::Move>),
    ) -> Option<Line<M::Move>> {
        let mut best = self.static_best()?;
        // Where nothing is to be chosen, time is better kept.
        let is_only_move = self.extent.moves.len() == 1 && control.is_timed();
        let deepest = if is_only_move {
            1
        } else {
            self.extent.depth.min(MAX_DEPTH)
        };
        for depth in 1..=deepest {
            self.walk.visits.seldepth = 0;
            self.walk.reached_horizon = false;
            let mut excluded = Vec::new();
            for rank in 1..=self.extent.multipv.min(self.extent.moves.len()) {
                let line = self.best_line(depth, rank, &excluded);
                if self.walk.visits.stopped {
                    best.nodes = self.walk.visits.nodes;
                    return Some(best);
                }
                excluded.push(line.pv[0]);
                observe(&line);
                if rank == 1 {
                    best = line;
                }
            }
            if best.is_won || !self.walk.reached_horizon || !control.may_deepen() {
                break;
            }
        }
        best.nodes = self.walk.visits.nodes;
        Some(best)
    }

    /// The move that is best without looking further.
    fn static_best(&mut self) -> Option<Line<M::Move>> {
        let model = self.walk.model;
        let strategy = self.walk.settings.strategy;
        let mut best: Option<([i32; N], M::Move)> = None;
        for &mv in &self.extent.moves {
            let next = model.play(self.position, mv);
            let vector = model.static_worth(&next);
            let is_better = best.as_ref().is_none_or(|(best, _)| {
                strategy.compare(self.mover.index(), &vector, best).is_gt()
            });
            if is_better {
                best = Some((vector, mv));
            }
        }
        let (vector, mv) = best?;
        Some(self.line(0, 1, vector, vec![mv]))
    }

    /// The best line of the moves that are not excluded. Meaningless if the search was stopped.
    fn best_line(&mut self, depth: u32, rank: usize, excluded: &[M::Move]) -> Line<M::Move> {
        let wanted = &self.extent.moves;
        self.walk.pv.clear(0);
        self.walk.list_moves(self.position, self.mover, 0, |mv| {
            wanted.contains(&mv) && !excluded.contains(&mv)
        });
        let settings = self.walk.settings;
        let is_zero_sum =
            N == 2 && settings.prune == Prune::Exact && settings.strategy == Strategy::Relative;
        let vector = if is_zero_sum {
            let key = self
                .walk
                .best_key_of_list(self.position, self.mover, depth, 0, Window::OPEN);
            zero_sum::vector_of(key)
        } else {
            self.walk
                .best_of_list(self.position, self.mover, depth, 0, Bounds::NONE)
        };
        let pv = self.walk.pv.line(0).to_vec();
        self.line(depth, rank, vector, pv)
    }

    fn line(
        &self,
        depth: u32,
        multipv: usize,
        vector: [i32; N],
        pv: Vec<M::Move>,
    ) -> Line<M::Move> {
        let mut all = [0; MAX_SEATS];
        all[..N].copy_from_slice(&vector);
        Line {
            depth,
            seldepth: self.walk.visits.seldepth as u32,
            multipv,
            vector: all,
            is_won: self.is_won(&pv),
            pv,
            nodes: self.walk.visits.nodes,
        }
    }

    /// Whether a line ends with the mover's goal. No line goes on behind anyone's.
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
}
