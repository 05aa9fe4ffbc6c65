//! Making progress: the rules set no limit to a game, so an engine that shuffles could do so for ever.
//!
//! The engine looks at the positions that the game has been through, and narrows its choice at the root,
//! and only there:
//! - A move that brings back a position of the game is avoided, as long as another is left.
//! - A seat that has not come nearer home than ever before for [`PATIENCE`] turns of its own plays, as
//!   long as it can, a move that leads it nearer home than it is. *Near* is the number of turns that it
//!   would need if it were alone ([`Game::turns_home`]).
//!
//! Each time its patience ends, a seat goes home move by move until it is nearer than ever before; that
//! happens at most once for each turn that the way home is long, so that no shuffling goes on for ever.

use crate::rules::{Game, Seat, Turn};

/// Own turns without coming nearer home than ever before, after which a seat gets impatient.
const PATIENCE: usize = 4;

/// A position that the game has been through, in which a seat moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// Its key.
    pub key: u64,
    /// The seat that moved.
    pub mover: Seat,
    /// Turns that the mover would have needed home alone; `None` where the game knows no such measure.
    pub turns_home: Option<u32>,
}

/// The moves to choose from: all of `moves`, or those that make progress.
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

/// The moves that are wanted, or all where none is.
fn narrowed<M: Copy>(moves: Vec<M>, is_wanted: impl Fn(&M) -> bool) -> Vec<M> {
    let wanted: Vec<M> = moves.iter().copied().filter(is_wanted).collect();
    if wanted.is_empty() { moves } else { wanted }
}

/// Whether a seat, now so many turns from home, was nearer or as near before its last turns.
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
        let past = [Past {
            key,
            mover: Seat(0),
            turns_home: None,
        }];
        let left = with_progress(&here, Seat(0), moves.clone(), &past);
        assert_eq!(left.len(), moves.len() - 1);
        assert!(!left.contains(&Move::TAKE));
        assert_eq!(
            with_progress(&here, Seat(0), vec![Move::TAKE], &past),
            [Move::TAKE]
        );
    }

    #[test]
    fn patience_ends_when_nothing_was_gained_for_many_turns() {
        let mut stuck = vec![8; PATIENCE];
        stuck[0] = 7;
        assert!(is_impatient(Seat(0), 7, &past(&stuck)));
        assert!(
            !is_impatient(Seat(0), 6, &past(&stuck)),
            "it is nearer than ever before"
        );
        assert!(
            !is_impatient(Seat(0), 7, &past(&stuck[1..])),
            "it has not waited long enough"
        );
        assert!(
            !is_impatient(Seat(1), 7, &past(&stuck)),
            "others have waited"
        );
        let slow: Vec<u32> = (0..20).map(|turn| 20 - turn / 3).collect();
        assert!(
            !is_impatient(Seat(0), 13, &past(&slow)),
            "it comes nearer slowly"
        );
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
