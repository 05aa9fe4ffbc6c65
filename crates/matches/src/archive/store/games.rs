//! The games of a store: added, imported from a record, and read one at a time.

use std::collections::HashSet;
use std::fmt::Display;
use std::path::Path;

use buxtehude::rules::MAX_SEATS;
use rusqlite::{CachedStatement, Connection, Error, OptionalExtension, Row, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Store, TABLES, settings};
use crate::archive::{ArchiveError, Reason};
use crate::input_file;
use crate::plan::MAX_ENGINES;
use crate::record::Seed;
use crate::record::digest::StoredGame;
use crate::record::ending::Ending;
use crate::record::{Fault, GameRecord, Luck, TurnRecord, TurnSums};

impl Store {
    /// Adds games with a single sync. They are durable when this returns; on an error none is stored.
    ///
    /// # Errors
    /// [`ArchiveError`], for example if the disk is full, the store contains one of the games already, or its file was
    /// removed or replaced.
    pub fn add(&mut self, records: &[&GameRecord]) -> Result<(), ArchiveError> {
        // Sorted, so that neighbours in the file are written one after the other.
        let mut records = records.to_vec();
        records.sort_by_key(|record| record.game);
        self.write(|transaction| {
            for record in records {
                settings::note_game(transaction)?;
                if let Some(luck) = &record.luck {
                    check_evaluator(transaction, &luck.by)?;
                }
                add(transaction, record.game, record, &record.digest())?;
            }
            Ok(())
        })?;
        match &self.lock {
            Some(lock) if !lock.is_in_place(&self.path) => self.check(Err(Reason::Gone)),
            _ => Ok(()),
        }
    }

    /// Writes the luck of stored games, with a single sync; on an error none is stored.
    ///
    /// # Errors
    /// [`ArchiveError`], for example if the store has luck by another evaluator.
    pub fn set_luck(&mut self, measured: &[(u64, Luck)]) -> Result<(), ArchiveError> {
        self.write(|transaction| add_luck(transaction, measured))
    }

    /// Writes the luck of games by number, in place of all luck so far.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be written; then the luck so far remains.
    pub fn replace_luck(&mut self, measured: &[(u64, Luck)]) -> Result<(), ArchiveError> {
        self.write(|transaction| {
            transaction.execute("UPDATE games SET luck = NULL", [])?;
            transaction.execute("DELETE FROM settings WHERE name = ?1", [settings::LUCK_BY])?;
            add_luck(transaction, measured)
        })
    }

    /// Returns the numbers of all games, in order. A record may have several games with the same number; each but the
    /// first has another one here.
    pub fn numbers(&self) -> Result<Vec<u64>, ArchiveError> {
        self.snapshot(|snapshot| numbers(snapshot, "true"))
    }

    /// Returns the numbers of all games whose luck was not measured, in order.
    pub fn games_without_luck(&self) -> Result<Vec<u64>, ArchiveError> {
        self.snapshot(|snapshot| numbers(snapshot, "luck IS NULL"))
    }

    /// Returns the game with one of the [`numbers`](Store::numbers); `None` if it is gone.
    pub fn game(&self, number: u64) -> Result<Option<StoredGame>, ArchiveError> {
        let mut found = None;
        self.snapshot(|snapshot| {
            for_each(snapshot, Extent::Whole, Some(number), |game| {
                found = Some(game);
                true
            })
        })?;
        Ok(found)
    }

