//! Plays the games of a plan: worker threads, each with its own engine processes, take the games of the schedule in
//! turn, and send each finished game through an outbox. An engine that fails repeatedly is retired.

mod programs;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use buxtehude::rules::Seat;
#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity};
use thiserror::Error;

use crate::plan::rules::PositionError;
use crate::plan::rules::external::RulesError;
use crate::plan::schedule::{Dealt, LineUps, Schedule, ScheduledGame, SeatedEngine};
use crate::plan::{EngineSpec, Plan, RefereeLimits};
use crate::play::engine::{Engine, Placement, StartError};
use crate::play::interrupt::Interrupt;
use crate::play::lag::LagMeter;
use crate::play::log::Log;
pub use crate::play::referee::Played;
use crate::play::referee::{
    Abandoned, Game, MAX_BY_INTERFERENCE, MAX_OF_A_GAME, Referee, RerunQuota,
};
use crate::play::sandbox::Isolation;
use crate::record::{GameRecord, Rerun};
pub use programs::{FirstStart, Notice, OpenFiles, Programs, WatchedProgram, start_engines};

/// Interval between checks for room in the outbox before a game starts.
const ROOM_INTERVAL: Duration = Duration::from_millis(1);
/// Interval between checks for an interrupt during a pause.
const TICK: Duration = Duration::from_millis(100);
/// Capacity of the event queue; no game starts while it is full.
const MAX_PENDING_EVENTS: usize = 64;
/// Number of finished games that wait for the ends of earlier ones at which no game starts.
const MAX_HELD_GAMES: usize = 64;

/// Errors that stop a match.
#[derive(Debug, Error)]
pub enum RunError {
    /// An engine failed to start (its own fault, or a lack of descriptors, processes or memory), or its program has
    /// changed since the match began.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The rules refuse an opening, a move of the schedule or a card.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// A finished game cannot be completed.
    #[error("game {game}: {reason}")]
    Complete {
        game: u64,
        /// Why, in one sentence.
        reason: String,
    },
}

impl RunError {
    pub fn fault_of_rules(&self) -> Option<&RulesError> {
        match self {
            RunError::Position(error) => error.fault_of_rules(),
            RunError::Start(_) | RunError::Complete { .. } => None,
        }
    }
}

/// Completes the record of a finished game, in the thread that played it; the error stops the match.
pub type Complete<'a> = dyn Fn(&mut GameRecord) -> Result<(), String> + Sync + 'a;

/// Events of a running match.
#[derive(Debug)]
pub enum Event {
    Begun(ScheduledGame),
    Ply(Played),
    Ended(Box<GameRecord>),
    /// A game is rerun, because its loss may not be the engine's fault.
    Rerun {
        game: u64,
        /// Why, in one sentence.
        reason: String,
    },
    /// An engine has failed too often in a row and is retired.
    Retired {
        engine: String,
        /// Number of its consecutive failures.
        failures: u32,
    },
}

/// Next task of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Play the game with this number, which no other thread receives, with the random part of its block; `None` if
    /// that follows from the plan.
    Game(u64, Option<Dealt>),
    /// Quit the engines, because there may be no game for a long time, and ask again.
    Rest,
    /// End, because no games are left.
    End,
}

/// A source of games.
pub trait Games: Sync {
    /// Returns the next task of the calling thread. It may block, but not beyond the end of the match.
    fn next(&self) -> Next;
}

/// Games in the order of the schedule, all known at the start.
#[derive(Debug)]
pub struct GameQueue<F> {
    /// First game that no thread has taken.
    next: AtomicU64,
    /// Returns the first game to play from a number on.
    due: F,
}

impl<F: Fn(u64) -> Option<u64>> GameQueue<F> {
    /// Creates the source from `due`, which returns the first game to play from a number on, or `None` if there is
    /// none.
    pub fn new(due: F) -> GameQueue<F> {
        let next = AtomicU64::new(1);
        GameQueue { next, due }
    }
}

impl<F: Fn(u64) -> Option<u64> + Sync> Games for GameQueue<F> {
    fn next(&self) -> Next {
        let (set, get) = (Ordering::Relaxed, Ordering::Relaxed);
        let from = self.next.fetch_update(set, get, |from| (self.due)(from)?.checked_add(1));
        let game = from.ok().and_then(&self.due);
        game.map_or(Next::End, |game| Next::Game(game, None))
    }
}

