//! What a store says of the part of a match that has been played.

use std::collections::HashSet;

use crate::archive::store::{Store, StoreError};
use crate::plan::Plan;
use crate::play::replays::count_replays;
use crate::play::runner::count_failures;
use crate::report::Report;

/// The games that have been played, and what follows from them for the rest.
#[derive(Clone, Debug)]
pub struct Past {
    /// All of them, counted.
    pub report: Report,
    /// Their numbers.
    pub played: HashSet<u64>,
    /// How often each engine has failed in a row in them, in the order of the plan.
    pub failures: Vec<u32>,
    /// How often games have been played again for each engine, in the same order.
    pub replays: Vec<u32>,
}

impl Past {
    /// The games in the store of a match with this plan.
    ///
    /// # Errors
    /// [`StoreError`] where a game cannot be read.
    pub fn of(store: &Store, plan: &Plan) -> Result<Past, StoreError> {
        let mut past = Past {
            report: Report::of(plan),
            played: HashSet::new(),
            failures: vec![0; plan.engines.len()],
            replays: vec![0; plan.engines.len()],
        };
        past.report.set_aside(store.all_set_aside()?);
        store.for_each_summary(|record, sums| {
            past.report.add_summary(&record, &sums);
            count_failures(&plan.engines, &record, &mut past.failures);
            count_replays(&plan.engines, &record, &mut past.replays);
            past.played.insert(record.game);
            Ok::<(), StoreError>(())
        })?;
        Ok(past)
    }

    /// The names of the engines that have failed so often that they play no more.
    pub fn retired(&self, plan: &Plan) -> Vec<String> {
        let engines = plan.engines.iter().zip(&self.failures);
        let retired = engines.filter(|(_, failures)| plan.patience.retires(**failures));
        retired.map(|(engine, _)| engine.name.clone()).collect()
    }
}
