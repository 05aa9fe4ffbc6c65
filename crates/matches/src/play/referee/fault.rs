//! Faults that end a game, and their descriptions.

use std::fmt;
use std::time::Duration;

use buxtehude::rules::Seat;

use super::result::GameEnd;
use super::turn_record::number;
use crate::play::clock::{SeatClock, WAIT_FOR_LATE_ANSWERS};
use crate::play::engine::{Answer, AnswerError, Engine, StartError};
use crate::play::interrupt::Interrupted;
use crate::record::Fault;
use crate::record::ending::Ending;
use crate::record::printable::{printable, shortened};

/// Maximum number of characters of a reason in a record, because it may quote the engine.
const MAX_REASON_LENGTH: usize = 400;

/// Longest wait for an answer, with its parts.
pub struct Wait {
    /// The whole wait.
    pub time: Duration,
    parts: Vec<(&'static str, Duration)>,
}

impl Wait {
    /// Creates the wait for `readyok`, which has no parts.
    pub fn of(time: Duration) -> Wait {
        Wait { time, parts: Vec::new() }
    }

    /// Creates the wait for the answer to a `go`; `stall` applies if there is no time limit.
    pub fn for_answer(clock: &SeatClock, stall: Duration) -> Wait {
        let Some(limit) = clock.time_limit() else {
            return Wait::of(stall);
        };
        let parts =
            vec![("limit", limit), ("margin", clock.margin()), ("wait", WAIT_FOR_LATE_ANSWERS)];
        Wait { time: clock.longest_wait(stall), parts }
    }

    /// Creates the wait for the end of pondering.
    pub fn for_stop(clock: &SeatClock) -> Wait {
        let parts = vec![("margin", clock.margin()), ("wait", WAIT_FOR_LATE_ANSWERS)];
        Wait { time: clock.wait_for_stop(), parts }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&milliseconds(self.time))?;
        let parts = self.parts.iter();
        let parts = parts.map(|(name, time)| format!("{name} {:.1}", time.as_secs_f64() * 1000.0));
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() { Ok(()) } else { write!(f, " ({})", parts.join(" + ")) }
    }
}

impl GameEnd {
    /// Ends a game by the fault of `engine`, and kills the engine.
    pub fn fault(seat: Seat, engine: &mut Engine, ending: Ending, reason: &str) -> GameEnd {
        engine.dismiss();
        let fault = Fault {
            seat: number(seat),
            reason: shortened(&printable(reason), MAX_REASON_LENGTH).into_owned(),
            stderr: engine.stderr_tail(),
            evidence: Some(engine.evidence()),
        };
        GameEnd::Fault { ending, fault }
    }

    /// Ends a game because an engine did not answer within a wait.
    ///
    /// # Errors
    /// [`Interrupted`] if the interrupt was set, which is not a fault.
    pub fn no_answer(
        seat: Seat,
        engine: &mut Engine,
        error: AnswerError,
        wait: &Wait,
    ) -> Result<GameEnd, Interrupted> {
        let reason = match error {
            AnswerError::Interrupted => return Err(Interrupted),
            AnswerError::Stalled => format!("it did not answer within {wait}"),
            error => error.to_string(),
        };
        let reason = reason + &engine.unfinished_answer(error);
        Ok(GameEnd::fault(seat, engine, ending_of(error), &reason))
    }

    pub fn not_started(seat: Seat, error: StartError) -> GameEnd {
        let (ending, reason, stderr, evidence) = match error {
            StartError::NoAnswer { error, reason, stderr, evidence, .. } => {
                (ending_of(error), reason, stderr, Some(*evidence))
            }
            error => (Ending::Crash, error.to_string(), Vec::new(), None),
        };
        let fault = Fault {
            seat: number(seat),
            reason: format!("it could not be started: {reason}"),
            stderr,
            evidence,
        };
        GameEnd::Fault { ending, fault }
    }
}

fn ending_of(error: AnswerError) -> Ending {
    match error {
        AnswerError::Stalled => Ending::Stall,
        AnswerError::Disconnected => Ending::Disconnect,
        AnswerError::Ended(_) | AnswerError::Interrupted => Ending::Crash,
    }
}

pub fn too_late(answer: &Answer, clock: &SeatClock) -> String {
    let mut reason = format!("it answered after {}", milliseconds(answer.elapsed));
    if !answer.waited.is_zero() {
        let waited = milliseconds(answer.waited);
        reason += &format!(", including a wait of {waited} for a processor");
    }
    if !clock.late_stop().is_zero() {
        let late = milliseconds(clock.late_stop());
        reason += &format!(", and stopped pondering {late} too late");
    }
    let over = clock.overrun(answer.used()).unwrap_or_default();
    let limit = clock.time_limit().unwrap_or_default() + clock.late_stop();
    reason
        + &format!(
            ", {} over its limit of {}; the margin is {}",
            milliseconds(over),
            milliseconds(limit),
            milliseconds(clock.margin()),
        )
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}
