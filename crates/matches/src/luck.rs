//! Luck of finished games: the part of a result that the cards made, to be subtracted from it.
//!
//! The luck of a card is the value after it minus the mean over all cards that are left. No value depends on the card
//! that comes, so the expected luck is 0 for every seat, and a result minus its luck has the same expectation as the
//! result. The better the values, the smaller its variance.
//! Source: Burch, Schmid, Moravčík, Morrill, Bowling, "AIVAT: A New Variance Reduction Technique for Agent Evaluation
//! in Imperfect Information Games", AAAI 2018.

mod gain;

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt::Display;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use buxtehude::eval::{CERTAIN, Evaluators};
use buxtehude::rules::{AnyPosition, Turn, Variant};
use buxtehude::search::{Answer, Control, MAX_DEPTH, Memory, Preset, Request, search};
use thiserror::Error;

use crate::archive::store::Store;
use crate::judge::{Judge, Question};
use crate::plan::binary::{hash, hash_arguments, hash_bytes};
use crate::plan::rules::Position;
use crate::plan::{EngineSpec, Limit, LuckBy, Opening, Plan};
use crate::play::interrupt::Interrupt;
use crate::play::runner::OpenFiles;
use crate::play::sandbox::Isolation;
use crate::record::{GameRecord, Luck};
use crate::review::{Appraisal, Appraise, PlayedGame, Values};
use crate::spelling::quote;

use gain::{Allowance, Pace, luck_within};

pub use gain::luck;

/// Number of plies until the first draw, beyond which no forecast says how many outcomes it has.
const MAX_FORECAST_PLIES: usize = 50;

/// Number of digits of a hash in an identity.
const IDENTITY_DIGITS: usize = 12;

#[derive(Debug, Error)]
#[error("luck: {0}")]
pub struct LuckError(String);

impl LuckError {
    fn new(error: impl Display) -> LuckError {
        LuckError(error.to_string())
    }
}

#[derive(Clone, Debug)]
pub struct Evaluator {
    source: Source,
    identity: String,
}

#[derive(Clone, Debug)]
enum Source {
    BuiltIn { nodes: u64, tables: Evaluators },
    Engine { spec: Box<EngineSpec>, stall: Duration, percent: u32, _open: Arc<OpenFiles> },
}

impl Evaluator {
    /// Returns the evaluator of a match, or `None` if the match measures no luck.
    ///
    /// # Errors
    /// [`LuckError`] if the plan needs an engine and there is none, or needs none.
    pub fn of(plan: &Plan, engine: Option<&EngineSpec>) -> Result<Option<Evaluator>, LuckError> {
        let wrong = |reason: &str| Err(LuckError::new(reason));
        match (plan.luck.by, engine) {
            (None, None) => Ok(None),
            (None, Some(_)) => wrong("--luck-engine: the match measures no luck"),
            (Some(LuckBy::BuiltIn { .. }), Some(_)) => {
                wrong("--luck-engine: the match measures luck with the built-in engine")
            }
            (Some(LuckBy::BuiltIn { nodes }), None) => {
                let Some(variant) = plan.rules.built_in() else {
                    let game = plan.rules.name();
                    return wrong(&format!(
                        "the built-in engine does not play {game}: expected --luck-engine"
                    ));
                };
                Ok(Some(Evaluator::built_in(nodes, variant, plan.seats)))
            }
            (Some(LuckBy::Engine { percent }), Some(engine)) => {
                Ok(Some(Evaluator::engine(engine.clone(), plan.referee_limits.stall, percent)))
            }
            (Some(LuckBy::Engine { .. }), None) => wrong(
                "expected --luck-engine, the engine that measures it; a store does not keep it",
            ),
        }
    }

    /// The built-in engine, visiting `nodes` positions for each value.
    pub fn built_in(nodes: u64, variant: &Variant, seats: usize) -> Evaluator {
        let tables = Evaluators::default();
        let mut built_in = BuiltIn::sharing(nodes, tables.clone());
        Evaluator {
            identity: built_in.identity(variant, seats),
            source: Source::BuiltIn { nodes, tables },
        }
    }

