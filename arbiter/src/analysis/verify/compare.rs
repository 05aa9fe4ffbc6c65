//! Comparison of a stored game with the same game played again.

use thiserror::Error;

use crate::reports::said;
use matches::record::ending::Ending;
use matches::record::{GameRecord, TurnRecord};

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: stored {stored}, now {now}")]
pub struct Difference {
    /// The ply, seat and engine, or the part of the whole game.
    pub place: String,
    pub stored: String,
    pub now: String,
}

/// Returns all differences up to the first different move, after which the games cannot be compared.
///
/// Ignores times and standard error. Plies are numbered as by `arbiter replay --game`: opening moves count, cards do
/// not.
pub fn differences(stored: &GameRecord, now: &GameRecord) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut compare = |place: &str, stored: String, now: String| {
        let is_same = stored == now;
        if !is_same {
            let place = place.to_string();
            found.push(Difference { place, stored, now });
        }
        is_same
    };
    compare("engines", stored.seats.join(", "), now.seats.join(", "));
    if !compare("start", stored.start.clone(), now.start.clone()) {
        return found;
    }
    let opening = stored.opening_plies();
    for index in 0..stored.turns.len().max(now.turns.len()) {
        let turns = [stored.turns.get(index), now.turns.get(index)];
        let Some(turn) = turns[0].or(turns[1]) else {
            break;
        };
        let name = stored.engine_in(turn.seat).unwrap_or("?");
        let place = format!("ply {}, seat {} ({name})", opening + index + 1, turn.seat);
        let [stored_move, move_now] = turns.map(moved);
        if !compare(&place, stored_move, move_now) {
            return found;
        }
        let [stored_said, said_now] = turns.map(moved_and_said);
        compare(&place, stored_said, said_now);
    }
    if !compare("moves and cards", stored.moves.clone(), now.moves.clone()) {
        return found;
    }
    let places = |record: &GameRecord| {
        let places: Vec<String> = record.places.iter().map(u32::to_string).collect();
        places.join(" ")
    };
    let endings = |record: &GameRecord| {
        let endings: Vec<&str> = record.endings.iter().copied().map(Ending::name).collect();
        endings.join(", ")
    };
    let fault = |record: &GameRecord| {
        record
            .fault
            .as_ref()
            .map_or("none".to_string(), |fault| format!("seat {}: {}", fault.seat, fault.reason))
    };
    compare("places", places(stored), places(now));
    compare("endings", endings(stored), endings(now));
    compare("fault", fault(stored), fault(now));
    found
}

fn moved(turn: Option<&TurnRecord>) -> String {
    turn.map_or("no move".to_string(), |turn| turn.mv.clone())
}

fn moved_and_said(turn: Option<&TurnRecord>) -> String {
    let words = |turn| [vec![moved(turn)], turn.map(said).unwrap_or_default()].concat();
    words(turn).join(" ")
}
