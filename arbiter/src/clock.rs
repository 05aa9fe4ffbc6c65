//! What each seat may use: the limits of its moves, and its clock where it plays with one.

use std::time::Duration;

use buxtehude::protocol::{Clock, ClockTimes, Go};
use buxtehude::rules::Seat;

use crate::plan::{Limit, Patience};

/// How long after the margin an answer is still waited for, to call it late rather than missing.
const WAIT_FOR_LATE_ANSWERS: Duration = Duration::from_secs(1);

/// The limit of one seat's moves, and the time left to it.
#[derive(Clone, Debug)]
pub struct SeatClock {
    limit: Limit,
    /// Time left under [`Limit::Clock`].
    left: Duration,
}

impl SeatClock {
    /// A seat before its first move.
    pub fn new(limit: Limit) -> SeatClock {
        let left = match limit {
            Limit::Clock { time, .. } => time,
            _ => Duration::ZERO,
        };
        SeatClock { limit, left }
    }

    /// The time for the next move, or `None` where it is limited otherwise.
    pub fn time_limit(&self) -> Option<Duration> {
        match self.limit {
            Limit::Movetime(time) => Some(time),
            Limit::Clock { .. } => Some(self.left),
            Limit::Depth(_) | Limit::Nodes(_) => None,
        }
    }

    /// How long an answer is waited for at all.
    pub fn longest_wait(&self, patience: &Patience) -> Duration {
        match self.time_limit() {
            Some(limit) => limit
                .saturating_add(patience.margin)
                .saturating_add(WAIT_FOR_LATE_ANSWERS),
            None => patience.stall,
        }
    }

    /// Whether an answer after `elapsed` comes later than limit and margin allow.
    pub fn is_overstepped(&self, elapsed: Duration, patience: &Patience) -> bool {
        self.time_limit()
            .is_some_and(|limit| elapsed > limit.saturating_add(patience.margin))
    }

    /// Takes the time of a move off the clock, then adds the increment.
    pub fn charge(&mut self, elapsed: Duration) {
        if let Limit::Clock { increment, .. } = self.limit {
            self.left = self.left.saturating_sub(elapsed).saturating_add(increment);
        }
    }
}

/// What `go` says to the seat to move: its own limit alone, or all clocks where it plays with one.
///
/// Of seats without a clock the `time` is sent as 0; with two seats it is left out.
pub fn go(clocks: &[SeatClock], mover: Seat, searchmoves: Vec<String>) -> Go {
    let mut go = Go {
        searchmoves,
        ..Go::default()
    };
    match clocks[mover.index()].limit {
        // A move time below a millisecond cannot be said; 0 would be refused.
        Limit::Movetime(time) => go.movetime = Some(milliseconds(time).max(1)),
        Limit::Depth(depth) => go.depth = Some(depth),
        Limit::Nodes(nodes) => go.nodes = Some(nodes),
        Limit::Clock { .. } => {
            go.clock = Some(Clock {
                time: clock_times(clocks),
                movestogo: None,
            });
        }
    }
    go
}

fn clock_times(clocks: &[SeatClock]) -> ClockTimes {
    let time = |clock: &SeatClock| match clock.limit {
        Limit::Clock { .. } => Some(i64::try_from(milliseconds(clock.left)).unwrap_or(i64::MAX)),
        _ => None,
    };
    let increment = |clock: &SeatClock| match clock.limit {
        Limit::Clock { increment, .. } => Some(milliseconds(increment)),
        _ => None,
    };
    match clocks {
        [first, second] => ClockTimes::Uci {
            wtime: time(first),
            btime: time(second),
            winc: increment(first),
            binc: increment(second),
        },
        _ => ClockTimes::Seats {
            time: clocks
                .iter()
                .map(|clock| time(clock).unwrap_or(0))
                .collect(),
            inc: clocks
                .iter()
                .map(|clock| increment(clock).unwrap_or(0))
                .collect(),
        },
    }
}

