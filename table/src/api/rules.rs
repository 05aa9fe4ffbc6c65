//! Operations that need only the rules: new games, positions, moves and cards.

use axum::extract::State as Shared;
use buxtehude::rules::Turn;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::App;
use crate::error::ApiError;
use crate::game::{Game, State, Step, View, number};
use crate::requests::{JsonAnswer, JsonRequest, object};

/// Maximum number of steps in an answer.
const MAX_STEPS: usize = 256;

/// Request of `POST /api/new`: a variant with either players or a start.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewRequest {
    variant: String,
    #[serde(default)]
    players: Option<usize>,
    #[serde(default)]
    start: Option<String>,
}

/// Request of `POST /api/show`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShowRequest {
    #[serde(deserialize_with = "object")]
    game: Game,
    /// Number of steps to skip.
    #[serde(default)]
    from: usize,
}

/// Request with only a game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRequest {
    #[serde(deserialize_with = "object")]
    game: Game,
}

/// Request of `POST /api/play`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayRequest {
    #[serde(deserialize_with = "object")]
    game: Game,
    /// A legal move, or if a card is due, one of those left.
    #[serde(rename = "move")]
    mv: String,
    /// Whether to draw a card that becomes due.
    #[serde(default = "yes")]
    draw: bool,
}

fn yes() -> bool {
    true
}

/// Answer of `POST /api/show`.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    state: State,
    /// The start position.
    first: View,
    /// The effect of each move and card after the skipped ones, at most [`MAX_STEPS`].
    steps: Vec<Step>,
}

/// `POST /api/new`
///
/// # Errors
/// [`ApiError`] if the request is invalid.
pub async fn new(request: JsonRequest<NewRequest>) -> Result<JsonAnswer, ApiError> {
    let begin = |NewRequest { variant, players, start }| {
        let game = Game { variant, players, start, moves: Vec::new() };
        Ok(State::of(&game.play()?))
    };
    request.answer(begin).await
}

/// `POST /api/show`
///
/// # Errors
/// As [`new`].
pub async fn show(request: JsonRequest<ShowRequest>) -> Result<JsonAnswer, ApiError> {
    let show = |ShowRequest { game, from }| {
        let wanted = from..from.saturating_add(MAX_STEPS);
        let mut steps = Vec::new();
        let mut number = 0;
        let played = game.play_with(|word, before, after| {
            if wanted.contains(&number) {
                steps.push(Step::of(word, before, after));
            }
            number += 1;
        })?;
        Ok(Shown { state: State::of(&played), first: View::of(&played.first), steps })
    };
    request.answer(show).await
}

/// `POST /api/play`
///
/// # Errors
/// As [`new`].
pub async fn play(
    Shared(app): Shared<App>,
    request: JsonRequest<PlayRequest>,
) -> Result<JsonAnswer, ApiError> {
    let play =
        move |PlayRequest { game, mv, draw }| game.play()?.advance(Some(mv), draw, app.chance);
    request.answer(play).await
}

/// `POST /api/draw`
///
/// # Errors
/// As [`new`].
pub async fn draw(
    Shared(app): Shared<App>,
    request: JsonRequest<GameRequest>,
) -> Result<JsonAnswer, ApiError> {
    let draw = move |GameRequest { game }| {
        let played = game.play()?;
        if !matches!(played.position.turn(), Turn::Card(_)) {
            let message = "no card is due; expected a game where a card is due";
            return Err(ApiError::invalid(message));
        }
        played.advance(None, true, app.chance)
    };
    request.answer(draw).await
}

/// `POST /api/solved`
///
/// # Errors
/// As [`new`], and if the game is not solved.
pub async fn solved(request: JsonRequest<GameRequest>) -> Result<JsonAnswer, ApiError> {
    request.answer(|request| solution(request.game)).await
}

/// The outcome of each legal move under perfect play: the seat that wins, and the plies until then.
fn solution(game: Game) -> Result<Value, ApiError> {
    let played = game.play()?;
    let not_solved = || {
        let name = played.variant.name;
        ApiError::invalid(format!(
            "{name} is not solved; expected a game that GET /api/engines lists as solved"
        ))
    };
    played.position.solved().ok_or_else(not_solved)?;
    let moves = played.position.legal_actions().into_iter().map(|mv| {
        let mut after = played.position;
        // Legal moves can always be played.
        let _ = after.play(&mv);
        let outcome = after.solved().ok_or_else(not_solved)?;
        Ok(json!({ "move": mv, "wins": number(outcome.winner), "plies": outcome.plies }))
    });
    let moves: Vec<Value> = moves.collect::<Result<_, ApiError>>()?;
    Ok(json!({ "ok": true, "moves": moves }))
}
