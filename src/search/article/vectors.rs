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

mod node;
mod settings;

pub use settings::{Caps, CapsError, Prune, Strategy, StrategyError, VectorSettings};

use super::{Extent, Line, Observer, deepen};
use crate::eval::{Model, Vector};
use crate::rules::{MAX_SEATS, Seat, Turn};
use crate::search::Control;
use node::{VectorBounds, Walk};

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