    /// Calls `visit` with each game, sorted by number, in a snapshot of the store. `extent` selects the parts of the
    /// games to read.
    ///
    /// # Errors
    /// [`ArchiveError`] if a game cannot be read, and the first error of `visit`, which stops the reading.
    pub fn for_each_game<E: From<ArchiveError>>(
        &self,
        extent: Extent,
        mut visit: impl FnMut(StoredGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut outcome = Ok(());
        self.snapshot(|snapshot| {
            for_each(snapshot, extent, None, |game| {
                outcome = visit(game);
                outcome.is_ok()
            })
        })?;
        outcome
    }

    /// Returns the place of a game in messages: the file and, in a record, the line.
    ///
    /// # Errors
    /// [`ArchiveError`] if there is no such game.
    pub fn place(&self, number: u64) -> Result<String, ArchiveError> {
        let file = self.path.display();
        if !self.is_record() {
            return Ok(file.to_string());
        }
        let select = "SELECT line FROM lines WHERE game = ?1";
        let line: u64 =
            self.snapshot(|snapshot| Ok(snapshot.query_row(select, [number], |row| row.get(0))?))?;
        Ok(format!("{file}:{line}"))
    }

    /// Returns the first game of a record whose number occurs before, and its place.
    pub fn repeated_game(&self) -> Result<Option<(u64, String)>, ArchiveError> {
        if !self.is_record() {
            return Ok(None);
        }
        let select = "SELECT number, game FROM lines WHERE number <> game ORDER BY line LIMIT 1";
        let numbers = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found: Option<(u64, u64)> =
            self.snapshot(|snapshot| Ok(snapshot.query_row(select, [], numbers).optional()?))?;
        found.map(|(number, game)| Ok((number, self.place(game)?))).transpose()
    }
}

const ADD_GAME: &str = "INSERT INTO games VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
const ADD_SEAT: &str =
    "INSERT INTO seats VALUES (?1, ?2, (SELECT number FROM engines WHERE name = ?3), ?4, ?5, ?6, ?7,
        ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
const ADD_TURN: &str =
    "INSERT INTO turns VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
const SET_LUCK: &str = "UPDATE games SET luck = ?2 WHERE number = ?1";

/// Adds a game under a number, with its digest.
fn add(
    connection: &Connection,
    game: u64,
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
    let evidence = fault.as_ref().and_then(|fault| fault.evidence.as_ref());
    let reruns = Some(reruns).filter(|reruns| !reruns.is_empty());
    connection.prepare_cached(ADD_GAME)?.execute(params![
        game,
        block,
        variant,
        start,
        moves,
        digest,
        json(luck.as_ref())?,
        json(fault.as_ref())?,
        json(evidence)?,
        json(reruns)?,
        json(machine.as_ref())?,
    ])?;
    let mut insert_seat = connection.prepare_cached(ADD_SEAT)?;
    let sums = record.turn_sums();
    let rows = seats.iter().zip(places).zip(endings).zip(&sums);
    for (index, (((name, place), ending), sums)) in rows.enumerate() {
        insert_seat.execute(params![
            game,
            index + 1,
            name,
            place,
            winnings.get(index),
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
        ])?;
    }
    let mut insert_turn = connection.prepare_cached(ADD_TURN)?;
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
    Ok(())
}

/// Table of a store in memory for the games of a record: each game's line, number and seed in the file. In the other
/// tables, no number of a game occurs twice.
const TABLE_OF_LINES: &str = "
CREATE TABLE lines (
    game INTEGER PRIMARY KEY REFERENCES games,
    line INTEGER NOT NULL,
    number INTEGER NOT NULL,
    seed TEXT NOT NULL
) STRICT;
";

/// Imports the games of a record into an empty database. Returns the places of the other lines, with their flaws.
///
/// A game whose number occurs before is stored under a number that is free.
pub fn import(
    connection: &mut Connection,
    path: &Path,
    is_wanted: impl Fn(&GameRecord) -> bool,
) -> Result<Vec<String>, Reason> {
    let mut transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    transaction.execute_batch(TABLE_OF_LINES)?;
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
        let savepoint = transaction.savepoint()?;
        let import = || {
            add(&savepoint, number, &record, &digest.unwrap_or_default())?;
            let insert = "INSERT INTO lines (game, line, number, seed) VALUES (?1, ?2, ?3, ?4)";
            let seed = record.seed.to_string();
            savepoint.execute(insert, params![number, line, record.game, seed])?;
            Ok(())
        };
        let added: Result<(), Reason> = import();
        if let Err(Reason::Database(error @ Error::ToSqlConversionFailure(_))) = &added {
            // A number is too large for SQLite.
            reject(error);
            continue;
        }
        added?;
        savepoint.commit()?;
    }
    transaction.commit()?;
    Ok(flaws)
}

/// `true` if a game has a place and an ending for each seat, and winnings for all or none.
fn has_equal_lists(record: &GameRecord) -> bool {
    let GameRecord { seats, places, endings, winnings, .. } = record;
    [places.len(), endings.len()] == [seats.len(); 2] && [0, seats.len()].contains(&winnings.len())
}

pub fn remove(transaction: &Transaction<'_>, games: &[u64]) -> Result<(), Reason> {
    for game in games {
        settings::increment(transaction, settings::REMOVED)?;
        for delete in [
            "DELETE FROM turns WHERE game = ?1", "DELETE FROM seats WHERE game = ?1",
            "DELETE FROM games WHERE number = ?1",
        ] {
            transaction.prepare_cached(delete)?.execute([game])?;
        }
    }
    Ok(())
}

