//! Perft: the number of lines of play to a depth, for checking move generation against other programs.
//!
//! A card counts as a ply: each kind of card that is left is one branch.

use std::hint::black_box;

use super::{Game, Turn};

/// Subtrees below this depth are too small to check for interruption.
const MIN_INTERRUPTIBLE_DEPTH: u32 = 4;

/// Counts the leaves `depth` plies below `position`, without playing the last ply.
///
/// Returns 1 at depth 0, and `None` once `should_stop` returns `true`. It is called often enough to stop within a few
/// milliseconds.
///
/// # Examples
/// ```
/// use buxtehude::rules::{Game, hase::{HASE_UND_IGEL, Position}, perft};
///
/// let start = Position::start(&HASE_UND_IGEL, 2).unwrap();
/// assert_eq!(perft(&start, 4, &mut || false), Some(3229));
/// ```
pub fn perft<G: Game>(
    position: &G,
    depth: u32,
    should_stop: &mut impl FnMut() -> bool,
) -> Option<u64> {
    count::<G, true>(position, depth, should_stop)
}

/// Counts like [`perft`], but also plays every move of the last ply.
pub fn perft_by_playing<G: Game>(
    position: &G,
    depth: u32,
    should_stop: &mut impl FnMut() -> bool,
) -> Option<u64> {
    count::<G, false>(position, depth, should_stop)
}

/// Counts the leaves; returns `None` once `should_stop` returns `true`.
fn count<G: Game, const BULK: bool>(
    position: &G,
    depth: u32,
    should_stop: &mut impl FnMut() -> bool,
) -> Option<u64> {
    if depth < MIN_INTERRUPTIBLE_DEPTH {
        return Some(count_to_the_end::<G, BULK>(position, depth));
    }
    if should_stop() {
        return None;
    }
    let mut leaves = Some(0);
    for_each_child(position, |child| {
        leaves =
            leaves.and_then(|sum| Some(sum + count::<G, BULK>(child, depth - 1, should_stop)?));
    });
    leaves
}

/// [`count`] without interruption; the last plies need no calls.
fn count_to_the_end<G: Game, const BULK: bool>(position: &G, depth: u32) -> u64 {
    let mut leaves = 0;
    match depth {
        0 => leaves = 1,
        1 if BULK => leaves = number_of_children(position),
        1 => for_each_child(position, |leaf| {
            // Keeps the compiler from removing the move because its result is unused.
            black_box(leaf);
            leaves += 1;
        }),
        2 if BULK => for_each_child(position, |child| leaves += number_of_children(child)),
        _ => for_each_child(position, |child| {
            leaves += count_to_the_end::<G, BULK>(child, depth - 1);
        }),
    }
    leaves
}

/// Number of leaves at depth 1.
#[inline]
fn number_of_children<G: Game>(position: &G) -> u64 {
    match position.turn() {
        Turn::Seat(_) => position.legal_moves().len() as u64,
        Turn::Card(_) => position.outcomes().len() as u64,
        Turn::Over => 0,
    }
}

/// Calls `visit` with each position one ply later: after each legal move or, if a card is due, each kind of card.
// Inlines loops and moves together, so that work common to all moves of a position is done once.
#[inline(always)]
pub fn for_each_child<G: Game>(position: &G, mut visit: impl FnMut(&G)) {
    position.legal_moves().for_each(|mv| visit(&position.play_unchecked(mv)));
    for (card, _) in position.outcomes() {
        visit(&position.draw_unchecked(card));
    }
}
