//! The API: the operations with their routes, the state that they share, and the list of engines and games.

mod files;
mod record;
mod rules;
mod search;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, FromRef, State as Shared};
use axum::routing::{get, post};
use axum::{Json, Router};
use buxtehude::protocol::{OptionKind, OptionOffer};
use buxtehude::rules::{AnyPosition, MAX_SEATS, VARIANTS, Variant};
use matches::record::printable::printable;
use serde_json::{Value, json};

use crate::game::{Chance, MAX_WORDS};
use crate::pool::{Entry, Pool};
use crate::requests::{Clients, MAX_BODY_BYTES};
pub use files::{EtudeCatalog, FilesError, GameCatalog};
pub use record::Recorder;

/// Routes of all operations.
pub fn routes() -> Router<App> {
    Router::new()
        .route("/api/new", post(rules::new))
        .route("/api/show", post(rules::show))
        .route("/api/play", post(rules::play))
        .route("/api/draw", post(rules::draw))
        .route("/api/solved", post(rules::solved))
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

/// State of the server, the same for all requests; cheap to clone.
#[derive(Clone, Debug)]
pub struct App {
    pub pool: Arc<Pool>,
    /// Source of cards.
    pub chance: Chance,
    pub bounds: SearchBounds,
    pub clients: Arc<Clients>,
    pub etudes: Arc<EtudeCatalog>,
    pub games: Arc<GameCatalog>,
    pub recorder: Arc<Recorder>,
}

/// Limits of searches that clients request.
#[derive(Clone, Copy, Debug)]
pub struct SearchBounds {
    pub longest: Duration,
    /// Maximum of the option `Hash`, in MiB.
    pub hash: i64,
    /// Maximum of the option `Threads`.
    pub threads: i64,
}

impl FromRef<App> for Arc<Clients> {
    fn from_ref(app: &App) -> Arc<Clients> {
        app.clients.clone()
    }
}

/// `GET /api/engines`
async fn engines(Shared(app): Shared<App>) -> Json<Value> {
    let (running, waiting) = app.pool.load();
    let most = app.pool.bounds().queue;
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
            "movetime": u64::try_from(app.bounds.longest.as_millis()).unwrap_or(u64::MAX),
            "processes": app.pool.bounds().processes,
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
    let starts = (2..=MAX_SEATS).filter_map(|seats| variant.start(seats).ok());
    let starts: Vec<AnyPosition> = starts.collect();
    json!({
        "name": variant.name,
        "aliases": variant.aliases,
        "players": starts.iter().map(AnyPosition::seats).collect::<Vec<usize>>(),
        "cards": starts.iter().any(AnyPosition::has_cards),
        "solved": starts.first().is_some_and(|start| start.solved().is_some()),
    })
}
