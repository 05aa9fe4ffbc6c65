//! Games of a match that earlier runs have played.

use std::collections::HashSet;
use std::path::Path;

use super::StoredMatch;
use super::display::count;
use super::exit::{ExitError, WRONG};
use crate::archive::record_file::RecordedGames;
use crate::archive::store::{Extent, Store};
use crate::archive::{ArchiveError, replay};
use crate::plan::Plan;
use crate::play::interrupt::Interrupt;
use crate::play::log::Log;
use crate::play::referee::count_reruns;
use crate::play::rules;
use crate::play::runner::Ends;
use crate::play::sandbox::Isolation;
use crate::report::Report;

/// The games in a store, with their consequences for the rest of the match.
#[derive(Clone, Debug)]
pub struct Past {
    pub report: Report,
    /// Their numbers.
    pub played: HashSet<u64>,
    /// The games as far as retirement depends on them.
    pub ends: Ends,
    /// Number of reruns for each engine, in the order of the plan.
    pub reruns: Vec<u32>,
}

impl Past {
    /// Returns the state without earlier games.
    pub fn none(plan: &Plan) -> Past {
        Past {
            report: Report::of(plan),
            played: HashSet::new(),
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
        store.for_each_game(Extent::Summary, |game| {
            let record = &game.record;
            if !(1..=plan.games).contains(&record.game) {
                let expected = format!("expected a number from 1 to {}", plan.games);
                let what = format!("game {}", record.game);
                return Err(ArchiveError::content(store.path(), what, &expected));
            }
            past.report.add_summary(record, &game.turn_sums());
            count_reruns(&plan.engines, record, &mut past.reruns);
            past.played.insert(record.game);
            past.ends.recall(record);
            Ok(())
        })?;
        Ok(past)
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
        rules::connect(game, isolation, plan.referee_limits.ready, &log, &interrupt)?;
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
        let stored = store.game(game)?;
        if stored.is_some_and(|stored| recorded.digests.contains(&*stored.known_digest())) {
            let path = path.display();
            let reason = format!("{path} has game {game}, which is wrong: expected another file");
            return Err(ExitError::of_flag("record", reason));
        }
    }
    Ok(())
}
