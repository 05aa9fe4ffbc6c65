//! `arbiter verify`: plays stored games again and prints the differences. Deterministic engines limited by depth or
//! nodes play the same game each time, so any difference means that the file, an engine or the arbiter has changed.
//!
//! The games of a store follow from the plan of the match. A record in JSON Lines has no plan, so one is made for games
//! with the same engines in the same seats. Only the numbers of the games, and the openings of a record, are kept in
//! memory; a game is read again when it is compared.

use std::collections::BTreeMap;
use std::process::ExitCode;

use arbiter::args::VerifyArgs;
use arbiter::reports::said;
use buxtehude::rules::VARIANTS;
use matches::archive::replay;
use matches::archive::store::{Store, StoredPlan};
use matches::luck::LuckChecker;
use matches::output::{OutputClosed, print};
use matches::plan::rules::Rules;
use matches::plan::{Adjudication, EngineSpec, Opening, Plan, TimeLimit};
use matches::play::interrupt::{Interrupt, Interrupted};
use matches::play::lag::LagMeter;
use matches::play::log::Log;
use matches::play::referee::RerunQuota;
use matches::play::runner::{self, Event, GameQueue, Runner};
use matches::play::sandbox::Isolation;
use matches::record::digest::StoredGame;
use matches::record::ending::Ending;
use matches::record::{GameRecord, TurnRecord};
use matches::run::display::count;
use matches::run::exit::ExitError;
use settings::args::{DEFAULT_LIMIT, engines_of};

use super::{CommandError, exit, fail, isolate, luck_unchecked, open, stop_on_signals};

/// Maximum number of blocks of a record, more than can be played in years.
const MAX_BLOCKS: u64 = 10_000_000;

/// Number of blocks of a record that share a plan. The plan has an opening for each: block n uses opening n modulo this
/// number.
const BLOCKS_OF_A_PLAN: u64 = 256;

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
    // The games of retired engines are not played again, so retirement must not stop the others.
    plan.referee_limits.failures = 0;
    let mut found = Found::default();
    let reruns = choose(args, &store, &plan, interrupt, &mut found)?;
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
    for rerun in reruns {
        rerun.run(&store, isolation, interrupt, &mut found)?;
    }
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

/// Returns the selected games; prints and counts those that cannot be played again.
fn choose(
    args: &VerifyArgs,
    store: &Store,
    plan: &Plan,
    interrupt: &Interrupt,
    found: &mut Found,
) -> Result<Vec<Rerun>, CommandError> {
    let (mut reruns, mut was_found) = (Vec::new(), false);
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
        let flaw = flaws
            .first()
            .map(ToString::to_string)
            .or_else(|| luck.check(&record).err().map(|error| error.to_string()));
        if let Some(flaw) = flaw {
            found.different += 1;
            say(&format!("game {}, {flaw}", record.game))?;
            continue;
        }
        match timed_engine(&plan.engines, &record) {
            None if store.is_record() => add(&mut reruns, plan, &record, number)?,
            None => {
                if reruns.is_empty() {
                    reruns.push(Rerun { plan: plan.clone(), games: BTreeMap::new() });
                }
                reruns[0].games.insert(record.game, number);
            }
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
        _ => Ok(reruns),
    }
}

fn say(line: &str) -> Result<(), OutputClosed> {
    print(&format!("{line}\n"))
}

/// Games of one plan.
struct Rerun {
    /// Plan of these games; for a record, with their openings.
    plan: Plan,
    /// Numbers of the games in the store, by their numbers in the plan.
    games: BTreeMap<u64, u64>,
}

/// Returns the first engine of the game with a time limit; such a game cannot be played again.
fn timed_engine<'a>(engines: &'a [EngineSpec], record: &GameRecord) -> Option<&'a EngineSpec> {
    let seated =
        record.seats.iter().filter_map(|name| engines.iter().find(|engine| engine.name == *name));
    let mut timed = seated.filter(|engine| !engine.limit.is_timeless());
    timed.next()
}

