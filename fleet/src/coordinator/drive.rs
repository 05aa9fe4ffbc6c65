//! Giving out and taking in, until the match is over.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use async_nats::jetstream::Context;
use futures_util::{FutureExt, StreamExt};
use matches::VERSION;
use matches::plan::Plan;
use matches::plan::binary;
use matches::plan::openings::OpeningError;
use matches::plan::schedule::Schedule;
use matches::play::runner::Retirement;
use matches::run::exit::complain;
use matches::run::ledger::{Ledger, LedgerError};
use matches::run::progress::Progress;
use matches::score::Verdict;
use thiserror::Error;
use tokio::time::timeout;

use super::ending::{self, Driven};
use super::outstanding::Outstanding;
use super::prepared::{Prepared, number};
use super::quarantine::Quarantine;
use super::retiring::LastFailures;
use super::sample::Sample;
use super::share;
use crate::args::ServerArgs;
use crate::message::{MessageError, OpenMatches, Phase, State, Tally};
use crate::names::{Names, OPEN};
use crate::plan_file::{self, PlanFileError};
use crate::queue::bucket::{Bucket, put_plan};
use crate::queue::notice::notify;
use crate::queue::{MatchQueue, PAUSE, QueueError, START_PATIENCE, patiently};
use crate::units::Units;

/// How long the coordinator waits for games before it looks around.
const WAIT: Duration = Duration::from_millis(250);
/// Games that are fetched at a time.
const MOST_FETCHED: usize = 256;
/// How often it is looked whether all is as it should be.
const WATCH_INTERVAL: Duration = Duration::from_secs(2);
/// How long an answer of the server may take.
const ANSWER_WAIT: Duration = Duration::from_secs(5);
/// How long a complaint is not said again.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(60);
/// How often the list of open matches is tried to be changed, where others do so at the same time.
const MOST_TRIES: usize = 20;

