//! Checks that a search keeps its limits, above all those of time: the clock of the seat to move, in each spelling and
//! for each seat.

use std::time::Duration;

use buxtehude::protocol::{Clock, ClockTimes, Command, Go};
use buxtehude::rules::{Seat, Turn};
use matches::plan::rules::{Position, Rules};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::positions::random_position;
use super::talk::{Fault, Search, Talk, expect, is_legal, is_mate, wrong};
use super::{Check, Profile, Scope};

/// Margin beyond a time limit, for communication and a busy machine.
const MARGIN: Duration = Duration::from_millis(150);

/// Number of attempts; only if all are late does the engine fail, since one may be the machine's fault.
const TRIES: usize = 3;

/// Clock of the seat to move, in milliseconds.
const LEFT: u64 = 20;

/// Clocks of the other seats, so long that an engine that reads the wrong clock answers too late.
const LEFT_OF_OTHERS: u64 = 100_000_000;

pub fn checks(profile: Profile) -> Vec<Check> {
    let mut checks = Vec::new();
    for depth in [1, 2, 4] {
        checks.push(Check::new(
            format!("limits/depth-{depth}"),
            format!("`go depth {depth}` searches no deeper"),
            move |talk| {
                let search = search(talk, &format!("go depth {depth}"))?;
                let deepest = search.infos.iter().filter_map(|info| info.depth).max();
                // The result of a game that is solved or ends soon may be known at a greater depth.
                let is_known = search.infos.iter().any(is_mate);
                expect(is_known || deepest.is_none_or(|deepest| deepest <= depth), || {
                    format!("depth {deepest:?}")
                })
            },
        ));
    }
    for nodes in [1, 100, 5000] {
        checks.push(Check::new(
            format!("limits/nodes-{nodes}"),
            format!("`go nodes {nodes}` stays close to its limit"),
            move |talk| {
                let search = search(talk, &format!("go nodes {nodes}"))?;
                let visited = search.infos.iter().filter_map(|info| info.nodes).max();
                // Engines test the node count only now and then.
                expect(visited.is_none_or(|visited| visited <= nodes + 2000), || {
                    format!("{visited:?} positions")
                })
            },
        ));
    }
    for movetime in [1, 20, 100] {
        checks.push(Check::new(
            format!("limits/movetime-{movetime}"),
            format!("`go movetime {movetime}` is answered in time"),
            move |talk| in_time(talk, &format!("go movetime {movetime}"), movetime),
        ));
    }
    // Engines of plain UCI may answer early.
    if profile == Profile::Full {
        checks.push(Check::new(
            "limits/movetime-used",
            "`go movetime 100` uses at least four fifths of its time",
            |talk| {
                let search = search(talk, "go movetime 100")?;
                let is_known = search.infos.iter().any(is_mate);
                let is_used = search.elapsed >= Duration::from_millis(75);
                expect(is_known || is_used, || format!("after {:?}", search.elapsed))
            },
        ));
    }
    for (name, go, limit) in [
        ("clock", "go wtime 200 btime 200 winc 0 binc 0", 200),
        ("clock-increment", "go wtime 100 btime 100 winc 50 binc 50", 100),
        ("clock-movestogo", "go wtime 100 btime 100 movestogo 1", 100),
        ("clock-zero", "go wtime 0 btime 0", 0),
        ("clock-negative", "go wtime -50 btime -50", 0),
        ("depth-and-time", "go depth 90 movetime 50", 50),
        ("nodes-and-time", "go nodes 100000000000 movetime 50", 50),
    ] {
        checks.push(Check::new(
            format!("limits/{name}"),
            format!("`{go}` is answered in time"),
            move |talk| in_time(talk, go, limit),
        ));
    }
    checks
}

fn search(talk: &mut Talk, go: &str) -> Result<Search, Fault> {
    talk.set(&["ucinewgame".into(), talk.beginning()?])?;
    let (_, seats) = talk.home()?;
    talk.go_for_a_move(&spelled(go, seats))
}

/// A `go` for two seats as a match with this number of seats spells it.
fn spelled(go: &str, seats: usize) -> String {
    let clock = match go.parse() {
        Ok(Command::Go(Go { clock: Some(clock), .. })) if seats != 2 => clock,
        _ => return go.into(),
    };
    let ClockTimes::Uci { wtime, winc, .. } = clock.time else {
        return go.into();
    };
    let time = ClockTimes::Seats {
        time: vec![wtime.unwrap_or_default(); seats],
        inc: winc.map_or_else(Vec::new, |inc| vec![inc; seats]),
    };
    let clock = Some(Clock { time, ..clock });
    Command::Go(Go { clock, ..Go::default() }).to_string()
}

