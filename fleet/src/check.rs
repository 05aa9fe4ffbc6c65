//! What a game has to be to count: possible by the rules, and the very game of the schedule.

use buxtehude::rules::{AnyPosition, Turn};
use matches::archive::replay::{self, Flaw};
use matches::plan::Plan;
use matches::plan::deck::Deck;
use matches::plan::schedule::{Schedule, ScheduledGame};
use matches::record::GameRecord;
use matches::record::digest::KeptGame;
use matches::record::ending::Ending;
use thiserror::Error;

/// How often a game may have been begun before.
const MOST_REPLAYS: usize = matches::play::replays::MOST_OF_A_GAME;

/// The longest time in a game, in microseconds: a year. What a store adds up stays in its bounds.
const MOST_MICROS: u64 = 1 << 45;
/// The largest of other numbers: more than anybody visits positions.
const MOST: u64 = 1 << 50;

/// Why a game does not count.
#[derive(Debug, Error)]
pub enum Refusal {
    /// There is no such game.
    #[error("the match has games 1 to {games}")]
    Number {
        /// Games of the match.
        games: u64,
    },
    /// It cannot have happened.
    #[error("{0}")]
    Impossible(#[from] Flaw),
    /// It is not the game that was to be played.
    #[error("{what}: found {found}, the schedule has {expected}")]
    Other {
        /// What of it.
        what: &'static str,
        /// What it says.
        found: String,
        /// What it has to be.
        expected: String,
    },
    /// A card is not the one that its deck has there.
    #[error("word {number} of the moves: found {found}, the deck has {expected}")]
    Card {
        /// Which of the moves and cards, from 1.
        number: usize,
        /// The card.
        found: String,
        /// That of the deck.
        expected: String,
    },
    /// It ended as no game of this match can.
    #[error("ending {ending}: {reason}")]
    Ending {
        /// How it ended.
        ending: Ending,
        /// Why that cannot be.
        reason: &'static str,
    },
}

/// Whether a game is the one of its number in a match, played by its rules with its cards.
///
/// # Errors
/// [`Refusal`] says what is wrong, the first thing that is.
pub fn check(plan: &Plan, schedule: &Schedule<'_>, kept: &KeptGame) -> Result<(), Refusal> {
    let record = &kept.record;
    if !(1..=plan.games).contains(&record.game) {
        return Err(Refusal::Number { games: plan.games });
    }
    let game = schedule.game(record.game);
    same("block", &record.block, &game.block)?;
    same("variant", &record.variant, &plan.variant.name.to_string())?;
    same("seed", &record.seed.to_string(), &plan.seed.to_string())?;
    let names = game.seats.iter();
    let names: Vec<&str> = names
        .map(|seated| plan.engines[seated.engine].name.as_str())
        .collect();
    same("seats", &record.seats.join(", "), &names.join(", "))?;
    let start = match &game.start {
        Some(text) => plan.variant.parse(text),
        None => plan.variant.start(plan.seats),
    };
    // The schedule has only starts that can be played.
    let start = start.map_err(Flaw::from)?;
    same("start", &record.start, &start.to_string())?;
    check_numbers(record)?;
    if let Some(flaw) = replay::check_kept(kept).into_iter().next() {
        return Err(flaw.into());
    }
    check_cards(record, &game, start)?;
    check_ending(plan, record)
}

fn same<T: PartialEq + ToString>(
    what: &'static str,
    found: &T,
    expected: &T,
) -> Result<(), Refusal> {
    if found == expected {
        return Ok(());
    }
    Err(Refusal::Other {
        what,
        found: found.to_string(),
        expected: expected.to_string(),
    })
}

/// No number is beyond what can be stored and added up.
fn check_numbers(record: &GameRecord) -> Result<(), Refusal> {
    let turns = record.turns.iter().flat_map(|turn| {
        let times = [turn.micros, turn.overrun, turn.waited];
        times.into_iter().chain([turn.out_of_turn, turn.late_stop])
    });
    let machine = record.machine.as_ref();
    let lags = machine.map(|machine| [machine.micros, machine.lag_median, machine.lag_p99]);
    let times = turns.flatten().chain(lags.into_iter().flatten());
    let others = record.turns.iter().filter_map(|turn| turn.nodes);
    let others = others.chain(machine.and_then(|machine| machine.speed));
    let times = times.map(|number| (number, MOST_MICROS));
    let mut all = times.chain(others.map(|number| (number, MOST)));
    match all.find(|(number, most)| number > most) {
        None => Ok(()),
        Some((number, most)) => Err(Refusal::Other {
            what: "numbers",
            found: number.to_string(),
            expected: format!("at most {most}"),
        }),
    }
}

/// The game begins as the schedule says, and each card after that is the next of its deck.
fn check_cards(
    record: &GameRecord,
    game: &ScheduledGame,
    mut position: AnyPosition,
) -> Result<(), Refusal> {
    let words: Vec<&str> = record.moves.split_whitespace().collect();
    let opening = words.iter().take(game.opening.len()).copied();
    let opening: Vec<&str> = opening.collect();
    same("opening", &opening.join(" "), &game.opening.join(" "))?;
    let replays = record.replays.len();
    if replays > MOST_REPLAYS {
        return Err(Refusal::Other {
            what: "replays",
            found: replays.to_string(),
            expected: format!("at most {MOST_REPLAYS}"),
        });
    }
    // A game that is played again has other cards.
    let seed = (0..replays).fold(game.deck_seed, |seed, _| seed.another());
    let mut deck = Deck::new(seed);
    for (index, word) in words.into_iter().enumerate() {
        if let Turn::Card(_) = position.turn() {
            let expected = deck.draw(&position.outcomes());
            // The opening's own cards take the place of those drawn.
            if index >= game.opening.len() && word != expected {
                return Err(Refusal::Card {
                    number: index + 1,
                    found: word.to_string(),
                    expected,
                });
            }
        }
        if let Err(reason) = position.play(word) {
            let number = index + 1;
            return Err(Flaw::Action { number, reason }.into());
        }
    }
    // What the arbiter plays before an engine is asked is all there, whatever ended the game.
    Ok(())
}

/// What ends a game early is part of the match.
fn check_ending(plan: &Plan, record: &GameRecord) -> Result<(), Refusal> {
    for &ending in &record.endings {
        let reason = match ending {
            Ending::MaxPlies if record.turns.len() < plan.patience.max_plies as usize => {
                "the game has fewer plies"
            }
            Ending::Agreed if plan.adjudication.resign.is_none() => "the match does not allow it",
            Ending::Solved if !plan.adjudication.solved => "the match does not allow it",
            _ => continue,
        };
        return Err(Refusal::Ending { ending, reason });
    }
    Ok(())
}
