//! Making progress: the rules set no limit to a game, so an engine that shuffles could do so for ever.
//!
//! At the root, and only there, a move is avoided that brings back a position which the game has been
//! through, as long as another move is left. A game between engines that do so ends, since no position
//! comes back.

use crate::rules::Game;

/// Keeps, of the moves, those that lead to new positions; all of them if none does.
pub fn without_repetitions<G: Game>(
    position: &G,
    moves: Vec<G::Move>,
    history: &[u64],
) -> Vec<G::Move> {
    let is_new = |mv: &G::Move| !history.contains(&position.play_unchecked(*mv).key());
    let new: Vec<G::Move> = moves.iter().copied().filter(is_new).collect();
    if new.is_empty() { moves } else { new }
}
