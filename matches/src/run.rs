//! A match from its start to its exit status.

pub mod announcement;
pub mod events;
pub mod exit;
pub mod ledger;
pub mod past;
pub mod progress;
