//! A recorded game, as the table shows it.

use buxtehude::rules::is_card;
use matches::record::GameRecord;
use matches::record::printable::printable;
use serde::Serialize;

use crate::board::{Game, number};
use crate::error::ApiError;

/// A list entry of a recorded game.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Number in the file.
    pub number: u64,
    /// Name of the variant.
    pub variant: String,
    /// Names of the engines, in seat order.
    pub names: Vec<String>,
    /// Place of each seat, from 1.
    pub places: Vec<u32>,
    /// Reason why each seat's game stopped.
    pub endings: Vec<&'static str>,
    /// Number of moves, including the opening's.
    pub plies: usize,
}

impl Summary {
    pub fn of(record: &GameRecord) -> Summary {
        let names = record.seats.iter();
        Summary {
            number: record.game,
            variant: printable(&record.variant).into_owned(),
            names: names.map(|name| printable(name).into_owned()).collect(),
            places: record.places.clone(),
            endings: record.endings.iter().map(|ending| ending.name()).collect(),
            plies: record.plies(),
        }
    }
}

/// Answer of `GET /api/games/{file}/{number}`.
#[derive(Clone, Debug, Serialize)]
pub struct Recorded {
    /// Always true.
    pub ok: bool,
    /// The game's list entry.
    #[serde(flatten)]
    pub summary: Summary,
    /// The game.
    pub game: Game,
    /// Number of moves in the opening, which no engine chose.
    pub opening: usize,
    /// One entry for each move, in order.
    pub turns: Vec<Turn>,
}

/// A move with the engine's report.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Turn {
    /// The seat that moved, from 1.
    pub seat: usize,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The card drawn after it, or `null`.
    pub card: Option<String>,
    /// Each seat's expected share of all points before the move, in permille; `null` if unknown.
    pub estimate: Option<Vec<u16>>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// The mover's score in the protocol's notation.
    pub score: Option<String>,
    /// Thinking time in microseconds.
    pub micros: Option<u64>,
}

impl Recorded {
    /// Converts a record.
    ///
    /// # Errors
    /// [`ApiError`] if the game is illegal.
    pub fn of(record: &GameRecord) -> Result<Recorded, ApiError> {
        let mut turns: Vec<Turn> = Vec::new();
        let game = Game {
            variant: record.variant.clone(),
            players: None,
            start: Some(record.start.clone()),
            moves: record.moves.split_whitespace().map(String::from).collect(),
        };
        let played = game.play_with(|word, before, _| {
            if !is_card(word) {
                let seat = before.turn().seat().map_or(0, number);
                turns.push(Turn { seat, mv: word.to_string(), ..Turn::default() });
            } else if let Some(turn) = turns.last_mut() {
                turn.card = Some(word.to_string());
            }
        });
        let played =
            played.map_err(|error| ApiError::internal(format!("game {}: {error}", record.game)))?;
        let opening = record.opening_plies();
        for (turn, said) in turns.iter_mut().skip(opening).zip(&record.turns) {
            turn.estimate = Some(said.estimate.clone()).filter(|estimate| !estimate.is_empty());
            turn.depth = said.depth;
            turn.nodes = said.nodes;
            turn.score.clone_from(&said.score);
            turn.micros = said.micros;
        }
        Ok(Recorded {
            ok: true,
            summary: Summary::of(record),
            game: played.in_short().game(),
            opening,
            turns,
        })
    }
}
