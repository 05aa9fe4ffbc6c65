//! The API: the operations with their routes, the state that they share, and those that need only the rules: new games,
//! positions, moves and cards.

mod files;
mod record;
mod search;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, FromRef, State as Shared};
use axum::routing::{get, post};
use axum::{Json, Router};
use buxtehude::protocol::{OptionKind, OptionOffer};
use buxtehude::rules::{AnyPosition, MAX_SEATS, Turn, VARIANTS, Variant};
use matches::plan::deck::Seed;
use matches::record::printable::printable;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::args::SearchLimits;
use crate::error::ApiError;
use crate::game::{Appearance, Game, MAX_WORDS, Played, State, Step, number};
use crate::pool::{Entry, Pool};
use crate::requests::{Clients, JsonAnswer, JsonRequest, MAX_BODY_BYTES, object};
pub use files::{EtudeCatalog, GameCatalog};
pub use record::Recorder;

/// Maximum number of steps in an answer.
const MAX_STEPS: usize = 256;

/// Routes of all operations.
pub fn routes() -> Router<App> {
    Router::new()
        .route("/api/new", post(new))
        .route("/api/show", post(show))
        .route("/api/play", post(play))
        .route("/api/draw", post(draw))
        .route("/api/solved", post(solved))
        .route("/api/ai", post(search::ai))
        .route("/api/analyse", post(search::analyse))
        .route("/api/review", post(search::review))
        .route("/api/record", post(record::record))
        .route("/api/engines", get(engines))
        .route("/api/etudes", get(files::files::<EtudeCatalog>))
        .route("/api/etudes/{file}", get(files::entries::<EtudeCatalog>))
        .route("/api/games", get(files::files::<GameCatalog>))
        .route("/api/games/{file}", get(files::entries::<GameCatalog>))
        .route("/api/games/{file}/{number}", get(files::game))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
}

/// Request of `POST /api/new`: a variant with either players or a start.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRequest {
    variant: String,
    players: Option<usize>,
    start: Option<String>,
}

/// `POST /api/new`
async fn new(request: JsonRequest<NewRequest>) -> Result<JsonAnswer, ApiError> {
    let begin = |NewRequest { variant, players, start }| {
        let game = Game { variant, players, start, moves: Vec::new() };
        Ok(State::of(&game.replay()?))
    };
    request.answer(begin).await
}

/// The game that begins unless a link or a person chooses another: the first variant with three players.
///
/// # Errors
/// [`ApiError`] if this variant is not for three.
pub fn usual_game() -> Result<State, ApiError> {
    let variant = VARIANTS[0].name.to_string();
    let game = Game { variant, players: Some(3), start: None, moves: Vec::new() };
    Ok(State::of(&game.replay()?))
}

/// Request of `POST /api/show`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShowRequest {
    #[serde(deserialize_with = "object")]
    game: Game,
    /// Number of steps to skip.
    #[serde(default)]
    from: usize,
}

/// Answer of `POST /api/show`.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    state: State,
    /// The start position.
    first: Appearance,
    /// The effect of each move and card after the skipped ones, at most [`MAX_STEPS`].
    steps: Vec<Step>,
}

/// `POST /api/show`
async fn show(request: JsonRequest<ShowRequest>) -> Result<JsonAnswer, ApiError> {
    let show = |ShowRequest { game, from }| {
        let wanted = from..from.saturating_add(MAX_STEPS);
        let mut steps = Vec::new();
        let mut number = 0;
        let played = game.replay_with(|word, before, after| {
            if wanted.contains(&number) {
                steps.push(Step::of(word, before, after));
            }
            number += 1;
        })?;
        Ok(Shown { state: State::of(&played), first: Appearance::of(&played.first), steps })
    };
    request.answer(show).await
}

/// Request of `POST /api/play`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayRequest {
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

/// `POST /api/play`
async fn play(
    Shared(app): Shared<App>,
    request: JsonRequest<PlayRequest>,
) -> Result<JsonAnswer, ApiError> {
    let play =
        move |PlayRequest { game, mv, draw }| game.replay()?.advance(Some(mv), draw, app.seed);
    request.answer(play).await
}

