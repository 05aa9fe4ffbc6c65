//! Move ordering: first the best move of an earlier search, then the killer of the ply, then by static evaluation.
//!
//! Source: the article "AI in Hase und Igel: minimax for three", small optimisation of alpha-beta; S. Akl and M.
//! Newborn, "The principal continuation and the killer heuristic" (1977).

use crate::rules::{Game, MAX_MOVES};

/// A move with its index among the legal moves.
#[derive(Clone, Copy, Debug)]
pub struct OrderedMove<M> {
    pub mv: M,
    /// Index among the legal moves.
    pub index: u8,
    /// Moves with a larger priority are searched earlier.
    priority: i32,
}

/// Legal moves of a position in search order.
pub struct OrderedMoves<M> {
    moves: [OrderedMove<M>; MAX_MOVES],
    len: usize,
}

impl<M: Copy> OrderedMoves<M> {
    /// Sorts the legal moves of a position, at least one, by descending priority; equal ones stay in ascending order.
    #[inline]
    pub fn by<G: Game<Move = M>>(position: &G, mut priority: impl FnMut(usize, M) -> i32) -> Self {
        let legal = position.legal_moves();
        let mut moves: Option<OrderedMoves<M>> = None;
        for (index, mv) in legal.take(MAX_MOVES).enumerate() {
            let entry = OrderedMove {
                mv,
                index: index as u8,
                priority: priority(index, mv),
            };
            moves
                .get_or_insert(OrderedMoves {
                    moves: [entry; MAX_MOVES],
                    len: 0,
                })
                .insert(entry);
        }
        // A seat to move has at least one legal move.
        moves.unwrap_or_else(|| unreachable!("no legal move in {position:?}"))
    }

    /// Moves in search order.
    pub fn as_slice(&self) -> &[OrderedMove<M>] {
        &self.moves[..self.len]
    }

    fn insert(&mut self, entry: OrderedMove<M>) {
        let mut slot = self.len;
        while slot > 0 && self.moves[slot - 1].priority < entry.priority {
            self.moves[slot] = self.moves[slot - 1];
            slot -= 1;
        }
        self.moves[slot] = entry;
        self.len += 1;
    }
}
