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

use thiserror::Error;

use crate::analysis::each_game::each_game;
use game::judge_game;
use matches::archive::replay::Flaw;
use matches::judge::JudgeError;
use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::record::GameRecord;

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
    on_turn: impl FnMut(),
) -> Result<Costs, CostError> {
    let mut costs = Costs::new(plan.worst);
    let add = |game| costs.add(game);
    let judges = (&plan.engine, plan.concurrency);
    each_game(judges, games, interrupt, judge_game, on_turn, add)?;
    Ok(costs)
}
