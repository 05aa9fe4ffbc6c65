//! The API: the operations with their routes, and the state that they share.

mod engines;
mod files;
mod games;
mod record;
mod review;
mod rules;
mod search;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRef};
use axum::routing::{get, post};

use crate::clients::{Clients, MAX_BODY_BYTES};
use crate::game::Chance;
use crate::pool::Pool;
pub use engines::variants;
pub use files::{EtudeCatalog, FilesError};
pub use games::GameCatalog;
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
        .route("/api/review", post(review::review))
        .route("/api/record", post(record::record))
        .route("/api/engines", get(engines::engines))
        .route("/api/etudes", get(files::etude_files))
        .route("/api/etudes/{file}", get(files::etudes))
        .route("/api/games", get(games::game_files))
        .route("/api/games/{file}", get(games::games))
        .route("/api/games/{file}/{number}", get(games::game))
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
