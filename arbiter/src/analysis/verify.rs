//! Verification of stored games by playing them again. Deterministic engines limited by depth or nodes play the same
//! game each time, so any difference means that the file, an engine or the arbiter has changed.
//!
//! The games of a store follow from the plan of the match. A record in JSON Lines has no plan, so one is made for games
//! with the same engines in the same seats. Only the numbers of the games, and the openings of a record, are kept in
//! memory; a game is read again when it is compared.

use std::collections::BTreeMap;

use matches::plan::rules::Rules;
use matches::plan::{Adjudication, EngineSpec, Opening, Plan};
use matches::play::interrupt::Interrupt;
use matches::play::lag::LagMeter;
use matches::play::log::Log;
use matches::play::referee::RerunQuota;
use matches::play::runner::{Event, GameQueue, RunError, Runner};
use matches::play::sandbox::Isolation;
use matches::record::ending::Ending;
use matches::record::{GameRecord, TurnRecord};
use thiserror::Error;

use crate::reports::said;

/// Maximum number of blocks of a record, more than can be played in years.
const MAX_BLOCKS: u64 = 10_000_000;

/// Number of blocks of a record that share a plan. The plan has an opening for each: block n uses opening n modulo this
/// number.
const BLOCKS_OF_A_PLAN: u64 = 256;

#[derive(Clone, Debug)]
pub struct Reruns {
    /// Plan of the match; for a record, a plan that only provides the engines.
    plan: Plan,
    is_of_match: bool,
    reruns: Vec<Rerun>,
}

/// Games of one plan.
#[derive(Clone, Debug)]
struct Rerun {
    /// Plan of these games; for a record, with their openings.
    plan: Plan,
    /// Numbers of the games in the store, by their numbers in the plan.
    games: BTreeMap<u64, u64>,
}

/// A game of a record that cannot be played again. The message names the game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("game {game}: {reason}")]
pub struct RerunError {
    game: u64,
    reason: String,
}

/// Returns the first engine of the game with a time limit; such a game cannot be played again.
pub fn timed_engine<'a>(engines: &'a [EngineSpec], record: &GameRecord) -> Option<&'a EngineSpec> {
    let seated =
        record.seats.iter().filter_map(|name| engines.iter().find(|engine| engine.name == *name));
    let mut timed = seated.filter(|engine| !engine.limit.is_timeless());
    timed.next()
}

impl Reruns {
    /// Creates an empty list for the games of a match with this plan.
    pub fn of_match(mut plan: Plan) -> Reruns {
        // The games of retired engines are not in the list, so retirement must not stop the others.
        plan.referee_limits.failures = 0;
        Reruns { plan, is_of_match: true, reruns: Vec::new() }
    }

    /// Creates an empty list for games of records. They are played by the engines of `plan`, found by name; the records
    /// replace the rest of the plan.
    pub fn of_records(plan: Plan) -> Reruns {
        Reruns { is_of_match: false, ..Reruns::of_match(plan) }
    }

    pub fn is_empty(&self) -> bool {
        self.reruns.is_empty()
    }

    /// Adds a game with its number in the store.
    ///
    /// # Errors
    /// [`RerunError`] if it cannot be played again.
    pub fn add(&mut self, record: &GameRecord, stored_as: u64) -> Result<(), RerunError> {
        if let ([rerun], true) = (self.reruns.as_mut_slice(), self.is_of_match) {
            rerun.games.insert(record.game, stored_as);
            return Ok(());
        }
        let (plan, number) = if self.is_of_match {
            (self.plan.clone(), record.game)
        } else {
            plan_of(&self.plan, record).map(|plan| (plan.clone(), plan.games))?
        };
        let goes_with =
            |rerun: &Rerun| !rerun.games.contains_key(&number) && rerun.goes_with(&plan);
        // In a sorted record, this is the last one.
        let index = self.reruns.iter().rposition(goes_with);
        let index = index.unwrap_or_else(|| {
            let games = BTreeMap::new();
            self.reruns.push(Rerun { plan: plan.clone(), games });
            self.reruns.len() - 1
        });
        let rerun = &mut self.reruns[index];
        rerun.games.insert(number, stored_as);
        rerun.plan.games = rerun.plan.games.max(plan.games);
        if !self.is_of_match {
            let index = (record.block - 1) % BLOCKS_OF_A_PLAN;
            rerun.plan.openings[index as usize] = opening(&plan.rules, record);
        }
        Ok(())
    }

