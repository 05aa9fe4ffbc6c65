//! Cost of a fleet, and capacity of one coordinator and one nats-server.
//!
//! ```text
//! cargo bench -p fleet --bench scale -- workers --number 4 --nodes 1
//! cargo bench -p fleet --bench scale -- workers --number 4 --movetime 20
//! cargo bench -p fleet --bench scale -- simulated --number 10000 --stored 1000000
//! cargo bench -p fleet --bench scale -- invented --check-sample 10
//! ```
//!
//! `workers` are real ones, with the built-in engine. `simulated` ones send the same messages as real ones, each over
//! its own connection, but invent their games: legal games of the schedule, by random moves, sent after a typical time.
//! The coordinator cannot tell them apart and does all of its work. Needs a nats-server in `NATS_SERVER` or the search
//! path.

mod game;
mod processes;
mod simulated;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use buxtehude::rules::VARIANTS;
use clap::{Args, Parser, Subcommand};
use matches::archive::store::Store;
use matches::plan::{EngineSpec, Limit, Plan};
use matches::record::ending::Ending;
use matches::record::{GameRecord, TurnRecord};
use processes::{Process, Server, Usage};

/// Result of a measurement.
pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The measured program.
const FLEET: &str = env!("CARGO_BIN_EXE_fleet");
/// Games of the match in addition to those already stored: more than are played.
const GAMES: u64 = 10_000_000;
/// Timeout for the discovery of an inventing worker.
const PATIENCE: Duration = Duration::from_secs(300);
/// Games stored in one transaction.
const TOGETHER: u64 = 1000;

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
    /// One worker that invents its games and two honest ones, until it is found
    Invented {
        /// Have two workers play about every N-th block
        #[arg(long)]
        check_sample: u64,
        /// Number of runs
        #[arg(long, default_value = "10")]
        runs: usize,
    },
}

#[derive(Args, Clone)]
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
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let outcome = match Cli::parse().what {
        What::Workers {
            common,
            movetime,
            nodes,
        } => {
            let limit = movetime.map_or(Limit::nodes(nodes), |ms| {
                Limit::movetime(Duration::from_millis(ms))
            });
            runtime.block_on(real(&common, limit))
        }
        What::Simulated {
            common,
            game_seconds,
        } => runtime.block_on(simulated(&common, Duration::from_secs_f64(game_seconds))),
        What::Invented { check_sample, runs } => {
            let found = (0..runs).map(|_| runtime.block_on(invented(check_sample)));
            let found: Outcome<Vec<u64>> = found.collect();
            found.map(|found| {
                let mean = found.iter().sum::<u64>() as f64 / runs as f64;
                println!(
                    "--check-sample {check_sample}: found after {mean:.1} invented games, the mean of {found:?}"
                );
            })
        }
    };
    runtime.shutdown_background();
    outcome
}

async fn real(common: &Common, limit: Limit) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("match.db");
    let plan = plan(limit, common.stored);
    fill(&store, &plan, common.stored)?;
    let server = Server::start(folder.path())?;
    let coordinator = coordinator(&store, &server, folder.path(), &[])?;
    let mut workers = Vec::new();
    for number in 0..common.number {
        workers.push(worker(&format!("worker-{number}"), &server, folder.path())?);
    }
    report(common, &server, &coordinator, None).await
}

async fn simulated(common: &Common, game_time: Duration) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("match.db");
    let plan = plan(Limit::nodes(1), common.stored);
    fill(&store, &plan, common.stored)?;
    let server = Server::start(folder.path())?;
    let coordinator = coordinator(&store, &server, folder.path(), &[])?;
    let talk = simulated::begin(server.url(), common.number, game_time).await?;
    report(common, &server, &coordinator, Some(&talk)).await
}

