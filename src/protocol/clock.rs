//! The clocks of a `go`. A line uses one of three spellings: `time` and `inc` for any number of seats, UCI's `wtime`,
//! `btime`, `winc` and `binc`, or UGI's `p1time`, `p1inc` and so on.

use std::fmt;
use std::ops::RangeInclusive;

use super::error::GoError;
use super::words::{number, numbers, set, write_fact, write_list};
use super::{Clock, ClockTimes};

/// Largest number of players that can have a clock.
const MAX_CLOCKS: usize = 6;

const TIMES: RangeInclusive<i64> = i64::MIN..=i64::MAX;
const INCREMENTS: RangeInclusive<u64> = 0..=u64::MAX;
const MOVES: RangeInclusive<u32> = 1..=u32::MAX;

/// UGI's words for the time left of each player, after the command, as error messages name them.
const PLAYER_TIMES: [&str; MAX_CLOCKS] =
    ["go p1time", "go p2time", "go p3time", "go p4time", "go p5time", "go p6time"];

/// UGI's words for the increment of each player, after the command.
const PLAYER_INCS: [&str; MAX_CLOCKS] =
    ["go p1inc", "go p2inc", "go p3inc", "go p4inc", "go p5inc", "go p6inc"];

/// The clock words read so far. They may come in any order, so they are combined at the end.
#[derive(Default)]
pub(super) struct ClockDraft {
    time: Option<Vec<i64>>,
    inc: Option<Vec<u64>>,
    wtime: Option<i64>,
    btime: Option<i64>,
    winc: Option<u64>,
    binc: Option<u64>,
    player_time: [Option<i64>; MAX_CLOCKS],
    player_inc: [Option<u64>; MAX_CLOCKS],
    movestogo: Option<u32>,
}

