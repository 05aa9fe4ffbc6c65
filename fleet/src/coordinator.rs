//! `fleet match`, `fleet tournament` and `fleet resume`: the match is kept in a store on this machine; the server holds
//! only games to be played and games just played. `Coordinator` is the loop: give out, collect, publish, and repair
//! what the server has lost.

mod announce;
mod collect;
mod dispatch;
mod machines;
mod unit_schedule;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use async_nats::jetstream::{Context, Message as Delivered};
use futures_util::{FutureExt, StreamExt};
use matches::archive::ArchiveError;
use matches::own_files::NamedFile;
use matches::plan::Plan;
use matches::plan::openings::OpeningError;
use matches::plan::rules::PositionError;
use matches::plan::schedule::Schedule;
use matches::play::interrupt::Interrupt;
use matches::play::runner::RunError;
use matches::run::display::{Progress, count};
use matches::run::exit::{ExitError, USAGE, fail, print_error};
use matches::run::ledger::LedgerError;
use matches::run::{self, Engines, Match, Source, SourceError, StoredMatch};
use settings::args::{GameArgs, ResumeArgs};
use thiserror::Error;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::args::{CoordinatorArgs, ServerArgs};
use crate::queue::{
    MatchQueue, Names, PAUSE, QueueError, START_TIMEOUT, connect, is_private, retry_at_start,
};
use crate::signature::Signer;
use crate::storage::Bucket;
use announce::{Announcer, MatchNote, PreparedMatch};
use collect::Collector;
use dispatch::Dispatcher;
use unit_schedule::Sample;

/// Time that one turn waits for games.
const WAIT: Duration = Duration::from_millis(250);
/// Games fetched at a time.
const MAX_FETCHED: usize = 256;
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
const ANSWER_WAIT: Duration = Duration::from_secs(5);
/// Time before the same error of the server is printed again.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);

/// Coordinates a new match; returns its exit status.
pub fn begin(
    runtime: &Runtime,
    server: &ServerArgs,
    planned: Result<(Plan, Vec<String>), ExitError>,
    args: &GameArgs,
    settings: &CoordinatorArgs,
) -> ExitCode {
    let planned = match planned {
        Ok(planned) => planned,
        Err(error) => return error.exit(),
    };
    let mut fleet = Fleet::new(runtime, settings);
    let mut new = args.new_match();
    new.inputs.extend(inputs(server, settings));
    if !args.dry_run {
        if new.store.is_none() {
            return fail(USAGE, "--store: expected a new file for the match");
        }
        // Connects before the store is created, so that no file is left behind if there is no server.
        if let Err(error) = fleet.connect(server) {
            return fail(USAGE, error);
        }
    }
    run::begin(planned, &new, &mut fleet)
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
    let stored = StoredMatch { inputs: inputs(server, settings), ..args.stored_match() };
    run::resume(&stored, &mut fleet)
}

/// The files that a coordinator's flags name, besides those of `arbiter`.
fn inputs(server: &ServerArgs, settings: &CoordinatorArgs) -> Vec<NamedFile> {
    let workers = settings.workers.as_deref();
    let workers = workers.map(|path| NamedFile::input("--workers", path));
    server.files().into_iter().chain(workers).collect()
}

/// The workers that a server connects with this coordinator.
struct Fleet<'a> {
    runtime: &'a Runtime,
    settings: &'a CoordinatorArgs,
    context: Result<(Context, Signer), String>,
    /// Whether no other machine reaches the server.
    is_private: bool,
    /// Whether engines that retired in earlier runs play again.
    forgives: bool,
    prepared: Option<PreparedMatch>,
}

impl<'a> Fleet<'a> {
    fn new(runtime: &'a Runtime, settings: &'a CoordinatorArgs) -> Fleet<'a> {
        let context = Err("not connected".to_string());
        Fleet { runtime, settings, context, is_private: false, forgives: false, prepared: None }
    }

    fn connect(&mut self, server: &ServerArgs) -> Result<(), String> {
        // No signal handler is installed yet, so a signal ends the coordinator at once.
        let interrupt = Interrupt::new();
        let connected = retry_at_start(&interrupt, || connect(server, "fleet coordinator", None));
        let connected =
            self.runtime.block_on(connected).map_err(|error: QueueError| error.to_string());
        self.is_private = connected.as_ref().is_ok_and(|context| is_private(&server.nats, context));
        self.context = connected.and_then(|context| {
            let signer = match &server.nkey {
                Some(path) => Signer::read("--nkey", path),
                // All workers may have the same credentials.
                None => Signer::kept("coordinator"),
            };
            Ok((context, signer.map_err(|error| error.to_string())?))
        });
        self.context.as_ref().map(drop).map_err(Clone::clone)
    }
}

