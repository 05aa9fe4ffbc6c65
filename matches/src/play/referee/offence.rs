//! A fault that ends a game, and its description.

use std::time::Duration;

use buxtehude::rules::Seat;

use crate::play::clock::SeatClock;
use crate::play::engine::{Answer, Engine, Failure};
use crate::play::interrupt::Interrupted;
use crate::record::Evidence;
use crate::record::ending::Ending;
use crate::record::printable::{printable, shortened};

/// Maximum number of characters of a reason in a record, because it may quote the engine.
const LONGEST_REASON: usize = 400;

/// A fault with its offender.
pub struct Offence {
    /// The offender.
    pub seat: Seat,
    /// The kind of fault.
    pub ending: Ending,
    /// The fault in one sentence, with its numbers.
    pub reason: String,
    /// The last lines of the offender's standard error.
    pub stderr: Vec<String>,
    /// State of the offender at that moment.
    pub evidence: Evidence,
}

impl Offence {
    /// Creates the fault of `engine` and kills the engine.
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

    /// Creates the fault of an engine that did not answer within `waited`.
    ///
    /// # Errors
    /// [`Interrupted`] if the interrupt was set, which is not a fault.
    pub fn of_silence(
        seat: Seat,
        engine: &mut Engine,
        failure: Failure,
        waited: Duration,
    ) -> Result<Offence, Interrupted> {
        let (ending, reason) = match failure {
            Failure::Interrupted => return Err(Interrupted),
            Failure::Stalled => {
                let reason = format!("it did not answer within {}", milliseconds(waited));
                (Ending::Stall, reason)
            }
            Failure::Ended(_) => (Ending::Crash, failure.to_string()),
            Failure::Disconnected => (Ending::Disconnect, failure.to_string()),
        };
        Ok(Offence::new(seat, engine, ending, &reason))
    }
}

/// Describes how late an answer was.
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
