//! Questions to engines, and their answers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use buxtehude::protocol::{Go, Info, PositionCommand};
use buxtehude::rules::Variant;
use matches::play::engine::StartError;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot, watch};

use super::entry::Entry;
use crate::client::ClientId;

#[derive(Clone, Debug)]
pub struct Role {
    pub engine: Arc<Entry>,
    pub variant: &'static Variant,
}

impl PartialEq for Role {
    fn eq(&self, other: &Role) -> bool {
        Arc::ptr_eq(&self.engine, &other.engine) && self.variant.name == other.variant.name
    }
}

#[derive(Clone, Debug)]
pub struct Question {
    pub role: Role,
    /// The position, as a start and moves.
    pub position: PositionCommand,
    /// Legal moves there, at least one.
    pub legal: Vec<String>,
    /// Limits of the search, always with a time.
    pub go: Go,
    /// Options for this question only, with the engine's spelling.
    pub options: Vec<(String, String)>,
}

/// A valid answer.
#[derive(Clone, Debug)]
pub struct Found {
    /// The legal move.
    pub mv: String,
    /// The estimate in its answer; empty if there is none.
    pub estimate: Vec<u16>,
    /// Last report of the search.
    pub info: Info,
}

#[derive(Debug, Error)]
pub enum SearchError {
    #[error("{0}")]
    Start(#[from] StartError),
    #[error("{0}")]
    Timeout(String),
    /// The engine ended, or its answer is malformed or illegal.
    #[error("{0}")]
    Engine(String),
    #[error(
        "{waiting} searches are waiting for an engine; expected fewer than {most}: try again later"
    )]
    Busy { waiting: usize, most: usize },
    #[error("the server is shutting down")]
    Ending,
}

/// A queued or running question. Dropping it tells the asker that the server is shutting down.
#[derive(Debug)]
pub struct Job {
    pub client: ClientId,
    pub question: Question,
    /// Stop flag: the answer is no longer needed.
    pub stop: Arc<AtomicBool>,
    /// Channel for the reports of the search, if they are requested.
    pub infos: Option<mpsc::Sender<Info>>,
    /// Number of questions before it while it waits.
    pub ahead: watch::Sender<usize>,
    pub answer: oneshot::Sender<Result<Found, SearchError>>,
}