/// Adds a game of a record, with its number in the store, to the games that one plan can play with it. It is played by
/// the engines of `plan`, found by name; the record replaces the rest of the plan.
fn add(
    reruns: &mut Vec<Rerun>,
    plan: &Plan,
    record: &GameRecord,
    stored_as: u64,
) -> Result<(), String> {
    let plan = plan_of(plan, record).map_err(|reason| format!("game {}: {reason}", record.game))?;
    let number = plan.games;
    // In a sorted record, this is the last one.
    let index = reruns
        .iter()
        .rposition(|rerun| !rerun.games.contains_key(&number) && are_alike(&rerun.plan, &plan));
    let index = index.unwrap_or_else(|| {
        reruns.push(Rerun { plan: plan.clone(), games: BTreeMap::new() });
        reruns.len() - 1
    });
    let rerun = &mut reruns[index];
    rerun.games.insert(number, stored_as);
    rerun.plan.games = rerun.plan.games.max(number);
    let block = (record.block - 1) % BLOCKS_OF_A_PLAN;
    rerun.plan.openings[block as usize] = opening(&plan.rules, record);
    Ok(())
}

impl Rerun {
    /// Plays the games again, and prints and counts the differences. A game that is gone from the store is skipped.
    fn run(
        &self,
        store: &Store,
        isolation: Option<Isolation>,
        interrupt: &Interrupt,
        found: &mut Found,
    ) -> Result<(), CommandError> {
        let lag = LagMeter::start();
        let runner = Runner {
            plan: &self.plan,
            games: &GameQueue::new(|from| Some(*self.games.range(from..).next()?.0)),
            past: None,
            reruns: &RerunQuota::new(&self.plan.engines, &[]),
            log: &Log::none(),
            interrupt,
            lag: &lag,
            first_core: 0,
            isolation,
            programs: None,
            is_followed: false,
            complete: None,
        };
        runner.run(|event| {
            let Event::Ended(mut now) = event else {
                return Ok(());
            };
            let number = self.games.get(&now.game);
            let stored = number.map(|&number| store.game(number)).transpose()?.flatten();
            let Some(StoredGame { record: stored, .. }) = stored else {
                return Ok(());
            };
            now.game = stored.game;
            if self.plan.adjudication.resign.is_none() && stored.endings.contains(&Ending::Agreed) {
                // A record lacks the rule for resigning, so only the moves are compared.
                now.endings.clone_from(&stored.endings);
                now.places.clone_from(&stored.places);
            }
            let game = stored.game;
            let differences = differences(&stored.without_clock(), &now.without_clock());
            for difference in &differences {
                say(&format!("game {game}, {difference}"))?;
            }
            if differences.is_empty() {
                found.same += 1;
            } else {
                found.different += 1;
            }
            Ok(())
        })
    }
}

/// `true` if the plans of two records differ only in their games, whose blocks can share a plan.
fn are_alike(one: &Plan, other: &Plan) -> bool {
    let chunk = |plan: &Plan| (plan.games - 1) / plan.seats as u64 / BLOCKS_OF_A_PLAN;
    let [names, other_names] =
        [one, other].map(|plan| plan.engines.iter().map(|engine| &engine.name));
    chunk(one) == chunk(other)
        && one.rules.name() == other.rules.name()
        && one.seed == other.seed
        && one.referee_limits.max_plies == other.referee_limits.max_plies
        && one.adjudication == other.adjudication
        && names.eq(other_names)
}

