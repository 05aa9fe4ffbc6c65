//! Workers that only send messages, each over its own connection like a real one. Their games are legal, with the
//! scheduled cards and opening, and about as long as games between sensible players.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, AckKind, Context, Message as Delivered};
use buxtehude::rules::{Seat, Turn};
use fleet::message::{Beat, Message, OpenMatches, Outcome as Sent, State, Work, read_plan};
use fleet::queue::{self, Names, Notices, OPEN, about, acknowledged, publish, pull};
use fleet::signature::{Key, Signer};
use fleet::storage::{Bucket, get_plan};
use fleet::worker::{BEAT_INTERVAL, FAILURE_PAUSE, POLL_INTERVAL, WAIT, progress_period};
use matches::VERSION;
use matches::plan::Plan;
use matches::plan::deck::Deck;
use matches::plan::rules::Position;
use matches::plan::schedule::{Dealt, Schedule};
use matches::record::digest::StoredGame;
use matches::record::ending::Ending;
use matches::record::{GameRecord, Machine, TurnRecord};
use rand::RngExt;
use tokio::time::{interval_at, sleep};

use crate::Outcome;

/// Number of workers that start at the same time.
const AT_A_TIME: usize = 100;
/// Time that the coordinator may take to open its match.
const PATIENCE: Duration = Duration::from_secs(60);

/// Counts for all workers together.
#[derive(Default)]
pub struct Counts {
    /// Games sent.
    pub games: AtomicU64,
    /// Calls that failed.
    pub failures: AtomicU64,
}

impl Counts {
    pub fn reset(&self) {
        self.games.store(0, Ordering::Relaxed);
        self.failures.store(0, Ordering::Relaxed);
    }

    fn check<T, E>(&self, outcome: &Result<T, E>) {
        let is_failure = u64::from(outcome.is_err());
        self.failures.fetch_add(is_failure, Ordering::Relaxed);
    }
}

/// A match as the workers see it.
struct Match {
    names: Names,
    /// Key that signs its messages.
    coordinator: Key,
    state: State,
    plan: &'static Plan,
    schedule: Schedule<'static>,
    game_time: Duration,
    counts: Arc<Counts>,
}

/// Starts `number` workers on the open match.
pub async fn begin(url: &str, number: usize, game_time: Duration) -> Outcome<Arc<Counts>> {
    let context = jetstream::new(async_nats::connect(url).await?);
    let begun = Instant::now();
    let (names, coordinator, state) = loop {
        match open(&context).await {
            Ok(found) => break found,
            Err(error) if begun.elapsed() > PATIENCE => return Err(error),
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    };
    let plan = read_plan(&get_plan(&context, &state.plan).await?)?;
    // Needed until the process ends.
    let plan: &'static Plan = Box::leak(Box::new(plan));
    let counts = Arc::new(Counts::default());
    let played = Arc::new(Match {
        schedule: Schedule::new(plan)?,
        names,
        coordinator,
        state,
        plan,
        game_time,
        counts: counts.clone(),
    });
    let begun = Instant::now();
    for first in (0..number).step_by(AT_A_TIME) {
        let some = (first..number.min(first + AT_A_TIME)).map(|worker| {
            let (url, played) = (url.to_string(), played.clone());
            tokio::spawn(async move {
                let client = until_success(&played.counts, || async_nats::connect(&url)).await;
                let worker = Arc::new(Worker {
                    context: jetstream::new(client),
                    label: format!("simulated-{worker}"),
                    signer: Signer::default(),
                });
                tokio::spawn(beat(worker.clone(), played.clone()));
                tokio::spawn(poll(worker.context.clone(), played.clone()));
                tokio::spawn(work(worker, played));
            })
        });
        for connected in some.collect::<Vec<_>>() {
            connected.await?;
        }
    }
    println!("{number} workers connected in {:.1?}", begun.elapsed());
    Ok(counts)
}

/// A worker.
struct Worker {
    context: Context,
    label: String,
    signer: Signer,
}

async fn open(context: &Context) -> Outcome<(Names, Key, State)> {
    let matches = Bucket::matches(context).await?;
    let keys = matches.keys(OPEN).await?;
    let key: Key = keys.first().ok_or("no coordinator")?.parse()?;
    let open: Option<OpenMatches> = matches.get(&queue::open(&key), &key, "").await?;
    let id = open.as_ref().and_then(|open| open.ids.first()).ok_or("no match is open")?;
    let names = Names::of(id).ok_or("no id")?;
    let state = matches.get(&names.state(), &key, names.id()).await?;
    Ok((names, key, state.ok_or("no state")?))
}

async fn beat(worker: Arc<Worker>, played: Arc<Match>) {
    let counts = &played.counts;
    let beats = until_success(counts, || Bucket::beats(&worker.context)).await;
    let key = worker.signer.key().to_string();
    loop {
        let beat = Beat {
            label: worker.label.clone(),
            arbiter: VERSION.to_string(),
            concurrency: 1,
            ..Beat::default()
        };
        counts.check(&beats.put(&key, &beat, &worker.signer, "").await);
        sleep(BEAT_INTERVAL).await;
    }
}

/// Sends the requests of a worker's poll.
async fn poll(context: Context, played: Arc<Match>) {
    let mut notices = Notices::listen(&context).await;
    let matches = until_success(&played.counts, || Bucket::matches(&context)).await;
    loop {
        let (key, by) = (played.names.state(), &played.coordinator);
        let state = matches.get::<State>(&key, by, played.names.id());
        played.counts.check(&state.await);
        let key = queue::open(by);
        let open = matches.get::<OpenMatches>(&key, by, "");
        played.counts.check(&open.await);
        notices.next(POLL_INTERVAL).await;
    }
}

async fn work(worker: Arc<Worker>, played: Arc<Match>) {
    loop {
        let pulled = pull(&worker.context, &played.names, WAIT, || false).await;
        played.counts.check(&pulled);
        match pulled {
            Ok(Some(message)) => {
                let outcome = play(&worker, &played, &message).await;
                played.counts.check(&outcome);
            }
            Ok(None) => {}
            Err(_) => sleep(about(FAILURE_PAUSE)).await,
        }
    }
}

async fn play(worker: &Worker, played: &Match, message: &Delivered) -> Outcome<()> {
    let id = played.names.id();
    let work = Work::decode_by(&played.coordinator, &message.payload, id)?;
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
        let mut record = random_game(played.plan, &played.schedule, number, work.dealt.clone())?;
        record.machine = Some(Machine { slots: 1, micros: 10_000_000, ..Machine::default() });
        let sent = Sent {
            label: worker.label.clone(),
            game: StoredGame { digest: Some(record.digest()), record, totals: None },
        };
        let (key, bytes) = (worker.signer.key(), sent.encode(&worker.signer, id)?);
        let message_id = format!("{:032x}", rand::random::<u128>());
        let sent = publish(&worker.context, played.names.result(key), &message_id, bytes);
        acknowledged(sent.await?).await?;
        played.counts.games.fetch_add(1, Ordering::Relaxed);
    }
    message.double_ack().await
}