/// The games of a match, with all that is needed to play them on this machine.
#[derive(Clone, Copy)]
pub struct Runner<'a> {
    pub plan: &'a Plan,
    pub games: &'a dyn Games,
    /// Games of earlier runs as far as retirement depends on them; `None` for none.
    pub past: Option<&'a Ends>,
    pub reruns: &'a RerunQuota,
    pub log: &'a Log,
    /// Stops the match.
    pub interrupt: &'a Interrupt,
    pub lag: &'a LagMeter,
    /// Index of the first thread's core among the allowed cores, if the plan pins engines; each further thread takes
    /// the next core.
    pub first_core: usize,
    /// Isolation of the engines from each other, if possible.
    pub isolation: Option<Isolation>,
    /// Programs of the engines; if present, a change of one stops the match.
    pub programs: Option<&'a Programs>,
    /// Whether to send events for the start of games and for single moves.
    pub is_followed: bool,
    /// Called with the record of each finished game, if present.
    pub complete: Option<&'a Complete<'a>>,
}

impl Runner<'_> {
    /// Plays all due games of a plan, except those of retired engines, until interrupted; calls `on_event` for each
    /// event, always in the calling thread. Concurrent games end in any order. Once the match stops, all finished games
    /// are still told, unless `on_event` has failed.
    ///
    /// # Errors
    /// The first error of `on_event`, or [`RunError::Start`] if the system has no room for an engine. Both stop the
    /// match.
    pub fn run<E: From<RunError>>(
        self,
        mut on_event: impl FnMut(Event) -> Result<(), E>,
    ) -> Result<(), E> {
        let schedule = Schedule::new(self.plan).map_err(RunError::from)?;
        let pending = AtomicUsize::new(0);
        thread::scope(|scope| {
            let (sender, events) = channel();
            let ends = Mutex::new(self.past.cloned().unwrap_or_else(|| Ends::new(self.plan)));
            let outbox = Arc::new(Outbox { ends, events: sender, pending: &pending });
            let threads = self.plan.concurrency.min(self.plan.games as usize);
            let cores = self.plan.pin.then(cores).unwrap_or_default();
            for number in 0..threads {
                let worker = Worker {
                    core: cores.get((self.first_core + number) % cores.len().max(1)).copied(),
                    runner: self,
                    schedule: &schedule,
                    outbox: outbox.clone(),
                    idle: HashMap::new(),
                };
                scope.spawn(move || worker.work());
            }
            // The workers keep the outbox: the events end with the last of them.
            drop(outbox);
            let (mut outcome, mut has_failed) = (Ok(()), false);
            for event in events {
                let handled = match event {
                    Ok(_) if has_failed => Ok(()),
                    Ok(event) => on_event(event).inspect_err(|_| has_failed = true),
                    Err(error) => Err(E::from(error)),
                };
                outcome = outcome.and(handled);
                pending.fetch_sub(1, Ordering::Relaxed);
                if outcome.is_err() {
                    self.interrupt.set();
                }
            }
            outcome
        })
    }
}

/// Returns the allowed processor cores.
#[cfg(target_os = "linux")]
fn cores() -> Vec<usize> {
    // If the system does not answer, no engine is pinned.
    let allowed = sched_getaffinity(None);
    let allowed = |core: &usize| allowed.as_ref().is_ok_and(|set| set.is_set(*core));
    (0..CpuSet::MAX_CPU).filter(allowed).collect()
}

#[cfg(not(target_os = "linux"))]
fn cores() -> Vec<usize> {
    Vec::new()
}

/// A thread that plays games, one after the other.
struct Worker<'a> {
    runner: Runner<'a>,
    schedule: &'a Schedule<'a>,
    outbox: Arc<Outbox<'a>>,
    /// Core of its engines; `None` for any.
    core: Option<usize>,
    idle: HashMap<SeatedEngine, Engine>,
}

