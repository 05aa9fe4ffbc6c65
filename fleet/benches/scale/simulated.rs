//! Workers that only send messages, each over its own connection like a real one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, AckKind, Context, Message as Delivered};
use fleet::message::{Beat, Message, OpenMatches, Outcome as Sent, State, Work};
use fleet::names::{Names, OPEN};
use fleet::plan_file;
use fleet::queue::bucket::{Bucket, get_plan};
use fleet::queue::notice::Notices;
use fleet::queue::{about, acknowledged, publish, pull, workers_consumer};
use fleet::worker::{BEAT_INTERVAL, FAILURE_PAUSE, LOOK_INTERVAL, WAIT, progress_period};
use matches::VERSION;
use matches::plan::Plan;
use matches::plan::schedule::Schedule;
use matches::record::Machine;
use matches::record::digest::StoredGame;
use tokio::time::{interval_at, sleep};

use crate::Outcome;
use crate::game::random_game;

/// Number of workers that start at the same time.
const AT_A_TIME: usize = 100;
/// Time that the coordinator may take to open its match.
const PATIENCE: Duration = Duration::from_secs(60);

/// Statistics of all workers together.
#[derive(Default)]
pub struct Talk {
    games: AtomicU64,
    failures: AtomicU64,
    /// Times until games were acknowledged, in microseconds.
    acknowledged: Mutex<Vec<u64>>,
}

impl Talk {
    /// Resets the statistics.
    pub fn forget(&self) {
        self.games.store(0, Ordering::Relaxed);
        self.failures.store(0, Ordering::Relaxed);
        self.times().clear();
    }

    /// Number of games sent.
    pub fn games(&self) -> u64 {
        self.games.load(Ordering::Relaxed)
    }

    /// Formats the statistics.
    pub fn summary(&self) -> String {
        let mut times = self.times();
        times.sort_unstable();
        let at = |permille: usize| match times.len() {
            0 => 0.0,
            number => times[number * permille / 1000] as f64 / 1000.0,
        };
        format!(
            "{} games sent, acknowledged after {:.1} ms in the median, {:.1} at the 99th percentile; {} calls failed",
            self.games(),
            at(500),
            at(990),
            self.failures.load(Ordering::Relaxed)
        )
    }

