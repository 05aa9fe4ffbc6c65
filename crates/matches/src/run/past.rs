//! The rest of a stored match, and its games that earlier runs have played.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::display::count;
use super::exit::{ExitError, USAGE, WRONG, exit_of_verdict, fail, print_error};
use super::ledger::{Ledger, Outputs, programs};
use super::{Engines, Match, Source, Stop, is_over, prepare_engines, signals};
use crate::archive::record_file::RecordedGames;
use crate::archive::store::{Extent, Store, StoredPlan};
use crate::archive::{ArchiveError, replay};
use crate::luck::Evaluator;
use crate::output::{fitted, print};
use crate::own_files::NamedFile;
use crate::plan::{EngineSpec, Plan};
use crate::play::interrupt::Interrupt;
use crate::play::log::Log;
use crate::play::referee::count_reruns;
use crate::play::rules;
use crate::play::runner::Ends;
use crate::play::sandbox::Isolation;
use crate::report::Report;
use crate::spelling::quote_path;

/// Settings for the rest of a stored match.
#[derive(Clone, Debug, Default)]
pub struct StoredMatch {
    /// The store.
    pub file: PathBuf,
    /// Games played concurrently; `None` for the number in the store.
    pub concurrency: Option<usize>,
    /// `true` to let retired engines play again.
    pub forgive: bool,
    /// `true` to play although the program of an engine has changed since the start.
    pub changed_engines: bool,
    /// `true` to run the programs of a store that another user made.
    pub trust_commands: bool,
    /// `true` to play games anew that are wrong by a rules program that has changed.
    pub drop_wrong: bool,
    pub outputs: Outputs,
    /// Files that the match reads, except the store and its engines' files.
    pub inputs: Vec<NamedFile>,
    /// Engine that measures luck, if the plan needs one.
    pub luck_engine: Option<EngineSpec>,
}

/// Plays the rest of a stored match; returns its exit status.
pub fn resume<S: Source>(stored: &StoredMatch, source: &mut S) -> ExitCode {
    let (mut planned, may_run) = match Match::reopen(stored) {
        Ok(stored) => stored,
        Err(error) => return error.exit(),
    };
    if planned.is_over() {
        // An interrupt may have come between the last game and its luck.
        if let Err(error) = planned.measure_luck() {
            return fail(USAGE, error);
        }
        let (report, path) = (&planned.ledger.report, stored.file.display());
        let games = count(planned.past.played.len() as u64, "game");
        let remarks = fitted(&source.remarks(&planned));
        let _ = print(&format!("{}\n{games}, all stored in {path}\n{remarks}", report.text()));
        // The first says the same as the line above.
        for remark in planned.remarks.iter().skip(1) {
            print_error(format_args!("note: {remark}"));
        }
        source.clean_up(&planned);
        return exit_of_verdict(report.verdict());
    }
    match planned.restart_engines(stored, may_run) {
        Ok(()) => planned.play_and_report(source),
        Err(stop) => stop.exit(),
    }
}

impl Match {
    /// Opens a stored match; returns also whether its programs may run.
    fn reopen(stored: &StoredMatch) -> Result<(Match, Result<(), ExitError>), ExitError> {
        let mut store = Store::resume(&stored.file)?;
        let StoredPlan { mut plan, trust, changed_rules, mut changed_engines } =
            store.stored_plan()?;
        changed_engines.retain(|_| !stored.changed_engines);
        let may_change = stored.changed_engines || stored.drop_wrong;
        let changed = changed_rules.filter(|_| !may_change).into_iter().chain(changed_engines);
        let is_trusted = stored.trust_commands || trust.is_ok();
        let may_run = may_run(is_trusted, trust, &changed.collect::<Vec<_>>());
        plan.concurrency = stored.concurrency.unwrap_or(plan.concurrency);
        let luck_engine = stored.luck_engine.as_ref();
        let mut inputs = stored.inputs.clone();
        inputs.push(NamedFile::games("the store", &stored.file));
        stored.outputs.refuse_overwriting(None, &inputs, programs(&plan, luck_engine))?;
        let mut past = Past::of(&store, &plan)?;
        let mut dropped = None;
        // A complete match starts no engine, but its rules program, which any reader of the store starts, too.
        if may_run.is_ok() || (is_trusted && is_over(&past.report, &plan)) {
            dropped = recheck(&mut store, &plan, stored)?;
            if dropped.is_some() {
                past = Past::of(&store, &plan)?;
            }
        }
        if stored.forgive {
            past.ends.forgive(&past.played);
        }
        let (played, all) = (past.played.len(), count(plan.games, "game"));
        let mut remarks = vec![format!("{played} of {all} stored in earlier runs")];
        remarks.extend(dropped);
        let luck = evaluator_of_rest(&store, &plan, luck_engine, &mut remarks)?;
        let outputs = &stored.outputs;
        let log = outputs.open_log(true)?;
        let ledger = outputs.open(past.report.clone(), Some(&store), Interrupt::new())?;
        let planned = Match {
            plan,
            ledger: Ledger { store: Some(store), ..ledger },
            log,
            past,
            engines: Engines::default(),
            remarks,
            is_new: false,
            luck,
            outputs: stored.outputs.clone(),
        };
        Ok((planned, may_run))
    }

    /// Starts the engines of a stored match, if its programs `may_run`.
    fn restart_engines(
        &mut self,
        stored: &StoredMatch,
        may_run: Result<(), ExitError>,
    ) -> Result<(), Stop> {
        may_run?;
        let interrupt = &self.ledger.interrupt;
        signals::stop_match(interrupt, stored.outputs.finishes_games)?;
        let changed = stored.changed_engines;
        let luck = self.luck.as_ref();
        self.engines = prepare_engines(&mut self.plan, false, changed, luck, &self.log, interrupt)?;
        Ok(())
    }
}

/// Returns an error unless the store can be trusted, and its programs are the same or may differ.
fn may_run(
    is_trusted: bool,
    trust: Result<(), ArchiveError>,
    changed: &[String],
) -> Result<(), ExitError> {
    if !is_trusted {
        trust?;
    }
    if changed.is_empty() {
        Ok(())
    } else {
        let changed = changed.join("; ");
        let accepted = "restore the original programs, or use --changed-engines";
        Err(ExitError::usage(format!("{changed}; {accepted}")))
    }
}

/// Returns the evaluator for the rest of a stored match; none, with a remark, if earlier luck is by another one, or the
/// engine that measures it is missing.
///
/// # Errors
/// [`ExitError`] instead of the remark if `engine` is given or the sequential test needs luck.
fn evaluator_of_rest(
    store: &Store,
    plan: &Plan,
    engine: Option<&EngineSpec>,
    remarks: &mut Vec<String>,
) -> Result<Option<Evaluator>, ExitError> {
    let reason = match (Evaluator::of(plan, engine), store.luck_by()?) {
        (Err(error), _) => error.to_string(),
        (Ok(Some(evaluator)), Some(before)) if evaluator.identity() != before => {
            let now = evaluator.identity();
            let (flag, file) = (evaluator.flag(), quote_path(store.path()));
            format!(
                "luck: by {before} so far, now by {now}: not measured; \
                 `arbiter report {file} {flag}` measures all games anew"
            )
        }
        (Ok(luck), _) => return Ok(luck),
    };
    if engine.is_some() || plan.sprt.is_some_and(|sprt| sprt.uses_luck()) {
        Err(ExitError::usage(reason))
    } else {
        remarks.push(reason);
        Ok(None)
    }
}

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
fn recheck(
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
