//! Statistics of the solved game: the number of positions, the wins of each seat, and the longest wins.

use super::super::board::{ROW_8, Square, neighbours};
use super::super::position::{Position, RABBIT, WOLVES};
use super::Solved;
use super::placements::{PLACEMENTS, placements, rank};
use crate::rules::{Census, LongestWin, Outcome, Start};

/// Squares where the rabbit can start: all of row 1.
const STARTS: [u8; 4] = [0, 1, 2, 3];

impl Solved {
    /// Counts positions and wins and finds the longest wins; takes about a tenth of a second. Among equally long wins
    /// it returns the first position, ordered by the set of the wolves as a number, then by the rabbit's square, then
    /// with the rabbit to move first.
    pub fn census(&self) -> Census<Position> {
        let nothing = LongestWin { plies: 0, count: 0, position: start(STARTS[0]) };
        let mut census = Census {
            positions: 0,
            wins: [0; 2],
            longest: [nothing; 2],
            starts: STARTS.map(|rabbit| self.start(start(rabbit))).to_vec(),
        };
        for wolves in placements() {
            for rabbit in Square::all_in(!wolves) {
                for mover in [RABBIT, WOLVES] {
                    let position = Position::of(rabbit, wolves, mover);
                    count(&mut census, position, self.outcome(&position));
                }
            }
        }
        census
    }

    fn start(&self, position: Position) -> Start<Position> {
        Start { position, outcome: self.outcome(&position), reachable: reachable(&position) }
    }
}

/// The start with the rabbit on a square of row 1.
fn start(rabbit: u8) -> Position {
    Position::of(Square::new(rabbit), ROW_8, RABBIT)
}

fn count(census: &mut Census<Position>, position: Position, outcome: Outcome) {
    let longest = &mut census.longest[outcome.winner.index()];
    census.positions += 1;
    census.wins[outcome.winner.index()] += 1;
    if longest.count == 0 || outcome.plies > longest.plies {
        *longest = LongestWin { plies: outcome.plies, count: 0, position };
    }
    longest.count += u32::from(outcome.plies == longest.plies);
}

/// Number of positions reachable from `start`, with the rabbit to move.
///
/// Wolves only move down, so a single pass over the placements in descending order visits each placement after all that
/// lead to it.
fn reachable(start: &Position) -> u32 {
    // By rank of the placement: the set of squares that the rabbit can be on when it is to move.
    let mut rabbits = vec![0_u32; PLACEMENTS];
    rabbits[rank(start.wolves())] = start.rabbit().bit();
    let mut all: Vec<u32> = placements().collect();
    all.reverse();
    let mut count = 0;
    for wolves in all {
        let rabbit_to_move = rabbits[rank(wolves)];
        let wolves_to_move = neighbours(rabbit_to_move) & !wolves;
        count += rabbit_to_move.count_ones() + wolves_to_move.count_ones();
        let in_play = wolves_to_move & !ROW_8;
        for after in super::after_each_step(wolves) {
            rabbits[rank(after)] |= in_play & !after;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::SOLVED;
    use super::*;
    use crate::rules::Game;

    #[test]
    fn the_counts_of_the_whole_game() {
        let census = SOLVED.census();
        assert_eq!(census.positions, 35_960 * 28 * 2);
        assert_eq!(census.wins, [1_880_345, 133_415]);
        let reachable: Vec<u32> = census.starts.iter().map(|start| start.reachable).collect();
        assert_eq!(reachable, [892_699, 895_094, 895_280, 894_341]);
        for start in census.starts {
            assert_eq!(start.outcome, Outcome { winner: WOLVES, plies: 44 }, "{start:?}");
        }
    }

    #[test]
    fn the_longest_wins() {
        let census = SOLVED.census();
        let [rabbits, wolves] = census.longest;
        assert_eq!((rabbits.plies, rabbits.count), (41, 1), "{rabbits:?}");
        let text = "1h5h/2h5/8/8/3h4/8/8/F7 w - - 0 1";
        assert_eq!(rabbits.position.to_string(), text);
        assert_eq!((wolves.plies, wolves.count), (44, 28), "{wolves:?}");
        assert_eq!(wolves.position, start(0));
    }

    #[test]
    fn reachable_positions_are_those_that_moves_lead_to() {
        // Only a few plies before the end, for speed.
        for rabbit in ["F7", "2F5", "4F3", "6F1"] {
            let text = format!("8/8/8/8/3h1h2/8/1h1h4/{rabbit} w");
            let start = Position::parse(&(), &text).unwrap();
            let mut seen = HashSet::from([start.to_string()]);
            let mut open = vec![start];
            while let Some(position) = open.pop() {
                let after = position.legal_moves().map(|mv| position.play_unchecked(mv));
                open.extend(after.filter(|after| seen.insert(after.to_string())));
            }
            assert_eq!(reachable(&start) as usize, seen.len(), "{start:?}");
        }
    }
}
