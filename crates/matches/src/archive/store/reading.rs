//! Reads games, one at a time.

use std::fmt::Display;
use std::str::FromStr;

use buxtehude::rules::MAX_SEATS;
use rusqlite::{Connection, OptionalExtension, Row, Statement, params};

use super::settings;
use crate::archive::error::Reason;
use crate::record::digest::StoredGame;
use crate::record::ending::Ending;
use crate::record::seed::Seed;
use crate::record::{Fault, GameRecord, Luck, Machine, Rerun, TurnRecord, TurnSums};

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
    /// Returns the query for games, all or one, and the query for the turns of a game.
    fn queries(self) -> [&'static str; 2] {
        match self {
            Extent::Whole => [
                "SELECT number, block, variant, start, moves, digest, luck FROM games
                    WHERE number BETWEEN ?1 AND ?2 ORDER BY number",
                "SELECT seat, move, micros, overrun, depth, estimate, score, nodes, pv, waited, late_stop,
                    out_of_turn, flaw, number FROM turns
                    WHERE game = ?1 ORDER BY number",
            ],
            Extent::Outline => [
                "SELECT number, block, variant, start, moves, NULL, luck FROM games
                    WHERE number BETWEEN ?1 AND ?2 ORDER BY number",
                "SELECT seat, '', micros, overrun, depth, NULL, NULL, NULL, NULL, waited, late_stop,
                    out_of_turn, flaw, number FROM turns
                    WHERE game = ?1 ORDER BY number",
            ],
            Extent::Summary => [
                "SELECT number, block, variant, start, moves, NULL, luck FROM games
                    WHERE number BETWEEN ?1 AND ?2 ORDER BY number",
                "SELECT NULL WHERE ?1 IS NULL",
            ],
        }
    }
}

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
    let seed = settings::seed(&snapshot)?;
    let [games, turns] = extent.queries();
    let mut parts = Parts {
        seats: snapshot.prepare(SEATS)?,
        turns: snapshot.prepare(turns)?,
        fault: snapshot.prepare(FAULT)?,
        reruns: snapshot.prepare(RERUNS)?,
        machine: snapshot.prepare(MACHINE)?,
        luck_by: settings::find(&snapshot, settings::LUCK_BY)?,
    };
    let mut games = snapshot.prepare(games)?;
    // Numbers of games start at 1.
    let mut rows = games.query(params![only.unwrap_or(0), only.unwrap_or(i64::MAX as u64)])?;
    let mut order = Ascending::<u64>::default();
    while let Some(row) = rows.next()? {
        order.check("games", row.get(0)?)?;
        if !visit(parts.game(row, seed)?) {
            break;
        }
    }
    Ok(())
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
    seats: Statement<'a>,
    turns: Statement<'a>,
    fault: Statement<'a>,
    reruns: Statement<'a>,
    machine: Statement<'a>,
    /// Evaluator of the luck; `None` if there is no luck.
    luck_by: Option<String>,
}

impl Parts<'_> {
    fn game(&mut self, row: &Row<'_>, seed: Seed) -> Result<StoredGame, Reason> {
        let game = row.get(0)?;
        let mut record = GameRecord {
            game,
            block: row.get(1)?,
            variant: row.get(2)?,
            start: row.get(3)?,
            seed,
            moves: row.get(4)?,
            fault: self.fault(game)?,
            machine: self.machine.query_row([game], machine).optional()?,
            luck: self.luck(row.get(6)?, game)?,
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

    fn luck(&self, text: Option<String>, game: u64) -> Result<Option<Luck>, Reason> {
        let (Some(by), Some(text)) = (self.luck_by.clone(), text) else {
            return Ok(None);
        };
        let shares = numbers(&text, game, "luck")?;
        Ok(Some(Luck { by, shares }))
    }

    fn fault(&mut self, game: u64) -> Result<Option<Fault>, Reason> {
        let mut rows = self.fault.query([game])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let (stderr, evidence): (String, Option<String>) = (row.get(2)?, row.get(3)?);
        let wrong = |error| Reason::content(format!("game {game}, fault"), &error);
        let evidence = evidence.map(|text| serde_json::from_str(&text));
        Ok(Some(Fault {
            seat: row.get(0)?,
            reason: row.get(1)?,
            stderr: serde_json::from_str(&stderr).map_err(wrong)?,
            evidence: evidence.transpose().map_err(wrong)?,
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
    numbers(&text.unwrap_or_default(), game, "estimate")
}

/// Parses numbers separated by spaces; errors name the game and the column.
fn numbers<T: FromStr<Err: Display>>(
    text: &str,
    game: u64,
    column: &str,
) -> Result<Vec<T>, Reason> {
    let numbers = text.split_whitespace().map(str::parse);
    let wrong = |error| Reason::content(format!("game {game}, {column} {text:?}"), &error);
    numbers.collect::<Result<_, _>>().map_err(wrong)
}
