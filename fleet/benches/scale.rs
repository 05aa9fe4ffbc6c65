//! Cost of a fleet, and capacity of one coordinator and one nats-server.
//!
//! ```text
//! cargo bench -p fleet --bench scale -- workers --number 4 --nodes 1
//! cargo bench -p fleet --bench scale -- workers --number 4 --movetime 20
//! cargo bench -p fleet --bench scale -- simulated --number 10000 --stored 1000000
//! ```
//!
//! `workers` are real ones, with the built-in engine. `simulated` ones send the same messages as real ones, each over
//! its own connection, but invent their games: legal games of the schedule, by random moves, sent after a typical time.
//! The coordinator cannot tell them apart and does all of its work. Needs a nats-server in `NATS_SERVER` or the search
//! path.

#[path = "../tests/common"]
mod common {
    #![allow(dead_code)]
    pub mod fleet;
    pub mod server;
}

use std::error::Error;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, AckKind, Context, Message as Delivered};
use buxtehude::rules::{Seat, Turn, VARIANTS};
use clap::{Args, Parser, Subcommand};
use common::fleet::{FLEET, Fleet, Process};
use fleet::message::{
    Beat, GameResult, Message, OpenMatches, Outcome as Sent, State, Units, Work, read_plan,
};
use fleet::queue::{self, BEATS, MATCHES, Names, Notices, OPEN, about, publish, pull};
use fleet::signature::{Key, Signer};
use fleet::storage::{Bucket, get_plan};
use fleet::worker::{BEAT_INTERVAL, FAILURE_PAUSE, POLL_INTERVAL, UNIT_WAIT, progress_period};
use matches::VERSION;
use matches::archive::store::Store;
use matches::plan::deck::Deck;
use matches::plan::rules::Position;
use matches::plan::schedule::{Dealt, Schedule};
use matches::plan::{EngineSpec, Limit, Plan};
use matches::record::ending::Ending;
use matches::record::{GameRecord, Machine, TurnRecord};
use rand::RngExt;
use tokio::time::{interval_at, sleep};

/// Result of a measurement.
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Games of the match in addition to those already stored: more than are played.
const GAMES: u64 = 10_000_000;
/// Games stored in one transaction.
const TOGETHER: u64 = 1000;
/// Turns of a stored game.
const STORED_TURNS: usize = 12;

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    what: What,
    /// Given by `cargo bench`
    #[arg(long, global = true, hide = true)]
    bench: bool,
}

#[derive(Subcommand)]
enum What {
    /// Real workers with the built-in engine
    Workers {
        #[command(flatten)]
        common: Common,
        #[arg(long)]
        movetime: Option<u64>,
        #[arg(long, default_value = "1")]
        nodes: u64,
    },
    /// Workers that only send messages
    Simulated {
        #[command(flatten)]
        common: Common,
        /// Duration of a game
        #[arg(long, default_value = "10")]
        game_seconds: f64,
    },
}

#[derive(Args)]
struct Common {
    #[arg(long)]
    number: usize,
    /// Games in the store at the start
    #[arg(long, default_value = "0")]
    stored: u64,
    /// Duration of the measurement, after the warm-up
    #[arg(long, default_value = "20")]
    seconds: u64,
    /// Duration of the warm-up
    #[arg(long, default_value = "5")]
    warm_up: u64,
}

fn main() -> Outcome<()> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = match Cli::parse().what {
        What::Workers { common, movetime, nodes } => {
            let movetime = movetime.map(|ms| Limit::movetime(Duration::from_millis(ms)));
            let (mut fleet, coordinator) =
                begin(movetime.unwrap_or(Limit::nodes(nodes)), common.stored)?;
            let worker = |number| fleet.worker(&format!("worker-{number}"));
            let _workers: Vec<Process> = (0..common.number).map(worker).collect();
            report(&common, &fleet, &coordinator)
        }
        What::Simulated { common, game_seconds } => {
            let (fleet, coordinator) = begin(Limit::nodes(1), common.stored)?;
            let game_time = Duration::from_secs_f64(game_seconds);
            runtime.block_on(begin_simulated(&fleet.address, common.number, game_time))?;
            report(&common, &fleet, &coordinator)
        }
    };
    runtime.shutdown_background();
    outcome
}

