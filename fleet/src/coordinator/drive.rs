//! The loop of a coordinated match: give out, collect, publish, and repair what the server has lost.

use std::time::{Duration, Instant};

use async_nats::jetstream::Context;
use async_nats::jetstream::Message as Delivered;
use futures_util::{FutureExt, StreamExt};
use matches::plan::schedule::Schedule;
use matches::play::interrupt::Interrupt;
use matches::run::Match;
use matches::run::exit::complain;
use matches::run::progress::Progress;
use tokio::time::timeout;

use super::DriveError;
use super::collect::{Changes, Collector};
use super::dispatch::Dispatcher;
use super::prepare::PreparedMatch;
use super::publish::Publisher;
use super::second::Chooser;
use crate::args::CoordinatorArgs;
use crate::names::Names;
use crate::queue::{Bucket, MatchQueue, PAUSE, QueueError, START_PATIENCE, patiently};
use crate::signature::Signer;
use crate::units::Units;

/// Time that one turn waits for games.
const WAIT: Duration = Duration::from_millis(250);
/// Games fetched at a time.
const MAX_FETCHED: usize = 256;
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
const ANSWER_WAIT: Duration = Duration::from_secs(5);
/// Time before the same complaint is printed again.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(60);

/// Plays the missing games of a match by its workers.
pub async fn play(
    context: &Context,
    signer: &Signer,
    prepared: &PreparedMatch,
    settings: &CoordinatorArgs,
    planned: &mut Match,
    progress: &Progress,
) -> Result<(), DriveError> {
    let plan = planned.plan.clone();
    let schedule = Schedule::new(&plan)?;
    let interrupt = planned.ledger.interrupt.clone();
    let ack_wait = Duration::from_secs(settings.ack_wait);
    let (session, names) = (prepared.session, &prepared.names);
    let queue = patiently(&interrupt, || MatchQueue::ensure(context, names, ack_wait)).await?;
    let states = patiently(&interrupt, || Bucket::matches(context)).await?;
    let units = Units::of(&plan);
    let publisher = Publisher::new(context, signer, prepared, &plan, states, ack_wait)?;
    let collector =
        Collector::new(context, prepared, &plan, &schedule, planned, progress, settings)?;
    let mut drive = Drive {
        context,
        names,
        ack_wait,
        queue,
        publisher,
        dispatcher: Dispatcher::new(context, signer, names, units, session),
        chooser: Chooser::new(context, signer, names, ack_wait),
        collector,
        interrupt,
    };
    let outcome = drive.run().await;
    // A match that another coordinator has taken over is not this one's to close.
    if !matches!(outcome, Err(DriveError::Taken { .. })) {
        drive.close(outcome.is_ok()).await;
    }
    outcome
}

struct Drive<'a> {
    context: &'a Context,
    names: &'a Names,
    /// Time that a worker may be silent.
    ack_wait: Duration,
    queue: MatchQueue,
    publisher: Publisher<'a>,
    dispatcher: Dispatcher<'a>,
    chooser: Chooser<'a>,
    collector: Collector<'a>,
    interrupt: Interrupt,
}