impl Worker<'_> {
    fn work(mut self) {
        let plan = self.runner.plan;
        let mut is_first = true;
        loop {
            self.await_room();
            if self.runner.interrupt.ends() {
                break;
            }
            let (number, dealt) = match self.runner.games.next() {
                Next::Game(number, dealt) if number <= plan.games => (number, dealt),
                Next::Rest => {
                    Engine::quit_all(self.idle.drain().map(|(_, engine)| engine));
                    continue;
                }
                Next::Game(..) | Next::End => break,
            };
            if self.outbox.ends().retirement().leaves_nothing() {
                break;
            }
            if self.outbox.ends().leaves_out(number) {
                continue;
            }
            if !is_first {
                self.rest(plan.referee_limits.wait);
            }
            if self.runner.interrupt.ends() {
                break;
            }
            is_first = false;
            let game = match dealt {
                Some(dealt) => Ok(self.schedule.game_dealt(number, dealt)),
                None => self.schedule.game(number),
            };
            let played = game.map_err(Abandoned::from).and_then(|game| self.play_until_sure(game));
            let mut record = match played {
                Ok(record) => record,
                Err(Abandoned::Position(error)) => {
                    self.outbox.send(Err(error.into()));
                    break;
                }
                Err(_) => break,
            };
            let complete = self.runner.complete;
            let completed = complete.map_or(Ok(()), |complete| complete(&mut record));
            if let Err(reason) = completed {
                // An interrupt may have stopped the work.
                if !self.runner.interrupt.is_set() {
                    let game = record.game;
                    self.outbox.end(record);
                    self.outbox.send(Err(RunError::Complete { game, reason }));
                }
                break;
            }
            self.outbox.end(record);
        }
        Engine::quit_all(self.idle.into_values());
    }

    /// Waits while the event queue is full, or many games are held back, to bound their memory. The thread has no game
    /// then, so none waits for it.
    fn await_room(&self) {
        while self.outbox.is_full() && !self.runner.interrupt.ends() {
            thread::sleep(ROOM_INTERVAL);
        }
    }

    fn rest(&self, wait: Duration) {
        let end = Instant::now() + wait;
        while Instant::now() < end && !self.runner.interrupt.ends() {
            thread::sleep(end.saturating_duration_since(Instant::now()).min(TICK));
        }
    }

    /// Plays a game, and reruns it while its result may not be the engine's own fault.
    fn play_until_sure(&mut self, mut game: ScheduledGame) -> Result<GameRecord, Abandoned> {
        let mut reruns: Vec<Rerun> = Vec::new();
        loop {
            // The limit lets the match end even on a machine that always lags.
            let allowed = (reruns.len() < MAX_OF_A_GAME).then_some(self.runner.reruns);
            match self.play_once(&game, allowed) {
                Err(Abandoned::Suspect(rerun)) => {
                    self.outbox
                        .send(Ok(Event::Rerun { game: game.number, reason: rerun.reason.clone() }));
                    reruns.push(rerun);
                    // New cards, because the engines know those that were drawn.
                    game = game.dealt_anew();
                }
                played => return played.map(|record| GameRecord { reruns, ..record }),
            }
        }
    }

    fn play_once(
        &mut self,
        game: &ScheduledGame,
        reruns: Option<&RerunQuota>,
    ) -> Result<GameRecord, Abandoned> {
        let plan = self.runner.plan;
        let outbox = self.outbox.clone();
        let listener = move |played| outbox.send(Ok(Event::Ply(played)));
        let referee = Referee {
            plan,
            interrupt: self.runner.interrupt,
            lag: Some(self.runner.lag),
            reruns,
            listener: self.runner.is_followed.then_some(&listener),
        };
        let set_up = Game::new(game, referee)?;
        let mut engines = Vec::new();
        for (seat, &seated) in (0..).map(Seat).zip(&game.seats) {
            if set_up.has_finished(seat) {
                engines.push(None);
                continue;
            }
            match self.engine(seated) {
                Ok(engine) => engines.push(Some(engine)),
                Err(_) if self.runner.interrupt.is_set() => return Err(Abandoned::Interrupted),
                Err(error) => {
                    self.put_back(game, engines);
                    if error.stops_the_match() {
                        self.outbox.send(Err(error.into()));
                        return Err(Abandoned::Interrupted);
                    }
                    let is_granted =
                        |quota: &RerunQuota| quota.grant(seated.engine, MAX_BY_INTERFERENCE);
                    if let Some(what) = error.interference()
                        && reruns.is_some_and(is_granted)
                    {
                        let name = &plan.engines[seated.engine].name;
                        return Err(Abandoned::interference(name, seat, what, Vec::new()));
                    }
                    return Ok(set_up.walkover(seat, error));
                }
            }
        }
        if self.runner.is_followed {
            self.outbox.send(Ok(Event::Begun(game.clone())));
        }
        let record = set_up.play(&mut engines);
        self.put_back(game, engines);
        record
    }

    /// Returns an idle engine, or starts a new one.
    fn engine(&mut self, seated: SeatedEngine) -> Result<Engine, StartError> {
        if let Some(engine) = self.idle.remove(&seated) {
            return Ok(engine);
        }
        let plan = self.runner.plan;
        let spec = &plan.engines[seated.engine];
        let programs = self.runner.programs;
        if let Some(file) = programs.and_then(|programs| programs.changed(seated.engine)) {
            return Err(StartError::Changed {
                engine: spec.name.clone(),
                file: file.to_path_buf(),
            });
        }
        Engine::start(
            spec,
            plan.rules.uci_variant(),
            Placement { copy: seated.copy, core: self.core, isolation: self.runner.isolation },
            plan.referee_limits.ready,
            self.runner.log,
            self.runner.interrupt,
        )
    }

    /// Keeps the engines of a game for the next one, except those that failed or restart for every game.
    fn put_back(&mut self, game: &ScheduledGame, engines: Vec<Option<Engine>>) {
        let mut leaving = Vec::new();
        for (&seated, engine) in game.seats.iter().zip(engines) {
            let restart = self.runner.plan.engines[seated.engine].restart;
            match engine {
                Some(engine) if engine.is_usable() && !restart => {
                    self.idle.insert(seated, engine);
                }
                engine => leaving.extend(engine),
            }
        }
        Engine::quit_all(leaving);
    }
}

