//! Choice of the seed, and a warning if engines can learn it.

use std::fs;
use std::path::Path;

use super::ArgsError;
use crate::args::GameArgs;
use matches::plan::seed::Seed;

/// Returns the typed seed, the one in the file, or a secret one.
///
/// # Errors
/// [`ArgsError`] about `--seed-file`, or if the system has no random numbers.
pub fn chosen(typed: Option<Seed>, file: Option<&Path>) -> Result<Seed, ArgsError> {
    match (typed, file) {
        (Some(seed), _) => Ok(seed),
        (None, Some(path)) => read(path),
        (None, None) => Seed::secret().map_err(ArgsError::NoSecret),
    }
}

fn read(path: &Path) -> Result<Seed, ArgsError> {
    let text = fs::read_to_string(path).map_err(|reason| ArgsError::SeedFile {
        path: path.to_path_buf(),
        reason,
    })?;
    text.trim().parse().map_err(|reason| ArgsError::SeedText {
        path: path.to_path_buf(),
        reason,
    })
}

/// Warns if engines can learn the seed, and with it all cards.
pub fn warning(args: &GameArgs, seed: Seed) -> Option<String> {
    let text = match seed {
        Seed::Number(_) => {
            "the seed is a number: an engine that reads or guesses it knows all cards; without --seed, it is secret"
        }
        Seed::Key(_) if args.seed.is_some() => {
            "the seed is on the command line: an engine that reads it knows all cards; --seed-file keeps it secret"
        }
        Seed::Key(_) => return None,
    };
    Some(text.to_string())
}
