//! What all operations share.

use std::sync::Arc;
use std::time::Duration;

use super::{EtudeShelf, GameShelf};
use crate::board::Chance;
use crate::pool::Pool;
use tokio::sync::Semaphore;

/// What the server has, the same for all requests; clones share it.
#[derive(Clone, Debug)]
pub struct App {
    /// The engines.
    pub pool: Arc<Pool>,
    /// Where cards come from.
    pub chance: Chance,
    /// What a client may ask of an engine.
    pub bounds: SearchBounds,
    /// Room for reviews.
    pub reviews: Arc<Semaphore>,
    /// Files of etudes.
    pub etudes: Arc<EtudeShelf>,
    /// Files of recorded games.
    pub games: Arc<GameShelf>,
}

/// What a client may ask of an engine at most.
#[derive(Clone, Copy, Debug)]
pub struct SearchBounds {
    /// The time of a search.
    pub longest: Duration,
    /// Mebibytes of `Hash`.
    pub hash: i64,
    /// Threads.
    pub threads: i64,
}
