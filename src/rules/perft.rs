//! Perft: the number of lines of play to a depth, for checking move generation against other programs.
//!
//! A card is a ply of its own here: each kind of card that is left is one branch.

use super::{Game, Turn};

/// Below this depth a subtree is too small to be worth asking whether to stop.
const SMALLEST_INTERRUPTIBLE_DEPTH: u32 = 4;

/// Counts the leaves `depth` plies below `position`, without playing the last ply.
///
/// Returns 1 at depth 0, and `None` once `should_stop` has answered yes; it is asked often enough to
/// stop within a few milliseconds.
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

/// Counts like [`perft`], but plays every move of the last ply too.
pub fn perft_by_playing<G: Game>(
    position: &G,
    depth: u32,
    should_stop: &mut impl FnMut() -> bool,
) -> Option<u64> {
    count::<G, false>(position, depth, should_stop)
}

fn count<G: Game, const BULK: bool>(
    position: &G,
    depth: u32,
    should_stop: &mut impl FnMut() -> bool,
) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    if depth >= SMALLEST_INTERRUPTIBLE_DEPTH && should_stop() {
        return None;
    }
    match position.turn() {
        Turn::Seat(_) => {
            let moves = position.legal_moves();
            if BULK && depth == 1 {
                return Some(moves.len() as u64);
            }
            #[expect(
                clippy::manual_try_fold,
                reason = "sets of moves have a faster `fold` than their iterators, and no `try_fold`"
            )]
            moves.fold(Some(0), |leaves, mv| {
                let next = position.play_unchecked(mv);
                Some(leaves? + count::<G, BULK>(&next, depth - 1, should_stop)?)
            })
        }
        Turn::Card(_) => {
            let mut outcomes = position.outcomes();
            if BULK && depth == 1 {
                return Some(outcomes.len() as u64);
            }
            outcomes.try_fold(0, |leaves, (card, _)| {
                let next = position.draw_unchecked(card);
                Some(leaves + count::<G, BULK>(&next, depth - 1, should_stop)?)
            })
        }
        Turn::Over => Some(0),
    }
}
