//! Opening of files of games.

use matches::archive::game_file::GameFile;
use matches::own_files::{NamedFile, refuse_overwriting};
use matches::plan::Isolate;
use matches::plan::rules::Rules;
use matches::run::exit::ExitError;
use settings::args::rules::{PATIENCE, start};

use super::CommandError;
use crate::args::FileArgs;

/// Opens a file of games. If they need a rules program, starts the given one, or the store's if this user made the
/// store or `is_trusted`.
///
/// # Errors
/// The file cannot be read, or the program does not start.
pub fn open(args: &FileArgs, is_trusted: bool) -> Result<GameFile, CommandError> {
    let name = args.file.display().to_string();
    refuse_overwriting(&[NamedFile::games(name, &args.file)]).map_err(ExitError::usage)?;
    let typed = args.rules.clone().map(Rules::external);
    let file = GameFile::open(&args.file)?;
    let rules = match (typed, &file) {
        // Without trust in the program, the games are read without the rules.
        (None, GameFile::Store(store)) => {
            store.trusted_plan(is_trusted).ok().map(|plan| plan.rules)
        }
        (typed, _) => typed,
    };
    if let Some(rules) = rules {
        start(&rules, Isolate::Auto, PATIENCE)?;
    }
    Ok(file)
}