/// Request with only a game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GameRequest {
    #[serde(deserialize_with = "object")]
    game: Game,
}

/// `POST /api/draw`
async fn draw(
    Shared(app): Shared<App>,
    request: JsonRequest<GameRequest>,
) -> Result<JsonAnswer, ApiError> {
    let draw = move |GameRequest { game }| {
        let played = game.replay()?;
        if !matches!(played.position.turn(), Turn::Card(_)) {
            let message = "no card is due; expected a game where a card is due";
            return Err(ApiError::invalid(message));
        }
        played.advance(None, true, app.seed)
    };
    request.answer(draw).await
}

/// `POST /api/solved`
async fn solved(request: JsonRequest<GameRequest>) -> Result<JsonAnswer, ApiError> {
    request.answer(|GameRequest { game }| solution(&game.replay()?)).await
}

/// The outcome of each legal move under perfect play: the seat that wins, and the plies until then.
fn solution(played: &Played) -> Result<Value, ApiError> {
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

/// State of the server, the same for all requests; cheap to clone.
#[derive(Clone, Debug)]
pub struct App {
    pub pool: Arc<Pool>,
    /// Seed of all cards; without one each card is random.
    pub seed: Option<Seed>,
    pub limits: SearchLimits,
    pub clients: Arc<Clients>,
    pub etudes: Arc<EtudeCatalog>,
    pub games: Arc<GameCatalog>,
    pub recorder: Arc<Recorder>,
}

impl FromRef<App> for Arc<Clients> {
    fn from_ref(app: &App) -> Arc<Clients> {
        app.clients.clone()
    }
}

// --- Engines and games ---

/// `GET /api/engines`
async fn engines(Shared(app): Shared<App>) -> Json<Value> {
    let (running, waiting) = app.pool.load();
    let most = app.limits.queue;
    let mut answer = offer(&app);
    answer["ok"] = json!(true);
    answer["queue"] = json!({ "running": running, "waiting": waiting, "most": most });
    Json(answer)
}

/// The games, the engines, and the limits of requests.
pub fn offer(app: &App) -> Value {
    let engines = app.pool.entries().iter().map(|entry| engine(app, entry));
    json!({
        "engines": engines.collect::<Vec<Value>>(),
        "variants": VARIANTS.iter().map(variant).collect::<Vec<Value>>(),
        "limits": {
            "words": MAX_WORDS,
            "bytes": MAX_BODY_BYTES,
            "movetime": u64::try_from(app.limits.longest_search.as_millis()).unwrap_or(u64::MAX),
            "processes": app.limits.processes(),
        },
    })
}

/// An engine with the options that a request may set.
fn engine(app: &App, entry: &Entry) -> Value {
    let introduction = entry.introduction();
    let free = introduction.offers.iter().filter(|offer| search::is_free(offer));
    let options = free.map(|offer| option(app, offer, entry.usual(&offer.name)));
    json!({
        "name": entry.spec.name,
        "id": introduction.id,
        "error": introduction.error.as_deref().map(printable),
        "options": options.collect::<Vec<Value>>(),
    })
}

fn option(app: &App, offer: &OptionOffer, usual: Option<String>) -> Value {
    let (name, default) = (printable(&offer.name), usual.unwrap_or_default());
    match &offer.kind {
        OptionKind::Spin { min, max, .. } => {
            let max = search::highest(app, &offer.name).map_or(*max, |highest| highest.min(*max));
            json!({ "name": name, "type": "spin", "default": default, "min": min, "max": max })
        }
        OptionKind::Combo { vars, .. } => {
            json!({ "name": name, "type": "combo", "default": default, "vars": vars })
        }
        _ => json!({ "name": name, "type": "check", "default": default }),
    }
}

fn variant(variant: &Variant) -> Value {
    let starts: Vec<AnyPosition> =
        (2..=MAX_SEATS).filter_map(|seats| variant.start(seats).ok()).collect();
    json!({
        "name": variant.name,
        "aliases": variant.aliases,
        "players": starts.iter().map(AnyPosition::seats).collect::<Vec<usize>>(),
        "cards": starts.iter().any(AnyPosition::has_cards),
        "solved": starts.first().is_some_and(|start| start.solved().is_some()),
    })
}
