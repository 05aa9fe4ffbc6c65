//! Random legal games.

use buxtehude::rules::{AnyPosition, MAX_SEATS, Turn, VARIANTS, Variant};
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

/// All starts: every variant with every number of players.
pub fn starts() -> Vec<(&'static Variant, AnyPosition)> {
    let all =
        VARIANTS.iter().flat_map(|variant| (2..=MAX_SEATS).map(move |seats| (variant, seats)));
    all.filter_map(|(variant, seats)| Some((variant, variant.start(seats).ok()?))).collect()
}

/// A game as in a request.
pub fn game(variant: &Variant, players: usize, words: &[String]) -> Value {
    json!({ "variant": variant.name, "players": players, "moves": words })
}

/// At most `most` random moves and cards from a position.
pub fn random_words(
    mut position: AnyPosition,
    most: usize,
    random: &mut ChaCha8Rng,
) -> Vec<String> {
    let mut words = Vec::new();
    while position.turn() != Turn::Over && words.len() < most {
        let word = position.legal_actions().choose(random).unwrap().clone();
        position.play(&word).unwrap();
        words.push(word);
    }
    words
}
