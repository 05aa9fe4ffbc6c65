//! Counts consecutive failures of engines for their retirement. In a match on several machines, repeated failures on
//! the same machine count once, because the machine may be the cause.

use std::collections::BTreeSet;

use crate::archive::store::{Store, StoreError};
use crate::plan::Plan;
use crate::play::runner::count_failures;
use crate::record::GameRecord;

/// Machine of each engine's last failure, if the engine has not played a game without a failure since.
#[derive(Clone, Debug, Default)]
pub struct LastFailures(Vec<(String, String)>);

impl LastFailures {
    /// Notes a game of a machine; returns `true` if the same engine has failed again on the same machine.
    pub fn note(&mut self, record: &GameRecord, worker: &str) -> bool {
        let fault = record.fault.as_ref();
        let offender =
            fault.and_then(|fault| record.seats.get((fault.seat as usize).wrapping_sub(1)));
        let is_same = self
            .0
            .iter()
            .any(|(engine, machine)| Some(engine) == offender && machine == worker);
        self.0.retain(|(engine, _)| !record.seats.contains(engine));
        self.0
            .extend(offender.map(|engine| (engine.clone(), worker.to_string())));
        is_same
    }
}

/// Number of consecutive failures of each engine of a plan in the games of a store. If several machines have played,
/// consecutive failures on one machine count once.
///
/// # Errors
/// [`StoreError`] if a game cannot be read.
pub fn failures_of(store: &Store, plan: &Plan) -> Result<Vec<u32>, StoreError> {
    let mut all = vec![0; plan.engines.len()];
    let mut by_machine = all.clone();
    let (mut last, mut workers) = (LastFailures::default(), BTreeSet::new());
    store.for_each_summary(|record, _| {
        let machine = record.machine.as_ref();
        let worker = machine.map_or("", |machine| machine.worker.as_str());
        count_failures(&plan.engines, &record, &mut all);
        if !last.note(&record, worker) || worker.is_empty() {
            count_failures(&plan.engines, &record, &mut by_machine);
        }
        if !workers.contains(worker) {
            workers.insert(worker.to_string());
        }
        Ok::<(), StoreError>(())
    })?;
    Ok(if workers.len() > 1 { by_machine } else { all })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Fault;
    use crate::record::seed::Seed;

    fn game(offender: Option<u32>) -> GameRecord {
        let fault = |seat| Fault {
            seat,
            reason: String::new(),
            stderr: Vec::new(),
            evidence: None,
        };
        GameRecord {
            game: 1,
            block: 1,
            variant: String::new(),
            start: String::new(),
            seats: ["a", "b"].map(String::from).into(),
            seed: Seed::Number(1),
            moves: String::new(),
            places: Vec::new(),
            endings: Vec::new(),
            fault: offender.map(fault),
            turns: Vec::new(),
            reruns: Vec::new(),
            machine: None,
        }
    }

    #[test]
    fn failures_on_one_machine_are_one_until_another_or_a_good_game_comes_between() {
        let mut last = LastFailures::default();
        for (offender, worker, is_same) in [
            (Some(1), "one", false),
            (Some(1), "one", true),
            (Some(1), "two", false),
            (Some(1), "two", true),
            (None, "one", false),
            (Some(1), "two", false),
            (Some(2), "two", false),
            (Some(1), "two", false),
        ] {
            assert_eq!(
                last.note(&game(offender), worker),
                is_same,
                "{offender:?} {worker}"
            );
        }
    }
}
