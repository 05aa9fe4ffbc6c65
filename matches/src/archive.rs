//! Games that are kept: a store or a file of records, and whether what they say can be so.

pub mod game_file;
pub mod record_file;
pub mod replay;
pub mod store;
