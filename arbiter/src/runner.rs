//! Plays the games of a plan: worker threads, each with its own engine processes, take the games of the
//! schedule in turn.

mod walkover;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use buxtehude::rules::Seat;
use thiserror::Error;

use crate::engine::{Engine, StartError};
use crate::interrupt::Interrupt;
use crate::log::Log;
use crate::openings::OpeningError;
use crate::output::OutputClosed;
use crate::plan::Plan;
use crate::record::GameRecord;
use crate::record_file::RecordFileError;
use crate::referee::play_game;
use crate::schedule::{Schedule, ScheduledGame, SeatedEngine};
use crate::store::StoreError;
use walkover::walkover;

/// Why a match cannot begin or go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// An engine cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// An opening cannot be played.
    #[error("opening: {0}")]
    Opening(#[from] OpeningError),
    /// Nobody follows the match any more.
    #[error(transparent)]
    Output(#[from] OutputClosed),
    /// A game cannot be recorded.
    #[error("game {game} cannot be recorded, nor any after it: {reason}")]
    Record {
        /// The number of the game.
        game: u64,
        /// The system's reason.
        reason: RecordFileError,
    },
    /// A game cannot be stored.
    #[error("game {game} is the first that could not be stored: {reason}")]
    Store {
        /// The number of the game.
        game: u64,
        /// What keeps it from being stored.
        reason: StoreError,
    },
}

/// Starts every engine of a plan once; returns the names by which they introduce themselves.
///
/// # Errors
/// [`RunError::Start`] for the first engine that cannot be started.
pub fn check_engines(
    plan: &Plan,
    log: &Log,
    interrupt: &Interrupt,
) -> Result<Vec<Option<String>>, RunError> {
    let patience = plan.patience.ready;
    let start = |spec| Engine::start(spec, plan.variant, 0, patience, log, interrupt);
    let engines = plan.engines.iter().map(start);
    let engines = engines.collect::<Result<Vec<Engine>, StartError>>()?;
    let id_name = |engine: &Engine| engine.id_name().map(String::from);
    let id_names = engines.iter().map(id_name).collect();
    Engine::quit_all(engines);
    Ok(id_names)
}

/// Plays all games of a plan but those that are `played` already, or until interrupted; calls `on_game` for
/// each game as it ends, always in the calling thread. Several at a time end in any order.
///
/// # Errors
/// The first error of `on_game`, which stops the match.
pub fn run(
    plan: &Plan,
    played: &HashSet<u64>,
    log: &Log,
    interrupt: &Interrupt,
    mut on_game: impl FnMut(GameRecord) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let schedule = Schedule::new(plan)?;
    let next = AtomicU64::new(1);
    thread::scope(|scope| {
        let (sender, records) = channel();
        for _ in 0..plan.concurrency.min(plan.games as usize) {
            let sender = sender.clone();
            let worker = Worker {
                plan,
                played,
                schedule: &schedule,
                log,
                interrupt,
                next: &next,
                idle: HashMap::new(),
            };
            scope.spawn(move || worker.work(&sender));
        }
        drop(sender);
        let mut outcome = Ok(());
        for record in records {
            if outcome.is_ok() {
                outcome = on_game(record);
            }
            if outcome.is_err() {
                interrupt.set();
            }
        }
        outcome
    })
}

/// A thread that plays games, one after the other.
struct Worker<'a> {
    plan: &'a Plan,
    /// Games that are not to be played once more.
    played: &'a HashSet<u64>,
    schedule: &'a Schedule<'a>,
    log: &'a Log,
    interrupt: &'a Interrupt,
    /// The next game that nobody has taken.
    next: &'a AtomicU64,
    /// Its engines between games.
    idle: HashMap<SeatedEngine, Engine>,
}

impl Worker<'_> {
    fn work(mut self, records: &Sender<GameRecord>) {
        while !self.interrupt.is_set() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number > self.plan.games {
                break;
            }
            if self.played.contains(&number) {
                continue;
            }
            let game = self.schedule.game(number);
            let Some(record) = self.play(&game) else {
                break;
            };
            if records.send(record).is_err() {
                break;
            }
        }
        Engine::quit_all(self.idle.into_values());
    }

    /// Plays one game; `None` where it is interrupted.
    fn play(&mut self, game: &ScheduledGame) -> Option<GameRecord> {
        let opening = game.as_opening();
        let position = opening.position(self.plan.variant, self.plan.seats).ok()?;
        let mut engines = Vec::new();
        for (seat, &seated) in game.seats.iter().enumerate() {
            if position.place(Seat(seat as u8)).is_some() {
                // Who has finished in the opening is asked nothing.
                engines.push(None);
                continue;
            }
            match self.engine(seated) {
                Ok(engine) => engines.push(Some(engine)),
                Err(_) if self.interrupt.is_set() => return None,
                Err(error) => {
                    self.put_back(game, engines);
                    return walkover(game, self.plan, seat, error).ok();
                }
            }
        }
        let record = play_game(game, self.plan, &mut engines, self.interrupt);
        self.put_back(game, engines);
        record.ok()
    }

    /// An engine, kept from the last game or started now.
    fn engine(&mut self, seated: SeatedEngine) -> Result<Engine, StartError> {
        if let Some(engine) = self.idle.remove(&seated) {
            return Ok(engine);
        }
        let spec = &self.plan.engines[seated.engine];
        Engine::start(
            spec,
            self.plan.variant,
            seated.copy,
            self.plan.patience.ready,
            self.log,
            self.interrupt,
        )
    }

    /// Keeps the engines of a game for the next one, but those that failed.
    fn put_back(&mut self, game: &ScheduledGame, engines: Vec<Option<Engine>>) {
        let mut failed = Vec::new();
        for (&seated, engine) in game.seats.iter().zip(engines) {
            match engine {
                Some(engine) if engine.is_usable() => {
                    self.idle.insert(seated, engine);
                }
                engine => failed.extend(engine),
            }
        }
        Engine::quit_all(failed);
    }
}
