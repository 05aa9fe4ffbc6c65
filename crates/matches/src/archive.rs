//! Stored games: the store, record files, and checks of recorded games.

mod error;
pub mod record_file;
pub mod replay;
pub mod store;
pub mod user_key;

pub use error::ArchiveError;
