//! A match's plan as bytes: the JSON of a store, so that a worker reads exactly the plan that a resumed match reads.

use matches::plan::Plan;
use matches::plan::seed::Seed;

/// Placeholder for the seed, so that no worker knows the cards of blocks that it does not play.
pub const NO_SEED: Seed = Seed::Number(0);

/// Encodes a plan, without its seed.
///
/// # Errors
/// The reason, if a path of the plan is not UTF-8.
pub fn write(plan: &Plan) -> Result<Vec<u8>, String> {
    let plan = Plan { seed: NO_SEED, ..plan.clone() };
    serde_json::to_vec(&plan).map_err(|reason| format!("plan: {reason}"))
}

/// Decodes a plan.
///
/// # Errors
/// The reason, if the bytes are not a plan of this version of the arbiter.
pub fn read(bytes: &[u8]) -> Result<Plan, String> {
    let plan: Plan = serde_json::from_slice(bytes).map_err(|reason| format!("plan: {reason}"))?;
    plan.check().map_err(|reason| format!("plan: {reason}"))?;
    Ok(plan)
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