/// Events of all workers on their way to the thread that handles them.
struct Outbox<'a> {
    ends: Mutex<Ends>,
    events: Sender<Result<Event, RunError>>,
    /// Number of events that `on_event` has not handled yet.
    pending: &'a AtomicUsize,
}

impl Outbox<'_> {
    /// Sends the game as [`Event::Ended`] once no earlier game can retire one of its engines, after those that it lets
    /// go; then any [`Event::Retired`].
    fn end(&self, record: GameRecord) {
        // Locked until all is sent, so that a retirement comes after the game that caused it.
        let mut ends = self.ends();
        for event in ends.end_game(Box::new(record)) {
            self.send(Ok(event));
        }
    }

    fn send(&self, event: Result<Event, RunError>) {
        self.pending.fetch_add(1, Ordering::Relaxed);
        // The receiver is gone only after the end of the match.
        let _ = self.events.send(event);
    }

    fn ends(&self) -> MutexGuard<'_, Ends> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_full(&self) -> bool {
        self.pending.load(Ordering::Relaxed) > MAX_PENDING_EVENTS
            || self.ends().held() > MAX_HELD_GAMES
    }
}

/// With the last worker, sends the games that are held back, because no game will decide on them any more.
impl Drop for Outbox<'_> {
    fn drop(&mut self) {
        let released = self.ends().release(true);
        released.into_iter().for_each(|event| self.send(Ok(event)));
    }
}

/// The ends of the games of a match, in the order of the schedule as far as retirement depends on it. Failures count in
/// this order, even if the games end in another one, so that the same games are played at any concurrency.
///
/// A finished game counts only if no earlier game has retired one of its engines. It is held back while earlier games
/// that have not ended could still do so.
#[derive(Clone, Debug)]
pub struct Ends {
    /// State before game `next`.
    retirement: Retirement,
    /// The first game that is not decided.
    next: u64,
    /// Ends of later games, by game number.
    later: BTreeMap<u64, End>,
}

#[derive(Clone, Debug)]
enum End {
    /// It counts; with the index of the engine that failed, if any.
    Counted(Option<usize>),
    /// It may or may not count.
    Held(Box<GameRecord>),
    /// It does not count.
    Skipped,
}

/// Whether a game counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Counts,
    Open,
    Never,
}

impl Ends {
    /// Creates the state before the first game.
    pub fn new(plan: &Plan) -> Ends {
        Ends { retirement: Retirement::new(plan), next: 1, later: BTreeMap::new() }
    }

