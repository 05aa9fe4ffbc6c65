//! Review of many games by an engine.

use std::ops::ControlFlow;

use crate::analysis::each_game::each_game;
use matches::judge::{Judge, JudgeError};
use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::record::GameRecord;
use matches::review::{PlayedGame, Review, ReviewError, review};

/// Settings of a review; every field is valid.
#[derive(Clone, Debug)]
pub struct ReviewPlan {
    /// The engine that values positions, with the limit of each search.
    pub engine: EngineSpec,
    /// Games reviewed concurrently, at least 1.
    pub concurrency: usize,
}

/// A recorded game with its review.
#[derive(Clone, Debug)]
pub struct ReviewedGame<'a> {
    pub record: &'a GameRecord,
    pub review: Review,
}

/// Reviews valid games, each with a fresh state of the engine. Calls `on_move` after each move that counts, and `add`
/// with each game, in order.
///
/// An interrupt ends the review with the games completed by then. An error sets the interrupt.
///
/// # Errors
/// The first [`ReviewError`].
pub fn review_all<'a>(
    plan: &ReviewPlan,
    games: &'a [GameRecord],
    interrupt: &Interrupt,
    on_move: impl FnMut(),
    add: impl FnMut(ReviewedGame<'a>),
) -> Result<(), ReviewError<JudgeError>> {
    each_game(
        (&plan.engine, plan.concurrency),
        games,
        interrupt,
        |judge, record, on_move| review_one(judge, record, interrupt, on_move),
        on_move,
        add,
    )
}

fn review_one<'a>(
    judge: &mut Judge<'_>,
    record: &'a GameRecord,
    interrupt: &Interrupt,
    on_move: &mut dyn FnMut(),
) -> Result<ReviewedGame<'a>, ReviewError<JudgeError>> {
    let game = PlayedGame::of_record(record)?;
    let begun = judge.begin(game.variant, &format!("game {}", record.game));
    begun.map_err(ReviewError::Appraiser)?;
    let review = review(&game, judge, |_| {
        on_move();
        match interrupt.is_set() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    Ok(ReviewedGame { record, review })
}
