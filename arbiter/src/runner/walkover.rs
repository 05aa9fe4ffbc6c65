//! A game that cannot begin, since one of its engines does not come up again after a failure.

use buxtehude::rules::{AnyPosition, Seat};

use crate::ending::Ending;
use crate::openings::OpeningError;
use crate::plan::{Opening, Plan};
use crate::record::{Fault, GameRecord};
use crate::schedule::ScheduledGame;

/// The record of a game in which the engine of `offender` (an index) could not be started: it is last, the
/// others share what is before it.
///
/// # Errors
/// [`OpeningError`] where the opening cannot be played, which no schedule has.
pub(super) fn walkover(
    game: &ScheduledGame,
    plan: &Plan,
    offender: usize,
    reason: String,
) -> Result<GameRecord, OpeningError> {
    let opening = Opening {
        start: game.start.clone(),
        moves: game.opening.clone(),
    };
    let start = opening.start(plan.variant, plan.seats)?;
    let position = opening.position(plan.variant, plan.seats)?;
    let place_of = |seat: usize| position.place(Seat(seat as u8));
    let finished = (0..plan.seats)
        .filter(|&seat| place_of(seat).is_some())
        .count();
    let outcome = |seat| outcome(&position, seat, offender, finished + 1);
    let (places, endings) = (0..plan.seats).map(outcome).unzip();
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
            reason,
            stderr: Vec::new(),
        }),
        turns: Vec::new(),
    })
}

fn outcome(position: &AnyPosition, seat: usize, offender: usize, shared: usize) -> (u32, Ending) {
    match position.place(Seat(seat as u8)) {
        _ if seat == offender => (position.seats() as u32, Ending::Crash),
        Some(place) => (place as u32, Ending::Finish),
        None => (shared as u32, Ending::Ended),
    }
}
