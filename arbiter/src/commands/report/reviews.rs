//! Reviews of the games that a page shows.

use std::collections::HashMap;
use std::io;

use arbiter::analysis::review_games::{ReviewedGame, review_all};
use arbiter::args::ReportArgs;
use arbiter::reports::page::Page;
use matches::archive::replay;
use matches::judge::JudgeError;
use matches::play::interrupt::Interrupt;
use matches::record::GameRecord;
use matches::review::{Review, ReviewError};
use settings::args::validate::ArgsError;
use thiserror::Error;

use crate::commands::exit;
use matches::run::signals;

/// Reviews by game number.
pub type Reviews = HashMap<u64, Review>;

/// Errors that stop the reviews.
#[derive(Debug, Error)]
pub enum Unreviewable {
    #[error(transparent)]
    Args(#[from] ArgsError),
    #[error(transparent)]
    Review(#[from] ReviewError<JudgeError>),
    #[error("cannot handle signals: {0}")]
    Signals(#[from] io::Error),
}

/// Reviews the valid games; prints the flaws of the others.
pub fn of_games(
    args: &ReportArgs,
    games: &[GameRecord],
    interrupt: &Interrupt,
    page: &mut Page,
) -> Result<Reviews, Unreviewable> {
    let plan = args.review_plan()?;
    let engine = &plan.engine;
    page.set_reviewer(&format!("{} ({})", engine.name, engine.limit.in_words()));
    let mut in_order = Vec::new();
    for game in games {
        match replay::check(game).first() {
            None => in_order.push(game.clone()),
            Some(flaw) => {
                exit::complain(format_args!("game {} is not reviewed: {flaw}", game.game));
            }
        }
    }
    let handler = interrupt.clone();
    signals::listen(interrupt, move || handler.set())?;
    let mut reviews = Reviews::new();
    let add = |game: ReviewedGame<'_>| {
        reviews.insert(game.record.game, game.review);
    };
    review_all(&plan, &in_order, interrupt, || (), add)?;
    Ok(reviews)
}
