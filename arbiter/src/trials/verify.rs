//! Stored games played once more: deterministic engines that are limited by depth or nodes play the same game
//! each time, so whatever differs was changed in the file, in the engine or in the arbiter.
//!
//! A [`Rerun`] is a plan and the games of it that are to be played again. That of a store is the plan of the
//! match; a record in JSON Lines has none, so one is made for all its games with the same engines in the same
//! seats.

mod compare;

use std::collections::{HashMap, HashSet};

use buxtehude::rules::{UnknownVariant, Variant};
use thiserror::Error;

use crate::plan::{Adjudication, EngineSpec, Opening, Plan};
use crate::play::interrupt::Interrupt;
use crate::play::lag::LagMeter;
use crate::play::log::Log;
use crate::play::runner::{self, Match, News, RunError};
use crate::play::walls::Isolation;
use crate::record::GameRecord;
use crate::record::ending::Ending;

pub use compare::{Difference, differences};

/// The most blocks of a record: more than are played in years.
const MOST_BLOCKS: u64 = 10_000_000;

/// Games of one plan that are to be played again.
#[derive(Clone, Debug)]
pub struct Rerun {
    plan: Plan,
    /// The games, by the number that they have in the plan.
    games: HashMap<u64, GameRecord>,
}

/// Why the games of a record cannot be played again.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RerunError {
    /// The variant is not known.
    #[error("game {game}: {reason}")]
    Variant {
        /// The number of the game.
        game: u64,
        /// What is known.
        reason: UnknownVariant,
    },
    /// There cannot be so many blocks.
    #[error("game {game}: block {block}: expected a number from 1 to {MOST_BLOCKS}")]
    Block {
        /// The number of the game.
        game: u64,
        /// The number of its block.
        block: u64,
    },
    /// Nobody said how the engine is started.
    #[error("game {game}: no engine is called {name:?}, expected an --engine with this name")]
    NoEngine {
        /// The number of the game.
        game: u64,
        /// The name.
        name: String,
    },
}

/// The engine that keeps a game from being played again: the first one that is limited by time.
pub fn timed_engine<'a>(engines: &'a [EngineSpec], record: &GameRecord) -> Option<&'a EngineSpec> {
    let seated = record
        .seats
        .iter()
        .filter_map(|name| engines.iter().find(|engine| engine.name == *name));
    let mut timed = seated.filter(|engine| !engine.limit.is_timeless());
    timed.next()
}

impl Rerun {
    /// The games of a plan.
    pub fn of_plan(mut plan: Plan, records: impl IntoIterator<Item = GameRecord>) -> Rerun {
        // Who was retired then has no games here.
        plan.patience.failures = 0;
        let numbered = records.into_iter().map(|record| (record.game, record));
        Rerun {
            plan,
            games: numbered.collect(),
        }
    }

    /// Games of which nothing but their records is known, played by the engines of `plan`, which have their
    /// names; all else in the plan is replaced by what the records say.
    ///
    /// # Errors
    /// [`RerunError`] where a record cannot be played.
    pub fn of_records(
        plan: &Plan,
        records: impl IntoIterator<Item = GameRecord>,
    ) -> Result<Vec<Rerun>, RerunError> {
        let mut reruns: Vec<Rerun> = Vec::new();
        for record in records {
            let mut alike = plan_of(plan, &record)?;
            let number = alike.games;
            let index = (record.block - 1) as usize;
            let opening = opening(alike.variant, &record);
            let goes_with = |rerun: &Rerun| {
                !rerun.games.contains_key(&number) && are_alike(&rerun.plan, &alike)
            };
            let place = reruns.iter().position(goes_with).unwrap_or_else(|| {
                alike.openings.clear();
                reruns.push(Rerun {
                    plan: alike,
                    games: HashMap::new(),
                });
                reruns.len() - 1
            });
            let rerun = &mut reruns[place];
            let openings = &mut rerun.plan.openings;
            openings.resize(openings.len().max(index + 1), Opening::default());
            openings[index] = opening;
            rerun.plan.games = rerun.plan.games.max(number);
            rerun.games.insert(number, record);
        }
        Ok(reruns)
    }

