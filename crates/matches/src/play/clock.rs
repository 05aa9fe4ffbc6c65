//! The clock of each seat: its limits, its remaining time, and the wait for its answers.

use std::fmt;
use std::time::Duration;

use buxtehude::protocol::{Clock, ClockTimes, Go};
use buxtehude::rules::Seat;

use crate::plan::{Limit, TimeLimit};

/// Time after the margin until the arbiter stops waiting; an answer that arrives by then is late instead of missing.
pub const WAIT_FOR_LATE_ANSWERS: Duration = Duration::from_secs(1);

/// Time that an engine may take to stop pondering after `stop` without a charge: enough for a process to read `stop`,
/// end its search, and answer.
pub const GRACE_AFTER_STOP: Duration = Duration::from_millis(5);

#[derive(Clone, Debug)]
pub struct SeatClock {
    limit: Limit,
    margin: Duration,
    /// Remaining time, if the seat has a clock.
    left: Duration,
    /// Time beyond the grace period that it took to stop pondering, charged to the next move.
    late_stop: Duration,
    /// Number of moves in the rest of the period, if the clock has periods.
    moves_to_go: Option<u32>,
}

impl SeatClock {
    /// Creates the clock of a seat before its first move. Answers may exceed the time limit by `margin`.
    pub fn new(limit: Limit, margin: Duration) -> SeatClock {
        let clock = match limit.time {
            Some(TimeLimit::Clock(clock)) => Some(clock),
            _ => None,
        };
        SeatClock {
            limit,
            margin,
            left: clock.map_or(Duration::ZERO, |clock| clock.time),
            late_stop: Duration::ZERO,
            moves_to_go: clock.and_then(|clock| clock.moves),
        }
    }

    /// Returns the `go` command for the seat to move: its own limits, and all clocks if it has a clock.
    ///
    /// For a seat without a clock, `time` is 0, or omitted with two seats.
    pub fn go(clocks: &[SeatClock], mover: Seat, searchmoves: Vec<String>) -> Go {
        let mover = &clocks[mover.index()];
        let limit = mover.limit;
        let mut go = Go { searchmoves, depth: limit.depth, nodes: limit.nodes, ..Go::default() };
        match limit.time {
            // The protocol cannot express a move time below a millisecond, and engines reject 0.
            Some(TimeLimit::Move(_)) => {
                go.movetime = mover.time_limit().map(|time| whole_milliseconds(time).max(1));
            }
            Some(TimeLimit::Clock(_)) => {
                let time = SeatClock::clock_times(clocks);
                go.clock = Some(Clock { time, movestogo: mover.moves_to_go });
            }
            None => {}
        }
        go
    }

    fn clock_times(clocks: &[SeatClock]) -> ClockTimes {
        let limit = |clock: &SeatClock| match clock.limit.time {
            Some(TimeLimit::Clock(limit)) => Some(limit),
            _ => None,
        };
        let time = |clock: &SeatClock| {
            let left = limit(clock).and(clock.time_limit())?;
            Some(i64::try_from(whole_milliseconds(left)).unwrap_or(i64::MAX))
        };
        let increment =
            |clock: &SeatClock| limit(clock).map(|limit| whole_milliseconds(limit.increment));
        match clocks {
            [first, second] => ClockTimes::Uci {
                wtime: time(first),
                btime: time(second),
                winc: increment(first),
                binc: increment(second),
            },
            _ => ClockTimes::Seats {
                time: clocks.iter().map(|clock| time(clock).unwrap_or(0)).collect(),
                inc: clocks.iter().map(|clock| increment(clock).unwrap_or(0)).collect(),
            },
        }
    }

    /// Time for the next move; `None` without a time limit.
    fn time_limit(&self) -> Option<Duration> {
        let limit = self.whole_limit();
        limit.map(|limit| limit.saturating_sub(self.late_stop))
    }

    /// Time for the next move before late pondering is charged.
    fn whole_limit(&self) -> Option<Duration> {
        self.limit.time.map(|time| match time {
            TimeLimit::Move(time) => time,
            TimeLimit::Clock(_) => self.left,
        })
    }

    /// Returns the wait for the next answer; `stall` applies if there is no time limit.
    pub fn wait_for_answer(&self, stall: Duration) -> Wait {
        match self.time_limit() {
            Some(limit) => Wait::of_parts(vec![("limit", limit), ("margin", self.margin), LATE]),
            None => Wait::of(stall),
        }
    }

    /// Returns the wait for the end of pondering.
    pub fn wait_for_stop(&self) -> Wait {
        Wait::of_parts(vec![("margin", self.margin), LATE])
    }

