//! `fleet match`, `fleet tournament` and `fleet resume`: the match is kept in a store on this machine; the server holds
//! only games to be played and games just played. `Coordinator` is the loop: give out, collect, publish, and repair
//! what the server has lost.
//!
//! Units are given to all workers through the queue, and lost ones again. A unit that a worker of the coordinator's
//! choice must play goes to that one alone, which is chosen at random among the live ones, so that no worker can choose
//! itself.

mod announce;
mod collect;
mod machines;
mod unit_schedule;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::Info;
use async_nats::jetstream::{Context, Message as Delivered};
use futures_util::future::join_all;
use futures_util::{FutureExt, StreamExt};
use matches::archive::ArchiveError;
use matches::own_files::NamedFile;
use matches::plan::rules::PositionError;
use matches::plan::schedule::Schedule;
use matches::play::interrupt::Interrupt;
use matches::play::runner::{Programs, RunError};
use matches::run::display::{Progress, count};
use matches::run::exit::{ExitError, USAGE, fail, print_error};
use matches::run::ledger::LedgerError;
use matches::run::{self, Match, NewMatch, Source, SourceError, StoredMatch};
use rand::seq::IndexedRandom;
use settings::args::ResumeArgs;
use settings::config;
use thiserror::Error;
use tokio::runtime::Runtime;

use crate::args::{CoordinatorArgs, ServerArgs};
use crate::message::{Beat, Message};
use crate::queue::{
    BEATS, MatchQueue, QueueError, RETRY_PAUSE, ReportedError, START_TIMEOUT, WORKERS, connect,
    is_private, publish, retry_at_start,
};
use crate::signature::{Key, Signer};
use crate::storage::Bucket;
use announce::{Announcer, MatchNote, PreparedMatch};
use collect::Collector;
use unit_schedule::{Chosen, Sample};

/// Time that one turn waits for games.
const RECEIVE_WAIT: Duration = Duration::from_millis(250);
/// Results received at a time.
const MAX_RECEIVED: usize = 256;
/// Time between two comparisons of the server's state with the coordinator's.
const REPAIR_INTERVAL: Duration = Duration::from_secs(2);
/// Units published beyond twice the number that workers can play concurrently.
const SPARE: u64 = 4;
/// Units published before the first acknowledgement is awaited.
const MAX_UNACKNOWLEDGED: u64 = 1000;
/// Age of a unit before the coordinator looks whether the server still has it.
const LOOKUP_AGE: Duration = Duration::from_secs(3);
const LATE_AGE: Duration = Duration::from_secs(10);
/// Units looked up at a time.
const MAX_LOOKUPS: usize = 8;
/// Maximum number of units that are out, so that workers that take units and never send them cannot fill the server.
const MAX_OUT: u64 = 200_000;
/// Time between two lists of the live workers.
const LIST_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum number of choices of a worker at a time.
const MAX_CHOICES: usize = 64;
/// Workers considered for a unit at a time: some may be silent, or not play this match.
const MAX_CANDIDATES: usize = 16;
/// Time that a chosen worker may play a unit, in times that it may be silent; doubled for each worker before.
const MAX_SILENCES: u32 = 10;
const MAX_DOUBLINGS: usize = 4;

/// Coordinates a new match; returns its exit status.
pub fn begin(
    runtime: &Runtime,
    server: &ServerArgs,
    planned: Result<NewMatch, ExitError>,
    settings: &CoordinatorArgs,
) -> ExitCode {
    let mut new = match planned {
        Ok(new) => new,
        Err(error) => return error.exit(),
    };
    let mut fleet = Fleet::new(runtime, settings);
    new.inputs.extend(inputs(server, settings));
    if !new.dry_run {
        if new.store.is_none() {
            return fail(USAGE, "--store: expected a new file for the match");
        }
        // Connects before the store is created, so that no file is left behind if there is no server.
        if let Err(error) = fleet.connect(server) {
            return fail(USAGE, error);
        }
    }
    // Prepares the match by `Fleet::prepare`, and plays it by `Fleet::play`.
    run::begin(new, &mut fleet)
}

