//! Collecting results: each game is checked, stored, counted once, and shown.

mod receive;
mod set_aside;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::{Context, Message as Delivered};
use buxtehude::rules::is_card;
use matches::luck::Evaluator;
use matches::plan::Plan;
use matches::plan::schedule::{Schedule, ScheduledGame};
use matches::play::referee::count_reruns;
use matches::play::runner::{Event, Played, Retirement};
use matches::record::GameRecord;
use matches::run::Match;
use matches::run::past::LastFailures;
use matches::run::progress::Progress;
use matches::score::Verdict;

use super::DriveError;
use super::prepare::PreparedMatch;
use super::sample::Sample;
use crate::args::CoordinatorArgs;
use crate::message::{Tally, Work, WorkerTally};
use crate::names::BEATS;
use crate::queue::{Bucket, QueueError};
use crate::signature::{Key, id_in, id_of};
use crate::units::Units;

/// Time between two lists of the live workers.
const LIST_INTERVAL: Duration = Duration::from_secs(2);

/// Units whose state changes with the games just collected.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Every game of the unit counts.
    pub complete: Vec<u64>,
    /// A worker has played the unit, and another must agree.
    pub claimed: Vec<u64>,
    /// A game of the unit has left the count, or its claim was dropped, because its worker was set aside.
    pub uncounted: Vec<u64>,
}

pub struct Collector<'a> {
    context: &'a Context,
    prepared: &'a PreparedMatch,
    plan: &'a Plan,
    schedule: &'a Schedule<'a>,
    /// Evaluator of the luck that workers measure, if they do.
    luck: Option<Evaluator>,
    units: Units,
    planned: &'a mut Match,
    progress: &'a Progress,
    /// Units that two workers play.
    pub sample: Sample,
    retirement: Retirement,
    last_failures: LastFailures,
    /// Names of the workers by the ids of their keys; a worker keeps its first label.
    workers: HashMap<String, String>,
    /// Ids of the keys of the workers that are set aside.
    pub set_aside: BTreeSet<String>,
    /// Names of those whose games are still in the store, with the reasons.
    leaving: Vec<(String, String)>,
    /// Number of faults of the rules program that could not be reproduced, by the worker's name.
    rules_faults: HashMap<String, u32>,
    tally: Tally,
    /// Live workers, and the time of the list.
    live: Option<(Arc<[Key]>, Instant)>,
    /// Number of messages whose author is unknown.
    anonymous: u64,
    changes: Changes,
}

/// A game that counts.
struct Accepted {
    worker: String,
    record: GameRecord,
}