    /// Takes in a game of an earlier run. Games come in the order of the schedule.
    pub fn recall(&mut self, record: &GameRecord) {
        let known = self.later.first_key_value().map_or(record.game, |(&game, _)| game);
        self.pass_retired(known);
        for engine in self.engines_of(record.game) {
            if self.retirement.has_retired(engine) {
                // An earlier run let it play again.
                self.retirement.forgive(engine);
            }
        }
        self.later.insert(record.game, End::Counted(self.retirement.offender(record)));
        self.advance();
    }

    /// Lets all engines play again; failures in the games of earlier runs, given by their numbers, no longer count.
    pub fn forgive(&mut self, played: &HashSet<u64>) {
        for engine in 0..self.retirement.engines.len() {
            self.retirement.forgive(engine);
        }
        self.next = 1;
        self.later = played.iter().map(|&game| (game, End::Skipped)).collect();
        self.advance();
    }

    /// The retirement of engines by the games that are decided.
    pub fn retirement(&self) -> &Retirement {
        &self.retirement
    }

    fn held(&self) -> usize {
        self.later.values().filter(|end| matches!(end, End::Held(_))).count()
    }

    /// `true` if a game need not be played, because one of its engines has retired.
    pub fn leaves_out(&mut self, game: u64) -> bool {
        let is_left_out = self.fate(game) == Fate::Never;
        if is_left_out && game >= self.next {
            self.later.insert(game, End::Skipped);
            self.advance();
        }
        is_left_out
    }

    /// Takes in the end of a game; returns the events that follow: the games that now count, and the engines that
    /// retire.
    fn end_game(&mut self, record: Box<GameRecord>) -> Vec<Event> {
        if self.retirement.referee_limits.failures == 0 {
            return vec![Event::Ended(record)];
        }
        if record.game >= self.next {
            self.later.insert(record.game, End::Held(record));
        }
        self.release(false)
    }

    /// Decides on the games that are held back, in order, as far as the games that have not ended make no difference;
    /// on all of them if this `is_last`, because no other game will end. Returns the events that follow.
    fn release(&mut self, is_last: bool) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some((game, counts)) = self.decided(is_last) {
            let Some(End::Held(record)) = self.later.insert(game, End::Skipped) else {
                break;
            };
            if counts {
                self.later.insert(game, End::Counted(self.retirement.offender(&record)));
                events.push(Event::Ended(record));
            }
            events.extend(self.advance());
        }
        events
    }

    /// The first game that need no longer be held back, and whether it counts.
    fn decided(&self, is_last: bool) -> Option<(u64, bool)> {
        let held = self.later.iter().filter(|(_, end)| matches!(end, End::Held(_)));
        let mut fates = held.map(|(&game, _)| (game, self.fate(game)));
        let (game, fate) = fates.find(|(_, fate)| is_last || *fate != Fate::Open)?;
        Some((game, fate != Fate::Never))
    }

    fn fate(&self, game: u64) -> Fate {
        if self.retirement.referee_limits.failures == 0 {
            return Fate::Counts;
        }
        let fates = self.engines_of(game).into_iter().map(|engine| self.fate_by(engine, game));
        fates.max().unwrap_or(Fate::Counts)
    }

    /// The fate of a game by the failures of one of its engines in the games before. In the worst case all games fail
    /// that have not ended.
    fn fate_by(&self, engine: usize, game: u64) -> Fate {
        let retires = |failures| self.retirement.referee_limits.retires(failures);
        let (mut failures, mut is_certain) = (0, true);
        for earlier in (self.next..game).rev() {
            if !self.engines_of(earlier).contains(&engine) {
                continue;
            }
            match self.later.get(&earlier) {
                Some(End::Skipped) => {}
                Some(End::Counted(offender)) if *offender == Some(engine) => failures += 1,
                Some(End::Counted(_)) => return Fate::Counts,
                Some(End::Held(record)) => {
                    failures += u32::from(self.retirement.offender(record) == Some(engine));
                    is_certain = false;
                }
                None => {
                    failures += 1;
                    is_certain = false;
                }
            }
            if retires(failures) {
                return if is_certain { Fate::Never } else { Fate::Open };
            }
        }
        match (
            self.retirement.has_retired(engine),
            retires(failures + self.retirement.failures[engine]),
        ) {
            (true, _) => Fate::Never,
            (false, true) => Fate::Open,
            (false, false) => Fate::Counts,
        }
    }

    /// Passes the games that are decided; returns the engines that retire by them.
    fn advance(&mut self) -> Vec<Event> {
        let mut retired = Vec::new();
        while let Some((&known, _)) = self.later.first_key_value() {
            self.pass_retired(known);
            let first = self.later.first_entry().filter(|first| *first.key() == self.next);
            let Some(first) = first.filter(|first| !matches!(first.get(), End::Held(_))) else {
                break;
            };
            if let End::Counted(offender) = first.remove() {
                let engines = self.engines_of(known);
                let failed = self.retirement.count(&engines, offender);
                retired.extend(failed.map(|(engine, failures)| Event::Retired {
                    engine: self.retirement.engines[engine].name.clone(),
                    failures,
                }));
            }
            self.next += 1;
        }
        retired
    }

    /// Passes the games of retired engines before a number.
    fn pass_retired(&mut self, until: u64) {
        let is_retired = |&engine: &usize| self.retirement.has_retired(engine);
        while self.next < until && self.engines_of(self.next).iter().any(is_retired) {
            // Without a line-up that is left, there may be very many such games.
            self.next = if self.retirement.leaves_nothing() { until } else { self.next + 1 };
        }
    }

    /// Engines of a game, in seat order.
    fn engines_of(&self, game: u64) -> Vec<usize> {
        let seats = self.retirement.line_ups.seats(game);
        seats.into_iter().map(|seated| seated.engine).collect()
    }
}

