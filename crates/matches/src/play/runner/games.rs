//! The source of games for the threads of a match.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::plan::schedule::Dealt;

/// Next task of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Play the game with this number, which no other thread receives.
    Game(u64),
    /// Quit the engines, because there may be no game for a long time, and ask again.
    Rest,
    /// End, because no games are left.
    End,
}

/// A source of games.
pub trait Games: Sync {
    /// Returns the next task of the calling thread. It may block, but not beyond the end of the match.
    fn next(&self) -> Next;

    /// Returns the random part of the block of the game just returned by [`Games::next`]; `None` if it follows from the
    /// plan.
    fn dealt(&self, _number: u64) -> Option<Dealt> {
        None
    }
}

/// Games in the order of the schedule, all known at the start.
#[derive(Debug)]
pub struct GameQueue<F> {
    /// First game that no thread has taken.
    next: AtomicU64,
    /// Returns the first game to play from a number on.
    due: F,
}

impl<F: Fn(u64) -> Option<u64>> GameQueue<F> {
    /// Creates the source from `due`, which returns the first game to play from a number on, or `None` if there is
    /// none.
    pub fn new(due: F) -> GameQueue<F> {
        let next = AtomicU64::new(1);
        GameQueue { next, due }
    }
}

impl<F: Fn(u64) -> Option<u64> + Sync> Games for GameQueue<F> {
    fn next(&self) -> Next {
        let (set, get) = (Ordering::Relaxed, Ordering::Relaxed);
        let from = self.next.fetch_update(set, get, |from| (self.due)(from)?.checked_add(1));
        let game = from.ok().and_then(&self.due);
        game.map_or(Next::End, Next::Game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_game_that_is_due_is_taken_once() {
        let games = GameQueue::new(|from| (from..=7).find(|number| number % 3 == 1));
        let taken = [(); 4].map(|()| games.next());
        assert_eq!(taken, [Next::Game(1), Next::Game(4), Next::Game(7), Next::End]);
    }
}
