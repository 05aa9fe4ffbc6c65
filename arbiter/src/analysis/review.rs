//! Review of many games by an engine.

use std::ops::ControlFlow;

use serde::Serialize;

use super::in_order::in_order;
use matches::judge::{Judge, JudgeError};
use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::play::sandbox::Isolation;
use matches::record::GameRecord;
use matches::review::{PlayedGame, Review, ReviewError, ReviewedMove, review};

/// Settings of a review; every field is valid.
#[derive(Clone, Debug)]
pub struct ReviewPlan {
    /// The engine that values positions, with the limit of each search.
    pub engine: EngineSpec,
    /// Games reviewed concurrently, at least 1.
    pub concurrency: usize,
}

#[derive(Clone, Debug)]
pub struct ReviewedGame<'a> {
    pub record: &'a GameRecord,
    pub review: Review,
}

/// A move that lost something.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BadMove {
    pub game: u64,
    /// Number of the move in the game, from 1; opening moves count, cards do not.
    pub ply: usize,
    /// Seat that moved, from 1.
    pub seat: usize,
    pub engine: String,
    /// Position before the move.
    pub position: String,
    #[serde(rename = "move")]
    pub mv: String,
    /// Best known move.
    pub best: String,
    /// Loss of the move, in permille of all points.
    pub loss: f64,
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
    isolation: Option<Isolation>,
    games: &'a [GameRecord],
    interrupt: &Interrupt,
    on_move: impl FnMut(),
    mut add: impl FnMut(ReviewedGame<'a>),
) -> Result<(), ReviewError<JudgeError>> {
    let flow = in_order(
        (&plan.engine, isolation, plan.concurrency.min(games.len())),
        games.iter(),
        interrupt,
        |judge, record, on_move| review_one(judge, record, interrupt, on_move),
        on_move,
        |reviewed| match reviewed {
            Ok(game) => {
                add(game);
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        },
    );
    flow.break_value().map_or(Ok(()), Err)
}

fn review_one<'a>(
    judge: &mut Judge<'_>,
    record: &'a GameRecord,
    interrupt: &Interrupt,
    on_move: &mut dyn FnMut(),
) -> Result<ReviewedGame<'a>, ReviewError<JudgeError>> {
    let game = PlayedGame::of_record(record)?;
    let begun = judge.begin(&game.rules, &format!("game {}", record.game));
    begun.map_err(ReviewError::Appraiser)?;
    let review = review(&game, judge, |_| {
        on_move();
        if interrupt.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(ReviewedGame { record, review })
}

impl ReviewedGame<'_> {
    /// Returns up to `most` moves with a loss, the largest loss first; with equal losses, the earlier move first.
    pub fn worst(&self, most: usize) -> Vec<BadMove> {
        let bad_move = |reviewed: &ReviewedMove| BadMove {
            game: self.record.game,
            ply: reviewed.ply,
            seat: reviewed.seat,
            engine: self.engine(reviewed.seat),
            position: self.position_before(reviewed.word),
            mv: reviewed.mv.clone(),
            best: reviewed.best.clone(),
            loss: reviewed.loss,
        };
        self.review.worst(most).into_iter().map(bad_move).collect()
    }

    /// Name of the engine in a seat, from 1.
    pub fn engine(&self, seat: usize) -> String {
        let name = self.record.seats.get(seat - 1);
        name.cloned().unwrap_or_default()
    }

    /// Text of the position before a move or card, counted from 1.
    fn position_before(&self, word: usize) -> String {
        // Cannot fail: the game was reviewed.
        let Ok(game) = PlayedGame::of_record(self.record) else {
            return String::new();
        };
        let words = game.words[..word - 1].iter().map(String::as_str);
        let (mut after, _) = game.start.walk(words);
        after.pop().unwrap_or(game.start).to_string()
    }
}