impl Source for Fleet<'_> {
    const KEEPS_NAMES: bool = true;

    fn prepare(&mut self, planned: &mut Match, _: Engines) -> Result<String, ExitError> {
        let (_, signer) = self.context.as_ref().map_err(ExitError::usage)?;
        let prepared = PreparedMatch::of(planned, self.settings, self.is_private, signer.key())?;
        if !self.forgives {
            planned.ledger.retired = prepared.machines.failures.retirement.retired();
        }
        if let Some(speed) = prepared.reference_speed() {
            planned.remarks.push(format!(
                "time limits are for a machine with {speed} positions a second, and scaled for others"
            ));
        }
        let text = format!(
            "match {}: run `fleet work` to play it, on other machines with --coordinator {}",
            prepared.names.id(),
            signer.key()
        );
        self.prepared = Some(prepared);
        Ok(text)
    }

    fn play(&mut self, planned: &mut Match, progress: &Progress) -> Result<(), SourceError> {
        let (Ok((context, signer)), Some(prepared)) = (&self.context, &self.prepared) else {
            return Err(SourceError::Source("not prepared".to_string()));
        };
        let forgives = self.forgives;
        let played = play(context, signer, prepared, self.settings, forgives, planned, progress);
        Ok(self.runtime.block_on(played)?)
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
        if let (Ok((context, signer)), Some(names)) = (&self.context, names) {
            self.runtime.block_on(announce::remove(context, signer, &names));
        }
    }
}

/// Plays the missing games of a match by its workers.
async fn play(
    context: &Context,
    signer: &Signer,
    prepared: &PreparedMatch,
    settings: &CoordinatorArgs,
    forgives: bool,
    planned: &mut Match,
    progress: &Progress,
) -> Result<(), DriveError> {
    let plan = planned.plan.clone();
    let schedule = Schedule::new(&plan)?;
    let interrupt = planned.ledger.interrupt.clone();
    let ack_wait = Duration::from_secs(settings.ack_wait);
    let names = &prepared.names;
    let queue = retry_at_start(&interrupt, || MatchQueue::ensure(context, names, ack_wait)).await?;
    let states = retry_at_start(&interrupt, || Bucket::matches(context)).await?;
    let announcer = Announcer::new(context, signer, prepared, &plan, states, ack_wait)?;
    let sample = Sample::new(settings.check_sample, rand::random());
    let mut coordinator = Coordinator {
        context,
        names,
        ack_wait,
        queue,
        announcer,
        dispatcher: Dispatcher::new(context, signer, prepared, ack_wait),
        collector: Collector::new(prepared, &plan, &schedule, planned, progress, sample, forgives),
        interrupt,
    };
    let outcome = coordinator.run().await;
    // A match that another coordinator has taken over is not this one's to close.
    if !matches!(outcome, Err(DriveError::Taken { .. })) {
        coordinator.close(outcome.is_ok()).await;
    }
    outcome
}

struct Coordinator<'a> {
    context: &'a Context,
    names: &'a Names,
    /// Time that a worker may be silent.
    ack_wait: Duration,
    queue: MatchQueue,
    announcer: Announcer<'a>,
    dispatcher: Dispatcher<'a>,
    collector: Collector<'a>,
    interrupt: Interrupt,
}

