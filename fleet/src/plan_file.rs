//! A match's plan as bytes: an arbiter's store without games, so that a worker reads exactly the plan that a resumed
//! match reads.

use std::path::PathBuf;
use std::{env, fs, io};

use matches::archive::ArchiveError;
use matches::archive::store::Store;
use matches::plan::Plan;
use matches::plan::seed::Seed;
use tempfile::TempDir;
use thiserror::Error;

/// Placeholder for the seed, so that no worker knows the cards of blocks that it does not play.
pub const NO_SEED: Seed = Seed::Number(0);

/// Errors of writing or reading a plan.
#[derive(Debug, Error)]
pub enum PlanFileError {
    /// A temporary file cannot be used.
    #[error("temporary file for the plan in {}: {reason}", folder.display())]
    File {
        /// Directory of temporary files.
        folder: PathBuf,
        reason: io::Error,
    },
    /// The bytes are not a valid plan, or have been written by another version of the arbiter.
    #[error("plan: {0}")]
    Store(#[from] ArchiveError),
}

impl PlanFileError {
    fn of_file(reason: io::Error) -> PlanFileError {
        let folder = env::temp_dir();
        PlanFileError::File { folder, reason }
    }
}

/// Encodes a plan, without its seed.
///
/// # Errors
/// [`PlanFileError`] if no temporary file can be written.
pub fn write(plan: &Plan) -> Result<Vec<u8>, PlanFileError> {
    let folder = TempDir::new().map_err(PlanFileError::of_file)?;
    let path = folder.path().join("plan.db");
    let seed = NO_SEED;
    let plan = Plan {
        seed,
        ..plan.clone()
    };
    drop(Store::create(&path, &plan)?);
    fs::read(path).map_err(PlanFileError::of_file)
}

/// Decodes a plan.
///
/// # Errors
/// [`PlanFileError`] if the bytes are not a plan of this version of the arbiter.
pub fn read(bytes: &[u8]) -> Result<Plan, PlanFileError> {
    let folder = TempDir::new().map_err(PlanFileError::of_file)?;
    let path = folder.path().join("plan.db");
    fs::write(&path, bytes).map_err(PlanFileError::of_file)?;
    Ok(Store::open(&path)?.plan()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use buxtehude::rules::VARIANTS;
    use matches::plan::{EngineSpec, Limit};

    #[test]
    fn a_plan_is_read_as_it_was_written_but_for_its_seed() {
        let engines = vec![EngineSpec::new("a", "/bin/sh", Limit::nodes(7))];
        let mut plan = Plan::new(&VARIANTS[0], 3, engines);
        plan.seed = Seed::Key(*b"sixteen letters!");
        let found = read(&write(&plan).unwrap()).unwrap();
        assert_eq!(found.engines[0].limit, Limit::nodes(7));
        assert_eq!((found.seats, found.games), (3, plan.games));
        assert_eq!(found.seed, NO_SEED);
        assert!(read(b"no plan").is_err());
    }
}
