//! Opening of files of games.

use matches::archive::game_file::GameFile;
use matches::plan::Isolate;
use matches::plan::rules::Rules;
use settings::args::rules::{PATIENCE, start};

use super::CommandError;
use crate::args::FileArgs;

/// Opens a file of games. If they need a rules program, starts the given one, or the store's if this user made the
/// store or `is_trusted`.
///
/// # Errors
/// The file cannot be read, or the program does not start.
pub fn open(args: &FileArgs, is_trusted: bool) -> Result<GameFile, CommandError> {
    let typed = args.rules.clone().map(Rules::external);
    let file = GameFile::open(&args.file)?;
    let rules = match (typed, &file) {
        (None, GameFile::Store(store)) if is_trusted || store.check_mark().is_ok() => {
            Some(store.plan()?.rules)
        }
        (typed, _) => typed,
    };
    if let Some(rules) = rules {
        start(&rules, Isolate::Auto, PATIENCE)?;
    }
    Ok(file)
}
