//! Match between two players.

use buxtehude::rules::{Game, Turn};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::openings::{after_random_moves, draw};
use crate::player::Player;
use crate::self_play::{is_too_long, places};

/// Returns the first player's share of the points, in percent, and its 95 % error bar.
///
/// Each opening is played twice, with the players alternating seats, and then in the opposite order. The cards are the
/// same as long as the moves are.
pub fn compare(players: &mut [Player; 2], openings: usize, seed: u64) -> (f64, f64) {
    let mut sum = 0.0;
    let mut squares = 0.0;
    for opening in 0..openings {
        let share = (0..2)
            .map(|first| {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                random.set_stream(opening as u64);
                share_of_first(players, first, &mut random)
            })
            .sum::<f64>()
            / 2.0;
        sum += share;
        squares += share * share;
    }
    let count = openings.max(1) as f64;
    let mean = sum / count;
    let error = ((squares / count - mean * mean) / count).sqrt();
    (100.0 * mean, 196.0 * error)
}

/// Share of the points that the first player takes in a game. It has every second seat from `offset`, 0 or 1.
fn share_of_first(players: &mut [Player; 2], offset: usize, random: &mut ChaCha8Rng) -> f64 {
    for player in players.iter_mut() {
        player.begin();
    }
    let seats = players[0].seats();
    let mut position = after_random_moves(players[0].ruleset, seats, random);
    let mut plies = 0;
    while let Turn::Seat(seat) = position.turn() {
        if is_too_long(plies, seats) {
            break;
        }
        let player = &mut players[(seat.index() + offset) % 2];
        let mv = player.chosen(&position, seat, 0.0, random);
        position = draw(position.play_unchecked(mv), random);
        plies += 1;
    }
    let places = places(&position);
    let points = |parity: usize| -> f64 {
        let own = (0..seats).filter(|seat| (seat + offset) % 2 == parity);
        own.map(|seat| (seats - usize::from(places[seat])) as f64).sum()
    };
    points(0) / (points(0) + points(1))
}