/// Makes a plan, except for its openings, whose last game is the recorded one: the first game of its block, with the
/// engines in their recorded seats.
fn plan_of(plan: &Plan, record: &GameRecord) -> Result<Plan, String> {
    let rules = Rules::by_name(&record.variant).map_err(|error| error.to_string())?;
    let engine = |name: &String| {
        let found = plan.engines.iter().find(|engine| engine.name == *name);
        let missing = || format!("no engine is called {name:?}; give an --engine with this name");
        found.cloned().ok_or_else(missing)
    };
    let seats = record.seats.len();
    let block = record.block;
    if !(1..=MAX_BLOCKS).contains(&block) {
        return Err(format!("block {block}: expected a number from 1 to {MAX_BLOCKS}"));
    }
    let mut referee_limits = plan.referee_limits;
    let stopped = [Ending::MaxPlies, Ending::Agreed];
    referee_limits.max_plies = if stopped.iter().any(|ending| record.endings.contains(ending)) {
        record.turns.len() as u32
    } else {
        u32::MAX
    };
    Ok(Plan {
        rules,
        seats,
        engines: record.seats.iter().map(engine).collect::<Result<_, _>>()?,
        games: (block - 1) * seats as u64 + 1,
        seed: record.seed,
        random_plies: 0,
        openings: vec![Opening::usual(seats); BLOCKS_OF_A_PLAN as usize],
        referee_limits,
        adjudication: Adjudication {
            resign: None,
            solved: record.endings.contains(&Ending::Solved),
        },
        ..plan.clone()
    })
}

/// The start of a recorded game and its opening moves, including the card drawn after the last of them.
fn opening(rules: &Rules, record: &GameRecord) -> Opening {
    let words = record.moves.split_whitespace();
    let mut opening = Opening {
        moves: words.map(String::from).collect(),
        ..Opening::of_text(&record.start, rules, record.seats.len())
    };
    opening.shorten(record.opening_plies() as u32);
    opening
}

/// Returns all differences up to the first different move, after which the games cannot be compared.
///
/// Ignores times and standard error. Plies are numbered as by `arbiter replay --game`: opening moves count, cards do
/// not.
fn differences(stored: &GameRecord, now: &GameRecord) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |place: &str, stored: String, now: String| {
        let is_same = stored == now;
        if !is_same {
            found.push(format!("{place}: stored {stored}, now {now}"));
        }
        is_same
    };
    compare("engines", stored.seats.join(", "), now.seats.join(", "));
    if !compare("start", stored.start.clone(), now.start.clone()) {
        return found;
    }
    let opening = stored.opening_plies();
    for index in 0..stored.turns.len().max(now.turns.len()) {
        let turns = [stored.turns.get(index), now.turns.get(index)];
        let Some(turn) = turns[0].or(turns[1]) else {
            break;
        };
        let name = stored.engine_in(turn.seat).unwrap_or("?");
        let place = format!("ply {}, seat {} ({name})", opening + index + 1, turn.seat);
        let [stored_move, move_now] = turns.map(moved);
        if !compare(&place, stored_move, move_now) {
            return found;
        }
        let [stored_said, said_now] = turns.map(moved_and_said);
        compare(&place, stored_said, said_now);
    }
    if !compare("moves and cards", stored.moves.clone(), now.moves.clone()) {
        return found;
    }
    let places = |record: &GameRecord| {
        let places: Vec<String> = record.places.iter().map(u32::to_string).collect();
        places.join(" ")
    };
    let endings = |record: &GameRecord| {
        let endings: Vec<&str> = record.endings.iter().copied().map(Ending::name).collect();
        endings.join(", ")
    };
    let fault = |record: &GameRecord| {
        record
            .fault
            .as_ref()
            .map_or("none".to_string(), |fault| format!("seat {}: {}", fault.seat, fault.reason))
    };
    compare("places", places(stored), places(now));
    compare("endings", endings(stored), endings(now));
    compare("fault", fault(stored), fault(now));
    found
}

fn moved(turn: Option<&TurnRecord>) -> String {
    turn.map_or("no move".to_string(), |turn| turn.mv.clone())
}

fn moved_and_said(turn: Option<&TurnRecord>) -> String {
    let words = |turn| [vec![moved(turn)], turn.map(said).unwrap_or_default()].concat();
    words(turn).join(" ")
}
