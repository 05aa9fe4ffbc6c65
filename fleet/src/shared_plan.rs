//! The plan of a match as the coordinator shares it with workers: its units, which are groups of games that are given
//! out together, and its bytes, which are the JSON of a store, so that a worker reads exactly the plan that a resumed
//! match reads.

use std::ops::RangeInclusive;

use matches::plan::Plan;
use matches::plan::seed::Seed;

use crate::message::Work;

/// Maximum number of games of a unit, which is a block, or a part of a long one.
const MAX_GAMES: u64 = 24;

/// Units of a plan, numbered from 0 in the order of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    games: u64,
    games_per_block: u64,
    per_block: u64,
}

impl Units {
    pub fn of(plan: &Plan) -> Units {
        Units::new(plan.games, plan.line_ups().games_per_block())
    }

    fn new(games: u64, games_per_block: u64) -> Units {
        Units { games, games_per_block, per_block: games_per_block.div_ceil(MAX_GAMES) }
    }

    pub fn count(&self) -> u64 {
        self.games.div_ceil(self.games_per_block) * self.per_block
    }

    pub fn games(&self, unit: u64) -> RangeInclusive<u64> {
        let (block, part) = (unit / self.per_block, unit % self.per_block);
        let begin = block * self.games_per_block;
        let end = (begin + ((part + 1) * MAX_GAMES).min(self.games_per_block)).min(self.games);
        begin + part * MAX_GAMES + 1..=end
    }

    /// Whether a message names a unit and its games.
    pub fn has(&self, work: &Work) -> bool {
        work.unit < self.count() && self.games(work.unit) == (work.first..=work.last)
    }

    pub fn of_game(&self, game: u64) -> u64 {
        let index = game.saturating_sub(1);
        let (block, within) = (index / self.games_per_block, index % self.games_per_block);
        block * self.per_block + within / MAX_GAMES
    }
}

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
    Plan::from_json(bytes).map_err(|reason| format!("plan: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use buxtehude::rules::VARIANTS;
    use matches::plan::{EngineSpec, Limit};

    #[test]
    fn every_game_is_in_one_unit() {
        for (games, per_block) in [(6, 2), (9, 3), (1440, 720), (60, 30)] {
            let units = Units::new(games, per_block);
            let mut all = Vec::new();
            for unit in 0..units.count() {
                let range = units.games(unit);
                assert!(range.clone().count() as u64 <= MAX_GAMES, "{range:?}");
                let blocks = range.clone().map(|game| (game - 1) / per_block);
                assert_eq!(blocks.collect::<std::collections::HashSet<_>>().len(), 1);
                assert!(range.clone().all(|game| units.of_game(game) == unit), "{range:?}");
                all.extend(range);
            }
            assert_eq!(all, (1..=games).collect::<Vec<u64>>());
        }
    }

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
