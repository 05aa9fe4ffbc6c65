//! Converts the limits of `go` to the time budget of one move.
//!
//! # Examples
//! A minute on the clock, and two more seconds after each move:
//! ```
//! use std::time::Duration;
//!
//! use buxtehude::limits::{Limits, MoverClock};
//! use buxtehude::search::Control;
//!
//! let clock = MoverClock {
//!     left: Duration::from_secs(60),
//!     increment: Duration::from_secs(2),
//!     moves_to_go: None,
//!     turns_home: None,
//! };
//! let limits = Limits { clock: Some(clock), ..Limits::default() };
//! let budget = limits.time_budget(Duration::from_millis(1)).expect("a time limit");
//! assert!(budget.soft < Some(budget.hard) && budget.hard < Duration::from_secs(15));
//! assert!(Control::new(Some(budget)).is_timed());
//! ```

use std::time::Duration;

/// Limits of a search; all `None` for an unlimited one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Plies to search.
    pub depth: Option<u32>,
    /// Positions to visit.
    pub nodes: Option<u64>,
    /// Time of this move.
    pub movetime: Option<Duration>,
    /// The mover's clock.
    pub clock: Option<MoverClock>,
}

/// The clock of the seat to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoverClock {
    /// Time left; zero after the flag has fallen.
    pub left: Duration,
    /// Increment per move.
    pub increment: Duration,
    /// Moves to the next time control, or `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
    /// Number of turns that the mover would need to its goal if it were alone, or `None` if unknown.
    pub turns_home: Option<u32>,
}

/// Time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBudget {
    /// No iteration starts after this time; `None` to use all of `hard`.
    pub soft: Option<Duration>,
    /// The search ends at this time, even within an iteration.
    pub hard: Duration,
}

/// Expected number of moves left in the game, if nothing better is known.
const EXPECTED_MOVES: u32 = 16;

/// Expected number of moves beyond `turns_home`.
const DETOURS: u32 = 3;

/// A single move may use at most one part in this many of the clock.
const MAX_SHARE: u32 = 4;

impl Limits {
    /// Limits a search to a time, in milliseconds, from 1.
    pub fn movetime(milliseconds: u64) -> Limits {
        Limits { movetime: Some(Duration::from_millis(milliseconds)), ..Limits::default() }
    }

    /// Limits a search to a number of positions, from 1.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Limits a search to a depth in plies, from 1.
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// Returns the time for this move, or `None` if time is no limit.
    ///
    /// `overhead` is reserved for communication between the client and the search. It takes at most a fifth of a
    /// movetime, so that at least 80 % are used.
    pub fn time_budget(&self, overhead: Duration) -> Option<TimeBudget> {
        let movetime = self
            .movetime
            .map(|movetime| TimeBudget { soft: None, hard: movetime - overhead.min(movetime / 5) });
        let clock = self.clock.map(|clock| clock.time_budget(overhead));
        match (movetime, clock) {
            (Some(movetime), Some(clock)) if movetime.hard < clock.hard => Some(movetime),
            (movetime, clock) => clock.or(movetime),
        }
    }

    /// `true` if there is no limit: such a search runs until `stop`.
    pub fn is_infinite(&self) -> bool {
        *self == Limits::default()
    }
}

impl MoverClock {
    fn time_budget(&self, overhead: Duration) -> TimeBudget {
        let usable = self.left.saturating_sub(overhead);
        let expected =
            self.turns_home.map_or(EXPECTED_MOVES, |turns| turns.saturating_add(DETOURS));
        let moves = self.moves_to_go.unwrap_or(expected).clamp(1, expected);
        let target = usable / moves + self.increment * 3 / 4;
        let most = if moves == 1 { usable } else { usable / MAX_SHARE.min(moves) };
        let hard = (target * 2).min(most.max(self.increment * 3 / 4)).min(usable);
        // An iteration takes at least as long as all before it: one that starts late would not finish.
        TimeBudget { soft: Some((target * 2 / 3).min(hard)), hard }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn at_least_four_fifths_of_a_movetime_are_used() {
        for movetime in [1, 2, 5, 10, 20, 100, 5000] {
            for overhead in [0, 1, 5, 1000] {
                let limits = Limits { movetime: Some(ms(movetime)), ..Limits::default() };
                let hard = limits.time_budget(ms(overhead)).unwrap().hard;
                assert!(hard >= ms(movetime) * 4 / 5, "{movetime} {overhead}: {hard:?}");
                assert!(hard <= ms(movetime), "{movetime} {overhead}: {hard:?}");
            }
        }
    }

    #[test]
    fn a_clock_is_never_overdrawn() {
        for left in [0, 1, 10, 100, 10_000] {
            for increment in [0, 10, 1000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40)] {
                    let (left, increment) = (ms(left), ms(increment));
                    let clock = MoverClock {
                        left,
                        increment,
                        moves_to_go,
                        turns_home: Some(left.as_millis() as u32 % 7),
                    };
                    let budget = clock.time_budget(ms(1));
                    assert!(budget.hard <= left.saturating_sub(ms(1)), "{clock:?}: {budget:?}");
                    assert!(budget.soft.unwrap() <= budget.hard, "{clock:?}: {budget:?}");
                }
            }
        }
    }

    #[test]
    fn the_nearer_its_goal_a_seat_is_the_more_of_its_clock_it_may_use() {
        let hard = |turns_home| {
            let clock =
                MoverClock { left: ms(1000), increment: ms(0), moves_to_go: None, turns_home };
            clock.time_budget(ms(0)).hard
        };
        assert!(hard(Some(2)) > hard(Some(8)) && hard(Some(8)) > hard(Some(20)));
        assert_eq!(hard(None), hard(Some(EXPECTED_MOVES - DETOURS)));
    }

    #[test]
    fn the_shorter_of_movetime_and_clock_counts() {
        let clock =
            MoverClock { left: ms(1000), increment: ms(0), moves_to_go: None, turns_home: None };
        let both = |movetime| {
            let limits =
                Limits { movetime: Some(ms(movetime)), clock: Some(clock), ..Limits::default() };
            limits.time_budget(ms(0)).unwrap().hard
        };
        assert_eq!(both(5), ms(5));
        assert!(both(900) < ms(300));
    }
}
