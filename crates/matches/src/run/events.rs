//! The events of a match as a stream of JSON Lines, for other programs; docs/formats.md describes them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use buxtehude::protocol::Start;
use serde::Serialize;

use crate::archive::ArchiveError;
use crate::own_files;
use crate::plan::Plan;
use crate::plan::deck::Seed;
use crate::play::runner::{Event, Played};
use crate::record::GameRecord;
use crate::record::printable::printable_json;
use crate::report::Report;
use crate::score::{Interval, Verdict};

/// Version of the stream. Additions do not change it.
pub const STREAM_VERSION: u32 = 1;

#[derive(Debug)]
pub struct EventFile {
    path: PathBuf,
    file: File,
}

/// An event, one line of the stream.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Line<'a> {
    Start {
        version: u32,
        arbiter: &'static str,
        variant: &'a str,
        players: usize,
        games: u64,
        played: u64,
        seed: Option<Seed>,
        format: String,
        sprt: Option<String>,
        engines: Vec<EngineEvent<'a>>,
    },
    Begin {
        game: u64,
        block: u64,
        seats: Vec<&'a str>,
        start: Option<&'a str>,
        opening: &'a [String],
    },
    Move {
        game: u64,
        seat: u32,
        #[serde(rename = "move")]
        mv: &'a str,
        micros: Option<u64>,
        depth: Option<u32>,
        #[serde(skip_serializing_if = "<[u16]>::is_empty")]
        estimate: &'a [u16],
        score: Option<&'a str>,
        nodes: Option<u64>,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        pv: &'a [String],
        waited: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        flaw: Option<&'a str>,
    },
    Card {
        game: u64,
        card: &'a str,
    },
    Fault {
        game: u64,
        seat: u32,
        engine: &'a str,
        ending: &'static str,
        reason: &'a str,
        stderr: &'a [String],
    },
    End {
        game: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        worker: Option<&'a str>,
        record: EventRecord<'a>,
    },
    Standings {
        games: u64,
        /// Number of games that repeat earlier ones.
        #[serde(skip_serializing_if = "Option::is_none")]
        repeated: Option<u64>,
        engines: Vec<StandingEvent<'a>>,
        /// Strength of the first of two engines.
        #[serde(flatten)]
        strength: BTreeMap<String, Option<f64>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        equivalent_games: Option<u64>,
        #[serde(skip_serializing_if = "String::is_empty")]
        luck_by: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        luck_games: Option<u64>,
        llr: Option<f64>,
        verdict: Option<&'static str>,
    },
    Rerun {
        game: u64,
        reason: &'a str,
    },
    Retired {
        engine: &'a str,
        failures: u32,
    },
    Finish {
        outcome: &'static str,
        code: u8,
        games: u64,
        seed: Option<Seed>,
    },
}

/// A finished game in a running match.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum EventRecord<'a> {
    Whole(&'a GameRecord),
    /// The record without a secret seed, which determines the cards of later games.
    WithoutSeed(serde_json::Value),
}

#[derive(Debug, Serialize)]
struct EngineEvent<'a> {
    name: &'a str,
    command: String,
    limit: String,
    id: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct StandingEvent<'a> {
    name: &'a str,
    games: u64,
    points: f64,
    places: &'a [u64],
    share: Option<f64>,
    error: Option<f64>,
    par: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adjusted_share: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adjusted_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winnings: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winnings_error: Option<f64>,
    rating: f64,
    rating_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adjusted_rating: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adjusted_rating_error: Option<f64>,
}