impl ClockDraft {
    /// Reads the argument of the word `name` from `input` and returns the rest, or `None` if the word does not belong
    /// to the clocks.
    pub(super) fn read<'a>(
        &mut self,
        name: &str,
        input: &'a str,
    ) -> Option<Result<&'a str, GoError>> {
        let read = match name {
            "time" => set(&mut self.time, numbers("go time", TIMES), input),
            "inc" => set(&mut self.inc, numbers("go inc", INCREMENTS), input),
            "wtime" => set(&mut self.wtime, number("go wtime", TIMES), input),
            "btime" => set(&mut self.btime, number("go btime", TIMES), input),
            "winc" => set(&mut self.winc, number("go winc", INCREMENTS), input),
            "binc" => set(&mut self.binc, number("go binc", INCREMENTS), input),
            "movestogo" => set(&mut self.movestogo, number("go movestogo", MOVES), input),
            _ => return self.read_player(name, input),
        };
        Some(read)
    }

    fn read_player<'a>(&mut self, name: &str, input: &'a str) -> Option<Result<&'a str, GoError>> {
        let mut times = PLAYER_TIMES.into_iter().zip(&mut self.player_time);
        if let Some((after, slot)) = times.find(|(after, _)| without_go(after) == name) {
            return Some(set(slot, number(after, TIMES), input));
        }
        let mut incs = PLAYER_INCS.into_iter().zip(&mut self.player_inc);
        let (after, slot) = incs.find(|(after, _)| without_go(after) == name)?;
        Some(set(slot, number(after, INCREMENTS), input))
    }

    /// Returns the clocks, or `None` if no word set one.
    pub(super) fn finish(self) -> Result<Option<Clock>, GoError> {
        let movestogo = self.movestogo;
        match (self.times()?, movestogo) {
            (None, Some(_)) => Err(GoError::NoClock {
                found: "movestogo",
                expected: "time, wtime, btime or p1time",
            }),
            (times, _) => Ok(times.map(|time| Clock { time, movestogo })),
        }
    }

    fn times(self) -> Result<Option<ClockTimes>, GoError> {
        let seats = first_given([("time", self.time.is_some()), ("inc", self.inc.is_some())]);
        let uci = first_given([
            ("wtime", self.wtime.is_some()),
            ("btime", self.btime.is_some()),
            ("winc", self.winc.is_some()),
            ("binc", self.binc.is_some()),
        ]);
        let player_times = self.player_time.iter().map(Option::is_some);
        let player_incs = self.player_inc.iter().map(Option::is_some);
        let times = PLAYER_TIMES.into_iter().zip(player_times);
        let ugi = first_given(times.chain(PLAYER_INCS.into_iter().zip(player_incs)));
        let ugi = ugi.map(without_go);
        match (seats, uci, ugi) {
            (None, None, None) => Ok(None),
            (Some(found), None, None) => self.of_seats(found).map(Some),
            (None, Some(found), None) => self.of_uci(found).map(Some),
            (None, None, Some(found)) => self.of_ugi(found).map(Some),
            (Some(first), Some(second), _)
            | (Some(first), None, Some(second))
            | (None, Some(first), Some(second)) => Err(GoError::MixedClocks { first, second }),
        }
    }

    fn of_seats(self, found: &'static str) -> Result<ClockTimes, GoError> {
        let expected = "time";
        let time = self.time.ok_or(GoError::NoClock { found, expected })?;
        let inc = self.inc.unwrap_or_default();
        let (times, incs) = (time.len(), inc.len());
        if incs != 0 && incs != times {
            return Err(GoError::IncrementCount { times, incs });
        }
        Ok(ClockTimes::Seats { time, inc })
    }

    fn of_uci(self, found: &'static str) -> Result<ClockTimes, GoError> {
        if self.wtime.is_none() && self.btime.is_none() {
            let expected = "wtime or btime";
            return Err(GoError::NoClock { found, expected });
        }
        Ok(ClockTimes::Uci {
            wtime: self.wtime,
            btime: self.btime,
            winc: self.winc,
            binc: self.binc,
        })
    }

    fn of_ugi(self, found: &'static str) -> Result<ClockTimes, GoError> {
        if self.player_time.iter().all(Option::is_none) {
            let expected = "p1time or another player's clock";
            return Err(GoError::NoClock { found, expected });
        }
        Ok(ClockTimes::Ugi {
            time: up_to_the_last(&self.player_time),
            inc: up_to_the_last(&self.player_inc),
        })
    }
}

fn up_to_the_last<T: Copy>(given: &[Option<T>]) -> Vec<Option<T>> {
    let last = given.iter().rposition(Option::is_some);
    let length = last.map_or(0, |last| last + 1);
    given.iter().take(length).copied().collect()
}

/// Strips the command from a player's word.
fn without_go(word: &'static str) -> &'static str {
    word.trim_start_matches("go ")
}

fn first_given(words: impl IntoIterator<Item = (&'static str, bool)>) -> Option<&'static str> {
    let first = words.into_iter().find(|(_, given)| *given);
    first.map(|(word, _)| word)
}

impl fmt::Display for Clock {
    /// Writes each word with a space before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.time {
            ClockTimes::Seats { time, inc } => {
                write_list(f, "time", time)?;
                write_list(f, "inc", inc)?;
            }
            ClockTimes::Uci { wtime, btime, winc, binc } => {
                write_fact(f, "wtime", *wtime)?;
                write_fact(f, "btime", *btime)?;
                write_fact(f, "winc", *winc)?;
                write_fact(f, "binc", *binc)?;
            }
            ClockTimes::Ugi { time, inc } => {
                let mut times = PLAYER_TIMES.iter().zip(time);
                times.try_for_each(|(word, time)| write_fact(f, without_go(word), *time))?;
                let mut incs = PLAYER_INCS.iter().zip(inc);
                incs.try_for_each(|(word, inc)| write_fact(f, without_go(word), *inc))?;
            }
        }
        write_fact(f, "movestogo", self.movestogo)
    }
}
