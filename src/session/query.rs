//! Answers to `query`: all that an arbiter without rules must know about a game.

use std::cmp::Ordering;

use crate::protocol::Query;
use crate::rules::{AnyPosition, Seat, Turn};

/// Returns the words that answer a query about a position.
///
/// For two players, `p1turn`, `gameover` and `result` are answered in the words of UGI. Source: kz04px, The Universal
/// Game Interface, version 1.0.
pub fn response(query: Query, position: &AnyPosition) -> Vec<String> {
    let turn = position.turn();
    match query {
        Query::P1Turn => {
            vec![(turn.seat() == Some(Seat(0))).to_string()]
        }
        Query::Turn => match turn {
            Turn::Seat(seat) => vec![seat.to_string()],
            Turn::Card(seat) => vec!["card".to_owned(), seat.to_string()],
            Turn::Over => vec!["over".to_owned()],
        },
        Query::GameOver => vec![(turn == Turn::Over).to_string()],
        Query::Result => result(position),
        Query::Legal => position.legal_actions(),
        Query::Players => vec![position.seats().to_string()],
        Query::State => state(position),
        Query::Text => position.to_string().split(' ').map(str::to_owned).collect(),
        // The games of this program have no pictures of one line, and nothing but places.
        Query::Picture | Query::Stake => Vec::new(),
    }
}

/// The next action, all possible actions, and the places as soon as one is decided.
fn state(position: &AnyPosition) -> Vec<String> {
    let mut words = Vec::new();
    match position.turn() {
        Turn::Seat(seat) => {
            words.extend([seat.to_string(), "legal".to_owned()]);
            words.extend(position.legal_actions());
        }
        Turn::Card(seat) => {
            words.extend(["card".to_owned(), seat.to_string(), "weights".to_owned()]);
            for (card, number) in position.outcomes() {
                words.extend([card, number.to_string()]);
            }
        }
        Turn::Over => words.push("over".to_owned()),
    }
    let places: Vec<_> = places(position).collect();
    if places.iter().any(Option::is_some) {
        let or_open =
            |place: &Option<usize>| place.map_or("-".to_owned(), |place| place.to_string());
        words.push("places".to_owned());
        words.extend(places.iter().map(or_open));
    }
    words
}

/// Place of each seat; `None` while it is open.
fn places(position: &AnyPosition) -> impl Iterator<Item = Option<usize>> {
    Seat::all(position.seats()).map(|seat| position.place(seat))
}

/// Place of each seat; for two seats, the result in UGI's words.
fn result(position: &AnyPosition) -> Vec<String> {
    let places: Option<Vec<usize>> = places(position).collect();
    match places.as_deref() {
        None => vec!["none".to_owned()],
        Some([first, second]) => {
            let won = match first.cmp(second) {
                Ordering::Less => "p1win",
                Ordering::Equal => "draw",
                Ordering::Greater => "p2win",
            };
            vec![won.to_owned()]
        }
        Some(places) => {
            let places = places.iter().map(usize::to_string);
            std::iter::once("places".to_owned()).chain(places).collect()
        }
    }
}
