//! The operations: each takes a request and returns an answer.

mod app;
mod engines;
mod etudes;
mod files;
mod games;
mod record;
mod review;
mod rules;
mod search;

pub use app::{App, SearchBounds};
pub use engines::{VariantEntry, engines, variants};
pub use etudes::{EtudeCatalog, etude_files, etudes};
pub use files::FilesError;
pub use games::{GameCatalog, game, game_files, games};
pub use record::{Recorder, record};
pub use review::review;
pub use rules::{draw, new, play, show, solved};
pub use search::{ai, analyse};
