//! Plays a race between engines of three levels, and draws the cards: `cargo run --release --example play_game`.

use std::error::Error;

use buxtehude::rules::{Seat, Turn, Variant};
use buxtehude::{Engine, Limits};
use rand::seq::IndexedRandom;

/// Level of each seat.
const LEVELS: [u32; 3] = [10, 5, 1];

fn main() -> Result<(), Box<dyn Error>> {
    let variant = Variant::by_name("hase-und-igel")?;
    let mut engines = LEVELS
        .into_iter()
        .map(|level| Engine::new(variant).level(level))
        .collect::<Result<Vec<Engine>, _>>()?;
    let mut game = engines[0].start(LEVELS.len())?;
    loop {
        let word = match game.position().turn() {
            Turn::Seat(seat) => {
                let engine = &mut engines[seat.index()];
                engine.best_move(&game, Limits::nodes(1000))?.best
            }
            Turn::Card(_) => {
                let cards = game.position().outcomes();
                let (card, _) = cards.choose_weighted(&mut rand::rng(), |(_, number)| *number)?;
                card.clone()
            }
            Turn::Over => break,
        };
        print!("{word} ");
        game.play(&word)?;
    }
    println!();
    for (seat, level) in (0..).map(Seat).zip(LEVELS) {
        let place = game.position().place(seat).unwrap_or(LEVELS.len());
        println!("seat {seat}, level {level}: place {place}");
    }
    Ok(())
}
