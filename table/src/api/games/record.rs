//! A recorded game as the table shows it.

use buxtehude::rules::is_card;
use matches::record::GameRecord;
use schemars::JsonSchema;
use serde::Serialize;

use super::Summary;
use crate::board::{Game, number};
use crate::door::Refusal;

/// What `GET /api/games/{file}/{number}` answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Recorded {
    /// Always true.
    pub ok: bool,
    /// What a list says of it.
    #[serde(flatten)]
    pub summary: Summary,
    /// The game.
    pub game: Game,
    /// How many of the first moves nobody was asked for.
    pub opening: usize,
    /// One entry for each move, in order.
    pub turns: Vec<Turn>,
}

/// A move, and what the engine said of it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Turn {
    /// Who moved, from 1.
    pub seat: usize,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// What was drawn after it, or `null`.
    pub card: Option<String>,
    /// Each seat's expected share of all points before the move, in permille; `null` where nothing is known.
    pub estimate: Option<Vec<u16>>,
    /// Plies.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// The mover's score as the protocol spells it.
    pub score: Option<String>,
    /// Microseconds from the question to the answer.
    pub micros: Option<u64>,
}

impl Recorded {
    /// A game as it is recorded.
    ///
    /// # Errors
    /// [`Refusal::Ours`] where it cannot have been played.
    pub fn of(record: &GameRecord) -> Result<Recorded, Refusal> {
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
                turns.push(Turn {
                    seat,
                    mv: word.to_string(),
                    ..Turn::default()
                });
            } else if let Some(turn) = turns.last_mut() {
                turn.card = Some(word.to_string());
            }
        });
        let played =
            played.map_err(|error| Refusal::Ours(format!("game {}: {error}", record.game)))?;
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
