//! Time to add a game to a store, durably, compared with a synced append of its line to a file in the same directory;
//! and time of a report on all games.
//!
//! `cargo bench -p arbiter --bench store [-- GAMES]`

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use buxtehude::rules::VARIANTS;
use matches::archive::ArchiveError;
use matches::archive::store::{Extent, Store};
use matches::plan::{EngineSpec, Limit, Plan};
use matches::record::ending::Ending;
use matches::record::{GameRecord, TurnRecord};
use matches::report::Report;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Plies of a typical game.
const PLIES: u32 = 120;
const SEATS: usize = 2;
const DEFAULT_GAMES: u64 = 1000;
/// Maximum number of synced lines.
const MAX_LINES: u64 = 1000;

fn main() -> Outcome<()> {
    let games: u64 = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(DEFAULT_GAMES)
        .next_multiple_of(SEATS as u64);
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let plan = plan(games);

    let path = directory.path().join("match.db");
    let mut store = Store::create(&path, &plan)?;
    let mut adding = Vec::new();
    for number in 1..=games {
        let record = record(number);
        let start = Instant::now();
        store.add(&[&record])?;
        adding.push(start.elapsed());
    }
    let start = Instant::now();
    drop(store);
    let closing = start.elapsed();
    let mut appending = append(&directory.path().join("games.jsonl"), games.min(MAX_LINES))?;

    println!("{games} games of {PLIES} plies, {SEATS} seats");
    println!("store: {}", times(&mut adding));
    println!("synced line: {}", times(&mut appending));
    let bytes = std::fs::metadata(&path)?.len();
    println!("{:.1} kB a game, closed in {closing:.1?}", bytes as f64 / 1000.0 / games as f64);

    let start = Instant::now();
    let mut report = Report::of(&plan);
    let store = Store::open(&path)?;
    store.for_each_game(Extent::Summary, |game| {
        report.add_summary(&game.record, &game.turn_sums());
        Ok::<(), ArchiveError>(())
    })?;
    let text = report.text();
    println!("reported in {:.2?} ({} bytes)", start.elapsed(), text.len());
    Ok(())
}

/// Writes and syncs lines; returns the time of each.
fn append(path: &Path, games: u64) -> Outcome<Vec<Duration>> {
    let mut file = File::create(path)?;
    let mut times = Vec::new();
    for number in 1..=games {
        let record = record(number);
        let start = Instant::now();
        let line = serde_json::to_string(&record)? + "\n";
        file.write_all(line.as_bytes())?;
        file.sync_data()?;
        times.push(start.elapsed());
    }
    Ok(times)
}

fn times(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let (median, late) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    let most = times[times.len() - 1];
    format!("median {median:.0?}, 99 % within {late:.0?}, all within {most:.0?}")
}

fn plan(games: u64) -> Plan {
    let engine = |name: &str| EngineSpec::new(name, "/bin/sh", Limit::depth(1));
    Plan { games, ..Plan::new(&VARIANTS[0], SEATS, vec![engine("alpha"), engine("beta")]) }
}

/// A game of realistic size; its moves are not legal.
fn record(number: u64) -> GameRecord {
    let turn = |ply: u32| TurnRecord {
        seat: ply % 2 + 1,
        mv: (ply % 20 + 1).to_string(),
        micros: Some(20_000 + u64::from(ply) * number % 977),
        depth: Some(8 + ply % 5),
        estimate: vec![480 + (ply % 40) as u16, 520 - (ply % 40) as u16],
        ..TurnRecord::default()
    };
    let turns: Vec<TurnRecord> = (0..PLIES).map(turn).collect();
    let moves: Vec<&str> = turns.iter().map(|turn| turn.mv.as_str()).collect();
    GameRecord {
        game: number,
        block: number.div_ceil(2),
        variant: VARIANTS[0].name.to_string(),
        start: "0,68,3/0,68,3 1 - -".to_string(),
        seats: ["alpha", "beta"].map(String::from).to_vec(),
        moves: moves.join(" "),
        places: vec![1 + (number % 2) as u32, 2 - (number % 2) as u32],
        endings: vec![Ending::Finish, Ending::Last],
        turns,
        ..GameRecord::default()
    }
}
