//! What ends a game before the rules do: a seat's fault, and the words for it.

use std::time::Duration;

use buxtehude::rules::Seat;

use crate::play::clock::SeatClock;
use crate::play::engine::{Answer, Engine, Failure};
use crate::play::interrupt::Interrupted;
use crate::record::Evidence;
use crate::record::ending::Ending;
use crate::record::printable::{printable, shortened};

/// The longest reason that a record quotes, in characters: an engine may say what it likes.
const LONGEST_REASON: usize = 400;

/// A fault and who committed it.
pub struct Offence {
    /// The offender.
    pub seat: Seat,
    /// The kind of fault.
    pub ending: Ending,
    /// One sentence about it, with its numbers.
    pub reason: String,
    /// The last lines of the offender's standard error.
    pub stderr: Vec<String>,
    /// The offender's last moments.
    pub evidence: Evidence,
}

impl Offence {
    /// A fault of `engine`, which is dismissed for it.
    pub fn new(seat: Seat, engine: &mut Engine, ending: Ending, reason: &str) -> Offence {
        engine.dismiss();
        Offence {
            seat,
            ending,
            reason: shortened(&printable(reason), LONGEST_REASON).into_owned(),
            stderr: engine.last_words(),
            evidence: engine.evidence(),
        }
    }

    /// The fault of an engine that did not answer, although it was waited for.
    ///
    /// # Errors
    /// [`Interrupted`] where that was why: no fault.
    pub fn of_silence(
        seat: Seat,
        engine: &mut Engine,
        failure: Failure,
        waited: Duration,
    ) -> Result<Offence, Interrupted> {
        let (ending, reason) = match failure {
            Failure::Interrupted => return Err(Interrupted),
            Failure::Stalled => {
                let reason = format!("it had not answered after {}", milliseconds(waited));
                (Ending::Stall, reason)
            }
            Failure::Ended(_) => (Ending::Crash, failure.to_string()),
            Failure::Disconnected => (Ending::Disconnect, failure.to_string()),
        };
        Ok(Offence::new(seat, engine, ending, &reason))
    }
}

/// Says how late an answer was.
pub fn too_late(answer: &Answer, clock: &SeatClock) -> String {
    let mut reason = format!("it answered after {}", milliseconds(answer.elapsed));
    if !answer.waited.is_zero() {
        let waited = milliseconds(answer.waited);
        reason += &format!(", of which it waited {waited} for a processor");
    }
    if !clock.late_stop().is_zero() {
        let late = milliseconds(clock.late_stop());
        reason += &format!(", and had ended its pondering {late} too late");
    }
    let over = clock.overrun(answer.used()).unwrap_or_default();
    let limit = clock.time_limit().unwrap_or_default() + clock.late_stop();
    reason
        + &format!(
            ", {} over its limit of {}, and the margin is {}",
            milliseconds(over),
            milliseconds(limit),
            milliseconds(clock.margin()),
        )
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}
