//! `arbiter explain`: shows what happened in a game, above all in one with a fault.

use std::process::ExitCode;

use arbiter::args::ExplainArgs;
use arbiter::reports::{explain, has_flaw};
use matches::archive::ArchiveError;
use matches::archive::store::Extent;
use matches::output::print;
use matches::record::digest::StoredGame;

use super::{CommandError, fail, open};

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
    let mut explanations = Vec::new();
    open(&args.input, false)?.for_each_game(Extent::Whole, |StoredGame { record, .. }| {
        let is_asked_for = match wanted {
            Some(number) => record.game == number,
            None => record.fault.is_some() || has_flaw(&record),
        };
        explanations.extend(is_asked_for.then(|| explain(&record)));
        Ok::<(), ArchiveError>(())
    })?;
    match wanted {
        Some(game) if explanations.is_empty() => {
            let file = args.input.file.display();
            Err(format!("{file}: no game {game} in this file").into())
        }
        None if explanations.is_empty() => Ok("no game has a fault or a flaw\n".to_string()),
        _ => Ok(explanations.join("\n")),
    }
}
