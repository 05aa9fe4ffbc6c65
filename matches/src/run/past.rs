//! Games of a match that earlier runs have played.

use std::collections::HashSet;

use super::failures::failures_of;
use crate::archive::store::{Store, StoreError};
use crate::plan::Plan;
use crate::play::reruns::count_reruns;
use crate::report::Report;

/// The games in a store, with their consequences for the rest of the match.
#[derive(Clone, Debug)]
pub struct Past {
    /// Report of these games.
    pub report: Report,
    /// Their numbers.
    pub played: HashSet<u64>,
    /// Number of consecutive failures of each engine, in the order of the plan.
    pub failures: Vec<u32>,
    /// Number of reruns for each engine, in the same order.
    pub reruns: Vec<u32>,
}

impl Past {
    /// Returns the state without earlier games.
    pub fn none(plan: &Plan) -> Past {
        Past {
            report: Report::of(plan),
            played: HashSet::new(),
            failures: vec![0; plan.engines.len()],
            reruns: vec![0; plan.engines.len()],
        }
    }

    /// Reads the games in the store of a match with this plan.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub fn of(store: &Store, plan: &Plan) -> Result<Past, StoreError> {
        let mut past = Past::none(plan);
        past.report.set_aside(store.all_set_aside()?);
        store.for_each_summary(|record, sums| {
            past.report.add_summary(&record, &sums);
            count_reruns(&plan.engines, &record, &mut past.reruns);
            past.played.insert(record.game);
            Ok::<(), StoreError>(())
        })?;
        past.failures = failures_of(store, plan)?;
        Ok(past)
    }

    /// Names of the engines with too many consecutive failures to keep playing.
    pub fn retired(&self, plan: &Plan) -> Vec<String> {
        let engines = plan.engines.iter().zip(&self.failures);
        let retired = engines.filter(|(_, failures)| plan.patience.retires(**failures));
        retired.map(|(engine, _)| engine.name.clone()).collect()
    }
}
