//! Progress: the rules do not limit the length of a game, so an engine that shuffles could do so for ever.
//!
//! The engine looks at the past positions of the game and restricts the moves at the root, and only there:
//! - It avoids a move that repeats a position of the game, as long as there is another move.
//! - If a seat has not come nearer home than ever before for [`PATIENCE`] turns of its own, it plays a move that brings
//!   it nearer home than it is now, if there is one. The distance is the number of turns that it would need if it were
//!   alone ([`Game::turns_home`]).
//!
//! Each time its patience ends, a seat goes home move by move until it is nearer than ever before. That happens at most
//! once for each turn of the way home, so no shuffling lasts for ever.

use crate::rules::{AnyPosition, Game, Seat, Turn};

/// Number of own turns without coming nearer home than ever before, after which a seat becomes impatient.
const PATIENCE: usize = 4;

/// A past position of the game, before a seat's move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// Key of the position.
    pub key: u64,
    /// The seat that moved.
    pub mover: Seat,
    /// Number of turns that the mover would have needed home alone; `None` if the game has no such measure.
    pub turns_home: Option<u32>,
}

impl Past {
    /// The entry for `position`; `None` unless a seat is to move.
    ///
    /// [`CurrentGame::play`](crate::CurrentGame::play) collects it move by move.
    pub fn of(position: &AnyPosition) -> Option<Past> {
        let mover = position.turn().mover()?;
        Some(Past { key: position.key(), mover, turns_home: position.turns_home(mover) })
    }
}

/// Restricts `moves` to those that make progress; if there are none, returns all.
pub fn with_progress<G: Game>(
    position: &G,
    mover: Seat,
    moves: Vec<G::Move>,
    past: &[Past],
) -> Vec<G::Move> {
    let is_new = |mv: &G::Move| {
        let key = position.play_unchecked(*mv).key();
        past.iter().all(|past| past.key != key)
    };
    let moves = narrowed(moves, is_new);
    match position.turns_home(mover) {
        Some(now) if is_impatient(mover, now, past) => narrowed(moves, |mv| {
            let next = position.play_unchecked(*mv);
            let is_certain = !matches!(next.turn(), Turn::Card(_));
            is_certain && next.turns_home(mover).is_some_and(|then| then < now)
        }),
        _ => moves,
    }
}

/// Returns the moves that satisfy `is_wanted`, or all if none does.
fn narrowed<M: Copy>(moves: Vec<M>, is_wanted: impl Fn(&M) -> bool) -> Vec<M> {
    let wanted: Vec<M> = moves.iter().copied().filter(is_wanted).collect();
    if wanted.is_empty() { moves } else { wanted }
}

/// `true` if a seat, now `now` turns from home, was already at least as near before its last turns.
fn is_impatient(mover: Seat, now: u32, past: &[Past]) -> bool {
    let own = past.iter().filter(|past| past.mover == mover);
    let way: Vec<u32> = own.filter_map(|past| past.turns_home).collect();
    let Some(long_ago) = way.len().checked_sub(PATIENCE) else {
        return false;
    };
    let nearest = |turns: &[u32]| turns.iter().copied().min();
    let lately = nearest(&way[long_ago + 1..]).unwrap_or(now).min(now);
    nearest(&way[..=long_ago]).is_some_and(|before| before <= lately)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::hase::{HASE_UND_IGEL, Move, Position};

    fn position(text: &str) -> Position {
        Position::parse(&HASE_UND_IGEL, text).unwrap()
    }

    fn past(turns_home: &[u32]) -> Vec<Past> {
        let own = turns_home.iter().enumerate().map(|(index, &turns)| Past {
            key: index as u64,
            mover: Seat(0),
            turns_home: Some(turns),
        });
        own.collect()
    }

    #[test]
    fn a_position_does_not_come_back_where_there_is_a_choice() {
        let here = position("26,40,3/12,60,3 1 - -");
        let moves: Vec<Move> = here.legal_moves().collect();
        assert!(moves.contains(&Move::TAKE));
        let key = here.play_unchecked(Move::TAKE).key();
        let past = [Past { key, mover: Seat(0), turns_home: None }];
        let left = with_progress(&here, Seat(0), moves.clone(), &past);
        assert_eq!(left.len(), moves.len() - 1);
        assert!(!left.contains(&Move::TAKE));
        assert_eq!(with_progress(&here, Seat(0), vec![Move::TAKE], &past), [Move::TAKE]);
    }

    #[test]
    fn patience_ends_when_nothing_was_gained_for_many_turns() {
        let waits = |seat, now, turns: &[u32]| !is_impatient(Seat(seat), now, &past(turns));
        let mut stuck = vec![8; PATIENCE];
        stuck[0] = 7;
        assert!(!waits(0, 7, &stuck));
        assert!(waits(0, 6, &stuck), "it is nearer than ever before");
        assert!(waits(0, 7, &stuck[1..]), "it has not waited long enough");
        assert!(waits(1, 7, &stuck), "others have waited");
        let slow: Vec<u32> = (0..20).map(|turn| 20 - turn / 3).collect();
        assert!(waits(0, 13, &slow), "it comes nearer slowly");
    }

    #[test]
    fn an_impatient_seat_goes_home() {
        let here = position("59,39,0/12,60,3 1 - -");
        let now = here.turns_home(Seat(0)).unwrap();
        let moves = here.legal_moves().collect();
        let left = with_progress(&here, Seat(0), moves, &past(&[now; PATIENCE]));
        assert!(!left.is_empty());
        for mv in left {
            let then = here.play_unchecked(mv).turns_home(Seat(0)).unwrap();
            assert!(then < now, "{mv} leads from {now} to {then}\n{here:?}");
        }
    }
}
