//! A game that cannot begin, because one of its engines fails to start again after a failure.

use buxtehude::rules::Seat;

use crate::plan::Plan;
use crate::plan::openings::OpeningError;
use crate::plan::schedule::ScheduledGame;
use crate::play::engine::{Failure, StartError};
use crate::play::referee::{GameEnd, places_and_endings};
use crate::record::ending::Ending;
use crate::record::{Fault, GameRecord};

/// Creates the record of a game in which the engine of `offender` (an index) could not be started: it is last, and the
/// others share the places before it.
///
/// # Errors
/// [`OpeningError`] if the opening cannot be played; no schedule contains such an opening.
pub(super) fn walkover(
    game: &ScheduledGame,
    plan: &Plan,
    offender: usize,
    error: StartError,
) -> Result<GameRecord, OpeningError> {
    let opening = game.as_opening();
    let start = opening.start(plan.variant, plan.seats)?;
    let position = opening.position(plan.variant, plan.seats)?;
    let decided: Vec<Option<usize>> = (0..plan.seats)
        .map(|seat| position.place(Seat(seat as u8)))
        .collect();
    let end = GameEnd::Fault {
        seat: offender,
        ending: ending(&error),
    };
    let (places, endings) = places_and_endings(&decided, end);
    let (reason, stderr, evidence) = match error {
        StartError::NoUciOk {
            failure,
            stderr,
            evidence,
            ..
        } => (format!("no uciok: {failure}"), stderr, Some(*evidence)),
        error => (error.to_string(), Vec::new(), None),
    };
    let names = game
        .seats
        .iter()
        .map(|seated| plan.engines[seated.engine].name.clone());
    Ok(GameRecord {
        game: game.number,
        block: game.block,
        variant: plan.variant.name.to_string(),
        start: start.to_string(),
        seats: names.collect(),
        seed: plan.seed,
        moves: game.opening.join(" "),
        places,
        endings,
        fault: Some(Fault {
            seat: offender as u32 + 1,
            reason: format!("it could not be started: {reason}"),
            stderr,
            evidence,
        }),
        reruns: Vec::new(),
        machine: None,
        turns: Vec::new(),
    })
}

fn ending(error: &StartError) -> Ending {
    match error {
        StartError::NoUciOk {
            failure: Failure::Stalled,
            ..
        } => Ending::Stall,
        StartError::NoUciOk {
            failure: Failure::Disconnected,
            ..
        } => Ending::Disconnect,
        _ => Ending::Crash,
    }
}
