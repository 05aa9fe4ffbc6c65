//! Iterative deepening. The iterations share no information, so each finds exactly what a search to that depth alone
//! would.

use crate::search::visits::Visits;
use crate::search::{Control, MAX_DEPTH};

/// Limits and root moves of a search.
#[derive(Clone, Debug)]
pub struct Extent<M> {
    /// Moves to consider at the root, all legal.
    pub moves: Vec<M>,
    /// Deepest iteration, from 1.
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

/// A search that starts from scratch at each depth.
pub(super) trait Search<'a> {
    /// A move of the game.
    type Move: Copy;
    /// Value of a line.
    type Value;

    /// Returns the best line of the moves that are not excluded, searched `depth` plies deep. Meaningless if the search
    /// was stopped.
    fn best_line(
        &mut self,
        depth: u32,
        rank: usize,
        excluded: &[Self::Move],
    ) -> Line<Self::Move, Self::Value>;

    /// Counter of visited positions.
    fn visits(&mut self) -> &mut Visits<'a>;

    /// Set when a position is evaluated at the depth limit; the caller resets it.
    fn reached_horizon(&mut self) -> &mut bool;
}

/// Searches deeper and deeper until a limit is reached, `control` stops the search, the mover is first to its goal, or
/// nothing is left to search.
///
/// # Returns
/// Best line of the last completed depth; before the first, `best`.
pub(super) fn deepen<'a, S: Search<'a>>(
    search: &mut S,
    mut best: Line<S::Move, S::Value>,
    extent: &Extent<S::Move>,
    control: &Control,
    observe: Observer<'_, S::Move, S::Value>,
) -> Line<S::Move, S::Value> {
    // With a single move and a clock, searches only to depth 1 to save time.
    let is_only_move = extent.moves.len() == 1 && control.is_timed();
    let deepest = if is_only_move {
        1
    } else {
        extent.depth.min(MAX_DEPTH)
    };
    'depths: for depth in 1..=deepest {
        search.visits().seldepth = 0;
        *search.reached_horizon() = false;
        let mut excluded = Vec::new();
        for rank in 1..=extent.multipv.clamp(1, extent.moves.len()) {
            let line = search.best_line(depth, rank, &excluded);
            if search.visits().stopped {
                break 'depths;
            }
            excluded.push(line.pv[0]);
            observe(&line);
            if rank == 1 {
                best = line;
            }
        }
        if best.is_won || !*search.reached_horizon() || !control.may_deepen() {
            break;
        }
    }
    best.nodes = search.visits().nodes;
    best
}
