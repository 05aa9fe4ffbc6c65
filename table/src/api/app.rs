//! State that all operations share.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRef;

use super::etudes::EtudeCatalog;
use super::games::GameCatalog;
use super::record::Recorder;
use crate::board::Chance;
use crate::clients::Clients;
use crate::pool::Pool;

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

impl FromRef<App> for Chance {
    fn from_ref(app: &App) -> Chance {
        app.chance
    }
}

impl FromRef<App> for Arc<EtudeCatalog> {
    fn from_ref(app: &App) -> Arc<EtudeCatalog> {
        app.etudes.clone()
    }
}

impl FromRef<App> for Arc<Recorder> {
    fn from_ref(app: &App) -> Arc<Recorder> {
        app.recorder.clone()
    }
}

impl FromRef<App> for Arc<GameCatalog> {
    fn from_ref(app: &App) -> Arc<GameCatalog> {
        app.games.clone()
    }
}