/// Fails unless one of [`TRIES`] searches is answered within `limit` milliseconds.
fn in_time(talk: &mut Talk, go: &str, limit: u64) -> Result<(), Fault> {
    let limit = Duration::from_millis(limit) + MARGIN;
    in_time_of(limit, || Ok(search(talk, go)?.elapsed))
}

/// Fails unless one of [`TRIES`] attempts stays within the limit.
pub fn in_time_of(
    limit: Duration,
    attempt: impl FnMut() -> Result<Duration, Fault>,
) -> Result<(), Fault> {
    let elapsed = least_of_tries(limit, attempt)?;
    expect(elapsed <= limit, || format!("answered after {} ms", elapsed.as_millis()))
}

/// Shortest time of up to [`TRIES`] attempts, the last of which stays within the limit if any does.
pub fn least_of_tries(
    limit: Duration,
    mut attempt: impl FnMut() -> Result<Duration, Fault>,
) -> Result<Duration, Fault> {
    let mut elapsed = attempt()?;
    for _ in 1..TRIES {
        if elapsed > limit {
            elapsed = elapsed.min(attempt()?);
        }
    }
    Ok(elapsed)
}

/// Checks of the clocks of all seats.
pub fn clocks(scope: &Scope) -> Vec<Check> {
    let mut checks = Vec::new();
    for table in &scope.tables {
        for (name, spelling, text) in SPELLINGS {
            if *name == "uci" && table.1 != 2 {
                continue;
            }
            checks.push(Check::of_table(
                table,
                &format!("clock-{name}"),
                format!("{text} set the clocks; only the clock of the seat to move counts"),
                |talk, rules, seats| clocks_are_kept(talk, rules, seats, *spelling),
            ));
        }
    }
    checks
}

/// Returns the words for the clock and the increment of each seat.
type Spelling = fn(seats: usize, mover: usize) -> String;

const SPELLINGS: &[(&str, Spelling, &str)] = &[
    ("seats", of_seats, "`time` and `inc` with a number for each seat"),
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
    rules: &Rules,
    seats: usize,
    spelling: Spelling,
) -> Result<(), Fault> {
    talk.choose(rules)?;
    for mover in 0..seats {
        let (position, actions) = position_of(rules, seats, mover)?;
        let command = talk.position(seats, &actions);
        let go = format!("go {}", spelling(seats, mover));
        let limit = Duration::from_millis(LEFT) + MARGIN;
        in_time_of(limit, || {
            talk.set(&["ucinewgame".into(), command.clone()])?;
            let search = talk.go(&go)?;
            let seat = mover + 1;
            let Some(best) = search.best.best else {
                return wrong(format!("seat {seat}: no move, but `bestmove (none)`"));
            };
            expect(is_legal(&position, &best), || format!("seat {seat}: {best:?} is illegal"))?;
            Ok(search.elapsed)
        })?;
    }
    Ok(())
}

/// Returns a random position where `mover`, a seat from 0, has a choice; with the moves that lead to it.
fn position_of(
    rules: &Rules,
    seats: usize,
    mover: usize,
) -> Result<(Position, Vec<String>), Fault> {
    let turn = Turn::Seat(Seat(mover as u8));
    let mut rng = ChaCha8Rng::seed_from_u64(mover as u64);
    for _ in 0..1000 {
        let (position, actions) = random_position(rules, seats, &mut rng)?;
        if position.turn() == turn && position.legal_actions().len() > 1 {
            return Ok((position, actions));
        }
    }
    wrong(format!("no position found with seat {} to move", mover + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_spelled_for_every_number_of_seats() {
        for (go, of_three) in [
            ("go wtime 100 btime 100 winc 50 binc 50", "go time 100 100 100 inc 50 50 50"),
            ("go wtime -50 btime -50", "go time -50 -50 -50"),
            ("go wtime 100 btime 100 movestogo 1", "go time 100 100 100 movestogo 1"),
            ("go depth 90 movetime 50", "go depth 90 movetime 50"),
        ] {
            assert_eq!(spelled(go, 3), of_three);
            assert_eq!(spelled(go, 2), go);
        }
    }
}