impl<'a> Line<'a> {
    fn standings(report: &'a Report) -> Line<'a> {
        let standings = report.standings();
        let adjusted = standings.adjusted_ratings();
        let adjusted = |engine: usize| adjusted.as_ref().map(|ratings| ratings[engine]);
        let engines = standings.engines().zip(standings.ratings()).enumerate().map(
            |(index, ((name, tally), rating))| StandingEvent {
                name,
                games: tally.games,
                points: tally.points,
                places: &tally.places,
                share: tally.share(),
                error: tally.error(),
                par: tally.par(),
                adjusted_share: tally.adjusted_share(),
                adjusted_error: tally.adjusted_error(),
                winnings: tally.winnings(),
                winnings_error: tally.winnings_error(),
                rating: rating.rating,
                rating_error: rating.error,
                adjusted_rating: adjusted(index).map(|rating| rating.rating),
                adjusted_rating_error: adjusted(index).and_then(|rating| rating.error),
            },
        );
        let verdict = match report.verdict() {
            Verdict::H0 => Some("H0"),
            Verdict::H1 => Some("H1"),
            Verdict::Open => None,
        };
        let raw = standings.head_to_head().into_iter().flat_map(|raw| {
            let score = raw.mean_score().map(|score| score.interval());
            strength("", [score, raw.elo(), raw.normalized_elo()], raw.superiority())
        });
        let luck = standings.adjusted().into_iter().flat_map(|luck| {
            let intervals = [luck.score(), luck.elo(), luck.normalized_elo()];
            strength("adjusted_", intervals, luck.superiority())
        });
        let by: Vec<&str> = standings.luck_by().keys().map(String::as_str).collect();
        Line::Standings {
            games: standings.games(),
            repeated: Some(report.repeated()).filter(|&games| games > 0),
            engines: engines.collect(),
            strength: raw.chain(luck).collect(),
            equivalent_games: standings.equivalent_games(),
            luck_by: by.join(", "),
            luck_games: (!by.is_empty()).then(|| standings.luck_by().values().sum()),
            llr: report.llr(),
            verdict,
        }
    }
}

/// Score, Elo and normalized Elo with their 95 % intervals, and the likelihood of superiority, as numbers with names.
fn strength(
    prefix: &str,
    intervals: [Option<Interval>; 3],
    superiority: Option<f64>,
) -> impl Iterator<Item = (String, Option<f64>)> {
    let names = ["score", "elo", "normalized_elo"].into_iter().zip(intervals);
    let numbers = names.flat_map(move |(name, interval)| {
        let named = |part: &str, number: fn(&Interval) -> f64| {
            (format!("{prefix}{name}{part}"), interval.as_ref().map(number))
        };
        [
            named("", |interval| interval.value),
            named("_low", |interval| interval.low),
            named("_high", |interval| interval.high),
            named("_error", Interval::error),
        ]
    });
    numbers.chain([(format!("{prefix}los"), superiority)])
}

/// Returns the standings of a match as one JSON object, with a newline at the end: the last `standings` event.
pub fn standings_json(report: &Report) -> String {
    // Numbers and texts always have a JSON form.
    let line = serde_json::to_string(&Line::standings(report)).unwrap_or_default();
    format!("{}\n", printable_json(&line))
}

impl EventFile {
    /// Starts a stream in a new or truncated file.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be written.
    pub fn create(path: &Path) -> Result<EventFile, ArchiveError> {
        EventFile::of(path, File::create(path))
    }

    /// Continues the stream in a file, which is created if it does not exist.
    ///
    /// # Errors
    /// As [`EventFile::create`].
    pub fn append_to(path: &Path) -> Result<EventFile, ArchiveError> {
        EventFile::of(path, own_files::append_to(path))
    }

    fn of(path: &Path, opened: io::Result<File>) -> Result<EventFile, ArchiveError> {
        let file = opened.map_err(|error| ArchiveError::file(path, error))?;
        own_files::add(path);
        Ok(EventFile { path: path.to_path_buf(), file })
    }

    /// Writes the start or the continuation of a match, with the number of games played in earlier runs.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be written.
    pub fn start(
        &mut self,
        plan: &Plan,
        id_names: &[Option<String>],
        played: u64,
    ) -> Result<(), ArchiveError> {
        let engines = plan.engines.iter().zip(id_names).map(|(engine, id)| EngineEvent {
            name: &engine.name,
            command: engine.command.display().to_string(),
            limit: engine.limit.to_string(),
            id: id.as_deref(),
        });
        self.write(&Line::Start {
            version: STREAM_VERSION,
            arbiter: crate::VERSION,
            variant: plan.rules.name(),
            players: plan.seats,
            games: plan.games,
            played,
            seed: Some(plan.seed).filter(|seed| !seed.is_secret()),
            format: plan.format.to_string(),
            sprt: plan.sprt.map(|sprt| sprt.to_string()),
            engines: engines.collect(),
        })
    }

