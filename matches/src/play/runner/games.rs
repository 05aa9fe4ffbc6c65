//! Where a match gets its games from: its threads take one after the other.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::plan::schedule::Dealt;

/// What a thread of a match does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It plays the game with this number, which no other thread is given.
    Game(u64),
    /// It quits its engines, since nothing may be due for long, and asks again.
    Rest,
    /// It ends: nothing is left to be played.
    End,
}

/// The games that are to be played.
pub trait Games: Sync {
    /// The next game of the calling thread. It may wait for one, but not longer than the match goes on.
    fn next(&self) -> Next;

    /// What chance gives to the block of a game that was named just before, where that does not follow from the plan;
    /// `None` where it does.
    fn dealt(&self, _number: u64) -> Option<Dealt> {
        None
    }
}

/// Games that are all known at the start, in the order of the schedule.
#[derive(Debug)]
pub struct InOrder<F> {
    /// The next game that nobody has taken.
    next: AtomicU64,
    /// The first game from a number on that is to be played.
    due: F,
}

impl<F: Fn(u64) -> Option<u64>> InOrder<F> {
    /// The games that `due` names: the first from a number on that is to be played, or `None` where there is none.
    pub fn new(due: F) -> InOrder<F> {
        let next = AtomicU64::new(1);
        InOrder { next, due }
    }
}

impl<F: Fn(u64) -> Option<u64> + Sync> Games for InOrder<F> {
    fn next(&self) -> Next {
        let (set, get) = (Ordering::Relaxed, Ordering::Relaxed);
        let from = self
            .next
            .fetch_update(set, get, |from| (self.due)(from)?.checked_add(1));
        let game = from.ok().and_then(&self.due);
        game.map_or(Next::End, Next::Game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_game_that_is_due_is_taken_once() {
        let games = InOrder::new(|from| (from..=7).find(|number| number % 3 == 1));
        let taken = [(); 4].map(|()| games.next());
        assert_eq!(
            taken,
            [Next::Game(1), Next::Game(4), Next::Game(7), Next::End]
        );
    }
}
