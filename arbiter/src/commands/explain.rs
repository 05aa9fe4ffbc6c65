//! `arbiter explain`: shows what happened in a game, above all in one with a fault.

use std::path::PathBuf;
use std::process::ExitCode;

use arbiter::args::ExplainArgs;
use arbiter::reports::explain::explain;
use matches::archive::game_file::{GameFile, GameFileError};
use matches::output::print;
use thiserror::Error;

use super::exit;

/// Explains one game, or every game with a fault.
pub fn run(args: &ExplainArgs) -> ExitCode {
    match explained(args) {
        Ok(text) => {
            let _ = print(&text);
            ExitCode::SUCCESS
        }
        Err(error) => exit::fail(exit::USAGE, error),
    }
}

/// Errors that stop the command.
#[derive(Debug, Error)]
enum Unexplained {
    #[error(transparent)]
    File(#[from] GameFileError),
    #[error("{}: no game {game} in this file", file.display())]
    NoGame { file: PathBuf, game: u64 },
}

fn explained(args: &ExplainArgs) -> Result<String, Unexplained> {
    let wanted = args.game.or(args.number);
    let mut told = Vec::new();
    GameFile::open(&args.file)?.for_each(|_, game| {
        if let Ok(record) = game {
            let is_asked_for = match wanted {
                Some(number) => record.game == number,
                None => record.fault.is_some(),
            };
            if is_asked_for {
                told.push(explain(&record));
            }
        }
        Ok::<(), Unexplained>(())
    })?;
    match wanted {
        Some(game) if told.is_empty() => Err(Unexplained::NoGame {
            file: args.file.clone(),
            game,
        }),
        None if told.is_empty() => Ok("no game ended in a fault\n".to_string()),
        _ => Ok(told.join("\n")),
    }
}
