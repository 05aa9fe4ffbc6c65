//! Selects the mover's clock from those sent with `go`, in any spelling.

use std::time::Duration;

use crate::protocol::{Clock, ClockTimes};
use crate::rules::{AnyPosition, Seat};
use crate::search::MoverClock;

/// Returns the clock of the seat to move; if no seat is to move, the first seat's.
///
/// # Errors
/// An error message if the clocks do not match the number of seats, or the mover has none.
pub fn mover_clock(clock: &Clock, position: &AnyPosition) -> Result<MoverClock, String> {
    let seats = position.seats();
    let mover = position.turn().seat().unwrap_or(Seat(0));
    let (left, increment) = match &clock.time {
        ClockTimes::Seats { time, inc } => {
            if time.len() != seats {
                let found = time.len();
                return Err(format!(
                    "go time: expected {seats} clocks, one per seat, found {found}"
                ));
            }
            (time[mover.index()], inc.get(mover.index()).copied())
        }
        ClockTimes::Uci { .. } if seats != 2 => {
            return Err(format!(
                "go wtime and btime are for two seats: expected `time` with {seats} clocks"
            ));
        }
        ClockTimes::Uci { wtime, btime, winc, binc } => {
            let (name, time, inc) =
                if mover.0 == 0 { ("wtime", wtime, winc) } else { ("btime", btime, binc) };
            let time = time.ok_or_else(|| format!("go: expected {name}, the mover's clock"))?;
            (time, *inc)
        }
        ClockTimes::Ugi { time, inc } => {
            let (word, clocks) =
                if time.len() > seats { ("time", time.len()) } else { ("inc", inc.len()) };
            if clocks > seats {
                return Err(format!(
                    "go p{clocks}{word}: there is no seat {clocks}, expected p1{word} to p{seats}{word}"
                ));
            }
            let of_mover = time.get(mover.index()).copied().flatten();
            let time =
                of_mover.ok_or_else(|| format!("go: expected p{mover}time, the mover's clock"))?;
            (time, inc.get(mover.index()).copied().flatten())
        }
    };
    Ok(MoverClock {
        left: milliseconds(left.max(0) as u64),
        increment: milliseconds(increment.unwrap_or(0)),
        moves_to_go: clock.movestogo,
        turns_home: position.turns_home(mover),
    })
}

/// Converts milliseconds, capped at a century: an `Instant` may not be able to represent a later time.
pub fn milliseconds(time: u64) -> Duration {
    const CENTURY: u64 = 100 * 365 * 24 * 3600 * 1000;
    Duration::from_millis(time.min(CENTURY))
}
