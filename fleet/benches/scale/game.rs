//! A game without thought: legal, with the scheduled cards and opening, and about as long as a game between sensible
//! players.

use buxtehude::rules::{AnyPosition, Seat, Turn};
use matches::plan::Plan;
use matches::plan::deck::Deck;
use matches::plan::schedule::{Dealt, Schedule};
use matches::record::ending::Ending;
use matches::record::{GameRecord, TurnRecord};
use rand::RngExt;

use crate::Outcome;

/// Plays a scheduled game by random moves, most of them towards the goal.
pub fn random_game(
    plan: &Plan,
    schedule: &Schedule<'_>,
    number: u64,
    dealt: Dealt,
) -> Outcome<GameRecord> {
    let game = schedule.game_dealt(number, dealt);
    let mut position = plan.variant.start(plan.seats)?;
    let start = position.to_string();
    let mut deck = Deck::new(game.deck_seed);
    let (mut words, mut turns) = (Vec::new(), Vec::new());
    let mut opening = game.opening.iter();
    loop {
        let begun = opening.next().cloned();
        let word = match position.turn() {
            Turn::Over => break,
            Turn::Card(_) => {
                let drawn = deck.draw(&position.outcomes());
                begun.unwrap_or(drawn)
            }
            Turn::Seat(seat) => {
                let moves = position.legal_actions();
                let is_asked = begun.is_none();
                let word = begun.unwrap_or_else(|| chosen(&position, seat, &moves));
                if is_asked {
                    turns.push(TurnRecord {
                        seat: seat.index() as u32 + 1,
                        mv: word.clone(),
                        micros: Some(100),
                        depth: Some(1),
                        estimate: vec![500, 500],
                        nodes: Some(1),
                        ..TurnRecord::default()
                    });
                }
                word
            }
        };
        position.play(&word)?;
        words.push(word);
    }
    let names = game.seats.iter();
    let seats: Vec<String> = names
        .map(|seated| plan.engines[seated.engine].name.clone())
        .collect();
    let place = |index: usize| position.place(Seat(index as u8)).unwrap_or_default() as u32;
    let places: Vec<u32> = (0..seats.len()).map(place).collect();
    let last = seats.len() as u32;
    let ending = |&place: &u32| match place == last {
        true => Ending::Last,
        false => Ending::Finish,
    };
    Ok(GameRecord {
        game: game.number,
        block: game.block,
        variant: plan.variant.name.to_string(),
        start,
        seats,
        seed: plan.seed,
        moves: words.join(" "),
        endings: places.iter().map(ending).collect(),
        places,
        turns,
        ..GameRecord::default()
    })
}

/// Sometimes a random move, otherwise one that brings the seat closest to its goal.
fn chosen(position: &AnyPosition, seat: Seat, moves: &[String]) -> String {
    let mut rng = rand::rng();
    if rng.random_ratio(1, 4) {
        return moves[rng.random_range(0..moves.len())].clone();
    }
    let turns_home = |word: &&String| {
        let mut next = *position;
        // Legal moves can always be played.
        let _ = next.play(word);
        next.turns_home(seat)
    };
    moves
        .iter()
        .min_by_key(turns_home)
        .cloned()
        .unwrap_or_default()
}
