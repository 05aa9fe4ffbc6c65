//! Views of recorded games: a page for the browser, a game as text, and an explanation of its ending.

pub mod explain;
mod game_text;
pub mod page;
mod show;

pub use game_text::game_text;
pub use show::show;
