//! `fleet match`, `fleet tournament` and `fleet resume`: the match is kept in a store on this machine; the server holds
//! only games to be played and games just played. `Coordinator` is the loop: give out, collect, publish, and repair
//! what the server has lost.

mod announce;
mod collect;
mod dispatch;
mod machines;
mod unit_schedule;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::{Context, Message as Delivered};
use futures_util::{FutureExt, StreamExt};
use matches::archive::ArchiveError;
use matches::own_files::NamedFile;
use matches::plan::rules::PositionError;
use matches::plan::schedule::Schedule;
use matches::play::interrupt::Interrupt;
use matches::play::runner::RunError;
use matches::run::display::{Progress, count};
use matches::run::exit::{ExitError, USAGE, fail, print_error};
use matches::run::ledger::LedgerError;
use matches::run::{self, Engines, Match, NewMatch, Source, SourceError, StoredMatch};
use settings::args::{ResumeArgs, validate};
use thiserror::Error;
use tokio::runtime::Runtime;

use crate::args::{CoordinatorArgs, ServerArgs};
use crate::queue::{
    MatchQueue, PAUSE, QueueError, ReportedError, START_TIMEOUT, connect, is_private,
    retry_at_start,
};
use crate::signature::Signer;
use announce::{Announcer, MatchNote, PreparedMatch};
use collect::Collector;
use dispatch::Dispatcher;
use unit_schedule::Sample;

/// Time that one turn waits for games.
const WAIT: Duration = Duration::from_millis(250);
/// Results received at a time.
const MAX_RECEIVED: usize = 256;
/// Time between two comparisons of the server's state with the coordinator's.
const REPAIR_INTERVAL: Duration = Duration::from_secs(2);

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
    let stored = StoredMatch { inputs: inputs(server, settings), ..validate::stored_match(args) };
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

    fn prepare(&mut self, planned: &mut Match, _: Engines) -> Result<String, ExitError> {
        let connection = self.connection.as_ref().map_err(ExitError::usage)?;
        let prepared = PreparedMatch::of(planned, self.settings, connection)?;
        if !self.forgives {
            planned.ledger.retired = prepared.machines.failures.retirement.retired();
        }
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
                dispatcher: Dispatcher::new(prepared),
                collector: Collector::new(
                    prepared, &plan, &schedule, planned, progress, sample, self.forgives,
                ),
                interrupt,
                is_announced: false,
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
    dispatcher: Dispatcher<'a>,
    collector: Collector<'a>,
    interrupt: Interrupt,
    /// Whether units may be given out.
    is_announced: bool,
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
                    tokio::time::sleep(PAUSE).await;
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
        self.receive().await.map(drop)
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
            .expires(WAIT)
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
                self.dispatcher.give_out(&mut self.collector.units).await?;
            }
        }
        Ok(received)
    }

    /// Counts what workers sent, answers the messages, and publishes which workers are set aside.
    async fn collect(&mut self, messages: Vec<Delivered>) -> Result<(), DriveError> {
        let collector = &mut self.collector;
        let is_alone = collector.units.failures.is_any() && {
            let workers = self.dispatcher.live_workers(|key| collector.admits(key)).await;
            workers.is_ok_and(|workers| workers.len() < 2)
        };
        let payloads: Vec<&[u8]> = messages.iter().map(|message| &*message.payload).collect();
        let (answers, outcome) = collector.take(&payloads, is_alone)?;
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
        let units = &mut self.collector.units;
        let Some(workers) = self.queue.workers().await? else {
            self.queue = self.prepared.ensure_queue().await?;
            self.announcer.checked = None;
            self.announcer.announce().await?;
            let units = count(units.lose_all() as u64, "unit of games");
            print_error(format_args!("the server has lost the match: {units} given out again"));
            return Ok(());
        };
        if self.announcer.announce().await? {
            print_error("the server has lost the state of the match; published again");
        }
        self.dispatcher.repair(&self.queue, &workers, units).await?;
        Ok(self.announcer.put_tally(self.collector.tally()).await?)
    }

    /// Whether to stop now, although the match is not over: at once, or after an interrupt once the last units in play
    /// have come back.
    fn must_stop(&self) -> bool {
        let is_drained = self.dispatcher.has_withdrawn && self.collector.units.given() == 0;
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
