//! What the table says as a whole: how many positions there are, who wins them, and the longest wins.

use super::placements::{PLACEMENTS, placements, rank};
use super::position::{TOP_ROW, above, below, squares, wolf_moves};
use super::{Outcome, Position, Side, Solved};

/// Counts over all positions: every placement of the wolves, the rabbit on any other square, either side
/// to move, however one may have come there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// All positions, those that are over too.
    pub positions: u32,
    /// Those that the rabbit wins or has won.
    pub rabbit_wins: u32,
    /// Those that the wolves win or have won.
    pub wolves_win: u32,
    /// The longest win of the rabbit.
    pub longest_of_rabbit: Longest,
    /// The longest win of the wolves.
    pub longest_of_wolves: Longest,
    /// The four starts, from a1 to g1.
    pub starts: [Start; 4],
}

/// The longest win of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Longest {
    /// Its plies.
    pub plies: u8,
    /// How many positions have a win as long.
    pub count: u32,
    /// The first of them: by the set of the wolves as a number, then the rabbit's square, then with the
    /// rabbit to move.
    pub position: Position,
}

/// A start of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The rabbit, to move, on a square of the bottom row, the wolves on the top row.
    pub position: Position,
    /// How it ends.
    pub outcome: Outcome,
    /// The positions that a game from here can come to, this one and those that are over too.
    pub reachable: u32,
}

impl Statistics {
    pub(super) fn of(solved: &Solved) -> Statistics {
        let nothing = Longest {
            plies: 0,
            count: 0,
            position: Position::start(0),
        };
        let mut statistics = Statistics {
            positions: 0,
            rabbit_wins: 0,
            wolves_win: 0,
            longest_of_rabbit: nothing,
            longest_of_wolves: nothing,
            starts: [0, 1, 2, 3].map(|rabbit| Start::of(solved, Position::start(rabbit))),
        };
        for wolves in placements() {
            for rabbit in squares(!wolves) {
                for wolves_move in [false, true] {
                    let position = Position {
                        wolves,
                        rabbit,
                        wolves_move,
                    };
                    statistics.count(position, solved.outcome(wolves, rabbit, wolves_move));
                }
            }
        }
        statistics
    }

    fn count(&mut self, position: Position, outcome: Outcome) {
        let (wins, longest) = match outcome.winner {
            Side::Rabbit => (&mut self.rabbit_wins, &mut self.longest_of_rabbit),
            Side::Wolves => (&mut self.wolves_win, &mut self.longest_of_wolves),
        };
        self.positions += 1;
        *wins += 1;
        if longest.count == 0 || outcome.plies > longest.plies {
            *longest = Longest {
                plies: outcome.plies,
                count: 0,
                position,
            };
        }
        longest.count += u32::from(outcome.plies == longest.plies);
    }
}

impl Start {
    fn of(solved: &Solved, position: Position) -> Start {
        Start {
            position,
            outcome: solved.outcome(position.wolves, position.rabbit, position.wolves_move),
            reachable: reachable(position),
        }
    }
}

/// The number of positions that a game from `start`, with the rabbit to move, can come to.
///
/// Wolves only go down, so one pass over the placements in descending order meets each after all that lead
/// to it.
fn reachable(start: Position) -> u32 {
    // By rank of the placement: the squares on which the rabbit can be when it is to move.
    let mut rabbits = vec![0_u32; PLACEMENTS];
    rabbits[rank(start.wolves)] = 1 << start.rabbit;
    let mut all: Vec<u32> = placements().collect();
    all.reverse();
    let mut count = 0;
    for wolves in all {
        let rabbit_to_move = rabbits[rank(wolves)];
        let steps = above(rabbit_to_move) | below(rabbit_to_move);
        let wolves_to_move = steps & !wolves;
        count += rabbit_to_move.count_ones() + wolves_to_move.count_ones();
        let goes_on = wolves_to_move & !TOP_ROW;
        for mv in wolf_moves(wolves) {
            rabbits[rank(mv.of_wolves(wolves))] |= goes_on & !(1 << mv.to);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::SOLVED;
    use super::*;

    #[test]
    fn the_counts_of_the_whole_game() {
        let statistics = SOLVED.statistics();
        assert_eq!(statistics.positions, 35_960 * 28 * 2);
        assert_eq!(statistics.rabbit_wins, 1_880_345);
        assert_eq!(statistics.wolves_win, 133_415);
        let starts = statistics.starts;
        assert_eq!(
            starts.map(|start| start.reachable),
            [892_699, 895_094, 895_280, 894_341]
        );
        assert_eq!(starts.map(|start| start.outcome.plies), [44; 4]);
    }

    #[test]
    fn the_longest_wins() {
        let statistics = SOLVED.statistics();
        let longest = statistics.longest_of_rabbit;
        assert_eq!((longest.plies, longest.count), (41, 1), "{longest:?}");
        // The wolves on d4, c7, b8 and h8, the rabbit on a1, to move.
        let expected = Position {
            wolves: 1 << 13 | 1 << 25 | 1 << 28 | 1 << 31,
            ..Position::start(0)
        };
        assert_eq!(longest.position, expected);
        let longest = statistics.longest_of_wolves;
        assert_eq!((longest.plies, longest.count), (44, 28), "{longest:?}");
        assert_eq!(longest.position, Position::start(0));
    }

    #[test]
    fn reachable_positions_are_those_that_moves_lead_to() {
        // A few plies before the end, for speed; the wolves on b2, d2, d4 and f4.
        for rabbit in 0..4 {
            let start = Position {
                wolves: 1 << 4 | 1 << 5 | 1 << 13 | 1 << 14,
                rabbit,
                wolves_move: false,
            };
            let mut seen = HashSet::from([start]);
            let mut open = vec![start];
            while let Some(position) = open.pop() {
                let after = position.moves().map(|mv| position.after(mv));
                open.extend(after.filter(|&after| seen.insert(after)));
            }
            assert_eq!(reachable(start) as usize, seen.len(), "{start:?}");
        }
    }
}
