//! What is known of a game that is solved: of each position who wins, and when.

use super::Seat;

/// How a game for two ends when both play perfectly: the winner hurries, the loser delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Who wins.
    pub winner: Seat,
    /// Plies to the end; 0 if this is the end.
    pub plies: u32,
}

/// Counts over all positions of a solved game for two, however one may have come there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Census<G> {
    /// All positions, those that are over too.
    pub positions: u32,
    /// By seat, the positions that it wins or has won.
    pub wins: [u32; 2],
    /// By seat, its longest win.
    pub longest: [LongestWin<G>; 2],
    /// The positions from which a game can start.
    pub starts: Vec<Start<G>>,
}

impl<G> Census<G> {
    /// The same, with every position made into another.
    pub fn map<H>(self, into: impl Fn(G) -> H) -> Census<H> {
        Census {
            positions: self.positions,
            wins: self.wins,
            longest: self.longest.map(|longest| LongestWin {
                plies: longest.plies,
                count: longest.count,
                position: into(longest.position),
            }),
            starts: self
                .starts
                .into_iter()
                .map(|start| Start {
                    position: into(start.position),
                    outcome: start.outcome,
                    reachable: start.reachable,
                })
                .collect(),
        }
    }
}

/// The longest win of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongestWin<G> {
    /// Its plies.
    pub plies: u32,
    /// How many positions have a win as long.
    pub count: u32,
    /// One of them, always the same.
    pub position: G,
}

/// A position from which a game can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start<G> {
    /// The position.
    pub position: G,
    /// How it ends.
    pub outcome: Outcome,
    /// The positions that a game from here can come to, this one and those that are over too.
    pub reachable: u32,
}
