//! Iterative deepening. The depths do not learn from each other, so that what a depth finds is what a search of that
//! depth alone would.

use crate::search::visits::Visits;
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
pub struct Line<M, V> {
    /// Plies searched in full.
    pub depth: u32,
    /// The deepest ply reached.
    pub seldepth: u32,
    /// The rank of the move among the best, from 1.
    pub multipv: usize,
    /// What the line comes to.
    pub value: V,
    /// The line, the root move first; a card ends it.
    pub pv: Vec<M>,
    /// Whether the line ends with the mover's goal, before any other seat has reached its own.
    pub is_won: bool,
    /// Positions visited since the search began.
    pub nodes: u64,
}

/// Who is handed each line as it is found.
pub type Observer<'a, M, V> = &'a mut dyn FnMut(&Line<M, V>);

/// A search that is made anew for each depth.
pub(super) trait Search<'a> {
    /// A move of the game.
    type Move: Copy;
    /// What a line comes to.
    type Value;

    /// The best line of the moves that are not excluded, so many plies deep. Meaningless if the search was stopped.
    fn best_line(
        &mut self,
        depth: u32,
        rank: usize,
        excluded: &[Self::Move],
    ) -> Line<Self::Move, Self::Value>;

    /// The positions that it has visited.
    fn visits(&mut self) -> &mut Visits<'a>;

    /// Whether a position was valued because of the depth alone, since this was last reset.
    fn reached_horizon(&mut self) -> &mut bool;
}

/// Searches deeper and deeper until the extent is reached, `control` says stop, the mover is first to its goal, or
/// nothing is left to search.
///
/// # Returns
/// The best line of the last depth that was completed; before the first, `best`.
pub(super) fn deepen<'a, S: Search<'a>>(
    search: &mut S,
    mut best: Line<S::Move, S::Value>,
    extent: &Extent<S::Move>,
    control: &Control,
    observe: Observer<'_, S::Move, S::Value>,
) -> Line<S::Move, S::Value> {
    // Where nothing is to be chosen, time is better kept.
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