    /// Charges the part of `used`, the time that it took to stop pondering, beyond [`GRACE_AFTER_STOP`] to the next
    /// move.
    pub fn charge_stop(&mut self, used: Duration) {
        self.late_stop = match self.limit.time {
            Some(_) => used.saturating_sub(GRACE_AFTER_STOP),
            None => Duration::ZERO,
        };
    }

    /// Ends a move and returns its time. Subtracts `charged` and the time of late pondering before the move, then adds
    /// the increment, and the time of the next period if one begins.
    pub fn end_move(&mut self, charged: Duration) -> MoveTime {
        let limit = self.whole_limit().unwrap_or(Duration::MAX);
        let late_stop = std::mem::take(&mut self.late_stop);
        let charged = charged + late_stop;
        if let Some(TimeLimit::Clock(clock)) = self.limit.time {
            self.left = self.left.saturating_sub(charged).saturating_add(clock.increment);
            self.moves_to_go = match self.moves_to_go {
                Some(1) => {
                    self.left = self.left.saturating_add(clock.time);
                    clock.moves
                }
                moves_to_go => moves_to_go.map(|moves| moves.saturating_sub(1)),
            };
        }
        MoveTime { limit, margin: self.margin, late_stop, overrun: charged.saturating_sub(limit) }
    }
}

/// The time of a move, compared with its limit.
#[derive(Clone, Copy, Debug)]
pub struct MoveTime {
    /// Time limit, before late pondering is charged; the maximum if there is none.
    pub limit: Duration,
    /// Allowed time beyond the limit.
    pub margin: Duration,
    /// Time charged for late pondering.
    pub late_stop: Duration,
    /// Time beyond the limit.
    pub overrun: Duration,
}

impl MoveTime {
    /// `true` if the move exceeds the time limit plus the margin.
    pub fn is_overstepped(&self) -> bool {
        self.overrun > self.margin
    }

    /// Describes an answer that took `elapsed`, with a wait of `waited` in it, and came too late.
    pub fn too_late(&self, elapsed: Duration, waited: Duration) -> String {
        let ms = |time| format!("{:.1} ms", milliseconds(time));
        let mut reason = format!("it answered after {}", ms(elapsed));
        if !waited.is_zero() {
            reason += &format!(", including a wait of {} for a processor", ms(waited));
        }
        if !self.late_stop.is_zero() {
            reason += &format!(", and stopped pondering {} too late", ms(self.late_stop));
        }
        let [overrun, limit, margin] = [self.overrun, self.limit, self.margin].map(ms);
        reason + &format!(", {overrun} over its limit of {limit}; the margin is {margin}")
    }
}

/// The part of a wait for answers that are late instead of missing.
const LATE: (&str, Duration) = ("wait", WAIT_FOR_LATE_ANSWERS);

/// Longest wait for an answer.
pub struct Wait {
    pub time: Duration,
    /// Its parts, with their names; empty if it has none.
    parts: Vec<(&'static str, Duration)>,
}

impl Wait {
    /// Creates a wait without parts.
    pub fn of(time: Duration) -> Wait {
        Wait { time, parts: Vec::new() }
    }

    fn of_parts(parts: Vec<(&'static str, Duration)>) -> Wait {
        let times = parts.iter().map(|(_, time)| *time);
        Wait { time: times.fold(Duration::ZERO, Duration::saturating_add), parts }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} ms", milliseconds(self.time))?;
        let parts: Vec<String> = self
            .parts
            .iter()
            .map(|(name, time)| format!("{name} {:.1}", milliseconds(*time)))
            .collect();
        if parts.is_empty() { Ok(()) } else { write!(f, " ({})", parts.join(" + ")) }
    }
}

/// Milliseconds as a number for messages.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Whole milliseconds, rounded down.
fn whole_milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ClockLimit;

    const STALL: Duration = ms(60_000);
    const MARGIN: Duration = ms(50);

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    fn with_clock(time: u64, increment: u64) -> SeatClock {
        seat(Limit::clock(ms(time), ms(increment)))
    }

    fn seat(limit: Limit) -> SeatClock {
        SeatClock::new(limit, MARGIN)
    }

    fn is_overstepped(clock: &SeatClock, used: Duration) -> bool {
        clock.clone().end_move(used).is_overstepped()
    }

    fn sent(clocks: &[SeatClock], mover: u8) -> String {
        format!("go{}", SeatClock::go(clocks, Seat(mover), Vec::new()))
    }