/// Starts a server and the coordinator of a match with some games in its store.
fn begin(limit: Limit, stored: u64) -> Outcome<(Fleet, Process)> {
    let mut fleet = Fleet::new();
    fleet.ack_wait = 30;
    let engine = |name: &str| EngineSpec {
        args: vec!["engine".to_string()],
        ..EngineSpec::new(name, FLEET, limit)
    };
    let plan = Plan {
        games: stored + GAMES,
        ..Plan::new(&VARIANTS[0], 2, vec![engine("a"), engine("b")])
    };
    let mut store = Store::create(&fleet.store(), &plan)?;
    // Games that are stored are not checked again, so all may have the same turns.
    let schedule = Schedule::new(&plan)?;
    let mut pair = Vec::new();
    for number in 1..=2 {
        let mut game = random_game(&plan, &schedule, number, schedule.dealt(number)?)?;
        game.turns.truncate(STORED_TURNS);
        pair.push(game);
    }
    let numbered = |number: u64| GameRecord {
        game: number,
        block: number.div_ceil(2),
        ..pair[(number as usize - 1) % 2].clone()
    };
    let begun = Instant::now();
    for first in (1..=stored).step_by(TOGETHER as usize) {
        let last = (first + TOGETHER - 1).min(stored);
        let games: Vec<GameRecord> = (first..=last).map(numbered).collect();
        store.add(&games.iter().collect::<Vec<_>>())?;
    }
    if stored > 0 {
        println!("{stored} games stored in {:.1?}", begun.elapsed());
    }
    drop(store);
    let coordinator = fleet.resume();
    Ok((fleet, coordinator))
}

/// Measures for a while, and prints games per second, CPU time and memory.
fn report(common: &Common, fleet: &Fleet, coordinator: &Process) -> Outcome<()> {
    let pids = [coordinator.pid().as_raw_nonzero().get() as u32, fleet.server.pid()];
    let games = || coordinator.output().matches("  game ").count();
    let usages = || -> Outcome<[Usage; 2]> { Ok([usage(pids[0])?, usage(pids[1])?]) };
    std::thread::sleep(Duration::from_secs(common.warm_up));
    let (begun, games_before, before) = (Instant::now(), games(), usages()?);
    let simulated = [&SENT, &FAILURES];
    simulated.iter().for_each(|number| number.store(0, Ordering::Relaxed));
    std::thread::sleep(Duration::from_secs(common.seconds));
    let (after, seconds) = (usages()?, begun.elapsed().as_secs_f64());
    let played = (games() - games_before) as f64;
    println!(
        "{} workers: {:.1} games/s stored in {seconds:.1} s, {} stored before",
        common.number,
        played / seconds,
        common.stored
    );
    for (index, name) in ["coordinator", "nats-server"].into_iter().enumerate() {
        let cpu = (after[index].cpu - before[index].cpu).as_secs_f64();
        println!(
            "  {name}: {:.0} % of a processor, {:.0} µs a game; at most {:.0} MiB",
            100.0 * cpu / seconds,
            1e6 * cpu / played.max(1.0),
            after[index].most_kib as f64 / 1024.0
        );
    }
    let [games, failures] = simulated.map(|number| number.load(Ordering::Relaxed));
    if games + failures > 0 {
        println!("  {games} games sent; {failures} calls failed");
    }
    Ok(())
}

/// Resources used by a process.
struct Usage {
    cpu: Duration,
    /// Peak memory, in KiB.
    most_kib: u64,
}

fn usage(pid: u32) -> Outcome<Usage> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The program's name may contain spaces, and ends with the last bracket.
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(Usage {
        cpu: Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second()),
        most_kib: kib.ok_or("the process has ended")?.parse()?,
    })
}

/// Number of workers that start at the same time.
const AT_A_TIME: usize = 100;
/// Time that the coordinator may take to open its match.
const MAX_OPENING_TIME: Duration = Duration::from_secs(60);

/// Games that the simulated workers have sent.
static SENT: AtomicU64 = AtomicU64::new(0);
/// Their calls that failed.
static FAILURES: AtomicU64 = AtomicU64::new(0);

/// Counts the outcome of a call.
fn note<T, E>(outcome: &Result<T, E>) {
    FAILURES.fetch_add(u64::from(outcome.is_err()), Ordering::Relaxed);
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
}

