//! The searches of the articles: [`vectors`] for Hase und Igel, [`minimax`] for Rabbits and Wolves. Both search a model
//! of the game to a fixed depth, without a transposition table, and share the iterative deepening. Its iterations share
//! no information, so each finds exactly what a search to that depth alone would.

pub mod minimax;
pub mod vectors;

use super::Control;

/// Limits and root moves of a search.
#[derive(Clone, Debug)]
pub struct Extent<M> {
    /// Moves to consider at the root, all legal.
    pub moves: Vec<M>,
    /// Deepest iteration, from 1 to [`MAX_DEPTH`](super::MAX_DEPTH).
    pub depth: u32,
    /// Largest number of positions to visit.
    pub nodes: u64,
    /// Number of best moves to report, from 1.
    pub multipv: usize,
}

/// Principal variation of a root move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<M, V> {
    /// Plies searched in full.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Rank of the move, from 1 for the best.
    pub multipv: usize,
    /// Value of the line.
    pub value: V,
    /// The line, from the root move; a card ends it.
    pub pv: Vec<M>,
    /// `true` if the line ends with the mover at its goal, before any other seat.
    pub is_won: bool,
    /// Positions visited since the search began.
    pub nodes: u64,
}

/// Callback for each line found.
pub type Observer<'a, M, V> = &'a mut dyn FnMut(&Line<M, V>);

/// Searches deeper and deeper until a limit is reached, `control` stops the search, the mover is first to its goal, or
/// nothing is left to search.
///
/// `search` finds the best line at a depth, apart from the moves that are excluded, and whether any line was cut off by
/// the depth. It returns `None` if it was stopped.
///
/// # Returns
/// Best line of the last completed depth; before the first, `best`.
fn deepen<M: Copy, V>(
    mut best: Line<M, V>,
    extent: &Extent<M>,
    control: &Control,
    observe: Observer<'_, M, V>,
    mut search: impl FnMut(u32, &[M]) -> Option<(Line<M, V>, bool)>,
) -> Line<M, V> {
    for depth in 1..=extent.depth {
        let mut excluded = Vec::new();
        let mut is_cut_off = false;
        for rank in 1..=extent.multipv.clamp(1, extent.moves.len()) {
            let Some((line, is_line_cut_off)) = search(depth, &excluded) else {
                return best;
            };
            is_cut_off |= is_line_cut_off;
            excluded.push(line.pv[0]);
            observe(&line);
            if rank == 1 {
                best = line;
            }
        }
        if best.is_won || !is_cut_off || !control.may_deepen() {
            break;
        }
    }
    best
}
