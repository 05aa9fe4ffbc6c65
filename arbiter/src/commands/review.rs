//! `arbiter review`: prints skill and luck in recorded games, move by move or added up.

use std::io;
use std::process::ExitCode;

use arbiter::analysis::review_games::{ReviewPlan, ReviewedGame, review_all};
use arbiter::analysis::review_text::{game_text, json, totals_text};
use arbiter::args::{ReviewArgs, ReviewFormat};
use matches::archive::game_file::GameFileError;
use matches::judge::JudgeError;
use matches::output::print;
use matches::play::interrupt::Interrupt;
use matches::review::{ReviewError, Totals};
use settings::args::validate::ArgsError;
use thiserror::Error;

use super::recorded_games::{self, Wanted};
use matches::run::signals;

/// Errors that stop the command.
#[derive(Debug, Error)]
enum Problem {
    #[error(transparent)]
    Args(#[from] ArgsError),
    #[error(transparent)]
    File(#[from] GameFileError),
    #[error(transparent)]
    Review(#[from] ReviewError<JudgeError>),
    #[error("{file}: no game to review")]
    Empty { file: String },
    #[error("--game: {file} has no valid game {game}")]
    NoGame { file: String, game: u64 },
    #[error("cannot handle signals: {0}")]
    Signals(#[from] io::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Reviews the games of a file; the exit status is 1 if a game was skipped.
pub fn run(args: &ReviewArgs) -> ExitCode {
    let interrupt = Interrupt::new();
    let reviewed = review_file(args, &interrupt);
    recorded_games::ended(reviewed, &interrupt)
}

/// Prints the reviews of a file; returns the number of skipped games.
fn review_file(args: &ReviewArgs, interrupt: &Interrupt) -> Result<u64, Problem> {
    let plan = args.plan()?;
    let wanted = match args.game.as_slice() {
        [] => Wanted::Sample(args.sample),
        games => Wanted::Named(games),
    };
    let (games, left_out) = recorded_games::choose(&args.file, &wanted, args.games)?;
    let file = || args.file.display().to_string();
    if let Some(&game) = args
        .game
        .iter()
        .find(|&&wanted| !games.iter().any(|game| game.game == wanted))
    {
        return Err(Problem::NoGame { file: file(), game });
    }
    if games.is_empty() {
        return Err(Problem::Empty { file: file() });
    }
    let handler = interrupt.clone();
    signals::listen(interrupt, move || handler.set())?;
    let bar = recorded_games::progress(&games);
    let (mut totals, mut shown) = (Totals::default(), Vec::new());
    let reviewed = review_all(
        &plan,
        &games,
        interrupt,
        || bar.inc(1),
        |game| {
            totals.add(game.record.block, &game.record.seats, &game.review);
            shown.extend((!args.game.is_empty()).then_some(game));
        },
    );
    bar.finish_and_clear();
    reviewed?;
    if totals.games() == 0 {
        // Interrupted before the first game was complete.
        return Ok(left_out);
    }
    let text = match args.format {
        ReviewFormat::Text => text(args, &plan, &totals, &shown, left_out),
        ReviewFormat::Json => json(&plan, &totals, &shown, left_out)?,
    };
    // A closed pipe is not an error.
    let _ = print(&text);
    Ok(left_out)
}

/// The heading, then the tables of each named game, or the totals of all games.
fn text(
    args: &ReviewArgs,
    plan: &ReviewPlan,
    totals: &Totals,
    shown: &[ReviewedGame<'_>],
    left_out: u64,
) -> String {
    let counts = [totals.games(), totals.moves(), left_out];
    let mut text = recorded_games::heading(&args.file, counts, "reviewed", &plan.engine);
    if shown.is_empty() {
        return text + &totals_text(totals);
    }
    for game in shown {
        text += &format!("\n{}", game_text(game, args.worst));
    }
    text
}
