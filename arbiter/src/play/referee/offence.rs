//! What ends a game before the rules do: a seat's fault, and the words for it.

use std::time::Duration;

use buxtehude::rules::Seat;

use crate::play::engine::{Engine, Failure};
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
pub fn too_late(elapsed: Duration, limit: Duration, margin: Duration) -> String {
    format!(
        "it answered after {}, {} over its limit of {}, and the margin is {}",
        milliseconds(elapsed),
        milliseconds(elapsed.saturating_sub(limit)),
        milliseconds(limit),
        milliseconds(margin),
    )
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}