/// Whole milliseconds, rounded down.
fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience {
        ready: Duration::from_secs(10),
        margin: Duration::from_millis(50),
        stall: Duration::from_secs(60),
        max_plies: 1000,
    };

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    fn with_clock(time: u64, increment: u64) -> SeatClock {
        SeatClock::new(Limit::Clock {
            time: ms(time),
            increment: ms(increment),
        })
    }

    fn sent(clocks: &[SeatClock], mover: u8) -> String {
        format!("go{}", go(clocks, Seat(mover), Vec::new()))
    }

    #[test]
    fn an_answer_is_late_beyond_limit_and_margin() {
        let clock = SeatClock::new(Limit::Movetime(ms(100)));
        for (elapsed, late) in [(0, false), (150, false), (151, true)] {
            assert_eq!(
                clock.is_overstepped(ms(elapsed), &PATIENCE),
                late,
                "{elapsed} ms"
            );
        }
        assert_eq!(clock.longest_wait(&PATIENCE), ms(1150));
    }

    #[test]
    fn depth_and_nodes_know_only_the_stall() {
        for limit in [Limit::Depth(3), Limit::Nodes(100)] {
            let clock = SeatClock::new(limit);
            assert!(!clock.is_overstepped(ms(1_000_000), &PATIENCE), "{limit:?}");
            assert_eq!(clock.longest_wait(&PATIENCE), ms(60_000), "{limit:?}");
        }
    }

    #[test]
    fn a_clock_loses_the_time_used_and_gains_the_increment_afterwards() {
        let mut clock = with_clock(1000, 20);
        assert_eq!(clock.time_limit(), Some(ms(1000)));
        clock.charge(ms(300));
        assert_eq!(clock.time_limit(), Some(ms(720)));
        // Within the margin: what was overdrawn is forgiven, not owed.
        clock.charge(ms(740));
        assert_eq!(clock.time_limit(), Some(ms(20)));
        assert!(!clock.is_overstepped(ms(70), &PATIENCE));
        assert!(clock.is_overstepped(ms(71), &PATIENCE));
    }

    #[test]
    fn go_carries_the_movers_limit_alone() {
        let clocks = [
            SeatClock::new(Limit::Movetime(ms(20))),
            SeatClock::new(Limit::Depth(4)),
            SeatClock::new(Limit::Nodes(500)),
        ];
        assert_eq!(sent(&clocks, 0), "go movetime 20");
        assert_eq!(sent(&clocks, 1), "go depth 4");
        assert_eq!(sent(&clocks, 2), "go nodes 500");
    }

    #[test]
    fn clocks_are_sent_in_seat_order_and_rounded_down() {
        let mut clocks = vec![with_clock(1000, 10), with_clock(2000, 20)];
        clocks[0].charge(Duration::from_micros(10_500));
        assert_eq!(sent(&clocks, 1), "go wtime 999 btime 2000 winc 10 binc 20");
        clocks.push(with_clock(3000, 0));
        assert_eq!(sent(&clocks, 0), "go time 999 2000 3000 inc 10 20 0");
    }

    #[test]
    fn seats_without_a_clock_are_left_out_or_zero() {
        let mut clocks = vec![with_clock(1000, 10), SeatClock::new(Limit::Depth(4))];
        assert_eq!(sent(&clocks, 0), "go wtime 1000 winc 10");
        clocks.push(with_clock(1000, 10));
        assert_eq!(sent(&clocks, 0), "go time 1000 0 1000 inc 10 0 10");
    }

    #[test]
    fn searchmoves_come_last() {
        let clocks = [with_clock(1000, 0), with_clock(1000, 0)];
        let moves = vec!["1".to_string(), "2".to_string()];
        assert_eq!(
            format!("go{}", go(&clocks, Seat(0), moves)),
            "go wtime 1000 btime 1000 winc 0 binc 0 searchmoves 1 2"
        );
    }
}