/// Coordinates the rest of a stored match; returns its exit status.
pub fn resume(
    runtime: &Runtime,
    server: &ServerArgs,
    args: &ResumeArgs,
    settings: &CoordinatorArgs,
) -> ExitCode {
    let mut fleet = Fleet { forgives: args.forgive, ..Fleet::new(runtime, settings) };
    // A match that turns out to be complete needs no server.
    let _ = fleet.connect(server);
    let stored = StoredMatch { inputs: inputs(server, settings), ..config::stored_match(args) };
    run::resume(&stored, &mut fleet)
}

/// The files that a coordinator's flags name, besides those of `arbiter`.
fn inputs(server: &ServerArgs, settings: &CoordinatorArgs) -> Vec<NamedFile> {
    let workers = settings.workers.as_deref();
    let workers = workers.map(|path| NamedFile::input("--workers", path));
    server.files().into_iter().chain(workers).collect()
}

/// Connection to the server, with the key of this coordinator.
#[derive(Clone)]
struct Connection {
    context: Context,
    signer: Arc<Signer>,
    /// Whether no other machine reaches the server.
    is_private: bool,
}

/// The workers that a server connects with this coordinator.
struct Fleet<'a> {
    runtime: &'a Runtime,
    settings: &'a CoordinatorArgs,
    connection: Result<Connection, String>,
    /// Whether engines that retired in earlier runs play again.
    forgives: bool,
    prepared: Option<PreparedMatch>,
}

impl<'a> Fleet<'a> {
    fn new(runtime: &'a Runtime, settings: &'a CoordinatorArgs) -> Fleet<'a> {
        let connection = Err("not connected".to_string());
        Fleet { runtime, settings, connection, forgives: false, prepared: None }
    }

    fn connect(&mut self, server: &ServerArgs) -> Result<(), String> {
        // No signal handler is installed yet, so a signal ends the coordinator at once.
        let interrupt = Interrupt::new();
        let connected = self.runtime.block_on(async {
            let connected = || connect(server, "fleet coordinator", None);
            let context = retry_at_start(&interrupt, connected).await?;
            let signer = match &server.nkey {
                Some(path) => Signer::read("--nkey", path)?,
                // All workers may have the same credentials.
                None => Signer::kept("coordinator")?,
            };
            let is_private = is_private(&server.nats, &context);
            Ok(Connection { context, signer: Arc::new(signer), is_private })
        });
        self.connection = connected.map_err(|error: QueueError| error.to_string());
        self.connection.as_ref().map(drop).map_err(Clone::clone)
    }
}

impl Source for Fleet<'_> {
    const KEEPS_NAMES: bool = true;

    fn prepare(&mut self, planned: &mut Match) -> Result<String, ExitError> {
        let connection = self.connection.as_ref().map_err(ExitError::usage)?;
        let prepared = PreparedMatch::of(planned, self.settings, connection, self.forgives)?;
        planned.ledger.retired = prepared.machines.failures.retirement.retired();
        if let Some(speed) = prepared.state.reference_speed {
            planned.remarks.push(format!(
                "time limits are for a machine with {speed} positions a second, and scaled for others"
            ));
        }
        let text = format!(
            "match {}: run `fleet work` to play it, on other machines with --coordinator {}",
            prepared.names.id(),
            connection.signer.key()
        );
        self.prepared = Some(prepared);
        // Workers watch the programs that they run; here their files need not stay open.
        planned.engines.programs = Programs::default();
        Ok(text)
    }

    fn play(&mut self, planned: &mut Match, progress: &Progress) -> Result<(), SourceError> {
        let Some(prepared) = &self.prepared else {
            return Err(SourceError::Source("not prepared".to_string()));
        };
        let plan = planned.plan.clone();
        let schedule = Schedule::new(&plan).map_err(RunError::from)?;
        let interrupt = planned.ledger.interrupt.clone();
        let sample = Sample::new(self.settings.check_sample, rand::random());
        let played = self.runtime.block_on(async {
            let mut coordinator = Coordinator {
                prepared,
                queue: retry_at_start(&interrupt, || prepared.ensure_queue()).await?,
                announcer: Announcer::new(prepared),
                collector: Collector::new(prepared, &plan, &schedule, planned, progress, sample),
                interrupt,
                is_announced: false,
                published: 0,
                next_looked_up: 0,
                slots: 0,
                was_idle: false,
                has_withdrawn: false,
                live: None,
            };
            let outcome = coordinator.run().await;
            // A match that another coordinator has taken over is not this one's to close.
            if !matches!(outcome, Err(DriveError::Taken { .. })) {
                coordinator.close(outcome.is_ok()).await;
            }
            outcome
        });
        Ok(played?)
    }

    fn remarks(&self, ended: &Match) -> String {
        let Some(store) = &ended.ledger.store else {
            return String::new();
        };
        let report = || {
            let note = MatchNote::read(store)?;
            let set_aside = note.map(|note| note.set_aside).unwrap_or_default();
            machines::report(store, &ended.plan, &set_aside)
        };
        report().unwrap_or_else(|error: ArchiveError| format!("machines: {error}\n"))
    }

    fn clean_up(&mut self, complete: &Match) {
        let store = complete.ledger.store.as_ref();
        let note = store.and_then(|store| MatchNote::read(store).ok().flatten());
        let names = note.and_then(|note| note.names());
        if let (Ok(connection), Some(names)) = (&self.connection, names) {
            self.runtime.block_on(announce::remove(connection, &names));
        }
    }
}

