//! `arbiter cost`: judges the moves of recorded games and prints their costs.

use std::io;
use std::process::ExitCode;

use arbiter::analysis::cost::{self, CostError};
use arbiter::args::{CostArgs, CostFormat};
use matches::archive::game_file::GameFileError;
use matches::output::print;
use matches::play::interrupt::Interrupt;
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
    Cost(#[from] CostError),
    #[error("{file}: no game to judge")]
    Empty { file: String },
    #[error("cannot handle signals: {0}")]
    Signals(#[from] io::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Judges the games of a file; the exit status is 1 if a game was skipped.
pub fn cost(args: &CostArgs) -> ExitCode {
    let interrupt = Interrupt::new();
    let judged = judge_file(args, &interrupt);
    recorded_games::ended(judged, &interrupt)
}

/// Prints the costs of all moves of a file; returns the number of skipped games.
fn judge_file(args: &CostArgs, interrupt: &Interrupt) -> Result<u64, Problem> {
    let plan = args.plan()?;
    let wanted = Wanted::Sample(args.sample);
    let (games, left_out) = recorded_games::choose(&args.file, &wanted, args.games)?;
    if games.is_empty() {
        return Err(Problem::Empty {
            file: args.file.display().to_string(),
        });
    }
    let handler = interrupt.clone();
    signals::listen(interrupt, move || handler.set())?;
    let bar = recorded_games::progress(&games);
    let judged = cost::judge(&plan, &games, interrupt, || bar.inc(1));
    bar.finish_and_clear();
    let costs = judged?;
    if costs.games() == 0 {
        // Interrupted before the first game was complete.
        return Ok(left_out);
    }
    let text = match args.format {
        CostFormat::Text => {
            let counts = [costs.games(), costs.moves(), left_out];
            recorded_games::heading(&args.file, counts, "judged", &plan.engine) + &costs.text()
        }
        CostFormat::Json => costs.json(&plan, left_out)?,
    };
    // A closed pipe is not an error.
    let _ = print(&text);
    Ok(left_out)
}
