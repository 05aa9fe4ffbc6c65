//! The principal variation, collected in a triangular table: each ply keeps the best line from it on.

use super::MAX_DEPTH;

/// The best lines of all plies of the path that is being searched.
pub struct PrincipalVariation<M> {
    lines: Vec<Vec<M>>,
}

impl<M: Copy> PrincipalVariation<M> {
    /// Empty lines, with room enough that none of them allocates during the search.
    pub fn new() -> PrincipalVariation<M> {
        let plies = MAX_DEPTH as usize + 2;
        let lines = (0..plies)
            .map(|ply| Vec::with_capacity(plies - ply))
            .collect();
        PrincipalVariation { lines }
    }

    /// The line from `ply` on.
    pub fn line(&self, ply: usize) -> &[M] {
        &self.lines[ply]
    }

    /// Forgets the line from `ply` on: it ends there.
    pub fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// The line from `ply` on is `mv`, then the line of the next ply.
    pub fn extend(&mut self, ply: usize, mv: M) {
        let (here, below) = self.lines.split_at_mut(ply + 1);
        here[ply].clear();
        here[ply].push(mv);
        here[ply].extend_from_slice(&below[0]);
    }
}
