//! Adds games.

use rusqlite::{Connection, Transaction, params};

use super::{circumstances, settings};
use crate::archive::error::Reason;
use crate::record::{GameRecord, Luck, Machine};

const GAME: &str = "INSERT INTO games (number, block, variant, start, moves, digest, luck)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
const SEAT: &str =
    "INSERT INTO seats (game, seat, engine, place, ending, turns, micros, depth_turns, depths,
        waited, late_stops, overruns, out_of_turn, flaws, winnings)
    VALUES (?1, ?2, (SELECT number FROM engines WHERE name = ?3), ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
        ?14, ?15)";
const TURN: &str =
    "INSERT INTO turns (game, number, seat, move, micros, overrun, depth, estimate, score, nodes, pv,
        waited, late_stop, out_of_turn, flaw)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
const RERUN: &str =
    "INSERT INTO reruns (game, number, seat, reason, shares) VALUES (?1, ?2, ?3, ?4, ?5)";
const FAULT: &str = "INSERT INTO faults (game, seat, reason, stderr, evidence)
    VALUES (?1, ?2, ?3, ?4, ?5)";
const MACHINE: &str =
    "INSERT INTO machines (game, worker, slots, micros, lag_median, lag_p99, speed, time_scale)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

const LUCK: &str = "UPDATE games SET luck = ?2 WHERE number = ?1";

/// Adds all games or, on an error, none.
pub fn add(connection: &mut Connection, records: &[&GameRecord]) -> Result<(), Reason> {
    let transaction = connection.transaction()?;
    // Sorted, so that neighbours in the file are written one after the other.
    let mut records = records.to_vec();
    records.sort_by_key(|record| record.game);
    for record in records {
        add_game(&transaction, record)?;
    }
    Ok(transaction.commit()?)
}

fn add_game(transaction: &Transaction<'_>, record: &GameRecord) -> Result<(), Reason> {
    // Lists every field, so that the compiler reports a new field of a record here; the seed is a setting.
    let GameRecord {
        game,
        block,
        variant,
        start,
        seats,
        seed: _,
        moves,
        places,
        winnings,
        endings,
        fault,
        turns,
        reruns,
        machine,
        luck,
    } = record;
    circumstances::note_game(transaction)?;
    let mut insert = transaction.prepare_cached(GAME)?;
    let shares = luck.as_ref().and_then(|luck| joined(&luck.shares));
    insert.execute(params![game, block, variant, start, moves, record.digest(), shares])?;
    if let Some(luck) = luck {
        check_evaluator(transaction, &luck.by)?;
    }
    let mut insert_seat = transaction.prepare_cached(SEAT)?;
    let sums = record.turn_sums();
    let rows = seats.iter().zip(places).zip(endings).zip(&sums);
    for (index, (((name, place), ending), sums)) in rows.enumerate() {
        insert_seat.execute(params![
            game,
            index + 1,
            name,
            place,
            ending.name(),
            sums.turns,
            sums.micros,
            sums.depth_turns,
            sums.depths,
            sums.waited,
            sums.late_stops,
            sums.overruns,
            sums.out_of_turn,
            sums.flaws,
            winnings.get(index),
        ])?;
    }
    let mut insert_turn = transaction.prepare_cached(TURN)?;
    for (index, turn) in turns.iter().enumerate() {
        insert_turn.execute(params![
            game,
            index + 1,
            turn.seat,
            turn.mv,
            turn.micros,
            turn.overrun,
            turn.depth,
            joined(&turn.estimate),
            turn.score,
            turn.nodes,
            joined(&turn.pv),
            turn.waited,
            turn.late_stop,
            turn.out_of_turn,
            turn.flaw,
        ])?;
    }
    if let Some(fault) = fault {
        let wrong = |error| Reason::content(format!("game {game}"), &error);
        let stderr = serde_json::to_string(&fault.stderr).map_err(wrong)?;
        let evidence = fault.evidence.as_ref().map(serde_json::to_string);
        let evidence = evidence.transpose().map_err(wrong)?;
        let mut insert = transaction.prepare_cached(FAULT)?;
        insert.execute(params![game, fault.seat, fault.reason, stderr, evidence])?;
    }
    let mut insert_rerun = transaction.prepare_cached(RERUN)?;
    for (index, rerun) in reruns.iter().enumerate() {
        insert_rerun.execute(params![
            game,
            index + 1,
            rerun.seat,
            rerun.reason,
            joined(&rerun.shares),
        ])?;
    }
    if let Some(machine) = machine {
        let Machine { worker, slots, micros, lag_median, lag_p99, speed, time_scale } = machine;
        transaction.prepare_cached(MACHINE)?.execute(params![
            game, worker, slots, micros, lag_median, lag_p99, speed, time_scale
        ])?;
    }
    Ok(())
}

/// Removes games, and replaces a setting, if one is given.
pub fn remove_all(
    connection: &mut Connection,
    games: &[u64],
    setting: Option<(&str, &str)>,
) -> Result<(), Reason> {
    let transaction = connection.transaction()?;
    for &game in games {
        remove(&transaction, game)?;
    }
    if let Some((name, value)) = setting {
        settings::replace(&transaction, name, value)?;
    }
    Ok(transaction.commit()?)
}

fn remove(transaction: &Transaction<'_>, game: u64) -> Result<(), Reason> {
    circumstances::note_removal(transaction)?;
    for delete in [
        "DELETE FROM machines WHERE game = ?1", "DELETE FROM reruns WHERE game = ?1",
        "DELETE FROM faults WHERE game = ?1", "DELETE FROM turns WHERE game = ?1",
        "DELETE FROM seats WHERE game = ?1", "DELETE FROM games WHERE number = ?1",
    ] {
        transaction.prepare_cached(delete)?.execute([game])?;
    }
    Ok(())
}

pub fn set_luck(connection: &mut Connection, measured: &[(u64, Luck)]) -> Result<(), Reason> {
    let transaction = connection.transaction()?;
    add_luck(&transaction, measured)?;
    Ok(transaction.commit()?)
}

/// Writes the luck of stored games in place of all other luck.
pub fn replace_luck(connection: &mut Connection, measured: &[(u64, Luck)]) -> Result<(), Reason> {
    let transaction = connection.transaction()?;
    transaction.execute("UPDATE games SET luck = NULL", [])?;
    let delete = "DELETE FROM settings WHERE name = ?1";
    transaction.execute(delete, [settings::LUCK_BY])?;
    add_luck(&transaction, measured)?;
    Ok(transaction.commit()?)
}

fn add_luck(transaction: &Transaction<'_>, measured: &[(u64, Luck)]) -> Result<(), Reason> {
    for (game, luck) in measured {
        check_evaluator(transaction, &luck.by)?;
        let mut update = transaction.prepare_cached(LUCK)?;
        update.execute(params![game, joined(&luck.shares)])?;
    }
    Ok(())
}

/// Checks that all luck in a store has the same evaluator; the first one is noted.
fn check_evaluator(transaction: &Transaction<'_>, by: &str) -> Result<(), Reason> {
    match settings::find(transaction, settings::LUCK_BY)? {
        None => settings::replace(transaction, settings::LUCK_BY, by),
        Some(expected) if expected == by => Ok(()),
        Some(expected) => {
            let found = by.to_string();
            Err(Reason::Evaluator { found, expected })
        }
    }
}

/// Joins words with spaces; `None` if there are none.
fn joined<T: ToString>(words: &[T]) -> Option<String> {
    let words: Vec<String> = words.iter().map(T::to_string).collect();
    (!words.is_empty()).then(|| words.join(" "))
}
