//! Statistics of each seat's game: repetitions, and the distance from home at the end.

use std::collections::{BTreeMap, HashSet};

use buxtehude::rules::hase::{Move, Position, TurnsHome};
use buxtehude::rules::{Game as _, Seat};

use super::{SPREAD, row, spread, table};
use crate::records::{Ply, RecordedGame};

/// Numbers of moves, of positions, hares and squares that come back, and of idle moves.
type Counts = [usize; 5];

/// Table of positions, holdings and squares that come back, and of moves that gain nothing.
///
/// All are counted for the seat whose ply brings them back. *Moves* are plies that are not forced stays. A *position*
/// comes back if its whole text has occurred before; a *hare* if, after a move, it has the square, carrots and lettuces
/// of an earlier moment; a *square* if a hare moves to one that it had left. A move is *idle* if it gains no square and
/// does not reduce the number of turns home.
pub fn repetitions(games: &[RecordedGame]) -> String {
    let mut engines: BTreeMap<&str, (usize, Counts)> = BTreeMap::new();
    let mut all = Counts::default();
    for game in games {
        for (name, counts) in game.record.seats.iter().zip(counts_of(game)) {
            let (seats, sums) = engines.entry(name).or_default();
            *seats += 1;
            for (index, count) in counts.into_iter().enumerate() {
                sums[index] += count;
                all[index] += count;
            }
        }
    }
    let row = |name: &str, of: usize, unit: &str, counts: Counts| {
        let means = counts.map(|count| format!("{:.2}", count as f64 / of.max(1) as f64));
        row(&[&name, &of, &unit], means)
    };
    let mut rows = vec![row("all seats, a game", games.len(), "games", all)];
    for (name, (seats, counts)) in engines {
        let name = format!("{name}, a seat and game");
        rows.push(row(&name, seats, "seats", counts));
    }
    let columns = "brought back|of||moves|positions|own hares|own squares|idle moves";
    table(&[columns], &[0, 2], rows.into_iter())
}

/// Counts of each seat.
fn counts_of(game: &RecordedGame) -> Vec<Counts> {
    let mut counts = vec![Counts::default(); game.seats()];
    let mut positions = HashSet::new();
    let mut hares = HashSet::new();
    let mut squares = HashSet::new();
    let holding = |position: &Position, seat: Seat| {
        let hare = position.hare(seat);
        (seat, hare.square, hare.carrots, hare.lettuces)
    };
    if let Some(first) = game.plies.first() {
        positions.insert(first.before.to_string());
        for seat in Seat::all(game.seats()) {
            hares.insert(holding(&first.before, seat));
            squares.insert((seat, first.before.hare(seat).square));
        }
    }
    for ply in &game.plies {
        let square = ply.after.hare(ply.seat).square;
        let is_old_position = !positions.insert(ply.after.to_string());
        let is_old_hare = !hares.insert(holding(&ply.after, ply.seat));
        let is_old_square = !squares.insert((ply.seat, square));
        let has_moved = square != ply.before.hare(ply.seat).square;
        let is_free = ply.mv != Move::STAY;
        let counted = [
            is_free,
            is_old_position,
            is_free && is_old_hare,
            is_free && has_moved && is_old_square,
            is_free && is_idle(ply),
        ];
        for (index, counted) in counted.into_iter().enumerate() {
            counts[ply.seat.index()][index] += usize::from(counted);
        }
    }
    counts
}

fn is_idle(ply: &Ply) -> bool {
    let square = |position: &Position| position.hare(ply.seat).square;
    let turns = |position: &Position| position.turns_home(ply.seat);
    square(&ply.after) <= square(&ply.before) && turns(&ply.after) >= turns(&ply.before)
}

/// Table of the turns that the losers would need to get home, each alone: of all others when the first hare is home,
/// and with more than two seats of the last when all others are.
pub fn turns_behind(games: &[RecordedGame]) -> String {
    let mut at_first: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut at_last = at_first.clone();
    for game in games {
        let home = |position: &Position| position.finished().len();
        let mut plies = game.plies.iter();
        let first = plies.find(|ply| home(&ply.before) == 0 && home(&ply.after) == 1);
        let last = (game.seats() > 2 && game.is_over()).then_some(&game.last);
        for (position, turns) in
            [(first.map(|ply| &ply.after), &mut at_first), (last, &mut at_last)]
        {
            for (seat, needed) in position.map(racing).unwrap_or_default() {
                let name = &game.record.seats[seat.index()];
                turns.entry(name).or_default().push(needed.into());
            }
        }
    }
    let rows = [
        ("of the others when the first is home", at_first),
        ("of the last when all others are home", at_last),
    ];
    let rows = rows.into_iter().flat_map(|(moment, mut turns)| {
        if turns.len() > 1 {
            let all = turns.values().flatten().copied().collect();
            turns.insert("(all)", all);
        }
        turns
            .into_iter()
            .map(move |(engine, turns)| row(&[&moment, &engine, &turns.len()], spread(&turns)))
    });
    table(&["turns home|engine|hares", SPREAD], &[0, 1], rows)
}

/// Seats that are not home, each with the turns that it needs; without those whose way home is unknown.
fn racing(position: &Position) -> Vec<(Seat, u32)> {
    let mut seats: Vec<Seat> = Seat::all(position.seats()).collect();
    seats.retain(|seat| position.finished().all(|finisher| finisher != *seat));
    let turns = seats.into_iter().filter_map(|seat| {
        let turns = position.turns_home(seat)?;
        (turns < u32::from(TurnsHome::UNKNOWN)).then_some((seat, turns))
    });
    turns.collect()
}
