//! Checks of the queries that a rules program must answer, along a whole game.

use buxtehude::rules::{AnyPosition, Seat, Turn, Variant};

use super::infos::finished;
use super::talk::{Fault, Talk};
use super::{Check, Scope, Table};

/// Positions of a game to query, besides the last one.
const POSITIONS: usize = 40;

pub fn checks(scope: &Scope) -> Vec<Check> {
    let check = |table: &Table| {
        Check::of_built_in(
            table,
            "state",
            "`query state` reports the legal moves or the weights of the cards, and the places",
            state_is_true,
        )
    };
    scope.tables.iter().map(check).collect()
}

fn state_is_true(talk: &mut Talk, variant: &'static Variant, seats: usize) -> Result<(), Fault> {
    talk.choose(&variant.into())?;
    let (_, actions) = finished(variant, seats)?;
    let step = actions.len().div_ceil(POSITIONS).max(1);
    for length in (0..actions.len()).step_by(step).chain([actions.len()]) {
        let played = &actions[..length];
        let mut position = variant.start(seats)?;
        played.iter().try_for_each(|action| position.play(action))?;
        talk.set(&[talk.position(seats, played)])?;
        for (query, answer) in [("state", state(&position)), ("text", position.to_string())] {
            let answer = format!("response {answer}");
            talk.expect_answer(&format!("query {query}"), &[answer])?;
        }
        for query in ["picture", "stake"] {
            talk.expect_answer(&format!("query {query}"), &["response".into()])?;
        }
    }
    Ok(())
}

fn state(position: &AnyPosition) -> String {
    let mut words = match position.turn() {
        Turn::Seat(seat) => vec![seat.to_string(), "legal".into()],
        Turn::Card(seat) => vec!["card".into(), seat.to_string(), "weights".into()],
        Turn::Over => vec!["over".into()],
    };
    match position.turn() {
        Turn::Card(_) => {
            let cards = position.outcomes().into_iter();
            words.extend(cards.flat_map(|(card, number)| [card, number.to_string()]));
        }
        _ => words.extend(position.legal_actions()),
    }
    let places = (0..position.seats() as u8).map(|seat| position.place(Seat(seat)));
    let places: Vec<Option<usize>> = places.collect();
    if places.iter().any(Option::is_some) {
        let spelt = places.iter().map(|place| place.map_or("-".into(), |place| place.to_string()));
        words.extend(["places".into()].into_iter().chain(spelt));
    }
    words.join(" ")
}
