//! What people and programs get to see of a match: tables, a page, progress, events, games as text.

pub mod announcement;
pub mod events;
pub mod exit;
pub mod explain;
mod game_text;
pub mod ledger;
pub mod output;
pub mod page;
pub mod past;
pub mod progress;
pub mod report;
mod show;

pub use game_text::game_text;
pub use show::show;
