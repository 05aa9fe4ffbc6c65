//! `arbiter verify`: plays stored games again and prints the differences.

use std::collections::BTreeMap;
use std::process::ExitCode;

use arbiter::analysis::verify::{Reruns, differences, timed_engine};
use arbiter::args::VerifyArgs;
use buxtehude::rules::VARIANTS;
use matches::archive::replay;
use matches::archive::store::{Store, StoredPlan};
use matches::luck::LuckChecker;
use matches::output::{OutputClosed, print};
use matches::plan::{Plan, TimeLimit};
use matches::play::interrupt::{Interrupt, Interrupted};
use matches::play::log::Log;
use matches::play::runner;
use matches::play::sandbox::Isolation;
use matches::record::digest::StoredGame;
use matches::run::display::count;
use matches::run::exit::ExitError;
use settings::args::{DEFAULT_LIMIT, engines_of};

use super::{CommandError, exit, fail, isolate, luck_unchecked, open, stop_on_signals};

/// Plays games again; the exit status is 1 if any game differs from the stored one.
pub fn verify(args: &VerifyArgs) -> ExitCode {
    let interrupt = Interrupt::new();
    match verify_file(args, &interrupt) {
        Err(_) if interrupt.is_set() => ExitCode::from(exit::INTERRUPTED),
        Err(error) => fail(&error),
        Ok(found) => {
            let file = args.input.file.display();
            // A closed pipe is not an error.
            let _ = print(&format!("{file}: {}\n", found.summary()));
            if interrupt.is_set() { ExitCode::from(exit::INTERRUPTED) } else { found.code() }
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Found {
    same: u64,
    different: u64,
    /// Number of games that cannot be played again, by reason.
    not_verifiable: BTreeMap<String, u64>,
    /// Number of games whose luck another program measured.
    luck_unchecked: u64,
}

impl Found {
    fn summary(&self) -> String {
        let played = self.same + self.different;
        let verdict = match (played, self.different) {
            (0, _) => "nothing to compare".to_string(),
            (_, 0) => "all as stored".to_string(),
            (_, different) => format!("{different} not as stored"),
        };
        let left_out: u64 = self.not_verifiable.values().sum();
        let left_out = match left_out {
            0 => String::new(),
            left_out => format!("; {left_out} not verifiable"),
        };
        let luck = luck_unchecked(self.luck_unchecked);
        format!("{}, {verdict}{left_out}{luck}", count(played, "game"))
    }

    fn code(&self) -> ExitCode {
        match (self.same, self.different) {
            (0, 0) => ExitCode::from(exit::USAGE),
            (_, 0) => ExitCode::SUCCESS,
            _ => ExitCode::from(exit::WRONG),
        }
    }
}

fn verify_file(args: &VerifyArgs, interrupt: &Interrupt) -> Result<Found, CommandError> {
    let store = open(&args.input, args.trust_commands)?;
    let mut isolation = None;
    let mut plan = if store.is_record() {
        let mut plan = plan_of_engines(args)?;
        // Games name their engines, so the names must be known before the games are read.
        isolation = Some(start_engines(&mut plan, interrupt)?);
        plan
    } else if has_engines(args) {
        let file = args.input.file.display();
        return Err(format!(
            "--engine, --each and limits are for records only: {file} is a store, which contains its engines"
        )
        .into());
    } else {
        let StoredPlan { plan, trust, changed_rules, changed_engines } = store.stored_plan()?;
        if !args.trust_commands {
            trust?;
        }
        for changed in changed_rules.into_iter().chain(changed_engines) {
            say(&format!("note: {changed}"))?;
        }
        plan
    };
    plan.concurrency = args.concurrency.unwrap_or(plan.concurrency);
    let mut found = Found::default();
    let mut reruns = if store.is_record() {
        Reruns::of_records(plan.clone())
    } else {
        Reruns::of_match(plan.clone())
    };
    add_games(args, &store, &plan, interrupt, &mut reruns, &mut found)?;
    for (reason, games) in &found.not_verifiable {
        say(&format!("not verifiable: {games} of the games: {reason}"))?;
    }
    if reruns.is_empty() {
        return Ok(found);
    }
    let isolation = match isolation {
        Some(isolation) => isolation,
        None => start_engines(&mut plan, interrupt)?,
    };
    let find = |number| Ok::<_, CommandError>(store.game(number)?.map(|game| game.record));
    reruns.run(isolation, interrupt, find, |stored, now| {
        let differences = differences(stored, now);
        for difference in &differences {
            say(&format!("game {}, {difference}", stored.game))?;
        }
        if differences.is_empty() {
            found.same += 1;
        } else {
            found.different += 1;
        }
        Ok(())
    })?;
    Ok(found)
}

/// Handles signals from now on, starts each engine once, prints remarks on its options, and returns the isolation.
fn start_engines(
    plan: &mut Plan,
    interrupt: &Interrupt,
) -> Result<Option<Isolation>, CommandError> {
    stop_on_signals(interrupt)?;
    let isolation = isolate(plan.isolate, &plan.engines)?;
    let started = runner::start_engines(plan, isolation, &Log::none(), interrupt, &|_| {})?;
    for remark in started.remarks {
        say(&format!("note: {remark}"))?;
    }
    Ok(isolation)
}

fn has_engines(args: &VerifyArgs) -> bool {
    args.limit.limit().is_some() || !args.engine.is_empty() || args.each.is_some()
}

/// The plan of a match between the given engines; only its engines are used.
fn plan_of_engines(args: &VerifyArgs) -> Result<Plan, ExitError> {
    let limit = args.limit.limit().unwrap_or(DEFAULT_LIMIT);
    // Games under time limits, which alone have a margin, are not played again.
    let engines = engines_of(&args.engine, args.each.as_deref(), limit)?;
    Ok(Plan::new(&VARIANTS[0], 2, engines))
}

/// Adds the selected games to `reruns`; prints and counts those that cannot be played again.
fn add_games(
    args: &VerifyArgs,
    store: &Store,
    plan: &Plan,
    interrupt: &Interrupt,
    reruns: &mut Reruns,
    found: &mut Found,
) -> Result<(), CommandError> {
    let mut was_found = false;
    let mut luck = LuckChecker::default();
    // With `--game`, other lines do not matter.
    for flaw in store.flaws().iter().filter(|_| args.game.is_none()) {
        found.different += 1;
        say(flaw)?;
    }
    for number in store.numbers()? {
        if interrupt.is_set() {
            return Err(Interrupted.into());
        }
        let Some(StoredGame { record, .. }) = store.game(number)? else { continue };
        let is_asked_for = match args.game {
            Some(wanted) => record.game == wanted,
            None => record.game.saturating_sub(1).is_multiple_of(args.sample),
        };
        if !is_asked_for {
            continue;
        }
        was_found = true;
        let flaws = replay::check(&record);
        if let Some(fault) = replay::broken_rules(&flaws) {
            return Err(fault.clone().into());
        }
        let flaw = flaws.first().map(ToString::to_string);
        let flaw = flaw.or_else(|| luck.check(&record).err().map(|error| error.to_string()));
        if let Some(flaw) = flaw {
            found.different += 1;
            say(&format!("game {}, {flaw}", record.game))?;
            continue;
        }
        match timed_engine(&plan.engines, &record) {
            None => reruns.add(&record, number)?,
            Some(engine) => {
                let limit = match engine.limit.time {
                    Some(TimeLimit::Clock(_)) => "a clock",
                    _ => "a time for each move",
                };
                let reason = format!("engine {} has {limit}", engine.name);
                *found.not_verifiable.entry(reason).or_default() += 1;
            }
        }
    }
    found.luck_unchecked = luck.unchecked();
    match args.game {
        Some(game) if !was_found => {
            Err(format!("--game: no game {game} in {}", args.input.file.display()).into())
        }
        _ => Ok(()),
    }
}

fn say(line: &str) -> Result<(), OutputClosed> {
    print(&format!("{line}\n"))
}
