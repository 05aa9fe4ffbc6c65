//! Views of recorded games: a page for the browser, and texts.

mod game_text;
pub mod page;

pub use game_text::{explain, game_text, has_flaw, said, show};