impl Drive<'_> {
    async fn run(&mut self) -> Result<(), DriveError> {
        let begun = Instant::now();
        let mut checked = begun;
        let mut has_begun = false;
        let mut complaints = Complaints::default();
        while !self.must_stop() {
            let mut outcome = match has_begun {
                false => self.begin().await,
                true if self.is_over() => {
                    // Games after the deciding block are recorded but not counted.
                    let _ = self.collect_waiting().await;
                    if self.is_over() {
                        return Ok(());
                    }
                    continue;
                }
                true => self.turn().await,
            };
            has_begun |= outcome.is_ok();
            if outcome.is_ok() && checked.elapsed() > CHECK_INTERVAL {
                checked = Instant::now();
                outcome = self.check().await;
            }
            match outcome {
                Ok(()) => {}
                Err(DriveError::Queue(error)) if has_begun || begun.elapsed() < START_PATIENCE => {
                    complaints.print(&error);
                    tokio::time::sleep(PAUSE).await;
                    // If the connection is up, the check finds and repairs the cause.
                    if has_begun
                        && let Err(error) = self.check().await
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
        self.publisher.announce().await?;
        self.collect_waiting().await
    }

    /// Publishes units, or takes them back after an interrupt; then collects results for a moment.
    async fn turn(&mut self) -> Result<(), DriveError> {
        if self.interrupt.ends() {
            self.dispatcher.withdraw(&self.queue).await?;
        } else {
            self.dispatcher.give_out(&self.collector).await?;
            self.chooser.choose(&mut self.collector).await?;
        }
        let batch = self.queue.consumer.batch();
        let batch = batch.max_messages(MAX_FETCHED).expires(WAIT);
        let batch = batch.messages().await;
        let mut batch = batch.map_err(QueueError::call("results"))?;
        while let Some(message) = batch.next().await {
            let mut messages = vec![message.map_err(QueueError::call("results"))?];
            // Games that have arrived in the meantime are stored together.
            while let Some(Some(message)) = batch.next().now_or_never() {
                messages.push(message.map_err(QueueError::call("results"))?);
            }
            self.collect(messages).await?;
            if !self.interrupt.ends() {
                self.dispatcher.give_out(&self.collector).await?;
            }
        }
        Ok(())
    }

    /// Collects the results that the server holds now. More may arrive meanwhile, without end.
    async fn collect_waiting(&mut self) -> Result<(), DriveError> {
        let mut waiting = self.queue.waiting_results().await?;
        while waiting > 0 {
            let batch = self.queue.consumer.fetch().max_messages(MAX_FETCHED);
            let batch = batch.messages().await;
            let mut batch = batch.map_err(QueueError::call("results"))?;
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

    async fn collect(&mut self, messages: Vec<Delivered>) -> Result<(), DriveError> {
        let changes = self.collector.take(messages).await?;
        self.apply(&changes).await;
        Ok(())
    }

    async fn apply(&mut self, changes: &Changes) {
        self.dispatcher.apply(changes);
        self.publisher.set_aside(&self.collector.set_aside).await;
    }

    /// Compares the server's state with this coordinator's, repairs the differences, and publishes the tally.
    async fn check(&mut self) -> Result<(), DriveError> {
        let Some(workers) = self.queue.workers().await? else {
            return self.rebuild().await;
        };
        self.publisher.check().await?;
        let (queue, collector) = (&self.queue, &self.collector);
        self.dispatcher.check(queue, &workers, collector).await?;
        for unit in self.dispatcher.stuck(self.ack_wait) {
            if self.collector.is_due(unit) {
                self.collector.sample.note_stuck(unit);
            }
        }
        self.publisher.put_tally_if_due(self.collector.tally()).await
    }

    /// Recreates the streams after the server has lost them.
    async fn rebuild(&mut self) -> Result<(), DriveError> {
        self.queue = MatchQueue::ensure(self.context, self.names, self.ack_wait).await?;
        self.publisher.announce().await?;
        let units = self.dispatcher.lose_all();
        complain(format_args!("the server has lost the match: {units} given out again"));
        Ok(())
    }

    fn is_over(&self) -> bool {
        let is_done = self.dispatcher.is_done() && !self.collector.sample.has_claimed();
        self.collector.is_decided() || is_done
    }

    /// Whether to stop now, although the match is not over.
    fn must_stop(&self) -> bool {
        self.interrupt.is_set() || self.interrupt.ends() && self.dispatcher.is_drained()
    }

    async fn close(&mut self, is_ok: bool) {
        let is_over = is_ok && self.is_over();
        self.publisher.close(is_over, self.collector.tally()).await;
        if !is_over {
            // Units that stay on the server are played, and count when the match is resumed.
            let _ = self.queue.purge_work().await;
        }
    }
}

/// The last complaint about the server, to avoid repeating it constantly.
#[derive(Default)]
struct Complaints(Option<(String, Instant)>);

impl Complaints {
    fn print(&mut self, error: &QueueError) {
        let text = error.to_string();
        let is_repeated =
            |(last, at): &(String, Instant)| *last == text && at.elapsed() <= COMPLAINT_INTERVAL;
        if !self.0.as_ref().is_some_and(is_repeated) {
            complain(format_args!("server: {text}; retrying"));
            self.0 = Some((text, Instant::now()));
        }
    }
}