    /// Plays the games again, and hands each as it was stored and as it is now to `observe`, which says whether
    /// to go on.
    ///
    /// # Errors
    /// The first error of `observe`, or a [`RunError`] where no game can be played.
    pub fn run<E: From<RunError>>(
        mut self,
        isolation: Option<Isolation>,
        interrupt: &Interrupt,
        mut observe: impl FnMut(&GameRecord, &GameRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        let numbers = 1..=self.plan.games;
        let others: HashSet<u64> = numbers.filter(|n| !self.games.contains_key(n)).collect();
        let lag = LagMeter::start();
        let again = Match {
            plan: &self.plan,
            played: &others,
            failures: &[],
            log: &Log::none(),
            interrupt,
            lag: &lag,
            isolation,
            programs: None,
            is_followed: false,
        };
        runner::run(again, |news| {
            let News::Ended(mut now) = news else {
                return Ok(());
            };
            let Some(stored) = self.games.remove(&now.game) else {
                return Ok(());
            };
            now.game = stored.game;
            if self.plan.adjudication.resign.is_none() && stored.endings.contains(&Ending::Agreed) {
                // A record does not tell when its engines have agreed for long enough: only the moves are compared.
                now.endings.clone_from(&stored.endings);
                now.places.clone_from(&stored.places);
            }
            observe(&stored.without_clock(), &now.without_clock())
        })
    }
}

/// Whether plans of records differ in nothing but their games.
fn are_alike(one: &Plan, other: &Plan) -> bool {
    let names = |plan: &Plan| -> Vec<String> {
        let names = plan.engines.iter().map(|engine| engine.name.clone());
        names.collect()
    };
    one.variant.name == other.variant.name
        && one.seed == other.seed
        && one.patience.max_plies == other.patience.max_plies
        && one.adjudication == other.adjudication
        && names(one) == names(other)
}

/// A plan, but for its openings, of which the last game is the one that was recorded: the first of its block,
/// in which the engines sit in their order.
fn plan_of(plan: &Plan, record: &GameRecord) -> Result<Plan, RerunError> {
    let game = record.game;
    let variant = Variant::by_name(&record.variant);
    let variant = variant.map_err(|reason| RerunError::Variant { game, reason })?;
    let engine = |name: &String| {
        let found = plan.engines.iter().find(|engine| engine.name == *name);
        found.cloned().ok_or_else(|| RerunError::NoEngine {
            game,
            name: name.clone(),
        })
    };
    let seats = record.seats.len();
    let block = record.block;
    if !(1..=MOST_BLOCKS).contains(&block) {
        return Err(RerunError::Block { game, block });
    }
    let mut patience = plan.patience;
    let stopped = [Ending::MaxPlies, Ending::Agreed];
    patience.max_plies = match stopped.iter().any(|ending| record.endings.contains(ending)) {
        true => record.turns.len() as u32,
        false => u32::MAX,
    };
    patience.failures = 0;
    Ok(Plan {
        variant,
        seats,
        engines: record.seats.iter().map(engine).collect::<Result<_, _>>()?,
        games: (block - 1) * seats as u64 + 1,
        seed: record.seed,
        random_plies: 0,
        patience,
        adjudication: Adjudication {
            resign: None,
            solved: record.endings.contains(&Ending::Solved),
        },
        ..plan.clone()
    })
}

/// The start of a recorded game and what was played before engines were asked, with the card that the last of
/// it drew.
fn opening(variant: &Variant, record: &GameRecord) -> Opening {
    let seats = record.seats.len();
    let is_usual = variant
        .start(seats)
        .is_ok_and(|start| start.to_string() == record.start);
    let words = record.moves.split_whitespace();
    let mut opening = Opening {
        moves: words.map(String::from).collect(),
        start: (!is_usual).then(|| record.start.clone()),
    };
    opening.shorten(record.opening_plies() as u32);
    opening
}