struct Coordinator<'a> {
    prepared: &'a PreparedMatch,
    queue: MatchQueue,
    announcer: Announcer<'a>,
    collector: Collector<'a>,
    interrupt: Interrupt,
    /// Whether units may be given out.
    is_announced: bool,
    /// Number of published messages.
    published: u64,
    /// First unit that the next repair looks up.
    next_looked_up: u64,
    /// Units that all workers together can play concurrently.
    slots: u64,
    /// Whether the last repair found outstanding units that no worker had.
    was_idle: bool,
    /// Whether the units that no worker had started were taken back.
    has_withdrawn: bool,
    /// Workers that have sent a heartbeat, and the time of the list.
    live: Option<(Vec<Key>, Instant)>,
}

impl Coordinator<'_> {
    /// Plays the missing games of the match by its workers.
    async fn run(&mut self) -> Result<(), DriveError> {
        let begun = Instant::now();
        let mut repaired = begun;
        let mut reported = ReportedError::default();
        while !self.must_stop() {
            let mut outcome = if !self.is_announced {
                self.announce().await
            } else if self.collector.units.is_over() {
                // Games after the deciding block are recorded but not counted.
                let _ = self.collect_waiting().await;
                if self.collector.units.is_over() {
                    return Ok(());
                }
                continue;
            } else {
                self.turn().await
            };
            if outcome.is_ok() && repaired.elapsed() > REPAIR_INTERVAL {
                repaired = Instant::now();
                outcome = self.repair().await;
            }
            match outcome {
                Ok(()) => {}
                Err(DriveError::Queue(error))
                    if self.is_announced || begun.elapsed() < START_TIMEOUT =>
                {
                    reported.print(&error);
                    tokio::time::sleep(RETRY_PAUSE).await;
                    // If the connection is up, this finds and repairs the cause.
                    if self.is_announced
                        && let Err(error) = self.repair().await
                        && !matches!(error, DriveError::Queue(_))
                    {
                        return Err(error);
                    }
                }
                // The interrupt has stopped the rules program, too.
                Err(DriveError::Rules(_)) if self.interrupt.is_set() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Announces the match. Units of an earlier session are no longer valid.
    async fn announce(&mut self) -> Result<(), DriveError> {
        self.queue.purge_work().await?;
        self.announcer.announce().await?;
        self.collect_waiting().await?;
        self.is_announced = true;
        Ok(())
    }

    /// Publishes units, or takes them back after an interrupt; then collects results for a moment.
    async fn turn(&mut self) -> Result<(), DriveError> {
        if self.interrupt.ends() {
            self.withdraw().await?;
        } else {
            self.give_out().await?;
            if !self.collector.units.sample.due().is_empty() {
                self.choose_workers().await?;
            }
        }
        self.receive().await.map(drop)
    }

    /// Publishes a few more units than workers can play concurrently.
    async fn give_out(&mut self) -> Result<(), DriveError> {
        while !self.collector.units.is_decided() {
            let units = &mut self.collector.units;
            let wanted = (2 * self.slots + SPARE).min(MAX_OUT).saturating_sub(units.given());
            let due: Vec<u64> =
                (0..wanted.min(MAX_UNACKNOWLEDGED)).map_while(|_| units.next_due()).collect();
            if due.is_empty() {
                break;
            }
            self.publish(&due).await?;
        }
        Ok(())
    }

    /// Publishes units, then waits for all acknowledgements together, so that a distant server does not slow a large
    /// fleet down. Units that are not acknowledged are lost.
    ///
    /// # Errors
    /// The first error, after all answers.
    async fn publish(&mut self, due: &[u64]) -> Result<(), DriveError> {
        let units = &mut self.collector.units;
        let PreparedMatch { connection, names, state, .. } = self.prepared;
        let (subject, mut sent) = (names.work(), Vec::with_capacity(due.len()));
        for &unit in due {
            self.published += 1;
            units.note_published(unit);
            let id = format!("{:016x}.{}", state.session, self.published);
            let work = units.work(unit)?.encode(&connection.signer, &subject);
            sent.push(match work {
                Ok(work) => publish(&connection.context, subject.clone(), &id, work).await,
                Err(error) => Err(error.into()),
            });
        }
        let answers = sent.into_iter().map(async |sent| sent?.await);
        let mut failed = None;
        for (&unit, answer) in due.iter().zip(join_all(answers).await) {
            match answer {
                Ok(sequence) => units.sent(unit, sequence),
                Err(error) => {
                    units.lose(unit);
                    failed.get_or_insert(error);
                }
            }
        }
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Collects the results that the server holds now. More may arrive meanwhile, without end.
    async fn collect_waiting(&mut self) -> Result<(), DriveError> {
        let mut waiting = self.queue.waiting_results().await?;
        while waiting > 0 {
            match self.receive().await? {
                0 => break,
                received => waiting = waiting.saturating_sub(received),
            }
        }
        Ok(())
    }

    /// Collects results for a moment; returns their number. Gives out units in the meantime.
    async fn receive(&mut self) -> Result<u64, DriveError> {
        let mut batch = self
            .queue
            .consumer
            .batch()
            .max_messages(MAX_RECEIVED)
            .expires(RECEIVE_WAIT)
            .messages()
            .await
            .map_err(QueueError::call("results"))?;
        let mut received = 0;
        while let Some(message) = batch.next().await {
            let mut messages = vec![message.map_err(QueueError::call("results"))?];
            // Games that have arrived in the meantime are stored together.
            while let Some(Some(message)) = batch.next().now_or_never() {
                messages.push(message.map_err(QueueError::call("results"))?);
            }
            received += messages.len() as u64;
            self.collect(messages).await?;
            if self.is_announced && !self.interrupt.ends() {
                self.give_out().await?;
            }
        }
        Ok(received)
    }

    /// Counts what workers sent, answers the messages, and publishes which workers are set aside.
    async fn collect(&mut self, messages: Vec<Delivered>) -> Result<(), DriveError> {
        let is_alone = self.collector.units.failures.is_any()
            && self.live_workers().await.is_ok_and(|workers| workers.len() < 2);
        let payloads: Vec<&[u8]> = messages.iter().map(|message| &*message.payload).collect();
        let (answers, outcome) = self.collector.take(&payloads, is_alone)?;
        for (message, answer) in messages.iter().zip(answers) {
            // An unacknowledged message is delivered again; its game is a duplicate then.
            let _ = message.ack_with(answer).await;
        }
        outcome?;
        self.announcer.set_aside(&self.collector.set_aside).await;
        Ok(())
    }

    /// Compares the server's state with this coordinator's, repairs the differences, and publishes the tally.
    async fn repair(&mut self) -> Result<(), DriveError> {
        let Some(workers) = self.queue.workers().await? else {
            self.queue = self.prepared.ensure_queue().await?;
            self.announcer.checked = None;
            self.announcer.announce().await?;
            let units = count(self.collector.units.lose_all() as u64, "unit of games");
            print_error(format_args!("the server has lost the match: {units} given out again"));
            return Ok(());
        };
        if self.announcer.announce().await? {
            print_error("the server has lost the state of the match; published again");
        }
        self.repair_units(&workers).await?;
        Ok(self.announcer.put_tally(self.collector.tally()).await?)
    }

    /// Finds units that the server has lost or that no worker finishes, and marks them as lost; publishes late units
    /// for a second worker if nothing else is left to play.
    async fn repair_units(&mut self, workers: &Info) -> Result<(), DriveError> {
        let (queue, units) = (&self.queue, &mut self.collector.units);
        self.slots = workers.num_waiting as u64 + workers.num_ack_pending as u64;
        let mut lost = 0;
        for (unit, sequence) in units.first(self.next_looked_up, MAX_LOOKUPS, LOOKUP_AGE) {
            // A worker acknowledges a unit once the server has its games.
            if !queue.has_work(sequence).await? && queue.waiting_results().await? == 0 {
                units.lose(unit);
                lost += 1;
            }
            self.next_looked_up = unit + 1;
        }
        if lost > 0 {
            let lost = count(lost, "unit of games");
            print_error(format_args!("{lost} neither received nor queued; given out again"));
        }
        // The first result of a late unit counts.
        if workers.num_pending == 0 && (units.has_given_all() || units.given() >= MAX_OUT) {
            let late = units.late(workers.num_waiting, LATE_AGE);
            self.publish(&late).await?;
        }
        let (queue, units) = (&self.queue, &mut self.collector.units);
        let is_idle = workers.num_pending == 0
            && workers.num_ack_pending == 0
            && !units.first(0, 1, LOOKUP_AGE).is_empty()
            && queue.waiting_results().await? == 0;
        if is_idle && self.was_idle {
            // The server no longer delivers a unit that was delivered too often.
            queue.purge_work().await?;
            let units = count(units.lose_all() as u64, "unit of games");
            print_error(format_args!("{units} given out again: no worker finished it"));
        }
        self.was_idle = is_idle && !self.was_idle;
        units.note_stuck(self.prepared.ack_wait);
        Ok(())
    }

    /// Takes back, once, the units that no worker has started.
    async fn withdraw(&mut self) -> Result<(), DriveError> {
        if self.has_withdrawn {
            return Ok(());
        }
        let (queue, units) = (&self.queue, &mut self.collector.units);
        let mut queued = units.after(last_received(queue).await?);
        queued.sort_by_key(|&(_, sequence)| sequence);
        // The last first, since workers receive them from the front in the meantime.
        for (unit, sequence) in queued.into_iter().rev() {
            if last_received(queue).await? >= sequence {
                break;
            }
            // A worker that has received the unit since then plays it; its games count when the match is resumed.
            let _ = queue.work.delete_message(sequence).await;
            units.lose(unit);
        }
        self.has_withdrawn = true;
        Ok(())
    }

    /// Whether to stop now, although the match is not over: at once, or after an interrupt once the last units in play
    /// have come back.
    fn must_stop(&self) -> bool {
        let is_drained = self.has_withdrawn && self.collector.units.given() == 0;
        self.interrupt.is_set() || self.interrupt.ends() && is_drained
    }

    async fn close(&mut self, is_ok: bool) {
        let is_over = is_ok && self.collector.units.is_over();
        self.announcer.close(is_over, self.collector.tally()).await;
        if !is_over {
            // Units that stay on the server are played, and count when the match is resumed.
            let _ = self.queue.purge_work().await;
        }
    }

    /// The workers that have sent a heartbeat, as of the last two seconds, and whose games may count.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer.
    async fn live_workers(&mut self) -> Result<Vec<Key>, QueueError> {
        if self.live.as_ref().is_none_or(|(_, at)| at.elapsed() >= LIST_INTERVAL) {
            let beats = Bucket::find(&self.prepared.connection.context, BEATS).await?;
            let keys = match beats {
                Some(beats) => beats.keys("").await?,
                None => Vec::new(),
            };
            self.live = Some((keys, Instant::now()));
        }
        let keys = self.live.iter().flat_map(|(keys, _)| keys);
        Ok(keys.filter(|key| self.collector.admits(key.as_str())).cloned().collect())
    }

    /// Chooses a live worker for each unit that needs one, and sends it the unit.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer.
    async fn choose_workers(&mut self) -> Result<(), DriveError> {
        let workers = self.live_workers().await?;
        let PreparedMatch { connection, names, ack_wait, .. } = self.prepared;
        let Some(beats) = Bucket::find(&connection.context, BEATS).await? else {
            return Ok(());
        };
        for (unit, chosen) in self.collector.units.sample.due().into_iter().take(MAX_CHOICES) {
            let sample = &mut self.collector.units.sample;
            if let Some(chosen) = chosen {
                let key = &chosen.key;
                let beat: Option<Beat> = beats.get_readable(key.as_str(), key).await?;
                let doublings = sample.silent(unit).min(MAX_DOUBLINGS);
                let longest = *ack_wait * MAX_SILENCES * (1 << doublings);
                let playing = (names.id().to_string(), unit);
                let is_playing = beat.is_some_and(|beat| beat.assigned.contains(&playing));
                if is_playing && chosen.since.elapsed() < longest {
                    let until = Instant::now() + *ack_wait;
                    sample.choose(unit, Chosen { until, ..chosen });
                    continue;
                }
                sample.give_up(unit);
            }
            if let Some(key) = self.find(unit, &workers, &beats).await? {
                self.assign(unit, &key).await?;
                let since = Instant::now();
                let until = since + *ack_wait;
                let chosen = Chosen { key, since, until };
                self.collector.units.sample.choose(unit, chosen);
            }
        }
        Ok(())
    }

    /// Finds a worker that may play a unit and plays this match.
    async fn find(
        &self,
        unit: u64,
        workers: &[Key],
        beats: &Bucket,
    ) -> Result<Option<Key>, QueueError> {
        let sample = &self.collector.units.sample;
        let may_choose = |again| {
            let fit = workers.iter().filter(|key| sample.may_choose(unit, key, again));
            fit.collect::<Vec<&Key>>()
        };
        let mut found = may_choose(false);
        if found.is_empty() {
            found = may_choose(true);
        }
        for &key in found.sample(&mut rand::rng(), MAX_CANDIDATES) {
            let beat: Option<Beat> = beats.get_readable(key.as_str(), key).await?;
            let id = self.prepared.names.id();
            if beat.is_some_and(|beat| beat.joined.iter().any(|joined| joined == id)) {
                return Ok(Some(key.clone()));
            }
        }
        Ok(None)
    }

    /// Sends a unit to one worker.
    async fn assign(&self, unit: u64, key: &Key) -> Result<(), DriveError> {
        let Connection { context, signer, .. } = &self.prepared.connection;
        let subject = self.prepared.names.assigned(key);
        let work =
            self.collector.units.work(unit)?.encode(signer, &subject).map_err(QueueError::from)?;
        let sent = context.client().publish(subject, work.into()).await;
        Ok(sent.map_err(QueueError::call("publish"))?)
    }
}

/// The last message of a unit that a worker has received.
async fn last_received(queue: &MatchQueue) -> Result<u64, DriveError> {
    let info =
        queue.work.consumer_info(WORKERS).await.map_err(QueueError::call("consumer of work"))?;
    Ok(info.delivered.stream_sequence)
}

/// Errors that stop a coordinated match.
#[derive(Debug, Error)]
pub enum DriveError {
    /// A game could not be stored or shown.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A call to the server failed; it can be repeated.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The rules refuse a move of the schedule or a card.
    #[error(transparent)]
    Rules(#[from] PositionError),
    #[error("another coordinator has taken over match {id}; run only one for each match")]
    Taken { id: String },
}

impl From<DriveError> for SourceError {
    fn from(error: DriveError) -> SourceError {
        match error {
            DriveError::Ledger(error) => SourceError::Ledger(error),
            DriveError::Rules(error) => RunError::from(error).into(),
            error => SourceError::Source(error.to_string()),
        }
    }
}