fn add_luck(transaction: &Transaction<'_>, measured: &[(u64, Luck)]) -> Result<(), Reason> {
    for (game, luck) in measured {
        check_evaluator(transaction, &luck.by)?;
        let mut update = transaction.prepare_cached(SET_LUCK)?;
        update.execute(params![game, json(Some(luck))?])?;
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

/// JSON of a part that a game may lack.
fn json(value: Option<&impl Serialize>) -> Result<Option<String>, Reason> {
    let json = value.map(serde_json::to_string).transpose();
    json.map_err(|error| Reason::content("game", &error))
}

/// Joins words with spaces; `None` if there are none.
fn joined<T: ToString>(words: &[T]) -> Option<String> {
    let words: Vec<String> = words.iter().map(T::to_string).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The parts of a game to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Whole,
    /// Everything except the moves, estimates, scores and variations of the turns, which are most of the data.
    Outline,
    /// The totals of each seat's turns instead of the turns.
    Summary,
}

impl Extent {
    /// Returns the query for the turns of a game.
    fn turns(self) -> &'static str {
        match self {
            Extent::Whole => "SELECT * FROM turns WHERE game = ?1 ORDER BY number",
            Extent::Outline => {
                "SELECT game, number, seat, '', micros, overrun, depth, NULL, NULL, NULL, NULL, waited,
                late_stop, out_of_turn, flaw FROM turns WHERE game = ?1 ORDER BY number"
            }
            Extent::Summary => "SELECT NULL WHERE ?1 IS NULL",
        }
    }
}

const GAMES: &str =
    "SELECT games.*, NULL, NULL FROM games WHERE number BETWEEN ?1 AND ?2 ORDER BY number";
const GAMES_OF_RECORD: &str =
    "SELECT games.*, lines.number, seed FROM games JOIN lines ON game = games.number
    WHERE games.number BETWEEN ?1 AND ?2 ORDER BY games.number";
const SEATS: &str = "SELECT seats.*, name FROM seats JOIN engines ON engines.number = engine
    WHERE game = ?1 ORDER BY seat";

/// Calls `visit` with each game in turn, or only with game `only`, until it returns `false`.
pub fn for_each(
    snapshot: &Connection,
    extent: Extent,
    only: Option<u64>,
    mut visit: impl FnMut(StoredGame) -> bool,
) -> Result<(), Reason> {
    let is_record = snapshot.table_exists(None, "lines")?;
    let mut parts = Parts {
        seed: if is_record { None } else { Some(settings::seed(snapshot)?) },
        seats: snapshot.prepare_cached(SEATS)?,
        turns: snapshot.prepare_cached(extent.turns())?,
    };
    let games = if is_record { GAMES_OF_RECORD } else { GAMES };
    let mut games = snapshot.prepare_cached(games)?;
    let mut rows = games.query(params![only.unwrap_or(0), only.unwrap_or(i64::MAX as u64)])?;
    let mut order = Ascending::<u64>::default();
    while let Some(row) = rows.next()? {
        order.check("games", row.get(0)?)?;
        if !visit(parts.game(row)?) {
            break;
        }
    }
    Ok(())
}

/// Returns the numbers of the games that fulfil a condition, in order.
fn numbers(connection: &Connection, condition: &str) -> Result<Vec<u64>, Reason> {
    let select = format!("SELECT number FROM games WHERE {condition} ORDER BY number");
    let mut statement = connection.prepare(&select)?;
    let mut rows = statement.query([])?;
    let mut order = Ascending::<u64>::default();
    let mut numbers = Vec::new();
    while let Some(row) = rows.next()? {
        order.check("games", row.get(0)?)?;
        numbers.push(row.get(0)?);
    }
    Ok(numbers)
}

/// Order of the rows of a table. In a crafted file, parts of a table may come again without end.
#[derive(Default)]
pub struct Ascending<T>(Option<T>);

impl<T: PartialOrd> Ascending<T> {
    /// Checks that a row comes after all earlier ones by its key.
    pub fn check(&mut self, table: &str, key: T) -> Result<(), Reason> {
        match &self.0 {
            Some(last) if *last >= key => Err(Reason::content(table, &"a row comes twice")),
            _ => {
                self.0 = Some(key);
                Ok(())
            }
        }
    }
}

struct Parts<'a> {
    /// Seed of the match; `None` for a record, whose games have their own.
    seed: Option<Seed>,
    seats: CachedStatement<'a>,
    turns: CachedStatement<'a>,
}

