//! Checks that the engine observes the clock of the seat to move, in each spelling and for each seat.

use std::time::Duration;

use buxtehude::rules::{AnyPosition, Seat, Turn, Variant};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::limits::{MARGIN, in_time_of};
use super::positions::random_position;
use super::tables::tables;
use super::talk::{Fault, Talk, expect, is_legal, wrong};
use super::{Check, Settings};

/// Clock of the seat to move, in milliseconds.
const LEFT: u64 = 20;

/// Clocks of the other seats, so long that an engine that reads the wrong clock answers too late.
const LEFT_OF_OTHERS: u64 = 100_000_000;

pub fn checks(settings: &Settings) -> Vec<Check> {
    let mut checks = Vec::new();
    for (variant, seats) in tables(settings) {
        for (name, spelling, text) in SPELLINGS {
            if *name == "uci" && seats != 2 {
                continue;
            }
            checks.push(Check::new(
                format!("{}/{seats}/clock-{name}", variant.name),
                format!("{text} set the clocks; only the clock of the seat to move counts"),
                move |talk| clocks_are_kept(talk, variant, seats, *spelling),
            ));
        }
    }
    checks
}

/// Returns the words for the clock and the increment of each seat.
type Spelling = fn(seats: usize, mover: usize) -> String;

const SPELLINGS: &[(&str, Spelling, &str)] = &[
    (
        "seats",
        of_seats,
        "`time` and `inc` with a number for each seat",
    ),
    ("ugi", ugi, "`p1time`, `p1inc` and so on"),
    ("uci", uci, "`wtime`, `btime`, `winc` and `binc`"),
];

fn left(seat: usize, mover: usize) -> u64 {
    if seat == mover { LEFT } else { LEFT_OF_OTHERS }
}

fn gained(seat: usize, mover: usize) -> u64 {
    if seat == mover { 1 } else { LEFT_OF_OTHERS }
}

fn of_seats(seats: usize, mover: usize) -> String {
    let list = |of: fn(usize, usize) -> u64| {
        let numbers: Vec<String> = (0..seats).map(|seat| of(seat, mover).to_string()).collect();
        numbers.join(" ")
    };
    format!("time {} inc {}", list(left), list(gained))
}

fn ugi(seats: usize, mover: usize) -> String {
    let words = (0..seats).map(|seat| {
        let (number, left, gained) = (seat + 1, left(seat, mover), gained(seat, mover));
        format!("p{number}time {left} p{number}inc {gained}")
    });
    words.collect::<Vec<String>>().join(" ")
}

fn uci(_: usize, mover: usize) -> String {
    let [w, b] = [0, 1].map(|seat| (left(seat, mover), gained(seat, mover)));
    format!("wtime {} btime {} winc {} binc {}", w.0, b.0, w.1, b.1)
}

fn clocks_are_kept(
    talk: &mut Talk,
    variant: &'static Variant,
    seats: usize,
    spelling: Spelling,
) -> Result<(), Fault> {
    talk.choose(variant)?;
    for mover in 0..seats {
        let (position, actions) = position_of(variant, seats, mover)?;
        let command = talk.position(seats, &actions);
        let go = format!("go {}", spelling(seats, mover));
        let limit = Duration::from_millis(LEFT) + MARGIN;
        in_time_of(limit, || {
            talk.set(&["ucinewgame".into(), command.clone()])?;
            let search = talk.go(&go)?;
            let best = search.best.best.unwrap_or_default();
            expect(is_legal(&position, &best), || {
                format!("seat {}: {best:?} is illegal", mover + 1)
            })?;
            Ok(search.elapsed)
        })?;
    }
    Ok(())
}

/// Returns a random position in which `mover`, a seat from 0, has a choice; with the moves that lead to it.
fn position_of(
    variant: &'static Variant,
    seats: usize,
    mover: usize,
) -> Result<(AnyPosition, Vec<String>), Fault> {
    let turn = Turn::Seat(Seat(mover as u8));
    let mut rng = ChaCha8Rng::seed_from_u64(mover as u64);
    for _ in 0..1000 {
        let (position, actions) = random_position(variant, seats, &mut rng)?;
        if position.turn() == turn && position.legal_actions().len() > 1 {
            return Ok((position, actions));
        }
    }
    wrong(format!("no position found with seat {} to move", mover + 1))
}