    /// An engine that gives estimates, with a timeout for answers without a time limit, and its largest time in percent
    /// of the time of play. Its identity is its name, a hash of its program, its arguments and the files among them,
    /// its limit and its options.
    pub fn engine(spec: EngineSpec, stall: Duration, percent: u32) -> Evaluator {
        let mut parts = vec![hash(&spec.command).unwrap_or_default()];
        parts.extend(spec.args.iter().cloned());
        let files = hash_arguments(&spec.args, spec.dir.as_deref());
        parts.extend(files.into_iter().map(|(_, hash)| hash));
        let mut hash = hash_bytes(parts.join("\n").as_bytes());
        hash.truncate(IDENTITY_DIGITS);
        let mut identity = format!("{} {hash} {}", spec.name, spec.limit);
        for (name, value) in &spec.options {
            identity += &format!(" option.{name}={value}");
        }
        let open = Arc::new(OpenFiles::of(&spec));
        let source = Source::Engine { spec: Box::new(spec), stall, percent, _open: open };
        Evaluator { source, identity }
    }

    /// The flag that names this evaluator, as words of a command line.
    pub fn flag(&self) -> String {
        match &self.source {
            Source::BuiltIn { nodes, .. } => format!("--luck {nodes}"),
            Source::Engine { spec, .. } => format!("--luck-engine {}", quote(&spec.words())),
        }
    }

    /// Starts the engine, if it is one, has it value the start of a match, and quits it; returns a forecast of its
    /// time.
    ///
    /// # Errors
    /// [`LuckError`] if that fails.
    pub fn try_out(
        &self,
        plan: &Plan,
        isolation: Option<Isolation>,
        interrupt: &Interrupt,
    ) -> Result<Option<String>, LuckError> {
        let Source::Engine { spec, stall, percent, .. } = &self.source else {
            return Ok(None);
        };
        let mut line = Opening::usual(plan.seats);
        let start = line.position(&plan.rules, plan.seats).map_err(LuckError::new)?;
        let mut judge = Judge::new(spec, *stall, isolation, interrupt);
        let found = judge
            .begin(&plan.rules, "the start of the match")
            .map_err(LuckError::new)
            .and_then(|()| {
                let begun = Instant::now();
                let value = Values::new(&mut judge).of(&start, &mut line);
                value.map(|_| begun.elapsed()).map_err(LuckError::new)
            });
        judge.dismiss();
        let outcomes = outcomes_of_first_draw(start);
        Ok(Some(format!(
            "luck by {}: the first value took {:.1} ms, a draw has {outcomes} outcomes; beyond {percent} % of the time \
             of play, only some are valued: --luck \"engine {percent}%\"",
            spec.name,
            found?.as_secs_f64() * 1000.0,
        )))
    }

    /// Name, version and budget, as records and stores keep them.
    pub fn identity(&self) -> &str {
        &self.identity
    }
}

/// Number of outcomes of the first draw in a line of play; 0 if none comes soon.
fn outcomes_of_first_draw(mut position: Position) -> usize {
    for _ in 0..MAX_FORECAST_PLIES {
        let outcomes = position.outcomes().len();
        let word = position.legal_actions().into_iter().next();
        // A legal word can be played.
        if outcomes > 0 || word.is_none_or(|word| position.play(&word).is_err()) {
            return outcomes;
        }
    }
    0
}

/// Flag of `arbiter report` that measures luck with this evaluator.
pub fn flag(identity: &str) -> String {
    match BuiltIn::nodes_in(identity) {
        Some(nodes) => format!("--luck {nodes}"),
        None => "--luck-engine ...".to_string(),
    }
}

