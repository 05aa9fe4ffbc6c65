//! Draws the board of any game in a browser, from the `Scene` that the rules create for a position.
//!
//! The pages of the report and of the table both embed these two files.

/// ECMAScript module that draws a scene as SVG; it loads nothing.
pub const SCRIPT: &str = include_str!("board.js");

/// Style sheet for what [`SCRIPT`] draws, with the colours of the seats in light and dark mode.
pub const STYLE: &str = include_str!("board.css");