/// Retries a call until it succeeds, about every second.
async fn until_success<T, E, F>(counts: &Counts, call: impl Fn() -> F) -> T
where
    F: Future<Output = Result<T, E>>,
{
    loop {
        let outcome = call().await;
        counts.check(&outcome);
        match outcome {
            Ok(found) => return found,
            Err(_) => sleep(about(FAILURE_PAUSE)).await,
        }
    }
}

/// Plays a scheduled game by random moves, most of them towards the goal.
pub fn random_game(
    plan: &Plan,
    schedule: &Schedule<'_>,
    number: u64,
    dealt: Dealt,
) -> Outcome<GameRecord> {
    let game = schedule.game_dealt(number, dealt);
    let mut position = plan.rules.start(plan.seats)?;
    let start = position.to_string();
    let mut deck = Deck::new(game.deck_seed, plan.rules.draws());
    let (mut words, mut turns) = (Vec::new(), Vec::new());
    let mut opening = game.opening.iter();
    loop {
        let scheduled = opening.next().cloned();
        let word = match (position.turn(), scheduled) {
            (Turn::Over, _) => break,
            (Turn::Card(seat), scheduled) => {
                let drawn = deck.draw(seat, &position.outcomes());
                scheduled.unwrap_or(drawn)
            }
            (Turn::Seat(_), Some(word)) => word,
            (Turn::Seat(seat), None) => {
                let word = random_move(&position, seat);
                turns.push(TurnRecord {
                    seat: seat.index() as u32 + 1,
                    mv: word.clone(),
                    micros: Some(100),
                    depth: Some(1),
                    estimate: vec![500, 500],
                    nodes: Some(1),
                    ..TurnRecord::default()
                });
                word
            }
        };
        position.play(&word)?;
        words.push(word);
    }
    let name = |index: usize| plan.engines[game.seats[index].engine].name.clone();
    let place = |index: usize| position.place(Seat(index as u8)).unwrap_or_default() as u32;
    let seats = 0..game.seats.len();
    let places: Vec<u32> = seats.clone().map(place).collect();
    let ending =
        |&place: &u32| if place as usize == places.len() { Ending::Last } else { Ending::Finish };
    Ok(GameRecord {
        game: game.number,
        block: game.block,
        variant: plan.rules.name().to_string(),
        start,
        seats: seats.map(name).collect(),
        seed: plan.seed,
        moves: words.join(" "),
        endings: places.iter().map(ending).collect(),
        places,
        turns,
        ..GameRecord::default()
    })
}

/// Returns sometimes a random move, otherwise one that brings the seat closest to its goal.
fn random_move(position: &Position, seat: Seat) -> String {
    let moves = position.legal_actions();
    let mut rng = rand::rng();
    if rng.random_ratio(1, 4) {
        return moves[rng.random_range(0..moves.len())].clone();
    }
    let turns_home = |word: &&String| {
        let mut next = position.clone();
        // Legal moves can always be played.
        let _ = next.play(word);
        next.built_in()?.turns_home(seat)
    };
    let best = moves.iter().min_by_key(turns_home);
    best.cloned().unwrap_or_default()
}