/// Starts `number` workers on the open match.
async fn begin_simulated(url: &str, number: usize, game_time: Duration) -> Outcome<()> {
    let context = jetstream::new(async_nats::connect(url).await?);
    let begun = Instant::now();
    let (names, coordinator, state) = loop {
        match open(&context).await {
            Ok(found) => break found,
            Err(error) if begun.elapsed() > MAX_OPENING_TIME => return Err(error),
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    };
    let plan = read_plan(&get_plan(&context, &state.plan).await?)?;
    // Needed until the process ends.
    let plan: &'static Plan = Box::leak(Box::new(plan));
    let schedule = Schedule::new(plan)?;
    let played: &'static Match =
        Box::leak(Box::new(Match { schedule, names, coordinator, state, plan, game_time }));
    let begun = Instant::now();
    for first in (0..number).step_by(AT_A_TIME) {
        let some = (first..number.min(first + AT_A_TIME)).map(|worker| {
            let url = url.to_string();
            tokio::spawn(async move {
                let client = until_success(|| async_nats::connect(&url)).await;
                let worker = Arc::new(Worker {
                    context: jetstream::new(client),
                    label: format!("simulated-{worker}"),
                    signer: Signer::default(),
                });
                tokio::spawn(beat(worker.clone()));
                tokio::spawn(poll(worker.context.clone(), played));
                tokio::spawn(work(worker, played));
            })
        });
        for connected in some.collect::<Vec<_>>() {
            connected.await?;
        }
    }
    println!("{number} workers connected in {:.1?}", begun.elapsed());
    Ok(())
}

/// A worker that only sends messages, over its own connection like a real one.
struct Worker {
    context: Context,
    label: String,
    signer: Signer,
}

async fn open(context: &Context) -> Outcome<(Names, Key, State)> {
    let matches = Bucket::ensure(context, MATCHES).await?;
    let key = matches.keys(OPEN).await?.into_iter().next().ok_or("no coordinator")?;
    let open: Option<OpenMatches> = matches.get(&queue::open(&key), &key).await?;
    let id = open.as_ref().and_then(|open| open.ids.first()).ok_or("no match is open")?;
    let names = Names::of(id).ok_or("no id")?;
    let state = matches.get(&names.state(), &key).await?;
    Ok((names, key, state.ok_or("no state")?))
}

async fn beat(worker: Arc<Worker>) {
    let beats = until_success(|| Bucket::ensure(&worker.context, BEATS)).await;
    loop {
        let beat = Beat {
            label: worker.label.clone(),
            arbiter: VERSION.to_string(),
            concurrency: 1,
            ..Beat::default()
        };
        note(&beats.put(worker.signer.key().as_str(), &beat, &worker.signer).await);
        sleep(BEAT_INTERVAL).await;
    }
}

/// Sends the requests of a worker's poll.
async fn poll(context: Context, played: &Match) {
    let mut notices = Notices::listen(&context).await;
    let matches = until_success(|| Bucket::ensure(&context, MATCHES)).await;
    loop {
        let by = &played.coordinator;
        note(&matches.get::<State>(&played.names.state(), by).await);
        note(&matches.get::<OpenMatches>(&queue::open(by), by).await);
        notices.next(POLL_INTERVAL).await;
    }
}

async fn work(worker: Arc<Worker>, played: &Match) {
    loop {
        let pulled = pull(&worker.context, &played.names, UNIT_WAIT, || false).await;
        note(&pulled);
        match pulled {
            Ok(Some(message)) => {
                let outcome = play(&worker, played, &message).await;
                note(&outcome);
            }
            Ok(None) => {}
            Err(_) => sleep(about(FAILURE_PAUSE)).await,
        }
    }
}

async fn play(worker: &Worker, played: &Match, message: &Delivered) -> Outcome<()> {
    let work = Work::decode_by(&played.coordinator, &message.payload, &played.names.work())?;
    let period = progress_period(played.state.ack_wait_ms);
    let mut progress = interval_at((Instant::now() + period).into(), period);
    for number in Units::of(played.plan).games(work.unit) {
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
        let result = GameResult::Played(Box::new(record));
        let subject = played.names.result(worker.signer.key());
        let sent = Sent { label: worker.label.clone(), result }.encode(&worker.signer, &subject)?;
        let message_id = format!("{:032x}", rand::random::<u128>());
        publish(&worker.context, subject, &message_id, sent).await?.await?;
        SENT.fetch_add(1, Ordering::Relaxed);
    }
    message.double_ack().await
}

/// Retries a call until it succeeds, about every second.
async fn until_success<T, E, F>(call: impl Fn() -> F) -> T
where
    F: Future<Output = Result<T, E>>,
{
    loop {
        let outcome = call().await;
        note(&outcome);
        match outcome {
            Ok(found) => return found,
            Err(_) => sleep(about(FAILURE_PAUSE)).await,
        }
    }
}

/// Plays a scheduled game by random moves, most of them towards the goal.
fn random_game(
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
    let mut opening = game.opening.moves.iter();
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