    /// Plays the games again, and passes each stored game with its new version to `observe`, whose error ends the run.
    /// `find` reads a game again; one that is gone is skipped.
    ///
    /// # Errors
    /// The first error of `find` or `observe`, or a [`RunError`] if no game can be played.
    pub fn run<E: From<RunError>>(
        self,
        isolation: Option<Isolation>,
        interrupt: &Interrupt,
        mut find: impl FnMut(u64) -> Result<Option<GameRecord>, E>,
        mut observe: impl FnMut(&GameRecord, &GameRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut reruns = self.reruns.iter();
        reruns.try_for_each(|rerun| rerun.run(isolation, interrupt, &mut find, &mut observe))
    }
}

impl Rerun {
    /// `true` if this plan can play a game of a record whose plan is `other`.
    fn goes_with(&self, other: &Plan) -> bool {
        let chunk = |plan: &Plan| (plan.games - 1) / plan.seats as u64 / BLOCKS_OF_A_PLAN;
        chunk(&self.plan) == chunk(other) && are_alike(&self.plan, other)
    }

    fn run<E: From<RunError>>(
        &self,
        isolation: Option<Isolation>,
        interrupt: &Interrupt,
        find: &mut impl FnMut(u64) -> Result<Option<GameRecord>, E>,
        observe: &mut impl FnMut(&GameRecord, &GameRecord) -> Result<(), E>,
    ) -> Result<(), E> {
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
            let number = self.games.get(&now.game).copied();
            let Some(stored) = number.map(&mut *find).transpose()?.flatten() else {
                return Ok(());
            };
            now.game = stored.game;
            if self.plan.adjudication.resign.is_none() && stored.endings.contains(&Ending::Agreed) {
                // A record lacks the rule for resigning, so only the moves are compared.
                now.endings.clone_from(&stored.endings);
                now.places.clone_from(&stored.places);
            }
            observe(&stored.without_clock(), &now.without_clock())
        })
    }
}

/// `true` if the plans of two records differ only in their games.
fn are_alike(one: &Plan, other: &Plan) -> bool {
    let [names, other_names] =
        [one, other].map(|plan| plan.engines.iter().map(|engine| &engine.name));
    one.rules.name() == other.rules.name()
        && one.seed == other.seed
        && one.referee_limits.max_plies == other.referee_limits.max_plies
        && one.adjudication == other.adjudication
        && names.eq(other_names)
}

/// Makes a plan, except for its openings, whose last game is the recorded one: the first game of its block, with the
/// engines in their recorded seats.
fn plan_of(plan: &Plan, record: &GameRecord) -> Result<Plan, RerunError> {
    let wrong = |reason| RerunError { game: record.game, reason };
    let rules = Rules::by_name(&record.variant);
    let rules = rules.map_err(|error| wrong(error.to_string()))?;
    let engine = |name: &String| {
        let found = plan.engines.iter().find(|engine| engine.name == *name);
        found.cloned().ok_or_else(|| {
            wrong(format!("no engine is called {name:?}; give an --engine with this name"))
        })
    };
    let seats = record.seats.len();
    let block = record.block;
    if !(1..=MAX_BLOCKS).contains(&block) {
        let reason = format!("block {block}: expected a number from 1 to {MAX_BLOCKS}");
        return Err(wrong(reason));
    }
    let mut referee_limits = plan.referee_limits;
    let stopped = [Ending::MaxPlies, Ending::Agreed];
    referee_limits.max_plies = if stopped.iter().any(|ending| record.endings.contains(ending)) {
        record.turns.len() as u32
    } else {
        u32::MAX
    };
    referee_limits.failures = 0;
    Ok(Plan {
        rules,
        seats,
        engines: record.seats.iter().map(engine).collect::<Result<_, _>>()?,
        games: (block - 1) * seats as u64 + 1,
        seed: record.seed,
        random_plies: 0,
        openings: vec![Opening::default(); BLOCKS_OF_A_PLAN as usize],
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
    let seats = record.seats.len();
    let is_usual = rules.start(seats).is_ok_and(|start| start.to_string() == record.start);
    let words = record.moves.split_whitespace();
    let mut opening = Opening {
        moves: words.map(String::from).collect(),
        start: (!is_usual).then(|| record.start.clone()),
    };
    opening.shorten(record.opening_plies() as u32);
    opening
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: stored {stored}, now {now}")]
pub struct Difference {
    /// The ply, seat and engine, or the part of the whole game.
    pub place: String,
    pub stored: String,
    pub now: String,
}

/// Returns all differences up to the first different move, after which the games cannot be compared.
///
/// Ignores times and standard error. Plies are numbered as by `arbiter replay --game`: opening moves count, cards do
/// not.
pub fn differences(stored: &GameRecord, now: &GameRecord) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut compare = |place: &str, stored: String, now: String| {
        let is_same = stored == now;
        if !is_same {
            let place = place.to_string();
            found.push(Difference { place, stored, now });
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