    fn times(&self) -> std::sync::MutexGuard<'_, Vec<u64>> {
        self.acknowledged
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker's view of a match.
struct Match {
    names: Names,
    state: State,
    plan: &'static Plan,
    schedule: Schedule<'static>,
    game_time: Duration,
    talk: Arc<Talk>,
}

/// Starts `number` workers on the open match.
pub async fn begin(url: &str, number: usize, game_time: Duration) -> Outcome<Arc<Talk>> {
    let context = jetstream::new(async_nats::connect(url).await?);
    let begun = Instant::now();
    let (names, state) = loop {
        match open(&context).await {
            Ok(found) => break found,
            Err(error) if begun.elapsed() > PATIENCE => return Err(error),
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    };
    let plan = plan_file::read(&get_plan(&context, &state.plan).await?)?;
    // Needed until the process ends.
    let plan: &'static Plan = Box::leak(Box::new(plan));
    let talk = Arc::new(Talk::default());
    let played = Arc::new(Match {
        schedule: Schedule::new(plan)?,
        names,
        state,
        plan,
        game_time,
        talk: talk.clone(),
    });
    let begun = Instant::now();
    for first in (0..number).step_by(AT_A_TIME) {
        let some = (first..number.min(first + AT_A_TIME)).map(|worker| {
            let (url, played) = (url.to_string(), played.clone());
            tokio::spawn(async move {
                // Retries forever, like a real worker.
                let client = loop {
                    match async_nats::connect(&url).await {
                        Ok(client) => break client,
                        Err(_) => sleep(Duration::from_millis(500)).await,
                    }
                };
                let context = jetstream::new(client);
                let name = format!("simulated-{worker}");
                tokio::spawn(beat(context.clone(), name.clone(), played.talk.clone()));
                tokio::spawn(look(context.clone(), played.clone()));
                tokio::spawn(work(context, name, played));
            })
        });
        for connected in some.collect::<Vec<_>>() {
            connected.await?;
        }
    }
    println!("{number} workers connected in {:.1?}", begun.elapsed());
    Ok(talk)
}

async fn open(context: &Context) -> Outcome<(Names, State)> {
    let matches = Bucket::matches(context).await?;
    let open = matches.get::<OpenMatches>(OPEN).await?;
    let (open, _) = open.ok_or("no match is open")?;
    let id = open.ids.first().ok_or("no match is open")?;
    let names = Names::of(id).ok_or("no id")?;
    let state = matches.get::<State>(&names.state()).await?;
    let (state, _) = state.ok_or("no state")?;
    Ok((names, state))
}

async fn beat(context: Context, worker: String, talk: Arc<Talk>) {
    let beats = again(&talk, || Bucket::beats(&context)).await;
    loop {
        let beat = Beat {
            worker: worker.clone(),
            arbiter: VERSION.to_string(),
            concurrency: 1,
            ..Beat::default()
        };
        count(&talk, &beats.put(&worker, &beat).await);
        sleep(BEAT_INTERVAL).await;
    }
}

/// Sends the requests of a worker's poll.
async fn look(context: Context, played: Arc<Match>) {
    let mut notices = Notices::listen(&context).await;
    let matches = again(&played.talk, || Bucket::matches(&context)).await;
    loop {
        let names = &played.names;
        count(&played.talk, &matches.get::<State>(&names.state()).await);
        count(&played.talk, &matches.get::<OpenMatches>(OPEN).await);
        notices.next(LOOK_INTERVAL).await;
    }
}

async fn work(context: Context, worker: String, played: Arc<Match>) {
    let Ok(consumer) = workers_consumer(&context, &played.names) else {
        return;
    };
    loop {
        match pull(&context, &consumer, WAIT, || false).await {
            Ok(Some(message)) => {
                let outcome = play(&context, &worker, &played, &message).await;
                count(&played.talk, &outcome);
            }
            Ok(None) => {}
            Err(error) => {
                count(&played.talk, &Err::<(), _>(error));
                sleep(about(FAILURE_PAUSE)).await;
            }
        }
    }
}

async fn play(context: &Context, worker: &str, played: &Match, message: &Delivered) -> Outcome<()> {
    let work = Work::decode(&message.payload)?;
    let sequence = message.info().map_or(0, |info| info.stream_sequence);
    let period = progress_period(played.state.ack_wait_ms);
    let mut progress = interval_at((Instant::now() + period).into(), period);
    for number in work.first..=work.last {
        // Spreads the ends of games.
        let end = sleep(played.game_time.mul_f64(0.5 + rand::random::<f64>()));
        tokio::pin!(end);
        loop {
            tokio::select! {
                () = &mut end => break,
                _ = progress.tick() => message.ack_with(AckKind::Progress).await?,
            }
        }
        let dealt = work.dealt.clone();
        let mut record = random_game(played.plan, &played.schedule, number, dealt)?;
        record.machine = Some(Machine {
            worker: worker.to_string(),
            slots: 1,
            micros: 10_000_000,
            ..Machine::default()
        });
        let sent = Sent {
            worker: worker.to_string(),
            game: StoredGame {
                digest: Some(record.digest()),
                record,
                totals: None,
            },
        };
        let id = format!("{worker}.{sequence}.{number}");
        let begun = Instant::now();
        acknowledged(publish(context, played.names.result(), &id, &sent).await?).await?;
        let took = begun.elapsed().as_micros() as u64;
        played.talk.times().push(took);
        played.talk.games.fetch_add(1, Ordering::Relaxed);
    }
    message.double_ack().await
}

/// Retries a call until it succeeds, about every second.
async fn again<T, E, F>(talk: &Talk, call: impl Fn() -> F) -> T
where
    F: Future<Output = Result<T, E>>,
{
    loop {
        let outcome = call().await;
        count(talk, &outcome);
        match outcome {
            Ok(found) => return found,
            Err(_) => sleep(about(FAILURE_PAUSE)).await,
        }
    }
}

fn count<T, E>(talk: &Talk, outcome: &Result<T, E>) {
    if outcome.is_err() {
        talk.failures.fetch_add(1, Ordering::Relaxed);
    }
}
