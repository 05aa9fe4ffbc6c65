//! Games of a match that earlier runs have played.

use std::collections::HashSet;
use std::path::Path;

use super::StoredMatch;
use super::announcement::count;
use super::exit::{ExitError, WRONG};
use crate::archive::record_file::RecordedGames;
use crate::archive::store::{Extent, Store};
use crate::archive::{ArchiveError, replay};
use crate::plan::Plan;
use crate::play::interrupt::Interrupt;
use crate::play::log::Log;
use crate::play::referee::count_reruns;
use crate::play::rules;
use crate::play::runner::{Ends, count_failures};
use crate::play::sandbox::Isolation;
use crate::record::GameRecord;
use crate::report::Report;

/// The games in a store, with their consequences for the rest of the match.
#[derive(Clone, Debug)]
pub struct Past {
    pub report: Report,
    /// Their numbers.
    pub played: HashSet<u64>,
    /// Number of consecutive failures of each engine, in the order of the plan, for the rest of a match on several
    /// machines.
    pub failures: Vec<u32>,
    /// The games as far as retirement depends on them, for the rest of a match on one machine.
    pub ends: Ends,
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
            ends: Ends::new(plan),
            reruns: vec![0; plan.engines.len()],
        }
    }

    /// Reads the games in the store of a match with this plan.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read.
    pub fn of(store: &Store, plan: &Plan) -> Result<Past, ArchiveError> {
        let mut past = Past::none(plan);
        past.report.set_aside(store.all_set_aside()?);
        // If several machines have played, consecutive failures on one machine count once.
        let mut by_machine = (past.failures.clone(), past.ends.clone());
        let (mut last, mut workers) = (LastFailures::default(), HashSet::new());
        store.for_each_game(Extent::Summary, None, |game| {
            let record = &game.record;
            if !(1..=plan.games).contains(&record.game) {
                let expected = format!("expected a number from 1 to {}", plan.games);
                let what = format!("game {}", record.game);
                return Err(ArchiveError::content(store.path(), what, &expected));
            }
            past.report.add_summary(record, &game.turn_sums());
            count_reruns(&plan.engines, record, &mut past.reruns);
            past.played.insert(record.game);
            let machine = record.machine.as_ref();
            let worker = machine.map_or("", |machine| machine.worker.as_str());
            count_failures(&plan.engines, record, &mut past.failures);
            past.ends.recall(record, true);
            let counts = !last.note(record, worker) || worker.is_empty();
            if counts {
                count_failures(&plan.engines, record, &mut by_machine.0);
            }
            by_machine.1.recall(record, counts);
            workers.insert(worker.to_string());
            Ok(())
        })?;
        if workers.len() > 1 {
            (past.failures, past.ends) = by_machine;
        }
        Ok(past)
    }

    /// Names of the engines with too many consecutive failures to keep playing on several machines.
    pub fn retired(&self, plan: &Plan) -> Vec<String> {
        let engines = plan.engines.iter().zip(&self.failures);
        let retired = engines.filter(|(_, failures)| plan.patience.retires(**failures));
        retired.map(|(engine, _)| engine.name.clone()).collect()
    }
}

/// Checks the games in a store again if its rules program has changed since they were played, or the user asks for it.
/// Removes those that are wrong by the rules as they are now if the user asks for that, and returns a remark on them.
///
/// # Errors
/// [`ExitError`] names the wrong games if they must stay; the program fails, or the record has a wrong game.
pub(super) fn recheck(
    store: &mut Store,
    plan: &Plan,
    stored: &StoredMatch,
) -> Result<Option<String>, ExitError> {
    let game = plan.rules.program();
    let rules = game.map(|game| game.plan());
    let has_changed = rules.map_or(Ok(false), |rules| store.has_other_rules(rules))?;
    if !has_changed && !stored.drop_wrong {
        return Ok(None);
    }
    if let Some(game) = game {
        let isolation = Isolation::of(plan.isolate, &plan.engines);
        let (isolation, _) = isolation.map_err(ExitError::usage)?;
        let (log, interrupt) = (Log::none(), Interrupt::new());
        rules::connect(game, isolation, plan.patience.ready, &log, &interrupt)?;
    }
    let wrong = replay::wrong_games::<ExitError>(store)?;
    if !wrong.is_empty() && !stored.drop_wrong {
        let message = format!("{}; --drop-wrong plays them anew", replay::wrong_in_words(&wrong));
        return Err(ExitError { status: WRONG, message });
    }
    let wrong: Vec<u64> = wrong.into_iter().map(|(game, _)| game).collect();
    if let Some(path) = &stored.outputs.record {
        refuse_recorded(path, store, &wrong)?;
    }
    store.drop_wrong(&wrong, rules)?;
    let games = count(wrong.len() as u64, "game");
    Ok((!wrong.is_empty()).then(|| format!("{games} dropped as wrong by the rules")))
}

/// Refuses a record that has one of these games, which would then occur twice.
fn refuse_recorded(path: &Path, store: &Store, games: &[u64]) -> Result<(), ExitError> {
    let recorded = RecordedGames::in_file(path)?;
    for &game in games {
        let mut is_recorded = false;
        store.for_each_game(Extent::Whole, Some(game), |game| {
            is_recorded = recorded.digests.contains(&*game.known_digest());
            Ok::<(), ArchiveError>(())
        })?;
        if is_recorded {
            let path = path.display();
            let reason = format!("{path} has game {game}, which is wrong: expected another file");
            return Err(ExitError::of_flag("record", reason));
        }
    }
    Ok(())
}

/// Machine of each engine's last failure, if the engine has not played a game without a failure since. In a match on
/// several machines, repeated failures on the same machine count once, because the machine may be the cause.
#[derive(Clone, Debug, Default)]
pub struct LastFailures(Vec<(String, String)>);

impl LastFailures {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes a game of a machine; returns `true` if the same engine has failed again on the same machine.
    pub fn note(&mut self, record: &GameRecord, worker: &str) -> bool {
        let fault = record.fault.as_ref();
        let offender = fault.and_then(|fault| record.engine_in(fault.seat));
        let is_same = self
            .0
            .iter()
            .any(|(engine, machine)| Some(engine.as_str()) == offender && machine == worker);
        self.0.retain(|(engine, _)| !record.seats.contains(engine));
        self.0.extend(offender.map(|engine| (engine.to_string(), worker.to_string())));
        is_same
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Fault;

    fn game(offender: Option<u32>) -> GameRecord {
        let fault = |seat| Fault { seat, ..Fault::default() };
        GameRecord {
            seats: ["a", "b"].map(String::from).into(),
            fault: offender.map(fault),
            ..GameRecord::default()
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
            assert_eq!(last.note(&game(offender), worker), is_same, "{offender:?} {worker}");
        }
    }
}