    #[test]
    fn an_answer_is_late_beyond_limit_and_margin() {
        let clock = seat(Limit::movetime(ms(100)));
        for (elapsed, late) in [(0, false), (150, false), (151, true)] {
            assert_eq!(is_overstepped(&clock, ms(elapsed)), late, "{elapsed} ms");
        }
        assert_eq!(clock.wait_for_answer(STALL).time, ms(1150));
    }

    #[test]
    fn a_clock_loses_the_time_used_and_gains_the_increment_afterwards() {
        let mut clock = with_clock(1000, 20);
        assert_eq!(clock.time_limit(), Some(ms(1000)));
        clock.end_move(ms(300));
        assert_eq!(clock.time_limit(), Some(ms(720)));
        // Within the margin, the excess is forgiven and not owed.
        clock.end_move(ms(740));
        assert_eq!(clock.time_limit(), Some(ms(20)));
        assert!(!is_overstepped(&clock, ms(70)));
        assert!(is_overstepped(&clock, ms(71)));
    }

    #[test]
    fn a_late_end_of_pondering_is_paid_by_the_next_move() {
        let mut clocks = [with_clock(1000, 20), seat(Limit::movetime(ms(100)))];
        for clock in &mut clocks {
            clock.charge_stop(GRACE_AFTER_STOP);
            assert_eq!(clock.late_stop, ms(0));
            clock.charge_stop(GRACE_AFTER_STOP + ms(60));
        }
        assert_eq!(sent(&clocks, 0), "go wtime 940 winc 20");
        assert_eq!(sent(&clocks, 1), "go movetime 40");
        assert!(!is_overstepped(&clocks[1], ms(90)));
        assert!(is_overstepped(&clocks[1], ms(91)));
        clocks[0].end_move(ms(100));
        assert_eq!(clocks[0].time_limit(), Some(ms(860)));
        // A stop that took longer than the whole limit makes the next move late from the start.
        clocks[1].charge_stop(ms(500));
        assert!(is_overstepped(&clocks[1], ms(0)));
        clocks[1].end_move(ms(0));
        assert_eq!(clocks[1].time_limit(), Some(ms(100)));
        let mut untimed = seat(Limit::depth(3));
        untimed.charge_stop(ms(500));
        assert_eq!(untimed.late_stop, ms(0));
    }

    #[test]
    fn a_clock_is_given_its_time_again_after_its_moves() {
        let clock = ClockLimit { moves: Some(2), time: ms(1000), increment: ms(10) };
        let limit = Limit { time: Some(TimeLimit::Clock(clock)), ..Limit::default() };
        let mut clocks = [seat(limit), with_clock(500, 0)];
        let first = "go wtime 1000 btime 500 winc 10 binc 0 movestogo 2";
        assert_eq!(sent(&clocks, 0), first);
        clocks[0].end_move(ms(300));
        assert_eq!(sent(&clocks, 0), "go wtime 710 btime 500 winc 10 binc 0 movestogo 1");
        // The command does not mention the opponent's moves to go.
        assert_eq!(sent(&clocks, 1), "go wtime 710 btime 500 winc 10 binc 0");
        clocks[0].end_move(ms(200));
        assert_eq!(sent(&clocks, 0), "go wtime 1520 btime 500 winc 10 binc 0 movestogo 2");
    }

    #[test]
    fn go_carries_the_clocks_or_the_movers_limit_alone() {
        let clock = || with_clock(1000, 10);
        let movetime = || seat(Limit::movetime(ms(20)));
        let depth = || seat(Limit::depth(4));
        let all = Limit::movetime(ms(20)).or(Limit::depth(9));
        let mut used = with_clock(1000, 10);
        used.end_move(Duration::from_micros(10_500));
        for (clocks, mover, expected) in [
            (vec![movetime(), depth()], 0, "go movetime 20"),
            (vec![movetime(), depth()], 1, "go depth 4"),
            (vec![seat(all.or(Limit::nodes(500))), depth()], 0, "go depth 9 nodes 500 movetime 20"),
            // Rounded down.
            (vec![used, with_clock(2000, 20)], 1, "go wtime 999 btime 2000 winc 10 binc 20"),
            (vec![clock(), depth()], 0, "go wtime 1000 winc 10"),
            (vec![clock(), depth(), with_clock(3000, 0)], 0, "go time 1000 0 3000 inc 10 0 0"),
        ] {
            assert_eq!(sent(&clocks, mover), expected);
        }
        assert_eq!(depth().wait_for_answer(STALL).time, STALL);
        let moves = vec!["1".to_string(), "2".to_string()];
        assert_eq!(
            format!("go{}", SeatClock::go(&[clock(), clock()], Seat(0), moves)),
            "go wtime 1000 btime 1000 winc 10 binc 10 searchmoves 1 2"
        );
    }
}
