//! `arbiter explain`: shows what happened in a game, above all in one with a fault.

use std::process::ExitCode;

use arbiter::args::ExplainArgs;
use arbiter::reports::{explain, has_flaw};
use matches::archive::ArchiveError;
use matches::output::print;

use super::input::open;
use super::{CommandError, fail};

/// Explains one game, or every game with a fault or a flaw.
pub fn run(args: &ExplainArgs) -> ExitCode {
    match explained(args) {
        Ok(text) => {
            let _ = print(&text);
            ExitCode::SUCCESS
        }
        Err(error) => fail(&error),
    }
}

fn explained(args: &ExplainArgs) -> Result<String, CommandError> {
    let wanted = args.game.or(args.number);
    let mut told = Vec::new();
    open(&args.input, false)?.for_each(|_, game| {
        if let Ok(record) = game {
            let is_asked_for = match wanted {
                Some(number) => record.game == number,
                None => record.fault.is_some() || has_flaw(&record),
            };
            if is_asked_for {
                told.push(explain(&record));
            }
        }
        Ok::<(), ArchiveError>(())
    })?;
    match wanted {
        Some(game) if told.is_empty() => {
            let file = args.input.file.display();
            Err(format!("{file}: no game {game} in this file").into())
        }
        None if told.is_empty() => Ok("no game has a fault or a flaw\n".to_string()),
        _ => Ok(told.join("\n")),
    }
}