impl<'a> Collector<'a> {
    /// Starts from the games and workers in the store.
    ///
    /// # Errors
    /// [`DriveError::Ledger`] if the store cannot be read.
    pub fn new(
        context: &'a Context,
        prepared: &'a PreparedMatch,
        plan: &'a Plan,
        schedule: &'a Schedule<'a>,
        planned: &'a mut Match,
        progress: &'a Progress,
        settings: &CoordinatorArgs,
    ) -> Result<Collector<'a>, DriveError> {
        let mut collector = Collector {
            context,
            prepared,
            plan,
            schedule,
            luck: planned.luck.clone().filter(|_| !plan.luck.after),
            units: Units::of(plan),
            retirement: Retirement::new(plan, &planned.past.failures),
            planned,
            progress,
            sample: Sample::new(settings.check_sample, rand::random()),
            last_failures: LastFailures::default(),
            workers: HashMap::new(),
            set_aside: BTreeSet::new(),
            leaving: Vec::new(),
            rules_faults: HashMap::new(),
            tally: Tally::default(),
            live: None,
            anonymous: 0,
            changes: Changes::default(),
        };
        collector.recall_workers()?;
        Ok(collector)
    }

    /// Whether the test has decided, or all engines of the missing games are retired.
    pub fn is_decided(&self) -> bool {
        let verdict = self.planned.ledger.report.verdict();
        verdict != Verdict::Open || self.retirement.leaves_nothing()
    }

    /// Whether games of the worker with this key may count.
    pub fn admits(&self, key: &str) -> bool {
        let listed = self.prepared.workers.as_ref();
        listed.is_none_or(|listed| listed.contains(key)) && !self.set_aside.contains(id_of(key))
    }

    /// Whether games of a unit are missing, no worker has claimed it, and no engine of it is retired.
    pub fn is_due(&self, unit: u64) -> bool {
        let seats = self.schedule.seats(*self.units.games(unit).start());
        let mut engines = seats.iter().map(|seated| seated.engine);
        !engines.any(|engine| self.retirement.has_retired(engine))
            && self.misses_games_of(unit)
            && !self.sample.is_claimed(unit)
    }

    pub fn misses_games_of(&self, unit: u64) -> bool {
        let mut games = self.units.games(unit);
        games.any(|game| !self.planned.past.played.contains(&game))
    }

    /// The message that gives a unit to a worker.
    ///
    /// # Errors
    /// [`DriveError::Rules`] if a rules program fails.
    pub fn work(&self, unit: u64) -> Result<Work, DriveError> {
        let games = self.units.games(unit);
        Ok(Work {
            session: self.prepared.session,
            unit,
            first: *games.start(),
            last: *games.end(),
            reruns: self.planned.past.reruns.clone(),
            dealt: self.schedule.dealt(*games.start())?,
        })
    }

    pub fn tally(&mut self) -> &Tally {
        self.tally.stored = self.planned.past.played.len() as u64;
        self.tally.games = self.plan.games;
        &self.tally
    }

    /// Takes in what workers sent. All its games are stored in one transaction before any message is acknowledged.
    ///
    /// # Errors
    /// [`DriveError`] stops the match: a game cannot be stored, or the rules program has failed.
    pub async fn take(&mut self, messages: Vec<Delivered>) -> Result<Changes, DriveError> {
        let (mut accepted, mut failed) = (Vec::new(), None);
        let mut answered = Vec::with_capacity(messages.len());
        for message in messages {
            match self.check_message(&message, &mut accepted) {
                Ok(answer) => answered.push((message, answer)),
                // The games before it are stored first.
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        // One refused game of a worker discredits the others.
        let is_set_aside = |game: &Accepted| self.set_aside.contains(id_in(&game.worker));
        let (dropped, accepted): (Vec<_>, Vec<_>) = accepted.into_iter().partition(is_set_aside);
        let dropped = dropped.iter().map(|game| self.units.of_game(game.record.game));
        self.changes.uncounted.extend(dropped);
        let records: Vec<&GameRecord> = accepted.iter().map(|game| &game.record).collect();
        self.planned.ledger.keep(&records)?;
        for game in accepted {
            self.count(game).await?;
        }
        self.take_out()?;
        for (message, answer) in answered {
            // An unacknowledged message is delivered again; its game is a duplicate then.
            let _ = message.ack_with(answer).await;
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(std::mem::take(&mut self.changes)),
        }
    }

    /// Counts and shows a game that is stored.
    async fn count(&mut self, game: Accepted) -> Result<(), DriveError> {
        let Accepted { worker, record } = game;
        let (is_fault, unit) = (record.fault.is_some(), self.units.of_game(record.game));
        for rerun in &record.reruns {
            let (game, reason) = (record.game, rerun.reason.clone());
            self.show(&Event::Rerun { game, reason })?;
        }
        if self.planned.ledger.events.is_some() {
            for event in turn_events(self.schedule.game(record.game)?, &record) {
                self.show(&event)?;
            }
        }
        count_reruns(&self.plan.engines, &record, &mut self.planned.past.reruns);
        let retired = if self.counts_as_failure(&record, &worker).await {
            self.retirement.note(&record)
        } else {
            None
        };
        self.planned.past.played.insert(record.game);
        self.show(&Event::Ended(Box::new(record)))?;
        self.count_worker(&worker, |tally| {
            tally.games += 1;
            tally.faults += u64::from(is_fault);
        });
        if let Some((engine, failures)) = retired {
            let engine = self.plan.engines[engine].name.clone();
            self.show(&Event::Retired { engine, failures })?;
        }
        if !self.misses_games_of(unit) {
            self.changes.complete.push(unit);
            self.sample.complete(unit);
        }
        Ok(())
    }

    /// Whether a game counts towards the retirement of engines that fail in a row. An engine that fails again on the
    /// same machine does not count while there are other machines.
    async fn counts_as_failure(&mut self, record: &GameRecord, worker: &str) -> bool {
        let is_same = self.last_failures.note(record, worker);
        if !is_same {
            return true;
        }
        // If the server does not answer, the next failure counts.
        self.live_workers().await.is_ok_and(|workers| workers.len() < 2)
    }

    /// The workers that have sent a heartbeat, as of the last two seconds, and whose games may count.
    ///
    /// # Errors
    /// [`QueueError`] if the server does not answer.
    pub async fn live_workers(&mut self) -> Result<Arc<[Key]>, QueueError> {
        if let Some((keys, at)) = &self.live
            && at.elapsed() < LIST_INTERVAL
        {
            return Ok(keys.clone());
        }
        let keys = match Bucket::find(self.context, BEATS).await? {
            Some(beats) => beats.keys("").await?,
            None => Vec::new(),
        };
        let admitted = keys.iter().filter(|key| self.admits(key));
        let keys: Arc<[Key]> = admitted.filter_map(|key| key.parse().ok()).collect();
        self.live = Some((keys.clone(), Instant::now()));
        Ok(keys)
    }

    fn show(&mut self, event: &Event) -> Result<(), DriveError> {
        let ledger = &mut self.planned.ledger;
        Ok(ledger.show(self.plan, event, self.progress)?)
    }

    fn count_worker(&mut self, worker: &str, count: impl Fn(&mut WorkerTally)) {
        count(self.tally.workers.entry(worker.to_string()).or_default());
    }
}

/// Returns the events of a game: its start, then each move and card after its opening.
fn turn_events(game: ScheduledGame, record: &GameRecord) -> impl Iterator<Item = Event> {
    let words = record.moves.split_whitespace().skip(game.opening.len());
    let mut turns = record.turns.iter();
    let played = words.map(move |word| {
        Event::Played(Played {
            game: record.game,
            turn: if is_card(word) { None } else { turns.next().cloned() },
            word: word.to_string(),
        })
    });
    std::iter::once(Event::Begun(game)).chain(played)
}
