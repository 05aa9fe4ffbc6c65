//! Stored games: the store, record files, and checks of recorded games.

pub mod record_file;
pub mod replay;
pub mod store;

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_READONLY_ROLLBACK;
use thiserror::Error;

use crate::spelling::quote_path;

#[derive(Debug, Error)]
#[error("{}: {reason}", path.display())]
pub struct ArchiveError {
    path: PathBuf,
    reason: Reason,
}

#[derive(Debug, Error)]
enum Reason {
    #[error(
        "the file exists already; choose a new one, or continue its match with `arbiter resume {}`",
        quote_path(.0)
    )]
    Exists(PathBuf),
    #[error("another arbiter is playing this match")]
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    Busy,
    #[error("the file was removed or replaced while the match was played")]
    Gone,
    #[error("not a store; expected a file created by `arbiter match --store`")]
    NoStore,
    #[error("{} is no journal of this store; remove it", .0.display())]
    Journal(PathBuf),
    #[error("not a store: its tables differ from those that `arbiter match --store` creates")]
    Schema,
    #[error("store format {found} is unknown; expected {expected}")]
    Format { found: i64, expected: i64 },
    /// A setting, an engine or a game is invalid.
    #[error("{what}: {reason}")]
    Content { what: String, reason: String },
    #[error(
        "this user did not make the store ({why}), and it names programs to run:{commands}\n\
         if they may run as this user, use --trust-commands"
    )]
    Untrusted { commands: String, why: String },
    #[error("luck by {found:?}: all luck in the store is by {expected:?}")]
    Evaluator { found: String, expected: String },
    #[error(transparent)]
    File(#[from] io::Error),
    #[error(transparent)]
    Database(rusqlite::Error),
}

impl ArchiveError {
    pub fn file(path: &Path, error: io::Error) -> ArchiveError {
        Reason::File(error).about(path)
    }

    /// Creates the error of a file with an invalid part.
    pub fn content(path: &Path, what: String, reason: &impl ToString) -> ArchiveError {
        Reason::content(what, reason).about(path)
    }

    /// `true` if the disk or the file system is the cause, not the request. A missing file, and one of the wrong kind
    /// or encoding, are errors of the request.
    pub fn is_of_storage(&self) -> bool {
        match &self.reason {
            Reason::File(error) => {
                use io::ErrorKind::{InvalidData, InvalidInput, NotFound};
                let of_request = [NotFound, InvalidInput, InvalidData];
                !of_request.contains(&error.kind())
            }
            Reason::Database(_) | Reason::Gone => true,
            _ => false,
        }
    }

    /// `true` if SQLite must first undo an unfinished write, which needs the right to write.
    fn needs_rollback(&self) -> bool {
        match &self.reason {
            Reason::Database(error) => error
                .sqlite_error()
                .is_some_and(|error| error.extended_code == SQLITE_READONLY_ROLLBACK),
            _ => false,
        }
    }
}

impl Reason {
    fn content(what: impl Into<String>, reason: &impl ToString) -> Reason {
        Reason::Content { what: what.into(), reason: reason.to_string() }
    }

    fn about(self, path: &Path) -> ArchiveError {
        ArchiveError { path: path.to_path_buf(), reason: self }
    }
}

impl From<rusqlite::Error> for Reason {
    fn from(error: rusqlite::Error) -> Reason {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Reason::NoStore,
            _ => Reason::Database(error),
        }
    }
}