/// Name and budget of an evaluator from its identity: `buxtehude, 20 nodes`.
pub fn in_words(identity: &str) -> String {
    let is_hash = |word: &&str| {
        word.len() == IDENTITY_DIGITS && word.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    let hash = identity.split(' ').find(is_hash);
    let parts = hash.and_then(|hash| identity.split_once(hash));
    let Some((name, budget)) = parts.filter(|(name, _)| !name.trim().is_empty()) else {
        return identity.to_string();
    };
    let name = if name.trim() == BUILT_IN { "buxtehude" } else { name.trim() };
    let limit = budget.parse().map(|limit: Limit| limit.in_words());
    format!("{name}, {}", limit.unwrap_or_else(|_| budget.trim().to_string()))
}

/// Measures the luck of games, in any number of threads.
#[derive(Debug)]
pub struct LuckMeter<'a> {
    evaluator: &'a Evaluator,
    isolation: Option<Isolation>,
    interrupt: &'a Interrupt,
    /// Those that no thread uses at the moment. An engine ends with the thread that started it, so no other takes it.
    idle: Mutex<Vec<(ThreadId, Running<'a>)>>,
}

/// An evaluator in use.
#[derive(Debug)]
enum Running<'a> {
    BuiltIn(Box<BuiltIn>),
    Engine { judge: Box<Judge<'a>>, percent: u32, pace: Pace },
}

impl<'a> LuckMeter<'a> {
    /// Creates a meter; engines start with the first game, isolated if `isolation` says so.
    pub fn new(
        evaluator: &'a Evaluator,
        isolation: Option<Isolation>,
        interrupt: &'a Interrupt,
    ) -> LuckMeter<'a> {
        LuckMeter { evaluator, isolation, interrupt, idle: Mutex::new(Vec::new()) }
    }

    /// Measures the luck of a game, and writes it into the record. A rerun game has none: its first attempt was
    /// discarded for a reason that depends on the play.
    ///
    /// # Errors
    /// [`LuckError`] if an engine fails or the game has a flaw.
    pub fn measure(&self, record: &mut GameRecord) -> Result<(), LuckError> {
        let shares = if record.reruns.is_empty() {
            self.luck_of(record)?
        } else {
            vec![0.0; record.seats.len()]
        };
        record.luck = Some(Luck {
            by: self.evaluator.identity.clone(),
            shares: shares.into_iter().map(Luck::round).collect(),
        });
        Ok(())
    }

    fn luck_of(&self, record: &GameRecord) -> Result<Vec<f64>, LuckError> {
        let game = PlayedGame::of_record(record).map_err(LuckError::new)?;
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = thread::current().id();
        let is_usable = |(starter, running): &(ThreadId, Running)| {
            *starter == thread || matches!(running, Running::BuiltIn(_))
        };
        let found = {
            let mut idle = idle();
            let index = idle.iter().position(is_usable);
            index.map(|index| idle.swap_remove(index).1)
        };
        let mut running = found.unwrap_or_else(|| self.start());
        let mut measured = running.luck_of(&game, record);
        if let (Err(_), Running::Engine { .. }) = (&measured, &running) {
            // A crash need not end the match: the game is measured from its start by a new process.
            running.quit();
            running = self.start();
            measured = running.luck_of(&game, record);
        }
        idle().push((thread, running));
        measured
    }

    fn start(&self) -> Running<'a> {
        match &self.evaluator.source {
            Source::BuiltIn { nodes, tables } => {
                Running::BuiltIn(Box::new(BuiltIn::sharing(*nodes, tables.clone())))
            }
            Source::Engine { spec, stall, percent, .. } => {
                let judge = Judge::new(spec, *stall, self.isolation, self.interrupt);
                Running::Engine { judge: Box::new(judge), percent: *percent, pace: Pace::default() }
            }
        }
    }
}

impl Running<'_> {
    fn luck_of(&mut self, game: &PlayedGame, record: &GameRecord) -> Result<Vec<f64>, LuckError> {
        match self {
            Running::BuiltIn(built_in) => luck(game, built_in.as_mut()).map_err(LuckError::new),
            Running::Engine { judge, percent, pace } => {
                let begun = judge.begin(&game.rules, &format!("game {}", record.game));
                begun.map_err(LuckError::new)?;
                let times = record.turns.iter().map(|turn| turn.micros.map(Duration::from_micros));
                // A record without times sets no limit.
                let times: Option<Vec<Duration>> = times.collect();
                let random = record.seed.samples(record.game);
                let allowance = times
                    .as_ref()
                    .map(|times| (Allowance::new(random, pace, *percent), times.as_slice()));
                luck_within(game, judge.as_mut(), allowance).map_err(LuckError::new)
            }
        }
    }

    fn quit(self) {
        if let Running::Engine { judge, .. } = self {
            judge.dismiss();
        }
    }
}

impl Drop for LuckMeter<'_> {
    fn drop(&mut self) {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (_, running) in idle.drain(..) {
            running.quit();
        }
    }
}

/// First word of an identity.
const BUILT_IN: &str = "built-in";

/// Size of the search memory; a few hundred nodes need no more.
const SEARCH_MEBIBYTES: usize = 1;

/// Number of plies of the game whose values identify the evaluator.
const SIGNED_PLIES: usize = 12;

/// The built-in engine with a budget for each value. The value of a position depends on nothing else.
#[derive(Debug)]
pub struct BuiltIn {
    nodes: u64,
    memory: Memory,
}

impl BuiltIn {
    /// Creates an evaluator that visits `nodes` positions for each value, at least 1.
    pub fn new(nodes: u64) -> BuiltIn {
        BuiltIn::sharing(nodes, Evaluators::default())
    }

    /// [`BuiltIn::new`] with shared tables.
    fn sharing(nodes: u64, tables: Evaluators) -> BuiltIn {
        BuiltIn { nodes, memory: Memory::for_threads(1, SEARCH_MEBIBYTES, tables) }
    }

