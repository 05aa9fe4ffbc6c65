//! Results of a solved game: the winner of each position, and the number of plies.

use super::Seat;

/// Result of a two-player game with perfect play: the winner plays for the fastest win, and the loser delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Winning seat.
    pub winner: Seat,
    /// Plies to the end; 0 if the game is over.
    pub plies: u32,
}

/// Counts over all positions of a solved two-player game, including those that no game reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Census<G> {
    /// All positions, including finished games.
    pub positions: u32,
    /// Number of positions that each seat wins or has won.
    pub wins: [u32; 2],
    /// Longest win of each seat.
    pub longest: [LongestWin<G>; 2],
    /// Possible starting positions.
    pub starts: Vec<Start<G>>,
}

impl<G> Census<G> {
    /// Converts the type of the positions.
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
    /// Length in plies.
    pub plies: u32,
    /// Number of positions with a win of this length.
    pub count: u32,
    /// One of these positions, always the same.
    pub position: G,
}

/// A possible starting position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start<G> {
    /// The position.
    pub position: G,
    /// Result with perfect play.
    pub outcome: Outcome,
    /// Number of positions reachable from here, including this one and finished games.
    pub reachable: u32,
}
