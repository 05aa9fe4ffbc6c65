//! How many games a second are played at a time by the whole program, from one to as many as there are
//! processors, in turns, with the engines of the match pinned or not.
//!
//! `cargo bench -p arbiter --bench concurrency [-- ROUNDS]`

use std::error::Error;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

const GAMES: u32 = 40;
const NODES: u32 = 20_000;
const DEFAULT_ROUNDS: usize = 5;

fn main() -> Outcome<()> {
    let rounds = std::env::args().find_map(|argument| argument.parse().ok());
    let rounds: usize = rounds.unwrap_or(DEFAULT_ROUNDS);
    let processors = std::thread::available_parallelism()?.get();
    let mut ways: Vec<(usize, bool)> = (1..=processors).map(|games| (games, false)).collect();
    ways.push((processors, true));
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); ways.len()];
    for _ in 0..rounds {
        for (&way, times) in ways.iter().zip(&mut times) {
            times.push(play(way)?);
        }
    }
    println!("{rounds} rounds of {GAMES} games of two seats, {NODES} nodes a move; medians");
    let mut alone = None;
    for (&(games, pin), times) in ways.iter().zip(&mut times) {
        times.sort_unstable();
        let speed = f64::from(GAMES) / times[times.len() / 2].as_secs_f64();
        let alone = *alone.get_or_insert(speed);
        let pinned = if pin { ", pinned" } else { "" };
        let ratio = speed / alone;
        println!(
            "{games} at a time{pinned:8}  {speed:6.1} games/s   {ratio:4.2} times one at a time"
        );
    }
    Ok(())
}

fn play((games_at_a_time, pin): (usize, bool)) -> Outcome<Duration> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arbiter"));
    command
        .args(["match", "--random-plies", "6", "--seed", "1"])
        .args(["--games", &GAMES.to_string(), "--nodes", &NODES.to_string()])
        .args(["--concurrency", &games_at_a_time.to_string()])
        .stdout(Stdio::null());
    if pin {
        command.arg("--pin");
    }
    let begun = Instant::now();
    let status = command.status()?;
    if !status.success() {
        return Err(format!("{status}").into());
    }
    Ok(begun.elapsed())
}