    /// Returns the budget with a hash of the values in a fixed game, which changes with the search and the net.
    pub fn identity(&mut self, variant: &Variant, seats: usize) -> String {
        let mut values = Vec::new();
        // A number of seats that the variant does not allow has no values.
        let mut position = variant.start(seats).ok();
        for _ in 0..SIGNED_PLIES {
            let Some(open) = position.as_mut() else {
                break;
            };
            let word = match open.turn() {
                Turn::Seat(_) => self.search(open).map(|answer| {
                    for lead in answer.value.leads {
                        values.extend(lead.to_le_bytes());
                    }
                    answer.best
                }),
                Turn::Card(_) => open.outcomes().into_iter().next().map(|(card, _)| card),
                Turn::Over => None,
            };
            // Cannot fail: the word is legal.
            let played = word.is_some_and(|word| open.play(&word).is_ok());
            position = position.filter(|_| played);
        }
        let mut hash = hash_bytes(&values);
        hash.truncate(IDENTITY_DIGITS);
        format!("{BUILT_IN} {hash} nodes={}", self.nodes)
    }

    /// Returns the budget in an identity; `None` if it is not an identity of the built-in engine.
    fn nodes_in(identity: &str) -> Option<u64> {
        let (_, nodes) = identity.strip_prefix(BUILT_IN)?.split_once("nodes=")?;
        nodes.parse().ok().filter(|&nodes| nodes > 0)
    }

    fn search(&mut self, position: &AnyPosition) -> Option<Answer> {
        self.memory.forget();
        // The tree averages many lines, which is more precise than the end of the best line.
        let request = Request {
            nodes: self.nodes,
            preset: Preset::Tree,
            ..Request::new(*position, MAX_DEPTH)
        };
        search(&request, &mut self.memory, &Control::new(None), &mut |_| {})
    }
}

impl Appraise for BuiltIn {
    type Error = Infallible;

    fn appraise(&mut self, question: Question<'_>) -> Result<Appraisal, Infallible> {
        let seats = question.position.seats();
        let answer = question.position.built_in();
        // There is always an answer, because a seat is to move in a game that the engine plays.
        let Some(answer) = answer.and_then(|position| self.search(position)) else {
            let shares = vec![1.0; seats];
            let best = String::new();
            return Ok(Appraisal { shares, best });
        };
        let lowest = (seats as i32 - 1) * CERTAIN;
        let leads = answer.value.leads.iter().take(seats);
        // Shares are scaled to their sum.
        let shares = leads.map(|lead| f64::from((lead + lowest).max(0)));
        Ok(Appraisal { shares: shares.collect(), best: answer.best })
    }
}

/// A listener to the numbers of games done and due.
type OnGame<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// Games that are read, measured and stored at a time.
const AT_A_TIME: usize = 1000;

/// Measures the luck of all games in a store that have none, on `concurrency` threads; calls `on_game` with the
/// numbers of games done and due after each game. If the store has luck by another evaluator, measures all games anew.
///
/// An interrupt ends the work. The luck so far stays in the store, unless all games are measured anew: then the former
/// luck does, as after an error.
///
/// # Errors
/// [`LuckError`] if the store cannot be read or written, or a game cannot be measured.
pub fn measure_store(
    store: &mut Store,
    meter: &LuckMeter<'_>,
    concurrency: usize,
    on_game: &OnGame<'_>,
) -> Result<(), LuckError> {
    let by = store.luck_by().map_err(LuckError::new)?;
    let anew = by.is_some_and(|by| by != meter.evaluator.identity);
    let due = if anew { store.numbers() } else { store.games_without_luck() };
    let due = due.map_err(LuckError::new)?;
    let (done, mut replaced) = (AtomicUsize::new(0), Vec::new());
    let on_game = || on_game(1 + done.fetch_add(1, Ordering::Relaxed), due.len());
    for numbers in due.chunks(AT_A_TIME) {
        let mut records = Vec::new();
        for &number in numbers {
            let game = store.game(number).map_err(LuckError::new)?;
            records.extend(game.map(|game| game.record));
        }
        measure_all(&mut records, meter, concurrency, &on_game)?;
        if meter.interrupt.is_set() {
            return Ok(());
        }
        let measured: Vec<(u64, Luck)> =
            records.into_iter().filter_map(|record| Some((record.game, record.luck?))).collect();
        if anew {
            replaced.extend(measured);
        } else {
            store.set_luck(&measured).map_err(LuckError::new)?;
        }
    }
    if anew { store.replace_luck(&replaced).map_err(LuckError::new) } else { Ok(()) }
}

