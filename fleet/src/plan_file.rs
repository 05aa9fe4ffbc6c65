//! The plan of a match as bytes: the arbiter's own store without a game, so that a worker reads the very plan that a
//! resumed match has.

use std::io;

use arbiter::archive::store::{Store, StoreError};
use arbiter::plan::Plan;
use arbiter::plan::seed::Seed;
use thiserror::Error;

/// What stands in the place of the seed: no worker knows the cards of blocks that it does not play.
pub const NO_SEED: Seed = Seed::Number(0);

/// Why a plan cannot be written or read.
#[derive(Debug, Error)]
pub enum PlanFileError {
    /// A file for it cannot be used.
    #[error("a temporary file for the plan: {0}")]
    File(#[from] io::Error),
    /// It makes no sense, or is of another version of the arbiter.
    #[error("the plan: {0}")]
    Store(#[from] StoreError),
}

/// The bytes of a plan, without its seed.
///
/// # Errors
/// [`PlanFileError`] where no temporary file can be written.
pub fn write(plan: &Plan) -> Result<Vec<u8>, PlanFileError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("plan.db");
    let seed = NO_SEED;
    let plan = Plan {
        seed,
        ..plan.clone()
    };
    drop(Store::create(&path, &plan)?);
    Ok(std::fs::read(path)?)
}

/// The plan in some bytes.
///
/// # Errors
/// [`PlanFileError`] where they are no plan of this version of the arbiter.
pub fn read(bytes: &[u8]) -> Result<Plan, PlanFileError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("plan.db");
    std::fs::write(&path, bytes)?;
    Ok(Store::open(&path)?.plan()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbiter::plan::{EngineSpec, Limit};
    use buxtehude::rules::VARIANTS;

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