/// Consecutive failures of each engine.
#[derive(Clone, Debug)]
pub struct Retirement {
    engines: Vec<EngineSpec>,
    referee_limits: RefereeLimits,
    line_ups: LineUps,
    failures: Vec<u32>,
    has_retired: Vec<bool>,
}

impl Retirement {
    /// Creates the state before the first game.
    pub fn new(plan: &Plan) -> Retirement {
        Retirement {
            engines: plan.engines.clone(),
            referee_limits: plan.referee_limits,
            line_ups: plan.line_ups(),
            failures: vec![0; plan.engines.len()],
            has_retired: vec![false; plan.engines.len()],
        }
    }

    /// `true` if no line-up without a retired engine is left.
    pub fn leaves_nothing(&self) -> bool {
        !self.line_ups.can_do_without(|engine| self.has_retired[engine])
    }

    pub fn has_retired(&self, engine: usize) -> bool {
        self.has_retired[engine]
    }

    pub fn retired(&self) -> Vec<String> {
        let engines = self.engines.iter().zip(&self.has_retired);
        let retired = engines.filter(|(_, has_retired)| **has_retired);
        retired.map(|(engine, _)| engine.name.clone()).collect()
    }

    /// Counts the failures of a game; returns the engine that retires because of it, with its number of consecutive
    /// failures.
    pub fn note(&mut self, record: &GameRecord) -> Option<(usize, u32)> {
        let index = |name: &String| self.engines.iter().position(|engine| engine.name == *name);
        let engines: Vec<usize> = record.seats.iter().filter_map(index).collect();
        self.count(&engines, self.offender(record))
    }

    /// Retires exactly those engines whose last games so far have failed too often in a row: an earlier run may have
    /// let others play again.
    pub fn retire_by_last_games(&mut self) {
        let retires = |&failures: &u32| self.referee_limits.retires(failures);
        self.has_retired = self.failures.iter().map(retires).collect();
    }

    /// [`Retirement::note`] of a game of these engines, with the one that failed, if any.
    fn count(&mut self, engines: &[usize], offender: Option<usize>) -> Option<(usize, u32)> {
        for &engine in engines.iter().filter(|engine| Some(**engine) != offender) {
            self.failures[engine] = 0;
        }
        let offender = offender?;
        self.failures[offender] += 1;
        let failures = self.failures[offender];
        let is_new = self.referee_limits.retires(failures) && !self.has_retired[offender];
        self.has_retired[offender] |= is_new;
        is_new.then_some((offender, failures))
    }

    /// Index of the engine that failed in a game.
    fn offender(&self, record: &GameRecord) -> Option<usize> {
        let fault = record.fault.as_ref()?;
        let name = record.engine_in(fault.seat)?;
        self.engines.iter().position(|engine| engine.name == name)
    }

    fn forgive(&mut self, engine: usize) {
        self.failures[engine] = 0;
        self.has_retired[engine] = false;
    }
}