/// Measures the luck of games, on `concurrency` threads.
fn measure_all(
    records: &mut [GameRecord],
    meter: &LuckMeter<'_>,
    concurrency: usize,
    on_game: &(dyn Fn() + Sync),
) -> Result<(), LuckError> {
    let records: Vec<Mutex<&mut GameRecord>> = records.iter_mut().map(Mutex::new).collect();
    let (next, first_error) = (AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        while let Some(record) = records.get(next.fetch_add(1, Ordering::Relaxed)) {
            if meter.interrupt.is_set() {
                break;
            }
            let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
            let measured = meter.measure(&mut record);
            on_game();
            if let Err(error) = measured {
                // Stops the other threads after their games.
                next.store(records.len(), Ordering::Relaxed);
                let mut first = first_error.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(error);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..concurrency.max(1) {
            scope.spawn(work);
        }
    });
    let first = first_error.into_inner().unwrap_or_else(PoisonError::into_inner);
    first.map_or(Ok(()), Err)
}

/// Largest budget that is checked. Records can name any; a larger one could take hours.
const MAX_CHECKED_NODES: u64 = 100_000;

/// Checks recorded luck by measuring it again, if the built-in engine of this program measured it.
#[derive(Debug, Default)]
pub struct LuckChecker {
    /// Evaluators by variant, number of seats and identity; `None` for other programs' evaluators.
    known: HashMap<(&'static str, usize, String), Option<Evaluator>>,
    unchecked: u64,
}

impl LuckChecker {
    /// Checks the luck of a game without other flaws; accepts none, and luck that cannot be checked.
    ///
    /// # Errors
    /// [`LuckError`] if the luck is wrong.
    pub fn check(&mut self, record: &GameRecord) -> Result<(), LuckError> {
        let Some(luck) = &record.luck else {
            return Ok(());
        };
        let variant = Variant::by_name(&record.variant).ok();
        let evaluator =
            variant.and_then(|variant| self.evaluator(variant, record.seats.len(), luck));
        let checked = evaluator.map(|evaluator| evaluator.check(record));
        // A record without its clock no longer tells whether the game was rerun and has no luck.
        let has_clock = record.turns.iter().any(|turn| turn.micros.is_some());
        let may_be_rerun = !has_clock && luck.shares.iter().all(|share| *share == 0.0);
        match checked {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) if !may_be_rerun => Err(error),
            _ => {
                self.unchecked += 1;
                Ok(())
            }
        }
    }

    /// Number of games whose luck another program measured, or that may have been rerun.
    pub fn unchecked(&self) -> u64 {
        self.unchecked
    }

    fn evaluator(&mut self, variant: &Variant, seats: usize, luck: &Luck) -> Option<&Evaluator> {
        let key = (variant.name, seats, luck.by.clone());
        let evaluator = self.known.entry(key).or_insert_with(|| {
            let nodes = BuiltIn::nodes_in(&luck.by).filter(|&nodes| nodes <= MAX_CHECKED_NODES)?;
            let evaluator = Evaluator::built_in(nodes, variant, seats);
            (evaluator.identity == luck.by).then_some(evaluator)
        });
        evaluator.as_ref()
    }
}

impl Evaluator {
    /// Checks that the recorded luck of a game is what this evaluator measures; the built-in engine only.
    ///
    /// # Errors
    /// [`LuckError`] if there is no luck, or it is wrong.
    pub fn check(&self, record: &GameRecord) -> Result<(), LuckError> {
        let found = self.named_luck(record)?;
        let interrupt = Interrupt::new();
        let mut measured = record.clone();
        LuckMeter::new(self, None, &interrupt).measure(&mut measured)?;
        match measured.luck {
            Some(expected) if expected != *found => {
                let (found, expected) = (&found.shares, expected.shares);
                let reason = format!("found {found:?}, the cards gave {expected:?}");
                Err(LuckError(reason))
            }
            _ => Ok(()),
        }
    }

    /// Returns the recorded luck of a game if its form is right and it names this evaluator.
    ///
    /// # Errors
    /// [`LuckError`] otherwise.
    pub fn named_luck<'r>(&self, record: &'r GameRecord) -> Result<&'r Luck, LuckError> {
        let expected = &self.identity;
        match &record.luck {
            None => Err(LuckError(format!("none, expected luck by {expected:?}"))),
            Some(luck) if luck.by != *expected => {
                let found = &luck.by;
                Err(LuckError(format!("by {found:?}, expected {expected:?}")))
            }
            Some(luck) if !luck.is_valid(record.seats.len()) => {
                let found = &luck.shares;
                let expected = "one number for each seat, with a sum of 0";
                Err(LuckError(format!("{found:?}, expected {expected}")))
            }
            Some(luck) => Ok(luck),
        }
    }
}