/// Why a match breaks off.
#[derive(Debug, Error)]
pub enum DriveError {
    /// A game cannot be kept or shown.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The server is of no use; what failed can be tried again.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// An opening cannot be played.
    #[error("opening: {0}")]
    Opening(#[from] OpeningError),
    /// The plan cannot be sent.
    #[error(transparent)]
    Plan(#[from] PlanFileError),
    /// There are no random numbers.
    #[error("{0}")]
    Random(String),
    /// Somebody else coordinates the match.
    #[error("another coordinator has taken over match {id}, expected one for each match")]
    Taken {
        /// The match.
        id: String,
    },
}

impl From<MessageError> for DriveError {
    fn from(error: MessageError) -> DriveError {
        DriveError::Queue(error.into())
    }
}

/// A match that is coordinated.
pub(super) struct Drive<'a> {
    pub(super) context: &'a Context,
    pub(super) names: &'a Names,
    pub(super) plan: &'a Plan,
    pub(super) schedule: &'a Schedule<'a>,
    pub(super) units: Units,
    pub(super) queue: MatchQueue,
    pub(super) matches: Bucket,
    pub(super) ledger: &'a mut Ledger,
    pub(super) progress: &'a Progress,
    pub(super) retirement: Retirement<'a>,
    /// On which machine each engine failed last.
    pub(super) last_failures: LastFailures,
    /// How fit each machine is.
    pub(super) quarantine: Quarantine,
    pub(super) played: &'a mut HashSet<u64>,
    pub(super) replays: Vec<u32>,
    pub(super) state: State,
    pub(super) tally: Tally,
    /// When that was told last.
    pub(super) tallied: Instant,
    pub(super) outstanding: Outstanding,
    /// Blocks that workers can play at a time, as far as is known.
    pub(super) slots: u64,
    /// How often something has been given out.
    pub(super) given: u64,
    /// Whether nothing was in anybody's hands when it was looked last.
    pub(super) was_idle: bool,
    /// Which units are played by two workers, and what is known of them.
    pub(super) sample: Sample,
    /// Whether what nobody had begun has been taken back, since the match is to end.
    pub(super) has_withdrawn: bool,
    /// Units that were late, and were given to a second worker.
    pub(super) given_twice: HashSet<u64>,
    /// Versions of messages that are not known, of which it has been said.
    pub(super) unknown_versions: HashSet<u32>,
    plan_bytes: Vec<u8>,
}

/// Plays a match by its workers.
pub(super) async fn drive(context: &Context, prepared: Prepared, server: &ServerArgs) -> Driven {
    let ack_wait = Duration::from_secs(server.ack_wait);
    let Prepared {
        plan,
        mut ledger,
        mut played,
        failures,
        replays,
        names,
        engines,
        reference_speed,
        ..
    } = prepared;
    let before = played.len();
    let begun = Instant::now();
    let progress = Progress::new(plan.games, before as u64);
    let interrupt = ledger.interrupt.clone();
    let outcome = async {
        let schedule = Schedule::new(&plan)?;
        let plan_bytes = plan_file::write(&plan)?;
        let state = State {
            phase: Phase::Open,
            arbiter: VERSION.to_string(),
            session: number().map_err(|(_, error)| DriveError::Random(error))?,
            plan: binary::hash_bytes(&plan_bytes),
            engines,
            ack_wait_ms: ack_wait.as_millis() as u64,
            set_aside: Vec::new(),
            reference_speed,
        };
        let mut drive = Drive {
            queue: patiently(&interrupt, || MatchQueue::ensure(context, &names, ack_wait)).await?,
            matches: patiently(&interrupt, || Bucket::matches(context)).await?,
            context,
            names: &names,
            plan: &plan,
            units: Units::of(&plan),
            schedule: &schedule,
            ledger: &mut ledger,
            progress: &progress,
            retirement: Retirement::new(&plan, &failures),
            last_failures: LastFailures::default(),
            quarantine: Quarantine::new(&plan, server.quarantine),
            played: &mut played,
            replays,
            state,
            tally: Tally::default(),
            tallied: begun,
            outstanding: Outstanding::default(),
            slots: 0,
            given: 0,
            was_idle: false,
            sample: Sample::new(
                server.check_sample,
                number().map_err(|(_, error)| DriveError::Random(error))?,
            ),
            has_withdrawn: false,
            given_twice: HashSet::new(),
            unknown_versions: HashSet::new(),
            plan_bytes,
        };
        drive.remember()?;
        let outcome = drive.run().await;
        let is_over = outcome.is_ok() && drive.is_over();
        // What another coordinator has taken over is no longer ours to end.
        if !matches!(outcome, Err(DriveError::Taken { .. })) {
            drive.leave(is_over).await;
        }
        outcome
    }
    .await;
    progress.finish();
    ledger.report.finish();
    Driven {
        plan,
        ledger,
        names,
        before,
        elapsed: begun.elapsed(),
        is_interrupted: interrupt.ends(),
        outcome,
    }
}

impl Drive<'_> {
    async fn run(&mut self) -> Result<(), DriveError> {
        let begun = Instant::now();
        let mut watched = begun;
        let mut has_begun = false;
        // What has been said of the server, and when: it may fail in one thing again and again.
        let mut said: Option<(String, Instant)> = None;
        while !self.is_told_to_end() {
            let mut outcome = match has_begun {
                false => self.begin().await,
                true if self.is_over() => match self.is_finished().await {
                    Ok(true) => return Ok(()),
                    outcome => outcome.map(drop),
                },
                true => self.turn().await,
            };
            has_begun |= outcome.is_ok();
            if outcome.is_ok() && watched.elapsed() > WATCH_INTERVAL {
                watched = Instant::now();
                outcome = self.watch().await;
            }
            match outcome {
                Ok(()) => {}
                Err(DriveError::Queue(error)) if has_begun || begun.elapsed() < START_PATIENCE => {
                    let text = error.to_string();
                    let is_new = |(before, at): &(String, Instant)| {
                        *before != text || at.elapsed() > COMPLAINT_INTERVAL
                    };
                    if said.as_ref().is_none_or(is_new) {
                        complain(format_args!("the server: {text}; it is tried again"));
                        said = Some((text, Instant::now()));
                    }
                    tokio::time::sleep(PAUSE).await;
                    // What is wrong beside the connection is found and mended there.
                    if has_begun
                        && let Err(error) = self.watch().await
                        && !matches!(error, DriveError::Queue(_))
                    {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Tells the workers of the match, and finds out what an earlier coordinator has left.
    async fn begin(&mut self) -> Result<(), DriveError> {
        self.announce().await?;
        self.take_waiting().await?;
        self.recover().await
    }

    /// Whether of a match that is over all is taken, and all machines are fit.
    async fn is_finished(&mut self) -> Result<bool, DriveError> {
        // What was played beyond the deciding block is recorded, and not counted.
        let _ = self.take_waiting().await;
        Ok(!self.look_for_the_last_time().await?)
    }

    /// Whether nothing is left to be played.
    pub(super) fn is_over(&self) -> bool {
        self.ledger.report.verdict() != Verdict::Open
            || self.retirement.leaves_nothing()
            || self.outstanding.is_done(self.units.count())
    }

    /// Gives out what may be, and takes what has come, for a moment.
    async fn turn(&mut self) -> Result<(), DriveError> {
        match self.ledger.interrupt.ends() {
            true => self.withdraw().await?,
            false => self.give_out().await?,
        }
        let batch = self.queue.consumer.batch();
        let batch = batch.max_messages(MOST_FETCHED).expires(WAIT);
        let batch = batch.messages().await;
        let mut batch = batch.map_err(QueueError::call("results"))?;
        while let Some(message) = batch.next().await {
            let mut messages = vec![message.map_err(QueueError::call("results"))?];
            // What has come meanwhile is stored together.
            while let Some(Some(message)) = batch.next().now_or_never() {
                messages.push(message.map_err(QueueError::call("results"))?);
            }
            self.take(messages).await?;
            if !self.ledger.interrupt.ends() {
                self.give_out().await?;
            }
        }
        Ok(())
    }

    /// Takes all that waits to be taken.
    async fn take_waiting(&mut self) -> Result<(), DriveError> {
        loop {
            let batch = self.queue.consumer.fetch().max_messages(MOST_FETCHED);
            let batch = batch.messages().await;
            let mut batch = batch.map_err(QueueError::call("results"))?;
            let mut messages = Vec::new();
            // Where the answer is lost there is no other end of it.
            while let Ok(Some(message)) = timeout(ANSWER_WAIT, batch.next()).await {
                messages.push(message.map_err(QueueError::call("results"))?);
            }
            if messages.is_empty() {
                return Ok(());
            }
            self.take(messages).await?;
        }
    }

    /// Tells the workers of the match, and what they need for it.
    pub(super) async fn announce(&mut self) -> Result<(), DriveError> {
        self.matches = Bucket::matches(self.context).await?;
        Bucket::beats(self.context).await?;
        put_plan(self.context, &self.state.plan, &self.plan_bytes).await?;
        let (engines, ids) = (&self.plan.engines, &self.state.engines);
        share::put(self.context, self.names, engines, ids).await?;
        self.put_state().await?;
        let id = self.names.id().to_string();
        change_open(&self.matches, |open| {
            if !open.ids.contains(&id) {
                open.ids.push(id.clone());
            }
        })
        .await?;
        notify(self.context).await;
        Ok(())
    }

    /// Tells the workers how the match is.
    pub(super) async fn put_state(&self) -> Result<(), QueueError> {
        self.matches.put(&self.names.state(), &self.state).await?;
        notify(self.context).await;
        Ok(())
    }

    /// Tells the workers that nothing is to be played any more, or for now; of a match that is over all is removed.
    async fn leave(&mut self, is_over: bool) {
        self.state.phase = if is_over { Phase::Over } else { Phase::Paused };
        // A server that does not hear it keeps what it has until the match is resumed.
        let _ = self.put_state().await;
        let _ = self.put_tally().await;
        if is_over {
            ending::clear(self.context, self.names).await;
        } else {
            let _ = self.queue.work.purge().await;
        }
    }
}

/// Changes the list of open matches, which other coordinators change, too.
pub(super) async fn change_open(
    matches: &Bucket,
    change: impl Fn(&mut OpenMatches),
) -> Result<(), QueueError> {
    let mut tries = 0;
    loop {
        let (open, revision) = matches.look_up::<OpenMatches>(OPEN).await?;
        let mut open = open.unwrap_or_default();
        let before = open.clone();
        change(&mut open);
        if open == before {
            return Ok(());
        }
        match matches.replace(OPEN, &open, revision).await {
            Err(_) if tries < MOST_TRIES => tries += 1,
            outcome => return outcome,
        }
    }
}