/// Number of games that an inventing worker gets into the store before it is found.
async fn invented(check_sample: u64) -> Outcome<u64> {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("match.db");
    fill(&store, &plan(Limit::nodes(1), 0), 0)?;
    let server = Server::start(folder.path())?;
    let sample = check_sample.to_string();
    let words = ["--check-sample", &sample];
    let coordinator = coordinator(&store, &server, folder.path(), &words)?;
    let mut workers = Vec::new();
    for name in ["one", "two"] {
        workers.push(worker(name, &server, folder.path())?);
    }
    // As fast as the honest workers.
    let talk = simulated::begin(server.url(), 1, Duration::from_millis(20)).await?;
    let begun = Instant::now();
    while !coordinator.has_said("two other workers agree on another game")? {
        if begun.elapsed() > PATIENCE {
            return Err(format!("not found after {} games", talk.games()).into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(talk.games())
}

/// Measures for a while, and prints a table row.
async fn report(
    common: &Common,
    server: &Server,
    coordinator: &Process,
    talk: Option<&simulated::Talk>,
) -> Outcome<()> {
    tokio::time::sleep(Duration::from_secs(common.warm_up)).await;
    let (begun, games, before) = (Instant::now(), coordinator.games()?, server.traffic()?);
    let usages = || -> Outcome<[Usage; 2]> { Ok([coordinator.usage()?, server.usage()?]) };
    let first = usages()?;
    if let Some(talk) = talk {
        talk.forget();
    }
    tokio::time::sleep(Duration::from_secs(common.seconds)).await;
    let (last, after) = (usages()?, server.traffic()?);
    let played = (coordinator.games()? - games) as f64;
    let seconds = begun.elapsed().as_secs_f64();
    let per_game = |number: f64| number / played.max(1.0);
    println!(
        "{} workers: {:.1} games/s stored in {seconds:.1} s, {} stored before",
        common.number,
        played / seconds,
        common.stored
    );
    for (index, name) in ["coordinator", "nats-server"].into_iter().enumerate() {
        let cpu = (last[index].cpu - first[index].cpu).as_secs_f64();
        println!(
            "  {name}: {:.0} % of a processor, {:.0} µs a game; at most {:.0} MiB",
            100.0 * cpu / seconds,
            1e6 * per_game(cpu),
            last[index].most_memory as f64 / 1024.0 / 1024.0
        );
    }
    let of = |key: &str| per_game(after.of(key) as f64 - before.of(key) as f64);
    println!(
        "  a game: {:.1} messages and {:.0} bytes to the server, {:.1} and {:.0} from it",
        of("in_msgs"),
        of("in_bytes"),
        of("out_msgs"),
        of("out_bytes")
    );
    if let Some(talk) = talk {
        println!("  {}", talk.summary());
    }
    Ok(())
}

fn coordinator(store: &Path, server: &Server, folder: &Path, more: &[&str]) -> Outcome<Process> {
    let store = store.to_str().ok_or("a path that is no text")?;
    let words = ["resume", store, "--nats", server.url()];
    let words = words.iter().chain(more).copied();
    Process::start(Path::new(FLEET), words, &folder.join("coordinator"))
}

fn worker(name: &str, server: &Server, folder: &Path) -> Outcome<Process> {
    let engines = ["a", "b"].map(|name| format!("name={name},cmd={FLEET}"));
    let words = ["work", "--name", name, "--nats", server.url()];
    let words = words.into_iter().chain(["--engine", &engines[0]]);
    let words = words.chain(["--engine", &engines[1]]);
    Process::start(Path::new(FLEET), words, &folder.join(name))
}

fn plan(limit: Limit, stored: u64) -> Plan {
    let engine = |name: &str| EngineSpec {
        args: vec!["engine".to_string()],
        ..EngineSpec::new(name, FLEET, limit)
    };
    Plan {
        games: stored + GAMES,
        ..Plan::new(&VARIANTS[0], 2, vec![engine("a"), engine("b")])
    }
}

/// Creates a store with games that have only plausible results, since they are not checked again.
fn fill(path: &Path, plan: &Plan, games: u64) -> Outcome<()> {
    let mut store = Store::create(path, plan)?;
    let begun = Instant::now();
    let turn = |ply: u32| TurnRecord {
        seat: ply % 2 + 1,
        mv: (ply % 20 + 1).to_string(),
        micros: Some(1000),
        ..TurnRecord::default()
    };
    let game = |number: u64| {
        let turns: Vec<TurnRecord> = (0..12).map(turn).collect();
        let moves: Vec<&str> = turns.iter().map(|turn| turn.mv.as_str()).collect();
        let names = match number % 2 {
            1 => ["a", "b"],
            _ => ["b", "a"],
        };
        GameRecord {
            game: number,
            block: number.div_ceil(2),
            variant: plan.variant.name.to_string(),
            start: "0,68,3/0,68,3 1 - -".to_string(),
            seats: names.map(String::from).to_vec(),
            seed: plan.seed,
            moves: moves.join(" "),
            places: vec![1, 2],
            endings: vec![Ending::Finish, Ending::Last],
            turns,
            ..GameRecord::default()
        }
    };
    for first in (1..=games).step_by(TOGETHER as usize) {
        let some: Vec<GameRecord> = (first..(first + TOGETHER).min(games + 1))
            .map(game)
            .collect();
        store.add(&some.iter().collect::<Vec<_>>())?;
    }
    if games > 0 {
        println!("{games} games stored in {:.1?}", begun.elapsed());
    }
    Ok(())
}
