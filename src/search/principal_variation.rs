//! The principal variation, collected in a triangular table: each ply has the best line from there.

use super::MAX_DEPTH;

/// Best lines of all plies of the current path.
pub struct PrincipalVariation<M> {
    lines: Vec<Vec<M>>,
}

impl<M: Copy> PrincipalVariation<M> {
    /// Empty lines with enough capacity that none of them allocates during the search.
    pub fn new() -> PrincipalVariation<M> {
        let plies = MAX_DEPTH as usize + 2;
        let lines = (0..plies).map(|ply| Vec::with_capacity(plies - ply)).collect();
        PrincipalVariation { lines }
    }

    /// Line from `ply` on.
    pub fn line(&self, ply: usize) -> &[M] {
        &self.lines[ply]
    }

    /// Clears the line from `ply` on: it ends there.
    pub fn clear(&mut self, ply: usize) {
        self.lines[ply].clear();
    }

    /// Sets the line from `ply` on to `mv` followed by the line of the next ply.
    pub fn extend(&mut self, ply: usize, mv: M) {
        let (here, below) = self.lines.split_at_mut(ply + 1);
        here[ply].clear();
        here[ply].push(mv);
        here[ply].extend_from_slice(&below[0]);
    }
}
