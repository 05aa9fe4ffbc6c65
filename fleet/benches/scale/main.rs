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

#[path = "../../tests/common"]
mod common {
    #![allow(dead_code)]
    pub mod fleet;
    pub mod server;
}
mod simulated;

use std::error::Error;
use std::fs;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use buxtehude::rules::VARIANTS;
use clap::{Args, Parser, Subcommand};
use common::fleet::{FLEET, Fleet, Process};
use matches::archive::store::Store;
use matches::plan::schedule::Schedule;
use matches::plan::{EngineSpec, Limit, Plan};
use matches::record::GameRecord;
use simulated::{Counts, random_game};

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
                begin(movetime.unwrap_or(Limit::nodes(nodes)), common.stored, "")?;
            let worker = |number| fleet.worker(&format!("worker-{number}"));
            let _workers: Vec<Process> = (0..common.number).map(worker).collect();
            report(&common, &fleet, &coordinator, None)
        }
        What::Simulated { common, game_seconds } => {
            let (fleet, coordinator) = begin(Limit::nodes(1), common.stored, "")?;
            let game_time = Duration::from_secs_f64(game_seconds);
            let workers = simulated::begin(&fleet.address, common.number, game_time);
            let counts = runtime.block_on(workers)?;
            report(&common, &fleet, &coordinator, Some(&counts))
        }
        What::Invented { check_sample, runs } => {
            let words = format!("--check-sample {check_sample}");
            let invented = || -> Outcome<u64> {
                let (mut fleet, coordinator) = begin(Limit::nodes(1), 0, &words)?;
                let _workers = [fleet.worker("one"), fleet.worker("two")];
                // As fast as the honest workers.
                let inventor = simulated::begin(&fleet.address, 1, Duration::from_millis(20));
                let counts = runtime.block_on(inventor)?;
                coordinator.await_words("two other workers agree on another game");
                Ok(counts.games.load(Ordering::Relaxed))
            };
            let found = (0..runs).map(|_| invented()).collect::<Outcome<Vec<u64>>>()?;
            let mean = found.iter().sum::<u64>() as f64 / runs as f64;
            println!("{words}: found after {mean:.1} invented games, the mean of {found:?}");
            Ok(())
        }
    };
    runtime.shutdown_background();
    outcome
}

/// Starts a server and the coordinator of a match with some games in its store.
fn begin(limit: Limit, stored: u64, words: &str) -> Outcome<(Fleet, Process)> {
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
    let resumed = format!("resume {} {words}", fleet.store().display());
    let coordinator = fleet.start(&resumed);
    Ok((fleet, coordinator))
}

/// Measures for a while, and prints games per second, CPU time and memory.
fn report(
    common: &Common,
    fleet: &Fleet,
    coordinator: &Process,
    counts: Option<&Counts>,
) -> Outcome<()> {
    let pids = [coordinator.pid().as_raw_nonzero().get() as u32, fleet.server.pid()];
    let games = || coordinator.output().matches("  game ").count();
    let usages = || -> Outcome<[Usage; 2]> { Ok([usage(pids[0])?, usage(pids[1])?]) };
    std::thread::sleep(Duration::from_secs(common.warm_up));
    let (begun, games_before, before) = (Instant::now(), games(), usages()?);
    if let Some(counts) = counts {
        counts.reset();
    }
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
    if let Some(counts) = counts {
        let [games, failures] = [&counts.games, &counts.failures];
        let [games, failures] = [games, failures].map(|number| number.load(Ordering::Relaxed));
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
