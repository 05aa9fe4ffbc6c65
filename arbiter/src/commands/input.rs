//! Opening of files of games.

use matches::archive::store::Store;
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
pub fn open(args: &FileArgs, is_trusted: bool) -> Result<Store, CommandError> {
    let name = args.file.display().to_string();
    refuse_overwriting(&[NamedFile::games(name, &args.file)]).map_err(ExitError::usage)?;
    let typed = args.rules.clone().map(Rules::external);
    let store = Store::open_or_import(&args.file)?;
    // Without trust in the program, the games are read without the rules. A record names no program.
    let of_store = || store.trusted_plan(is_trusted).ok().map(|plan| plan.rules);
    if let Some(rules) = typed.or_else(of_store) {
        start(&rules, Isolate::Auto, PATIENCE)?;
    }
    Ok(store)
}
