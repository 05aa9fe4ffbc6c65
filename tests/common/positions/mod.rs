//! Random positions from random games and from the end of races.

use buxtehude::rules::hase::{HARE_AND_TORTOISE, HASE_UND_IGEL, Position, Ruleset};
use buxtehude::rules::{AnyPosition, Game, Turn, Variant};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};

/// `count` positions with a seat to move, half of them from random games, half near the end.
pub fn random_positions(seats: usize, count: usize) -> Vec<Position> {
    let mut rng = StdRng::seed_from_u64(seats as u64);
    let mut positions = Vec::new();
    while positions.len() < count {
        let ruleset = if rng.random() { &HASE_UND_IGEL } else { &HARE_AND_TORTOISE };
        positions.extend(if positions.len() % 2 == 0 {
            from_a_game(&mut rng, ruleset, seats)
        } else {
            late(&mut rng, ruleset, seats)
        });
    }
    positions
}

/// `count` positions near the finish with a seat to move.
pub fn late_positions(seats: usize, count: usize) -> Vec<Position> {
    let mut rng = StdRng::seed_from_u64(seats as u64);
    let mut positions = Vec::new();
    while positions.len() < count {
        positions.extend(late(&mut rng, &HASE_UND_IGEL, seats));
    }
    positions
}

/// A position of any variant where random play ends soon: some moves and cards before the end of a random game.
pub fn near_the_end(variant: &Variant, seats: usize) -> AnyPosition {
    let mut rng = StdRng::seed_from_u64(seats as u64);
    let mut game = vec![variant.start(seats).unwrap()];
    while let Some(action) = game[game.len() - 1].legal_actions().into_iter().choose(&mut rng) {
        let mut next = game[game.len() - 1];
        next.play(&action).unwrap();
        game.push(next);
    }
    game[game.len().saturating_sub(5)]
}

/// The position after up to 60 random moves, with the cards drawn.
fn from_a_game(rng: &mut StdRng, ruleset: &'static Ruleset, seats: usize) -> Option<Position> {
    let mut position = Position::start(ruleset, seats).expect("2 to 6 seats");
    let moves = rng.random_range(0..60);
    for _ in 0..moves {
        position = match position.turn() {
            Turn::Seat(_) => position.play_unchecked(position.legal_moves().choose(rng)?),
            Turn::Card(_) => position.draw_unchecked(position.outcomes().choose(rng)?.0),
            Turn::Over => return None,
        };
    }
    matches!(position.turn(), Turn::Seat(_)).then_some(position)
}

/// A position near the finish, with some finished hares, few carrots and few lettuces.
fn late(rng: &mut StdRng, ruleset: &'static Ruleset, seats: usize) -> Option<Position> {
    let mut finished = Vec::new();
    let mut hares = Vec::new();
    for seat in 1..=seats {
        if rng.random_range(0..seats) >= 2 {
            finished.push(seat.to_string());
            hares.push("64,0,0".to_string());
            continue;
        }
        let square = rng.random_range(48..64);
        let carrots = rng.random_range(0..80);
        let lettuces = [0, 0, 0, 0, 1, 2][rng.random_range(0..6)];
        let mark = if rng.random_range(0..6) == 0 { "!" } else { "" };
        hares.push(format!("{square},{carrots},{lettuces}{mark}"));
    }
    let turn = rng.random_range(1..=seats);
    let order = if finished.is_empty() { "-".to_string() } else { finished.join(",") };
    let mut drawn = String::new();
    for letter in "BDRHFSG".chars() {
        for _ in 0..rng.random_range(0..=2) {
            drawn.push(letter);
        }
    }
    if drawn.is_empty() {
        drawn.push('-');
    }
    let text = format!("{} {turn} {order} {drawn}", hares.join("/"));
    // Many are invalid: two hares on a square, or a mark on the wrong square.
    let position = Position::parse(ruleset, &text).ok()?;
    matches!(position.turn(), Turn::Seat(_)).then_some(position)
}
