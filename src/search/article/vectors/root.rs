//! The root of a vector search, where each iteration begins.

use super::node::{Bounds, Walk};
use super::zero_sum::{self, Window};
use super::{Prune, Strategy, VectorSettings};
use crate::eval::{Model, Vector};
use crate::rules::{MAX_SEATS, Seat, Turn};
use crate::search::Control;
use crate::search::article::deepening::{Observer, Search, deepen};
use crate::search::article::{Extent, Line};
use crate::search::visits::Visits;

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
                    Some(deepen(&mut root, best, extent, control, observe))
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
}

impl<'a, M: Model, const N: usize> Search<'a> for Root<'a, M, N> {
    type Move = M::Move;
    type Value = Vector;

    fn best_line(
        &mut self,
        depth: u32,
        rank: usize,
        excluded: &[M::Move],
    ) -> Line<M::Move, Vector> {
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

    fn visits(&mut self) -> &mut Visits<'a> {
        &mut self.walk.visits
    }

    fn reached_horizon(&mut self) -> &mut bool {
        &mut self.walk.reached_horizon
    }
}
