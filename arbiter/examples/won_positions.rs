//! How engines fare in a solved game: whether they win what is won for them, how late, and how long they hold
//! out where they are lost; and how often their mate scores are right.
//!
//! `cargo run --release -p arbiter --example won_positions -- RECORD [RECORD ...]`, where each RECORD was made
//! with `arbiter match --record`. Each game counts for both of its seats, from its start.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;

use buxtehude::rules::{AnyPosition, Outcome, Seat, Turn, Variant};
use clap::Parser;
use matches::archive::{record_file, replay};
use matches::record::{GameRecord, TurnRecord};
use matches::report::{self, Column};

#[derive(Debug, Parser)]
#[command(
    name = "won_positions",
    about = "Holds recorded games of a solved game against its exact outcomes"
)]
struct Cli {
    /// Records made with `arbiter match --record`
    #[arg(required = true, value_name = "RECORD")]
    records: Vec<PathBuf>,
}

const COLUMNS: [Column; 11] = [
    Column::left("engine"),
    Column::right("seat"),
    Column::right("won"),
    Column::right("of"),
    Column::right("share"),
    Column::right("plies late"),
    Column::right("lost"),
    Column::right("of"),
    Column::right("plies early"),
    Column::right("mate scores"),
    Column::right("wrong"),
];

/// What an engine did in a seat.
#[derive(Debug, Default)]
struct Results {
    /// Of the positions that were won, for each one that it won: plies later than needed.
    late: Vec<u32>,
    /// How many won positions it did not win.
    spoilt: u32,
    /// Of the lost positions, for each one that it lost: plies sooner than needed.
    early: Vec<u32>,
    /// How many lost positions it did not lose.
    saved: u32,
    /// Mate scores.
    claims: u32,
    /// Those that are not the exact one.
    false_claims: u32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut results: BTreeMap<(String, u8), Results> = BTreeMap::new();
    for path in Cli::parse().records {
        for line in record_file::lines(&path)? {
            let record = replay::read(line?)?;
            if let Some(flaw) = replay::check(&record).first() {
                return Err(format!("game {}: {flaw}", record.game).into());
            }
            count(&record, &mut results)?;
        }
    }
    let rows = results
        .iter()
        .map(|((name, seat), results)| row(name, *seat, results));
    println!("{}", report::table(&COLUMNS, rows));
    Ok(())
}

fn row(name: &str, seat: u8, results: &Results) -> Vec<String> {
    let won = results.late.len();
    let all_won = won + results.spoilt as usize;
    let lost = results.early.len();
    vec![
        name.to_string(),
        (seat + 1).to_string(),
        won.to_string(),
        all_won.to_string(),
        percent(won, all_won),
        mean(&results.late),
        lost.to_string(),
        (lost + results.saved as usize).to_string(),
        mean(&results.early),
        results.claims.to_string(),
        percent(results.false_claims as usize, results.claims as usize),
    ]
}

/// Counts a game for each of its seats.
fn count(
    record: &GameRecord,
    results: &mut BTreeMap<(String, u8), Results>,
) -> Result<(), Box<dyn Error>> {
    let mut position = Variant::by_name(&record.variant)?.parse(&record.start)?;
    let words: Vec<&str> = record.moves.split_whitespace().collect();
    // Engines were asked from here on.
    let (opening, played) = words.split_at(words.len() - record.turns.len());
    for word in opening {
        position.play(word)?;
    }
    let expected = outcome(&position)?;
    let plies = played.len() as u32;
    for (turn, word) in record.turns.iter().zip(played) {
        let seat = turn.seat as u8 - 1;
        let name = &record.seats[usize::from(seat)];
        let result = results.entry((name.clone(), seat)).or_default();
        if let Some(mate) = claimed_mate(turn) {
            result.claims += 1;
            result.false_claims += u32::from(mate != exact_mate(&position)?);
        }
        position.play(word)?;
    }
    for (seat, name) in (0..).zip(&record.seats) {
        let result = results.entry((name.clone(), seat)).or_default();
        let won = position.place(Seat(seat)) == Some(1);
        match (expected.winner == Seat(seat), won) {
            (true, true) => result.late.push(plies - expected.plies.min(plies)),
            (true, false) => result.spoilt += 1,
            (false, false) => result
                .early
                .push(expected.plies - plies.min(expected.plies)),
            (false, true) => result.saved += 1,
        }
    }
    Ok(())
}

fn outcome(position: &AnyPosition) -> Result<Outcome, &'static str> {
    position.solved().ok_or("the game is not solved")
}

/// Own moves that a turn's score says are left, positive where the mover wins.
fn claimed_mate(turn: &TurnRecord) -> Option<i64> {
    turn.score.as_ref()?.strip_prefix("mate ")?.parse().ok()
}

/// Own moves of the mover until the end, positive where it wins.
fn exact_mate(position: &AnyPosition) -> Result<i64, &'static str> {
    let Outcome { winner, plies } = outcome(position)?;
    let own_moves = i64::from(plies.div_ceil(2));
    Ok(if position.turn() == Turn::Seat(winner) {
        own_moves
    } else {
        -own_moves
    })
}

fn percent(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "-".into();
    }
    format!("{:.1} %", 100.0 * part as f64 / whole as f64)
}

fn mean(numbers: &[u32]) -> String {
    if numbers.is_empty() {
        return "-".into();
    }
    let sum: u32 = numbers.iter().sum();
    format!("{:.1}", f64::from(sum) / numbers.len() as f64)
}
