//! Which game is number n: a pure function of the plan.

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledGame {
    /// Its number in the match, from 1.
    pub number: u64,
    /// The number of its block, from 1.
    pub block: u64,
    /// Who sits where.
    pub seats: Vec<SeatedEngine>,
    /// The text of the start, or `None` for the variant's own.
    pub start: Option<String>,
    /// Moves and cards played before the engines are asked, random plies included.
    pub opening: Vec<String>,
    /// The seed of the cards: the k-th card drawn after `start` is the same in all games of a block.
    pub deck_seed: u64,
}

/// A process of an engine: copies of one engine in a game are different processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeatedEngine {
    /// Index into the engines of the plan.
    pub engine: usize,
    /// Which of its copies in this game, from 0.
    pub copy: usize,
}
