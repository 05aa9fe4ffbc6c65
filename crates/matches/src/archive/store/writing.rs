//! Adds games.

use std::collections::HashSet;
use std::fmt::Display;
use std::path::Path;

use rusqlite::{Connection, Error, Transaction, params};
use serde::Serialize;

use super::{circumstances, schema, settings};
use crate::archive::error::Reason;
use crate::input_file;
use crate::plan::MAX_ENGINES;
use crate::record::digest::StoredGame;
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
        circumstances::note_game(&transaction)?;
        if let Some(luck) = &record.luck {
            check_evaluator(&transaction, &luck.by)?;
        }
        add_game(&transaction, record.game, record, &record.digest())?;
    }
    Ok(transaction.commit()?)
}

/// Imports the games of a record into an empty database. Returns the places of the other lines, with their flaws.
///
/// A game whose number occurs before is stored under a number that is free.
pub fn import(
    connection: &mut Connection,
    path: &Path,
    is_wanted: impl Fn(&GameRecord) -> bool,
) -> Result<Vec<String>, Reason> {
    let transaction = connection.transaction()?;
    schema::create_for_record(&transaction)?;
    let (mut names, mut numbers, mut spare) = (HashSet::new(), HashSet::new(), 0);
    let mut flaws = Vec::new();
    for (line, text) in (1..).zip(input_file::lines(path)?) {
        let text = text?.text;
        if text.trim_ascii().is_empty() {
            continue;
        }
        let mut reject = |reason: &dyn Display| {
            flaws.push(format!("{}:{line}: not a game record: {reason}", path.display()));
        };
        let StoredGame { record, digest, .. } = match serde_json::from_slice(&text) {
            Ok(game) => game,
            Err(error) => {
                reject(&error);
                continue;
            }
        };
        if !has_equal_lists(&record) {
            reject(&"expected as many places, endings and winnings as seats");
            continue;
        }
        if !is_wanted(&record) {
            continue;
        }
        let mut number = record.game;
        while !numbers.insert(number) {
            spare += 1;
            number = spare;
        }
        for name in &record.seats {
            if names.insert(name.clone()) {
                let insert = "INSERT INTO engines (number, name) VALUES (?1, ?2)";
                transaction.execute(insert, params![names.len() - 1, name])?;
            }
        }
        if names.len() > MAX_ENGINES {
            let expected = format!("expected at most {MAX_ENGINES}");
            return Err(Reason::content("engines", &expected));
        }
        let digest = digest.unwrap_or_default();
        match add_game(&transaction, number, &record, &digest) {
            // A number is too large for SQLite.
            Err(Reason::Database(error @ Error::ToSqlConversionFailure(_))) => {
                delete(&transaction, number)?;
                reject(&error);
            }
            added => {
                added?;
                let insert = "INSERT INTO lines (game, line, number, seed) VALUES (?1, ?2, ?3, ?4)";
                let seed = record.seed.to_string();
                transaction.execute(insert, params![number, line, record.game, seed])?;
            }
        }
    }
    transaction.commit()?;
    Ok(flaws)
}

/// `true` if a game has a place and an ending for each seat, and winnings for all or none.
fn has_equal_lists(record: &GameRecord) -> bool {
    let GameRecord { seats, places, endings, winnings, .. } = record;
    [places.len(), endings.len()] == [seats.len(); 2] && [0, seats.len()].contains(&winnings.len())
}

/// Adds a game under a number, with its digest.
fn add_game(
    transaction: &Transaction<'_>,
    number: u64,
    record: &GameRecord,
    digest: &str,
) -> Result<(), Reason> {
    // Lists every field, so that the compiler reports a new field of a record here; the seed is a setting.
    let GameRecord {
        game: _,
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
    let game = number;
    let luck = luck.as_ref().map(json).transpose()?;
    let mut insert = transaction.prepare_cached(GAME)?;
    insert.execute(params![game, block, variant, start, moves, digest, luck])?;
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
        let (stderr, evidence) = (json(&fault.stderr)?, fault.evidence.as_ref().map(json));
        let mut insert = transaction.prepare_cached(FAULT)?;
        insert.execute(params![game, fault.seat, fault.reason, stderr, evidence.transpose()?])?;
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
    delete(transaction, game)
}

fn delete(transaction: &Transaction<'_>, game: u64) -> Result<(), Reason> {
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
        update.execute(params![game, json(luck)?])?;
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

fn json(value: &impl Serialize) -> Result<String, Reason> {
    serde_json::to_string(value).map_err(|error| Reason::content("game", &error))
}

/// Joins words with spaces; `None` if there are none.
fn joined<T: ToString>(words: &[T]) -> Option<String> {
    let words: Vec<String> = words.iter().map(T::to_string).collect();
    (!words.is_empty()).then(|| words.join(" "))
}
