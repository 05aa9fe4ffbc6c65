//! Errors that stop a coordinated match.

use matches::archive::ArchiveError;
use matches::plan::openings::OpeningError;
use matches::run::SourceError;
use matches::run::ledger::LedgerError;
use thiserror::Error;

use crate::message::MessageError;
use crate::plan_file::PlanFileError;
use crate::queue::QueueError;

/// Errors that stop a coordinated match.
#[derive(Debug, Error)]
pub enum DriveError {
    /// A game could not be stored or shown.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A call to the server failed; it can be repeated.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// An opening cannot be played.
    #[error("opening: {0}")]
    Opening(#[from] OpeningError),
    /// The plan cannot be sent.
    #[error(transparent)]
    Plan(#[from] PlanFileError),
    /// The system has no random numbers.
    #[error("{0}")]
    Random(String),
    /// Another coordinator plays the match.
    #[error("another coordinator has taken over match {id}; run only one for each match")]
    Taken {
        /// Id of the match.
        id: String,
    },
}

impl From<MessageError> for DriveError {
    fn from(error: MessageError) -> DriveError {
        DriveError::Queue(error.into())
    }
}

impl From<ArchiveError> for DriveError {
    fn from(error: ArchiveError) -> DriveError {
        LedgerError::Machines(error).into()
    }
}

impl From<DriveError> for SourceError {
    fn from(error: DriveError) -> SourceError {
        match error {
            DriveError::Ledger(error) => SourceError::Ledger(error),
            error => SourceError::Source(error.to_string()),
        }
    }
}
