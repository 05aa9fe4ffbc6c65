//! Reads games, one at a time.

use buxtehude::rules::MAX_SEATS;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;

use super::{schema, settings};
use crate::archive::error::Reason;
use crate::record::digest::StoredGame;
use crate::record::ending::Ending;
use crate::record::seed::Seed;
use crate::record::{Fault, GameRecord, Machine, Rerun, TurnRecord, TurnSums};

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
            Extent::Whole => {
                "SELECT seat, move, micros, overrun, depth, estimate, score, nodes, pv, waited, late_stop,
                out_of_turn, flaw, number FROM turns WHERE game = ?1 ORDER BY number"
            }
            Extent::Outline => {
                "SELECT seat, '', micros, overrun, depth, NULL, NULL, NULL, NULL, waited, late_stop,
                out_of_turn, flaw, number FROM turns WHERE game = ?1 ORDER BY number"
            }
            Extent::Summary => "SELECT NULL WHERE ?1 IS NULL",
        }
    }
}

const GAMES: &str =
    "SELECT number, block, variant, start, moves, digest, luck, NULL, NULL FROM games
    WHERE number BETWEEN ?1 AND ?2 ORDER BY number";
/// Query for the games of a record; one without a digest has an empty text.
const GAMES_OF_RECORD: &str =
    "SELECT games.number, block, variant, start, moves, nullif(digest, ''), luck, lines.number, seed
    FROM games JOIN lines ON game = games.number
    WHERE games.number BETWEEN ?1 AND ?2 ORDER BY games.number";

const SEATS: &str =
    "SELECT engines.name, place, ending, turns, micros, depth_turns, depths, waited, late_stops,
    overruns, out_of_turn, flaws, winnings
    FROM seats JOIN engines ON engines.number = engine WHERE game = ?1 ORDER BY seat";
const RERUNS: &str =
    "SELECT seat, reason, shares, number FROM reruns WHERE game = ?1 ORDER BY number";
const FAULT: &str = "SELECT seat, reason, stderr, evidence FROM faults WHERE game = ?1";
const MACHINE: &str = "SELECT worker, slots, micros, lag_median, lag_p99, speed, time_scale
    FROM machines WHERE game = ?1";

/// Calls `visit` with each game in turn, or only with game `only`, until it returns `false`.
pub fn for_each(
    connection: &Connection,
    extent: Extent,
    only: Option<u64>,
    mut visit: impl FnMut(StoredGame) -> bool,
) -> Result<(), Reason> {
    // A snapshot, because an arbiter may be adding games at the same time.
    let snapshot = connection.unchecked_transaction()?;
    let is_record = snapshot.table_exists(None, schema::LINES)?;
    let mut parts = Parts {
        seed: if is_record { None } else { Some(settings::seed(&snapshot)?) },
        seats: snapshot.prepare_cached(SEATS)?,
        turns: snapshot.prepare_cached(extent.turns())?,
        fault: snapshot.prepare_cached(FAULT)?,
        reruns: snapshot.prepare_cached(RERUNS)?,
        machine: snapshot.prepare_cached(MACHINE)?,
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
pub fn numbers(connection: &Connection, condition: &str) -> Result<Vec<u64>, Reason> {
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
    fault: CachedStatement<'a>,
    reruns: CachedStatement<'a>,
    machine: CachedStatement<'a>,
}

impl Parts<'_> {
    fn game(&mut self, row: &Row<'_>) -> Result<StoredGame, Reason> {
        let game: u64 = row.get(0)?;
        let seed = match self.seed {
            Some(seed) => seed,
            None => {
                let text: String = row.get(8)?;
                text.parse().map_err(|error| Reason::content("seed", &error))?
            }
        };
        let mut record = GameRecord {
            game: row.get::<_, Option<u64>>(7)?.unwrap_or(game),
            block: row.get(1)?,
            variant: row.get(2)?,
            start: row.get(3)?,
            seed,
            moves: row.get(4)?,
            fault: self.fault(game)?,
            machine: self.machine.query_row([game], machine).optional()?,
            luck: json(row.get(6)?, game, "luck")?,
            ..GameRecord::default()
        };
        let mut sums = Vec::new();
        let mut seats = self.seats.query([game])?;
        while let Some(row) = seats.next()? {
            if record.seats.len() == MAX_SEATS {
                let expected = format!("expected at most {MAX_SEATS} seats");
                return Err(Reason::content(format!("game {game}"), &expected));
            }
            record.seats.push(row.get(0)?);
            record.places.push(row.get(1)?);
            let ending: String = row.get(2)?;
            let unknown = |error| Reason::content(format!("game {game}"), &error);
            record.endings.push(Ending::try_from(ending).map_err(unknown)?);
            record.winnings.extend(row.get::<_, Option<u32>>(12)?);
            sums.push(TurnSums {
                turns: row.get(3)?,
                micros: row.get(4)?,
                depth_turns: row.get(5)?,
                depths: row.get(6)?,
                waited: row.get(7)?,
                late_stops: row.get(8)?,
                overruns: row.get(9)?,
                out_of_turn: row.get(10)?,
                flaws: row.get(11)?,
            });
        }
        let mut turns = self.turns.query([game])?;
        let mut order = Ascending::<u64>::default();
        while let Some(row) = turns.next()? {
            order.check("turns", row.get(13)?)?;
            record.turns.push(turn(row, game)?);
        }
        let mut reruns = self.reruns.query([game])?;
        let mut order = Ascending::<u64>::default();
        while let Some(row) = reruns.next()? {
            order.check("reruns", row.get(3)?)?;
            record.reruns.push(Rerun {
                seat: row.get(0)?,
                reason: row.get(1)?,
                shares: shares(row.get(2)?, game)?,
            });
        }
        Ok(StoredGame { record, digest: row.get(5)?, totals: Some(sums) })
    }

    fn fault(&mut self, game: u64) -> Result<Option<Fault>, Reason> {
        let mut rows = self.fault.query([game])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        Ok(Some(Fault {
            seat: row.get(0)?,
            reason: row.get(1)?,
            stderr: json(row.get(2)?, game, "fault")?.unwrap_or_default(),
            evidence: json(row.get(3)?, game, "fault")?,
        }))
    }
}

fn turn(row: &Row<'_>, game: u64) -> Result<TurnRecord, Reason> {
    let pv: Option<String> = row.get(8)?;
    let pv = pv.unwrap_or_default();
    Ok(TurnRecord {
        seat: row.get(0)?,
        mv: row.get(1)?,
        micros: row.get(2)?,
        overrun: row.get(3)?,
        depth: row.get(4)?,
        estimate: shares(row.get(5)?, game)?,
        score: row.get(6)?,
        nodes: row.get(7)?,
        pv: pv.split_whitespace().map(String::from).collect(),
        waited: row.get(9)?,
        late_stop: row.get(10)?,
        out_of_turn: row.get(11)?,
        flaw: row.get(12)?,
    })
}

fn machine(row: &Row<'_>) -> rusqlite::Result<Machine> {
    Ok(Machine {
        worker: row.get(0)?,
        slots: row.get(1)?,
        micros: row.get(2)?,
        lag_median: row.get(3)?,
        lag_p99: row.get(4)?,
        speed: row.get(5)?,
        time_scale: row.get(6)?,
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
fn json<T: DeserializeOwned>(
    text: Option<String>,
    game: u64,
    column: &str,
) -> Result<Option<T>, Reason> {
    let wrong = |error| Reason::content(format!("game {game}, {column}"), &error);
    text.map(|text| serde_json::from_str(&text)).transpose().map_err(wrong)
}
