//! Operations that need only the rules: new games, positions, moves and cards.

use axum::extract::State as Shared;
use buxtehude::rules::{self, AnyPosition};
use serde::{Deserialize, Serialize};

use super::App;
use crate::body::{JsonAnswer, JsonRequest, object};
use crate::error::ApiError;
use crate::game::{Chance, Game, Played};
use crate::state::{Drawn, Moment, State, Step, Took, number, steps_of};

/// Maximum number of cards drawn after one move.
const MAX_CARDS: usize = 16;
/// Maximum number of steps in an answer.
pub const MAX_STEPS: usize = 256;

/// Request of `POST /api/new`: a variant with either players or a start.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewRequest {
    /// Name of the variant, or one of its aliases.
    pub variant: String,
    /// Number of players; omitted if there is a start.
    #[serde(default)]
    pub players: Option<usize>,
    /// Text of the start position, if it is not the variant's default.
    #[serde(default)]
    pub start: Option<String>,
}

/// Request of `POST /api/show`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShowRequest {
    /// The game.
    #[serde(deserialize_with = "object")]
    pub game: Game,
    /// Number of steps to skip.
    #[serde(default)]
    pub from: usize,
}

/// Request with only a game.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRequest {
    /// The game.
    #[serde(deserialize_with = "object")]
    pub game: Game,
}

/// Request of `POST /api/play`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayRequest {
    /// The game.
    #[serde(deserialize_with = "object")]
    pub game: Game,
    /// A legal move, or if a card is due, one of those left.
    #[serde(rename = "move")]
    pub mv: String,
    /// Whether to draw a card that becomes due.
    #[serde(default = "yes")]
    pub draw: bool,
}

fn yes() -> bool {
    true
}

/// A game with its steps.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// The current state.
    #[serde(flatten)]
    pub state: State,
    /// The start position.
    pub first: Moment,
    /// The effect of each move and card after the skipped ones, at most 256.
    pub steps: Vec<Step>,
}

/// A move in a solved game, with its outcome under perfect play.
#[derive(Clone, Debug, Serialize)]
pub struct SolvedMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The seat that wins, from 1.
    pub wins: usize,
    /// Plies from after the move to the end of the game.
    pub plies: u32,
}

/// Answer of `POST /api/solved`.
#[derive(Clone, Debug, Serialize)]
pub struct Solved {
    /// Always true.
    pub ok: bool,
    /// All legal moves.
    pub moves: Vec<SolvedMove>,
}

/// `POST /api/new`
///
/// # Errors
/// [`ApiError`] if the request is invalid.
pub async fn new(request: JsonRequest<NewRequest>) -> Result<JsonAnswer, ApiError> {
    let game = |request: NewRequest| Game {
        variant: request.variant,
        players: request.players,
        start: request.start,
        moves: Vec::new(),
    };
    request.answer(move |request| Ok(State::of(&game(request).play()?))).await
}

/// `POST /api/show`
///
/// # Errors
/// As [`new`].
pub async fn show(request: JsonRequest<ShowRequest>) -> Result<JsonAnswer, ApiError> {
    request.answer(shown).await
}

fn shown(ShowRequest { game, from }: ShowRequest) -> Result<Shown, ApiError> {
    let wanted = from..from.saturating_add(MAX_STEPS);
    let mut steps = Vec::new();
    let mut number = 0;
    let played = game.play_with(|word, before, after| {
        if wanted.contains(&number) {
            steps.push(Step::of(word, before, after));
        }
        number += 1;
    })?;
    Ok(Shown { state: State::of(&played), first: Moment::of(&played.first), steps })
}

/// `POST /api/play`
///
/// # Errors
/// As [`new`].
pub async fn play(
    Shared(app): Shared<App>,
    request: JsonRequest<PlayRequest>,
) -> Result<JsonAnswer, ApiError> {
    request
        .answer(move |PlayRequest { game, mv, draw }| {
            take(game.play()?, mv, draw.then_some(app.chance))
        })
        .await
}

/// `POST /api/draw`
///
/// # Errors
/// As [`new`].
pub async fn draw(
    Shared(app): Shared<App>,
    request: JsonRequest<GameRequest>,
) -> Result<JsonAnswer, ApiError> {
    request
        .answer(move |GameRequest { game }| {
            let mut played = game.play()?;
            let before = (played.position, played.words().len());
            match draw_all(&mut played, app.chance)? {
                None => {
                    let message = "no card is due; expected a game where a card is due";
                    Err(ApiError::invalid(message))
                }
                card => Ok(took(&played, before, card)),
            }
        })
        .await
}

/// `POST /api/solved`
///
/// # Errors
/// As [`new`], and if the game is not solved.
pub async fn solved(request: JsonRequest<GameRequest>) -> Result<JsonAnswer, ApiError> {
    request.answer(|request| solution(request.game)).await
}

fn solution(game: Game) -> Result<Solved, ApiError> {
    let played = game.play()?;
    let not_solved = || {
        let name = played.variant.name;
        ApiError::invalid(format!(
            "{name} is not solved; expected a game that GET /api/engines lists as solved"
        ))
    };
    played.position.solved().ok_or_else(not_solved)?;
    let mut moves = Vec::new();
    for mv in played.position.legal_actions() {
        let mut after = played.position;
        // Legal moves can always be played.
        let _ = after.play(&mv);
        let outcome = after.solved().ok_or_else(not_solved)?;
        moves.push(SolvedMove { mv, wins: number(outcome.winner), plies: outcome.plies });
    }
    Ok(Solved { ok: true, moves })
}

/// Plays a move, and if `chance` is given, draws the cards that become due.
pub(super) fn take(
    mut played: Played,
    word: String,
    chance: Option<Chance>,
) -> Result<Took, ApiError> {
    let before = (played.position, played.words().len());
    played.add(word)?;
    let card = match chance {
        Some(chance) => draw_all(&mut played, chance)?,
        None => None,
    };
    Ok(took(&played, before, card))
}

fn took(played: &Played, before: (AnyPosition, usize), card: Option<Drawn>) -> Took {
    let (position, words) = before;
    let added = played.words().get(words..).unwrap_or_default();
    Took { state: State::of(played), steps: steps_of(position, added), card }
}

/// Draws cards while one is due; returns the first one.
fn draw_all(played: &mut Played, chance: Chance) -> Result<Option<Drawn>, ApiError> {
    let mut first = None;
    for _ in 0..MAX_CARDS {
        let rules::Turn::Card(seat) = played.position.turn() else {
            break;
        };
        let card = chance.draw(played, seat)?;
        played.add(card.clone())?;
        first.get_or_insert(Drawn {
            words: played.position.card_words(&card).unwrap_or_default(),
            card,
            seat: number(seat),
        });
    }
    Ok(first)
}
