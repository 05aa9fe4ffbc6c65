//! Minimax with alpha-beta over a single number, as in the article "Rabbits & Wolves".
//!
//! Moves are tried in the order of the model. Among equal moves the maximising side takes the first, the minimising
//! side the last. The value does not distinguish sooner from later wins, so the engine may win late, and gives up at
//! once when all is lost.
//!
//! **Pruning.** A node is cut off once alpha is above beta, not when they are equal. So the value of a node is exact if
//! it is from alpha to beta, both included, and otherwise a bound on the same side. A value equal to the best so far is
//! therefore exact, and taking the last of equal moves gives the same result as without pruning.

use super::{Extent, Line, Observer, deepen};
use crate::eval::MinimaxModel;
use crate::search::Control;
use crate::search::principal_variation::PrincipalVariation;
use crate::search::visits::Visits;

/// Searches deeper and deeper until a limit is reached, `control` stops the search, or nothing is left to search.
///
/// # Returns
/// Best line of the last completed depth; before the first, the first move. `None` if there is no move to consider.
pub fn search<M: MinimaxModel>(
    model: &M,
    position: &M::Position,
    extent: &Extent<M::Move>,
    control: &Control,
    observe: Observer<'_, M::Move, i32>,
) -> Option<Line<M::Move, i32>> {
    let wanted = model.moves(position).filter(|mv| extent.moves.contains(mv));
    let moves: Vec<M::Move> = wanted.collect();
    let mut walk = Walk {
        model,
        visits: Visits::new(control, extent.nodes),
        pv: PrincipalVariation::new(),
        reached_horizon: false,
    };
    let &first = moves.first()?;
    let value = model.value(&model.play(position, first));
    let best = walk.line(0, 1, value, vec![first]);
    let best = deepen(best, extent, control, observe, |depth, excluded| {
        if excluded.is_empty() {
            walk.visits.seldepth = 0;
        }
        walk.reached_horizon = false;
        let left = moves.iter().copied().filter(|mv| !excluded.contains(mv));
        let value = walk.best(position, left, depth, 0, OPEN);
        let pv = walk.pv.line(0).to_vec();
        let line = walk.line(depth, excluded.len() + 1, value, pv);
        (!walk.visits.stopped).then_some((line, walk.reached_horizon))
    });
    let nodes = walk.visits.nodes;
    Some(Line { nodes, ..best })
}

/// Search window: values below `alpha` or above `beta` need not be told apart.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

/// The window that contains every value.
const OPEN: Window = Window { alpha: i32::MIN, beta: i32::MAX };

struct Walk<'a, M: MinimaxModel> {
    model: &'a M,
    visits: Visits<'a>,
    pv: PrincipalVariation<M::Move>,
    /// `true` if a position was evaluated at the depth limit.
    reached_horizon: bool,
}

impl<M: MinimaxModel> Walk<'_, M> {
    fn line(&self, depth: u32, multipv: usize, value: i32, pv: Vec<M::Move>) -> Line<M::Move, i32> {
        Line {
            depth,
            seldepth: self.visits.seldepth as u32,
            multipv,
            value,
            pv,
            // The value does not tell whether the game is won.
            is_won: false,
            nodes: self.visits.nodes,
        }
    }

    /// Value of a position, searched `depth` plies deep. Meaningless once the search is stopped.
    fn value(&mut self, position: &M::Position, depth: u32, ply: usize, window: Window) -> i32 {
        self.pv.clear(ply);
        if self.visits.visit(ply) {
            return 0;
        }
        let model = self.model;
        let mut moves = model.moves(position).peekable();
        if depth == 0 || moves.peek().is_none() {
            self.reached_horizon |= moves.peek().is_some();
            return model.value(position);
        }
        self.best(position, moves, depth, ply, window)
    }

    /// Best value among some moves, at least one, searched `depth` plies deep, at least one.
    fn best(
        &mut self,
        position: &M::Position,
        moves: impl Iterator<Item = M::Move>,
        depth: u32,
        ply: usize,
        mut window: Window,
    ) -> i32 {
        let wants_large = self.model.wants_large(position);
        let mut best = None;
        for mv in moves {
            let next = self.model.play(position, mv);
            let value = self.value(&next, depth - 1, ply + 1, window);
            if self.visits.stopped {
                return 0;
            }
            let is_better = |best| {
                if wants_large { value > best } else { value <= best }
            };
            if best.is_none_or(is_better) {
                best = Some(value);
                self.pv.extend(ply, mv);
            }
            if wants_large {
                window.alpha = window.alpha.max(value);
            } else {
                window.beta = window.beta.min(value);
            }
            if window.beta < window.alpha {
                break;
            }
        }
        best.unwrap_or_default()
    }
}