impl Coordinator<'_> {
    async fn run(&mut self) -> Result<(), DriveError> {
        let begun = Instant::now();
        let mut checked = begun;
        let mut has_begun = false;
        let mut reported = ReportedError::default();
        while !self.must_stop() {
            let mut outcome = if !has_begun {
                self.begin().await
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
            has_begun |= outcome.is_ok();
            if outcome.is_ok() && checked.elapsed() > CHECK_INTERVAL {
                checked = Instant::now();
                outcome = self.repair().await;
            }
            match outcome {
                Ok(()) => {}
                Err(DriveError::Queue(error)) if has_begun || begun.elapsed() < START_TIMEOUT => {
                    reported.print(&error);
                    tokio::time::sleep(PAUSE).await;
                    // If the connection is up, this finds and repairs the cause.
                    if has_begun
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
    async fn begin(&mut self) -> Result<(), DriveError> {
        self.queue.purge_work().await?;
        self.announcer.announce().await?;
        self.collect_waiting().await
    }

    /// Publishes units, or takes them back after an interrupt; then collects results for a moment.
    async fn turn(&mut self) -> Result<(), DriveError> {
        let (dispatcher, collector) = (&mut self.dispatcher, &mut self.collector);
        if self.interrupt.ends() {
            dispatcher.withdraw(&self.queue, &mut collector.units).await?;
        } else {
            dispatcher.give_out(&mut collector.units).await?;
            if !collector.units.sample.due().is_empty() {
                let workers = dispatcher.live_workers(|key| collector.admits(key)).await?;
                dispatcher.choose(&mut collector.units, &workers).await?;
            }
        }
        let mut batch = self
            .queue
            .consumer
            .batch()
            .max_messages(MAX_FETCHED)
            .expires(WAIT)
            .messages()
            .await
            .map_err(QueueError::call("results"))?;
        while let Some(message) = batch.next().await {
            let mut messages = vec![message.map_err(QueueError::call("results"))?];
            // Games that have arrived in the meantime are stored together.
            while let Some(Some(message)) = batch.next().now_or_never() {
                messages.push(message.map_err(QueueError::call("results"))?);
            }
            self.collect(messages).await?;
            if !self.interrupt.ends() {
                self.dispatcher.give_out(&mut self.collector.units).await?;
            }
        }
        Ok(())
    }

    /// Collects the results that the server holds now. More may arrive meanwhile, without end.
    async fn collect_waiting(&mut self) -> Result<(), DriveError> {
        let mut waiting = self.queue.waiting_results().await?;
        while waiting > 0 {
            let mut batch = self
                .queue
                .consumer
                .fetch()
                .max_messages(MAX_FETCHED)
                .messages()
                .await
                .map_err(QueueError::call("results"))?;
            let mut messages = Vec::new();
            // If the server's answer is lost, the batch has no end.
            while let Ok(Some(message)) = timeout(ANSWER_WAIT, batch.next()).await {
                messages.push(message.map_err(QueueError::call("results"))?);
            }
            if messages.is_empty() {
                break;
            }
            waiting = waiting.saturating_sub(messages.len() as u64);
            self.collect(messages).await?;
        }
        Ok(())
    }

    /// Counts what workers sent, answers the messages, and publishes which workers are set aside.
    async fn collect(&mut self, messages: Vec<Delivered>) -> Result<(), DriveError> {
        let collector = &mut self.collector;
        let is_alone = collector.has_failures() && {
            let workers = self.dispatcher.live_workers(|key| collector.admits(key)).await;
            workers.is_ok_and(|workers| workers.len() < 2)
        };
        let payloads: Vec<&[u8]> = messages.iter().map(|message| &*message.payload).collect();
        let collected = collector.take(&payloads, is_alone)?;
        for (message, answer) in messages.iter().zip(collected.answers) {
            // An unacknowledged message is delivered again; its game is a duplicate then.
            let _ = message.ack_with(answer).await;
        }
        if let Some(error) = collected.error {
            return Err(error);
        }
        self.announcer.set_aside(&self.collector.set_aside).await;
        Ok(())
    }

    /// Compares the server's state with this coordinator's, repairs the differences, and publishes the tally.
    async fn repair(&mut self) -> Result<(), DriveError> {
        let Some(workers) = self.queue.workers().await? else {
            return self.rebuild().await;
        };
        self.announcer.repair().await?;
        let units = &mut self.collector.units;
        self.dispatcher.repair(&self.queue, &workers, units).await?;
        self.announcer.put_tally_if_due(self.collector.tally()).await
    }

    /// Recreates the streams after the server has lost them.
    async fn rebuild(&mut self) -> Result<(), DriveError> {
        self.queue = MatchQueue::ensure(self.context, self.names, self.ack_wait).await?;
        self.announcer.announce().await?;
        let units = count(self.collector.units.lose_all() as u64, "unit of games");
        print_error(format_args!("the server has lost the match: {units} given out again"));
        Ok(())
    }

    /// Whether to stop now, although the match is not over.
    fn must_stop(&self) -> bool {
        self.interrupt.is_set() || self.interrupt.ends() && self.is_drained()
    }

    /// Whether the last units in play have come back after an interrupt.
    fn is_drained(&self) -> bool {
        self.dispatcher.has_withdrawn && self.collector.units.given() == 0
    }

    async fn close(&mut self, is_ok: bool) {
        let is_over = is_ok && self.collector.units.is_over();
        self.announcer.close(is_over, self.collector.tally()).await;
        if !is_over {
            // Units that stay on the server are played, and count when the match is resumed.
            let _ = self.queue.purge_work().await;
        }
    }
}

/// The last error of the server that was printed, to avoid repeating it constantly.
#[derive(Default)]
struct ReportedError(Option<(String, Instant)>);

impl ReportedError {
    fn print(&mut self, error: &QueueError) {
        let text = error.to_string();
        let is_repeated =
            |(last, at): &(String, Instant)| *last == text && at.elapsed() <= REPORT_INTERVAL;
        if !self.0.as_ref().is_some_and(is_repeated) {
            print_error(format_args!("server: {text}; retrying"));
            self.0 = Some((text, Instant::now()));
        }
    }
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
    #[error("opening: {0}")]
    Opening(#[from] OpeningError),
    /// The plan cannot be sent.
    #[error("{0}")]
    Plan(String),
    #[error("another coordinator has taken over match {id}; run only one for each match")]
    Taken { id: String },
}

impl From<DriveError> for SourceError {
    fn from(error: DriveError) -> SourceError {
        match error {
            DriveError::Ledger(error) => SourceError::Ledger(error),
            DriveError::Rules(error) => RunError::from(error).into(),
            DriveError::Opening(error) => RunError::from(error).into(),
            error => SourceError::Source(error.to_string()),
        }
    }
}
