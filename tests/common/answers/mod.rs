//! Expected answers to `query`, computed from the rules alone.

use buxtehude::rules::{AnyPosition, Seat, Turn};

/// Arguments of `query`.
pub const QUERIES: &[&str] = &[
    "p1turn", "turn", "gameover", "result", "legal", "players", "state", "text", "picture", "stake",
];

/// The expected answer to a query about a position.
pub fn response(query: &str, position: &AnyPosition) -> String {
    let words = match (query, position.turn()) {
        ("p1turn", Turn::Seat(Seat(0)) | Turn::Card(Seat(0))) => "true".to_string(),
        ("gameover", Turn::Over) => "true".to_string(),
        ("p1turn" | "gameover", _) => "false".to_string(),
        ("turn", Turn::Seat(Seat(seat))) => (seat + 1).to_string(),
        ("turn", Turn::Card(Seat(seat))) => format!("card {}", seat + 1),
        ("turn", Turn::Over) => "over".to_string(),
        ("result", Turn::Over) => result(position),
        ("result", _) => "none".to_string(),
        ("legal", _) => position.legal_actions().join(" "),
        ("players", _) => position.seats().to_string(),
        ("state", _) => state(position),
        ("text", _) => position.to_string(),
        ("picture" | "stake", _) => String::new(),
        _ => panic!("query {query}"),
    };
    format!("response {words}").trim_end().to_string()
}

fn state(position: &AnyPosition) -> String {
    let mut state = match position.turn() {
        Turn::Seat(Seat(seat)) => format!("{} legal", seat + 1),
        Turn::Card(Seat(seat)) => format!("card {} weights", seat + 1),
        Turn::Over => "over".to_string(),
    };
    if matches!(position.turn(), Turn::Seat(_)) {
        for mv in position.legal_actions() {
            state += &format!(" {mv}");
        }
    }
    for (card, number) in position.outcomes() {
        state += &format!(" {card} {number}");
    }
    let places: Vec<_> =
        (0..position.seats() as u8).map(|seat| position.place(Seat(seat))).collect();
    if places.iter().any(Option::is_some) {
        let spelt = places.iter().map(|place| place.map_or("-".into(), |place| place.to_string()));
        state += &format!(" places {}", spelt.collect::<Vec<_>>().join(" "));
    }
    state
}

fn result(position: &AnyPosition) -> String {
    let place = |seat: usize| position.place(Seat(seat as u8)).unwrap();
    if position.seats() == 2 {
        let won = if place(0) == 1 { "p1win" } else { "p2win" };
        return won.to_string();
    }
    let places: Vec<String> = (0..position.seats()).map(|seat| place(seat).to_string()).collect();
    format!("places {}", places.join(" "))
}