    /// Writes an event; the report must have counted a finished game already.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be written.
    pub fn event(
        &mut self,
        plan: &Plan,
        event: &Event,
        report: &Report,
    ) -> Result<(), ArchiveError> {
        match event {
            Event::Begun(game) => {
                let name = |engine: usize| plan.engines[engine].name.as_str();
                self.write(&Line::Begin {
                    game: game.number,
                    block: game.block,
                    seats: game.seats.iter().map(|seated| name(seated.engine)).collect(),
                    start: match &game.opening.start {
                        Start::Startpos { .. } => None,
                        Start::Fen(text) => Some(text),
                    },
                    opening: &game.opening.moves,
                })
            }
            Event::Ply(Played { game, turn, word }) => self.write(&match turn {
                None => Line::Card { game: *game, card: word },
                Some(turn) => Line::Move {
                    game: *game,
                    seat: turn.seat,
                    mv: word,
                    micros: turn.micros,
                    depth: turn.depth,
                    estimate: &turn.estimate,
                    score: turn.score.as_deref(),
                    nodes: turn.nodes,
                    pv: &turn.pv,
                    waited: turn.waited,
                    flaw: turn.flaw.as_deref(),
                },
            }),
            Event::Ended(record) => self.ended(record, report),
            Event::Rerun { game, reason } => self.write(&Line::Rerun { game: *game, reason }),
            Event::Retired { engine, failures } => {
                self.write(&Line::Retired { engine, failures: *failures })
            }
        }
    }

    fn ended(&mut self, record: &GameRecord, report: &Report) -> Result<(), ArchiveError> {
        if let Some((fault, engine, ending)) = record.named_fault() {
            self.write(&Line::Fault {
                game: record.game,
                seat: fault.seat,
                engine,
                ending,
                reason: &fault.reason,
                stderr: &fault.stderr,
            })?;
        }
        let machine = record.machine.as_ref();
        self.write(&Line::End {
            game: record.game,
            worker: machine.map(|machine| machine.worker.as_str()),
            record: self.event_record(record)?,
        })?;
        self.standings(report)
    }

    /// Writes the standings.
    ///
    /// # Errors
    /// [`ArchiveError`] if they cannot be written.
    pub fn standings(&mut self, report: &Report) -> Result<(), ArchiveError> {
        self.write(&Line::standings(report))
    }

    /// Writes the end of the match: its outcome as one word, the exit status of the arbiter, and the seed unless it
    /// must stay secret.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be written.
    pub fn finish(
        &mut self,
        outcome: &'static str,
        code: u8,
        games: u64,
        seed: Option<Seed>,
    ) -> Result<(), ArchiveError> {
        self.write(&Line::Finish { outcome, code, games, seed })
    }

    fn event_record<'a>(&self, record: &'a GameRecord) -> Result<EventRecord<'a>, ArchiveError> {
        if !record.seed.is_secret() {
            return Ok(EventRecord::Whole(record));
        }
        let mut value = serde_json::to_value(record).map_err(|error| self.failed(error.into()))?;
        if let Some(fields) = value.as_object_mut() {
            fields.remove("seed");
        }
        Ok(EventRecord::WithoutSeed(value))
    }

    /// Writes an event, which may be one that only its source of games knows.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be written.
    pub fn write(&mut self, line: &impl Serialize) -> Result<(), ArchiveError> {
        let line = serde_json::to_string(line).map_err(io::Error::from);
        let written = line.and_then(|line| {
            let line = format!("{}\n", printable_json(&line));
            self.file.write_all(line.as_bytes())
        });
        written.map_err(|reason| self.failed(reason))
    }

    fn failed(&self, error: io::Error) -> ArchiveError {
        ArchiveError::file(&self.path, error)
    }
}
