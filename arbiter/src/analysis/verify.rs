//! Stored games played once more: deterministic engines that are limited by depth or nodes play the same game
//! each time, so whatever differs was changed in the file, in the engine or in the arbiter.
//!
//! Those of a store follow from the plan of the match. A record in JSON Lines has none, so one is made for games with
//! the same engines in the same seats. Nothing but the keys of the games is kept meanwhile: each is read again when it
//! is compared.

mod compare;

use std::collections::BTreeMap;

use buxtehude::rules::{UnknownVariant, Variant};
use thiserror::Error;

use matches::archive::game_file::GameKey;
use matches::plan::{Adjudication, EngineSpec, Opening, Plan};
use matches::play::interrupt::Interrupt;
use matches::play::lag::LagMeter;
use matches::play::log::Log;
use matches::play::replays::Replays;
use matches::play::runner::{self, InOrder, Match, News, RunError};
use matches::play::walls::Isolation;
use matches::record::GameRecord;
use matches::record::ending::Ending;

pub use compare::{Difference, differences};

/// The most blocks of a record: more than are played in years.
const MOST_BLOCKS: u64 = 10_000_000;

/// How many blocks of a record share a plan, which has an opening for each: block n has that with the number n modulo
/// so many.
const BLOCKS_OF_A_PLAN: u64 = 256;

/// Games that are to be played again.
#[derive(Clone, Debug)]
pub struct Reruns {
    /// The plan of the match, or where that is not known one with its engines.
    plan: Plan,
    is_of_match: bool,
    reruns: Vec<Rerun>,
}

/// Games of one plan.
#[derive(Clone, Debug)]
struct Rerun {
    /// The plan; without openings where they are those of the games.
    plan: Plan,
    /// The keys of the games, by the numbers that they have in the plan.
    games: BTreeMap<u64, GameKey>,
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
    #[error("game {game}: no engine is called {name:?}; give an --engine with this name")]
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

impl Reruns {
    /// No game yet, of a match with this plan.
    pub fn of_match(mut plan: Plan) -> Reruns {
        // Who was retired then has no games here.
        plan.patience.failures = 0;
        Reruns {
            plan,
            is_of_match: true,
            reruns: Vec::new(),
        }
    }

    /// No game yet, of matches of which nothing but records is known, played by the engines of `plan`, which have their
    /// names; all else in the plan is replaced by what the records say.
    pub fn of_records(plan: Plan) -> Reruns {
        Reruns {
            is_of_match: false,
            ..Reruns::of_match(plan)
        }
    }

    /// Whether there is no game.
    pub fn is_empty(&self) -> bool {
        self.reruns.is_empty()
    }

    /// Adds a game, which is found again by its key.
    ///
    /// # Errors
    /// [`RerunError`] where it cannot be played.
    pub fn add(&mut self, record: &GameRecord, key: GameKey) -> Result<(), RerunError> {
        if let ([rerun], true) = (self.reruns.as_mut_slice(), self.is_of_match) {
            rerun.games.insert(record.game, key);
            return Ok(());
        }
        let (plan, number) = match self.is_of_match {
            true => (self.plan.clone(), record.game),
            false => plan_of(&self.plan, record).map(|plan| (plan.clone(), plan.games))?,
        };
        let goes_with =
            |rerun: &Rerun| !rerun.games.contains_key(&number) && rerun.goes_with(&plan);
        // In a record that is sorted it is the last one.
        match self.reruns.iter_mut().rev().find(|rerun| goes_with(rerun)) {
            Some(rerun) => {
                rerun.plan.games = rerun.plan.games.max(plan.games);
                rerun.games.insert(number, key);
            }
            None => self.reruns.push(Rerun {
                plan,
                games: BTreeMap::from([(number, key)]),
            }),
        }
        Ok(())
    }

    /// Plays the games again, and hands each as it was stored and as it is now to `observe`, which says whether
    /// to go on. `find` reads a game again; one that is not there any more is passed over.
    ///
    /// # Errors
    /// The first error of `find` or `observe`, or a [`RunError`] where no game can be played.
    pub fn run<E: From<RunError>>(
        self,
        isolation: Option<Isolation>,
        interrupt: &Interrupt,
        mut find: impl FnMut(GameKey) -> Result<Option<GameRecord>, E>,
        mut observe: impl FnMut(&GameRecord, &GameRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        for mut rerun in self.reruns {
            if !self.is_of_match {
                rerun.find_openings(&mut find)?;
            }
            rerun.run(isolation, interrupt, &mut find, &mut observe)?;
        }
        Ok(())
    }
}

impl Rerun {
    /// Whether a game of a record with the plan `other` can be played by this plan.
    fn goes_with(&self, other: &Plan) -> bool {
        let chunk = |plan: &Plan| (plan.games - 1) / plan.seats as u64 / BLOCKS_OF_A_PLAN;
        chunk(&self.plan) == chunk(other) && are_alike(&self.plan, other)
    }

    /// Takes the openings from the games.
    fn find_openings<E>(
        &mut self,
        find: &mut impl FnMut(GameKey) -> Result<Option<GameRecord>, E>,
    ) -> Result<(), E> {
        let openings = &mut self.plan.openings;
        *openings = vec![Opening::default(); BLOCKS_OF_A_PLAN as usize];
        for &key in self.games.values() {
            if let Some(record) = find(key)? {
                let index = (record.block.saturating_sub(1) % BLOCKS_OF_A_PLAN) as usize;
                openings[index] = opening(self.plan.variant, &record);
            }
        }
        Ok(())
    }

    fn run<E: From<RunError>>(
        &self,
        isolation: Option<Isolation>,
        interrupt: &Interrupt,
        find: &mut impl FnMut(GameKey) -> Result<Option<GameRecord>, E>,
        observe: &mut impl FnMut(&GameRecord, &GameRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        let lag = LagMeter::start();
        let again = Match {
            plan: &self.plan,
            games: &InOrder::new(|from| Some(*self.games.range(from..).next()?.0)),
            failures: &[],
            replays: &Replays::new(&self.plan.engines, &[]),
            log: &Log::none(),
            interrupt,
            lag: &lag,
            first_core: 0,
            isolation,
            programs: None,
            is_followed: false,
        };
        runner::run(again, |news| {
            let News::Ended(mut now) = news else {
                return Ok(());
            };
            let key = self.games.get(&now.game).copied();
            let Some(stored) = key.map(&mut *find).transpose()?.flatten() else {
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
        openings: Vec::new(),
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