impl Parts<'_> {
    fn game(&mut self, row: &Row<'_>) -> Result<StoredGame, Reason> {
        let game: u64 = row.get(0)?;
        let seed = match self.seed {
            Some(seed) => seed,
            None => {
                let text: String = row.get(12)?;
                text.parse().map_err(|error| Reason::content("seed", &error))?
            }
        };
        let evidence = parsed(row.get(8)?, game, "evidence")?;
        let fault: Option<Fault> = parsed(row.get(7)?, game, "fault")?;
        let mut record = GameRecord {
            game: row.get::<_, Option<u64>>(11)?.unwrap_or(game),
            block: row.get(1)?,
            variant: row.get(2)?,
            start: row.get(3)?,
            seed,
            moves: row.get(4)?,
            luck: parsed(row.get(6)?, game, "luck")?,
            fault: fault.map(|fault| Fault { evidence, ..fault }),
            reruns: parsed(row.get(9)?, game, "reruns")?.unwrap_or_default(),
            machine: parsed(row.get(10)?, game, "machine")?,
            ..GameRecord::default()
        };
        let mut sums = Vec::new();
        let mut seats = self.seats.query([game])?;
        while let Some(row) = seats.next()? {
            if record.seats.len() == MAX_SEATS {
                let expected = format!("expected at most {MAX_SEATS} seats");
                return Err(Reason::content(format!("game {game}"), &expected));
            }
            record.seats.push(row.get(15)?);
            record.places.push(row.get(3)?);
            record.winnings.extend(row.get::<_, Option<u32>>(4)?);
            let ending: String = row.get(5)?;
            let unknown = |error| Reason::content(format!("game {game}"), &error);
            record.endings.push(Ending::try_from(ending).map_err(unknown)?);
            sums.push(TurnSums {
                turns: row.get(6)?,
                micros: row.get(7)?,
                depth_turns: row.get(8)?,
                depths: row.get(9)?,
                waited: row.get(10)?,
                late_stops: row.get(11)?,
                overruns: row.get(12)?,
                out_of_turn: row.get(13)?,
                flaws: row.get(14)?,
            });
        }
        let mut turns = self.turns.query([game])?;
        let mut order = Ascending::<u64>::default();
        while let Some(row) = turns.next()? {
            order.check("turns", row.get(1)?)?;
            record.turns.push(turn(row, game)?);
        }
        let digest: String = row.get(5)?;
        // A record may have games without a digest.
        let digest = Some(digest).filter(|digest| self.seed.is_some() || !digest.is_empty());
        Ok(StoredGame { record, digest, totals: Some(sums) })
    }
}

fn turn(row: &Row<'_>, game: u64) -> Result<TurnRecord, Reason> {
    let pv: Option<String> = row.get(10)?;
    let pv = pv.unwrap_or_default();
    Ok(TurnRecord {
        seat: row.get(2)?,
        mv: row.get(3)?,
        micros: row.get(4)?,
        overrun: row.get(5)?,
        depth: row.get(6)?,
        estimate: shares(row.get(7)?, game)?,
        score: row.get(8)?,
        nodes: row.get(9)?,
        pv: pv.split_whitespace().map(String::from).collect(),
        waited: row.get(11)?,
        late_stop: row.get(12)?,
        out_of_turn: row.get(13)?,
        flaw: row.get(14)?,
    })
}

/// Parses shares in permille; empty without a text.
fn shares(text: Option<String>, game: u64) -> Result<Vec<u16>, Reason> {
    let text = text.unwrap_or_default();
    let shares = text.split_whitespace().map(str::parse);
    let wrong = |error| Reason::content(format!("game {game}, estimate {text:?}"), &error);
    shares.collect::<Result<_, _>>().map_err(wrong)
}

/// Parses JSON, if there is any; errors name the game and the column.
fn parsed<T: DeserializeOwned>(
    text: Option<String>,
    game: u64,
    column: &str,
) -> Result<Option<T>, Reason> {
    let wrong = |error| Reason::content(format!("game {game}, {column}"), &error);
    text.map(|text| serde_json::from_str(&text)).transpose().map_err(wrong)
}
