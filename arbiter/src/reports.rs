//! Views of recorded games: a page for the browser, a game as text, and an explanation of its ending.

pub mod explain;
mod game_text;
pub mod page;
mod show;

use matches::record::TurnRecord;

pub use game_text::game_text;
pub use show::show;

/// The depth, estimate and score that an engine sent with its move, in the words of the protocol.
pub fn said(turn: &TurnRecord) -> Vec<String> {
    let depth = turn.depth.map(|depth| format!("depth {depth}"));
    let shares: Vec<String> = turn.estimate.iter().map(u16::to_string).collect();
    let estimate = (!shares.is_empty()).then(|| format!("estimate {}", shares.join(" ")));
    let score = turn.score.as_ref().map(|score| format!("score {score}"));
    [depth, estimate, score].into_iter().flatten().collect()
}
