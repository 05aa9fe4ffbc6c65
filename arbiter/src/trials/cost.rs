//! What moves cost: recorded games under the longer search of an engine that judges.
//!
//! The cost of a move is what the seat that made it may expect after the move that the judge prefers, less what it
//! may expect after its own, in permille of all points; 0 where the judge agrees. Both come from one search, so
//! that they can be compared. A move that was the only one cost nothing and is not counted; nor are the moves of an
//! opening, which nobody chose.
//!
//! Several games are judged at the same time, each as if it were the first that the judge sees, and they are added
//! up in their order; so the sums do not depend on how many are judged at a time, as long as the judge's estimates
//! do not.

mod game;
mod sums;
mod text;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use thiserror::Error;

use crate::archive::replay::Flaw;
use crate::plan::EngineSpec;
use crate::play::interrupt::Interrupt;
use crate::record::GameRecord;
use crate::trials::judge::{Judge, JudgeError};
use game::judge_game;

pub use game::{JudgedGame, JudgedMove};
pub use sums::{Costs, DEAR, Line};

/// How games are judged; every field is sensible.
#[derive(Clone, Debug)]
pub struct CostPlan {
    /// The engine that judges, with the limit of each search and the option for several lines of one.
    pub engine: EngineSpec,
    /// Games judged at the same time, at least 1.
    pub concurrency: usize,
    /// How many of the costliest moves are kept.
    pub worst: usize,
}

/// Why games are not judged.
#[derive(Debug, Error)]
pub enum CostError {
    /// The engine is no judge.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// A game is not in order.
    #[error("game {game}: {flaw}")]
    Game {
        /// The number of the game.
        game: u64,
        /// What is wrong with it.
        flaw: Flaw,
    },
}

/// Judges games that are in order; calls `on_turn` after each turn, also of those that need no judge.
///
/// An interrupt ends it with what was added up by then, of whole games. It is set where there is an error.
///
/// # Errors
/// The first [`CostError`].
pub fn judge(
    plan: &CostPlan,
    games: &[GameRecord],
    interrupt: &Interrupt,
    mut on_turn: impl FnMut(),
) -> Result<Costs, CostError> {
    let next = AtomicUsize::new(0);
    let mut costs = Costs::new(plan.worst);
    let mut waiting = BTreeMap::new();
    let mut added = 0;
    thread::scope(|scope| {
        let (sender, judged) = channel();
        for _ in 0..plan.concurrency.min(games.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || work(plan, games, next, interrupt, &sender));
        }
        drop(sender);
        for news in judged {
            let (index, game) = match news {
                News::Turn => {
                    on_turn();
                    continue;
                }
                News::Game(index, game) => (index, game),
            };
            waiting.insert(index, game.inspect_err(|_| interrupt.set())?);
            while let Some(game) = waiting.remove(&added) {
                costs.add(game);
                added += 1;
            }
        }
        Ok::<(), CostError>(())
    })?;
    // After an interrupt those before them do not come any more.
    for game in waiting.into_values() {
        costs.add(game);
    }
    Ok(costs)
}

/// What a thread has to tell.
enum News {
    /// A turn was looked at.
    Turn,
    /// A game was judged, by its place among the games, or cannot be.
    Game(usize, Result<JudgedGame, CostError>),
}

/// Judges one game after the other, until there are no more or it is told to end.
fn work(
    plan: &CostPlan,
    games: &[GameRecord],
    next: &AtomicUsize,
    interrupt: &Interrupt,
    sender: &Sender<News>,
) {
    let mut judge = Judge::new(&plan.engine, interrupt);
    while !interrupt.is_set() {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(record) = games.get(index) else {
            break;
        };
        let game = judge_game(&mut judge, record, || {
            // Who does not listen any more has been told why.
            let _ = sender.send(News::Turn);
        });
        let is_last = game.is_err();
        if interrupt.is_set() || sender.send(News::Game(index, game)).is_err() || is_last {
            break;
        }
    }
    judge.dismiss();
}
