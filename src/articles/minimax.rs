//! The program of the article "Rabbits & Wolves": minimax with alpha-beta over a single number.
//!
//! Moves are tried in the order of the model. Among equal moves the maximising side takes the first, the minimising
//! side the last. The value does not distinguish sooner from later wins, so the engine may win late, and gives up at
//! once when all is lost.
//!
//! **Pruning.** A node is cut off once alpha is above beta, not when they are equal. So the value of a node is exact if
//! it is from alpha to beta, both included, and otherwise a bound on the same side. A value equal to the best so far is
//! therefore exact, and taking the last of equal moves gives the same result as without pruning.

use super::{Extent, Line, Observer, deepen};
use crate::eval::fox::{self, UNREACHABLE};
use crate::rules::Game;
use crate::rules::fox::{Move, Position, RABBIT, WOLVES};
use crate::search::{Control, PrincipalVariation, Visits};

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
        let value = walk.best(position, left, depth, 0, FULL_WINDOW);
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
const FULL_WINDOW: Window = Window { alpha: i32::MIN, beta: i32::MAX };

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

/// A tree of positions with a single number as value, which one side maximises and the other minimises.
pub trait MinimaxModel {
    /// A position.
    type Position: Copy;
    /// A move.
    type Move: Copy + Eq;

    /// Legal moves of the side to move, in the order that decides between equal ones; none at the end of the tree.
    fn moves(&self, position: &Self::Position) -> impl Iterator<Item = Self::Move>;

    /// Returns the position after a legal move.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// `true` if the side to move maximises the value.
    fn wants_large(&self, position: &Self::Position) -> bool;

    /// Static value of a position.
    fn value(&self, position: &Self::Position) -> i32;
}

/// The article's model of the game: the wolves maximise the value, the rabbit minimises it.
#[derive(Clone, Copy, Debug)]
pub struct Pursuit {
    /// Value of a position at the end of the search.
    pub heuristic: Heuristic,
}

impl MinimaxModel for Pursuit {
    type Position = Position;
    type Move = Move;

    /// The wolves' moves in the order of the position's text, left before right; the rabbit's moves down before up,
    /// left before right. The article numbers the wolves from the start instead, which a position does not tell.
    fn moves(&self, position: &Position) -> impl Iterator<Item = Move> {
        let moves = position.legal_moves();
        // Ascending moves are in this order, except for the rows of the wolves.
        let rows = (0..8).rev();
        rows.flat_map(move |row| moves.filter(move |mv| mv.from.row() == row))
    }

    #[inline]
    fn play(&self, position: &Position, mv: Move) -> Position {
        position.play_unchecked(mv)
    }

    #[inline]
    fn wants_large(&self, position: &Position) -> bool {
        position.mover() == WOLVES
    }

    fn value(&self, position: &Position) -> i32 {
        match position.winner() {
            Some(RABBIT) => 0,
            Some(_) => UNREACHABLE,
            None => match self.heuristic {
                Heuristic::Distance => fox::distance(position),
                Heuristic::Height => 7 - i32::from(position.rabbit().row()),
            },
        }
    }
}

impl Pursuit {
    /// The rabbit's steps to each square, the value, and a line for each seat.
    pub fn explain(&self, position: &Position) -> Vec<String> {
        let name = match self.heuristic {
            Heuristic::Distance => "distance",
            Heuristic::Height => "height",
        };
        fox::explain(position, name, self.value(position))
    }
}

/// Value of a position at the end of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heuristic {
    /// Length in steps of the rabbit's shortest way to row 8 if no wolf moves.
    #[default]
    Distance,
    /// Number of rows to row 8, ignoring the wolves.
    Height,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_in_the_order_of_the_text() {
        let pursuit = Pursuit { heuristic: Heuristic::Distance };
        for (text, expected) in [
            ("1h1h4/8/8/h7/8/2F5/7h/8 b", "b8a7 b8c7 d8c7 d8e7 a5b4 h2g1"),
            ("1h1h1h1h/8/8/8/8/8/3F4/8 w", "d2c1 d2e1 d2c3 d2e3"),
        ] {
            let position = Position::parse(&(), text).unwrap();
            let moves: Vec<String> = pursuit.moves(&position).map(|mv| mv.to_string()).collect();
            assert_eq!(moves.join(" "), expected, "{position:?}");
        }
    }

    #[test]
    fn an_end_has_the_value_of_the_winner() {
        for heuristic in [Heuristic::Distance, Heuristic::Height] {
            for (text, expected) in [
                ("1F6/8/8/8/8/8/8/h1h1h1h1 b", 0),
                ("8/8/8/8/8/2F5/8/h1h1h1h1 b", 0),
                ("1h1h1h2/8/8/8/8/8/1h6/F7 w", UNREACHABLE),
            ] {
                let position = Position::parse(&(), text).unwrap();
                let value = Pursuit { heuristic }.value(&position);
                assert_eq!(value, expected, "{heuristic:?} {position:?}");
            }
        }
    }
}
