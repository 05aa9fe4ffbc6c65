//! A match's plan as bytes: an arbiter's store without games, so that a worker reads exactly the plan that a resumed
//! match reads.

use std::{env, fs, io};

use matches::archive::ArchiveError;
use matches::archive::store::Store;
use matches::plan::Plan;
use matches::plan::seed::Seed;
use tempfile::TempDir;

/// Placeholder for the seed, so that no worker knows the cards of blocks that it does not play.
pub const NO_SEED: Seed = Seed::Number(0);

/// Encodes a plan, without its seed.
///
/// # Errors
/// The reason, if no temporary file can be written.
pub fn write(plan: &Plan) -> Result<Vec<u8>, String> {
    let folder = TempDir::new().map_err(|reason| file_failed(&reason))?;
    let path = folder.path().join("plan.db");
    let seed = NO_SEED;
    let plan = Plan { seed, ..plan.clone() };
    drop(Store::create(&path, &plan).map_err(|reason| store_failed(&reason))?);
    fs::read(path).map_err(|reason| file_failed(&reason))
}

/// Decodes a plan.
///
/// # Errors
/// The reason, if the bytes are not a plan of this version of the arbiter.
pub fn read(bytes: &[u8]) -> Result<Plan, String> {
    let folder = TempDir::new().map_err(|reason| file_failed(&reason))?;
    let path = folder.path().join("plan.db");
    fs::write(&path, bytes).map_err(|reason| file_failed(&reason))?;
    let plan = Store::open(&path).and_then(|store| store.plan_apart());
    plan.map_err(|reason| store_failed(&reason))
}

fn file_failed(reason: &io::Error) -> String {
    let folder = env::temp_dir();
    format!("temporary file for the plan in {}: {reason}", folder.display())
}

fn store_failed(reason: &ArchiveError) -> String {
    format!("plan: {reason}")
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
