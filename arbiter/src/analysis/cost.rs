//! Costs of moves: an engine judges recorded games with a longer search.
//!
//! The cost of a move is the mover's expectation after the move that the judge prefers, minus its expectation after the
//! played move, in permille of all points; it is 0 if the judge agrees. Both values come from one search, so they are
//! comparable. Forced moves cost nothing and are not counted, and neither are opening moves, since no engine chose
//! them.
//!
//! Several games are judged concurrently, each with a fresh state of the judge, and added up in their order. The sums
//! are therefore the same at any concurrency if the judge's estimates are deterministic.

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

/// Settings for judging games; every field is valid.
#[derive(Clone, Debug)]
pub struct CostPlan {
    /// The judging engine, with the limit of each search and its MultiPV option.
    pub engine: EngineSpec,
    /// Games judged concurrently, at least 1.
    pub concurrency: usize,
    /// Number of costliest moves to keep.
    pub worst: usize,
}

/// Errors that stop the judgement.
#[derive(Debug, Error)]
pub enum CostError {
    /// The engine cannot judge.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// Invalid game.
    #[error("game {game}: {flaw}")]
    Game {
        /// Number of the game.
        game: u64,
        flaw: Flaw,
    },
}

/// Judges valid games; calls `on_turn` after each turn, even one that needs no judge.
///
/// An interrupt ends the judgement with the sums of the games completed by then. An error sets the interrupt.
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
