//! State that all operations share.

use std::sync::Arc;
use std::time::Duration;

use super::{EtudeCatalog, GameCatalog};
use crate::board::Chance;
use crate::pool::Pool;
use tokio::sync::Semaphore;

/// State of the server, the same for all requests; cheap to clone.
#[derive(Clone, Debug)]
pub struct App {
    pub pool: Arc<Pool>,
    /// Source of cards.
    pub chance: Chance,
    /// Limits of searches that clients request.
    pub bounds: SearchBounds,
    /// Permits for concurrent reviews.
    pub reviews: Arc<Semaphore>,
    pub etudes: Arc<EtudeCatalog>,
    pub games: Arc<GameCatalog>,
}

/// Limits of searches that clients request.
#[derive(Clone, Copy, Debug)]
pub struct SearchBounds {
    /// Maximum time of a search.
    pub longest: Duration,
    /// Maximum of the option `Hash`, in MiB.
    pub hash: i64,
    /// Maximum of the option `Threads`.
    pub threads: i64,
}
