//! Messages between coordinators and workers: signed JSON objects with a version and a maximum length; and the plan of
//! a match, which is the JSON of a store, so that a worker reads exactly the plan that a resumed match reads.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use matches::plan::Plan;
use matches::plan::deck::Seed;
use matches::plan::schedule::Dealt;
use matches::record::GameRecord;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::signature::{self, Key, SignatureError, Signer};

pub const VERSION: u32 = 2;
/// Maximum length of a message with a game, in bytes: the default limit of a NATS server.
pub const MAX_BYTES_OF_A_GAME: usize = 1 << 20;
/// Maximum length of all other messages, in bytes.
pub const MAX_BYTES: usize = 1 << 18;
/// Maximum length of a plan, in bytes: enough for some hundred thousand openings.
pub const MAX_BYTES_OF_A_PLAN: usize = 1 << 26;
/// Maximum number of workers in one message of a tally.
const MAX_OF_A_PART: usize = 1000;
/// Bytes of a message that an error quotes.
const MAX_QUOTED_BYTES: usize = 60;

pub trait Message: Serialize + DeserializeOwned {
    const MAX_BYTES: usize;

    /// Encodes the message and signs it for `scope`, the subject or the key of a bucket where it is published.
    ///
    /// # Errors
    /// [`MessageError::TooLong`], or [`MessageError::Malformed`] if it has no JSON form.
    fn encode(&self, signer: &Signer, scope: &str) -> Result<Vec<u8>, MessageError> {
        let message = Outgoing { version: VERSION, fields: self };
        let bytes = serde_json::to_vec(&message).map_err(|reason| malformed(b"", &reason))?;
        let bytes = signer.sign(scope, &bytes);
        bounded(&bytes, Self::MAX_BYTES)?;
        Ok(bytes)
    }

    /// Decodes a message; returns the key that has signed it, too.
    ///
    /// # Errors
    /// Any [`MessageError`].
    fn decode(bytes: &[u8], scope: &str) -> Result<(Key, Self), MessageError> {
        bounded(bytes, Self::MAX_BYTES)?;
        let (by, content) = signature::open(bytes, scope)?;
        Ok((by, parse(content)?))
    }

    /// Decodes a message that a key has signed.
    ///
    /// # Errors
    /// Any [`MessageError`].
    fn decode_by(key: &Key, bytes: &[u8], scope: &str) -> Result<Self, MessageError> {
        bounded(bytes, Self::MAX_BYTES)?;
        parse(key.open(bytes, scope)?)
    }
}

fn parse<M: DeserializeOwned>(content: &[u8]) -> Result<M, MessageError> {
    let wrong = |reason: serde_json::Error| malformed(content, &reason);
    let Versioned { version } = serde_json::from_slice(content).map_err(wrong)?;
    if version != VERSION {
        return Err(MessageError::Version { found: version });
    }
    serde_json::from_slice(content).map_err(wrong)
}

/// A message, serialized with its version first.
#[derive(Serialize)]
struct Outgoing<'a, M: Serialize> {
    version: u32,
    #[serde(flatten)]
    fields: &'a M,
}

#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MessageError {
    #[error("message of version {found}, expected {VERSION}")]
    Version { found: u32 },
    #[error("message of {found} bytes, expected at most {most}")]
    TooLong { found: usize, most: usize },
    #[error("malformed message {quoted:?}: {reason}")]
    Malformed {
        /// Beginning of the message.
        quoted: String,
        /// Error of the JSON parser.
        reason: String,
    },
    #[error("message refused: {0}")]
    Signature(#[from] SignatureError),
}

impl MessageError {
    /// Whether the message's signature is valid, so that its author is to blame.
    pub fn is_by_signer(&self) -> bool {
        matches!(self, MessageError::Version { .. } | MessageError::Malformed { .. })
    }
}

fn malformed(bytes: &[u8], reason: &serde_json::Error) -> MessageError {
    let quoted = &bytes[..bytes.len().min(MAX_QUOTED_BYTES)];
    MessageError::Malformed {
        quoted: String::from_utf8_lossy(quoted).into_owned(),
        reason: reason.to_string(),
    }
}

fn bounded(bytes: &[u8], most: usize) -> Result<(), MessageError> {
    let found = bytes.len();
    if found > most { Err(MessageError::TooLong { found, most }) } else { Ok(()) }
}

/// A unit of games for one worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Session of the coordinator that gives it out.
    pub session: u64,
    /// Number of the unit; [`Units::games`] says which games it has.
    pub unit: u64,
    /// Number of reruns so far for each engine, in the order of the plan.
    pub reruns: Vec<u32>,
    /// Random choices for its block: workers do not know the seed of the match.
    pub dealt: Dealt,
}

/// Outcome of a worker's attempt to play a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub label: String,
    pub result: GameResult,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameResult {
    Played(Box<GameRecord>),
    /// A fault of the rules program. It counts only if the coordinator's program fails at the same position.
    Fault {
        /// Position of the question at which the program failed, as the argument of `position`; empty if it failed
        /// before the first question.
        position: String,
        /// The fault, with the program's name and last words.
        reason: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    Open,
    /// The coordinator was interrupted: no games are played until the match is resumed.
    Paused,
    Over,
}

/// Identity of an engine or of the rules program, which a worker's program must match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineId {
    pub name: String,
    /// SHA-256 of its program.
    pub sha256: String,
    /// Files among its arguments, with their SHA-256.
    pub files: Vec<(String, String)>,
    /// Whether the server has these files, for workers that accept engines.
    pub is_shared: bool,
}

impl EngineId {
    /// SHA-256 of the program, then of each file among its arguments.
    pub fn hashes(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().map(|(_, sha256)| sha256.as_str());
        std::iter::once(self.sha256.as_str()).chain(files)
    }
}

/// State of a match, which workers poll.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub phase: Phase,
    /// Version of the arbiter.
    pub arbiter: String,
    /// Number of the coordinator's session; a resumed match has a higher one.
    pub session: u64,
    /// Number of the state within the session.
    pub revision: u64,
    /// SHA-256 of the plan, which is its name in the object store.
    pub plan: String,
    /// Engines in the order of the plan, then the rules program, if there is one.
    pub engines: Vec<EngineId>,
    /// Time that a worker may be silent before another worker gets its games, in milliseconds.
    pub ack_wait_ms: u64,
    /// Ids of the keys of workers whose games no longer count.
    pub set_aside: BTreeSet<String>,
    /// Ids of the keys of the workers whose games count; `None` for all.
    pub workers: Option<BTreeSet<String>>,
    /// Speed, in positions a second, that the time limits are meant for; `None` if they are the same on every machine.
    pub reference_speed: Option<u64>,
}

/// List of a coordinator's open matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenMatches {
    pub ids: Vec<String>,
}

/// A worker's heartbeat, with its state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Beat {
    pub label: String,
    /// Version of its arbiter.
    pub arbiter: String,
    /// Units that it plays concurrently.
    pub concurrency: u16,
    /// Units in progress.
    pub playing: u64,
    /// Games played since it started.
    pub games: u64,
    /// Seconds since it started.
    pub seconds: u64,
    /// Median lag of its arbiter, in microseconds.
    pub lag_micros: u64,
    /// 99th percentile of its lag, in microseconds.
    pub lag_p99_micros: u64,
    /// Positions a second that the built-in engine visits in each slot while all are busy.
    pub speed: Option<u64>,
    /// Ids of the matches that it plays.
    pub joined: Vec<String>,
    /// Units that a coordinator has assigned to it, with the ids of their matches.
    pub assigned: Vec<(String, u64)>,
    /// Ids of the matches that it refuses, with the reasons.
    pub refused: BTreeMap<String, String>,
}

/// Counts that a coordinator publishes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of stored games.
    pub stored: u64,
    /// Number of games of the match.
    pub games: u64,
    pub workers: BTreeMap<String, WorkerTally>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerTally {
    /// Number of stored games.
    pub games: u64,
    /// Stored games that ended with a fault of an engine.
    pub faults: u64,
    /// Duplicates: games that another worker had already played.
    pub doubles: u64,
    pub refused: u64,
    pub set_aside: Option<AsideTally>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsideTally {
    pub reason: String,
    /// Number of its games that are not counted.
    pub games: u64,
}

impl Tally {
    /// Splits the tally by workers into messages of limited length; returns at least one.
    pub fn parts(&self) -> Vec<Tally> {
        let part = |workers: &[(&String, &WorkerTally)]| Tally {
            stored: self.stored,
            games: self.games,
            workers: workers.iter().map(|&(name, tally)| (name.clone(), tally.clone())).collect(),
        };
        let workers: Vec<_> = self.workers.iter().collect();
        match workers.as_slice() {
            [] => vec![part(&[])],
            all => all.chunks(MAX_OF_A_PART).map(part).collect(),
        }
    }

    pub fn join(&mut self, part: Tally) {
        self.stored = self.stored.max(part.stored);
        self.games = part.games;
        // An earlier session may have left more parts, whose workers are out of date.
        for (name, tally) in part.workers {
            self.workers.entry(name).or_insert(tally);
        }
    }
}

macro_rules! messages {
    ($($name:ty: $most:expr),*) => {
        $(impl Message for $name {
            const MAX_BYTES: usize = $most;
        })*
    };
}

messages!(
    Work: MAX_BYTES,
    Outcome: MAX_BYTES_OF_A_GAME,
    State: MAX_BYTES,
    OpenMatches: MAX_BYTES,
    Beat: MAX_BYTES,
    Tally: MAX_BYTES_OF_A_GAME
);

/// Maximum number of games of a unit, which is a block, or a part of a long one.
const MAX_GAMES_OF_A_UNIT: u64 = 24;

/// Units of a plan, numbered from 0 in the order of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    games: u64,
    games_per_block: u64,
    per_block: u64,
}

impl Units {
    pub fn of(plan: &Plan) -> Units {
        Units::new(plan.games, plan.line_ups().games_per_block())
    }

    fn new(games: u64, games_per_block: u64) -> Units {
        Units { games, games_per_block, per_block: games_per_block.div_ceil(MAX_GAMES_OF_A_UNIT) }
    }

    pub fn count(&self) -> u64 {
        self.games.div_ceil(self.games_per_block) * self.per_block
    }

    pub fn games(&self, unit: u64) -> RangeInclusive<u64> {
        let (block, part) = (unit / self.per_block, unit % self.per_block);
        let begin = block * self.games_per_block;
        let end =
            (begin + ((part + 1) * MAX_GAMES_OF_A_UNIT).min(self.games_per_block)).min(self.games);
        begin + part * MAX_GAMES_OF_A_UNIT + 1..=end
    }

    pub fn of_game(&self, game: u64) -> u64 {
        let index = game.saturating_sub(1);
        let (block, within) = (index / self.games_per_block, index % self.games_per_block);
        block * self.per_block + within / MAX_GAMES_OF_A_UNIT
    }
}

/// Placeholder for the seed, so that no worker knows the cards of blocks that it does not play.
pub const NO_SEED: Seed = Seed::Number(0);

/// Encodes a plan, without its seed.
///
/// # Errors
/// The reason, if a path of the plan is not UTF-8.
pub fn write_plan(plan: &Plan) -> Result<Vec<u8>, String> {
    let plan = Plan { seed: NO_SEED, ..plan.clone() };
    serde_json::to_vec(&plan).map_err(|reason| format!("plan: {reason}"))
}

/// Decodes a plan.
///
/// # Errors
/// The reason, if the bytes are not a plan of this version of the arbiter.
pub fn read_plan(bytes: &[u8]) -> Result<Plan, String> {
    Plan::from_json(bytes).map_err(|reason| format!("plan: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use buxtehude::rules::VARIANTS;
    use matches::plan::{EngineSpec, Limit};

    fn work() -> Work {
        Work {
            session: 5,
            unit: 3,
            reruns: vec![0, 1],
            dealt: Dealt { opening: vec!["5".to_string()], deck_seed: 7.into() },
        }
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let signer = Signer::default();
        let key = signer.key();
        let bytes = work().encode(&signer, "7").unwrap();
        let json = key.open(&bytes, "7").unwrap();
        assert!(json.starts_with(b"{\"version\":2,"));
        assert_eq!(Work::decode(&bytes, "7"), Ok((key.clone(), work())));
        assert_eq!(Work::decode_by(key, &bytes, "7"), Ok(work()));
        for (key, scope) in [(key, "8"), (Signer::default().key(), "7")] {
            let error = Work::decode_by(key, &bytes, scope).unwrap_err();
            assert!(matches!(error, MessageError::Signature(_)), "{error}");
        }
    }

    #[test]
    fn another_version_is_told_from_nonsense() {
        let signer = Signer::default();
        let decoded = |text: &[u8]| Work::decode(&signer.sign("", text), "");
        let error = decoded(br#"{"version":3,"unit":3,"with":"more"}"#).unwrap_err();
        assert_eq!(error, MessageError::Version { found: 3 });
        let bytes = work().encode(&signer, "").unwrap();
        let json = signer.key().open(&bytes, "").unwrap();
        for end in [0, 1, json.len() - 1] {
            let error = decoded(&json[..end]).unwrap_err();
            assert!(matches!(error, MessageError::Malformed { .. }), "{error}");
        }
    }

    #[test]
    fn what_was_counted_of_many_workers_is_sent_in_parts() {
        let names = (0..20_000).map(|number| format!("{number:064}"));
        let all = WorkerTally {
            games: u64::MAX,
            faults: u64::MAX,
            doubles: u64::MAX,
            refused: u64::MAX,
            set_aside: Some(AsideTally { reason: "x".repeat(100), games: u64::MAX }),
        };
        let tally =
            Tally { stored: 5, games: 7, workers: names.map(|name| (name, all.clone())).collect() };
        let (signer, mut joined) = (Signer::default(), Tally::default());
        for part in tally.parts() {
            let bytes = part.encode(&signer, "").unwrap();
            joined.join(Tally::decode_by(signer.key(), &bytes, "").unwrap());
        }
        assert_eq!(joined, tally);
        assert_eq!(Tally::default().parts(), [Tally::default()]);
    }

    #[test]
    fn a_long_message_is_not_read() {
        let error = Work::decode(&vec![b' '; MAX_BYTES + 1], "").unwrap_err();
        assert!(matches!(error, MessageError::TooLong { .. }), "{error}");
    }

    #[test]
    fn every_game_is_in_one_unit() {
        for (games, per_block) in [(6, 2), (9, 3), (1440, 720), (60, 30)] {
            let units = Units::new(games, per_block);
            let mut all = Vec::new();
            for unit in 0..units.count() {
                let range = units.games(unit);
                assert!(range.clone().count() as u64 <= MAX_GAMES_OF_A_UNIT, "{range:?}");
                let blocks = range.clone().map(|game| (game - 1) / per_block);
                assert_eq!(blocks.collect::<BTreeSet<_>>().len(), 1);
                assert!(range.clone().all(|game| units.of_game(game) == unit), "{range:?}");
                all.extend(range);
            }
            assert_eq!(all, (1..=games).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn a_plan_is_read_as_it_was_written_but_for_its_seed() {
        let engines = vec![EngineSpec::new("a", "/bin/sh", Limit::nodes(7))];
        let mut plan = Plan::new(&VARIANTS[0], 3, engines);
        plan.seed = Seed::Key(*b"sixteen letters!");
        let found = read_plan(&write_plan(&plan).unwrap()).unwrap();
        assert_eq!(found.engines[0].limit, Limit::nodes(7));
        assert_eq!((found.seats, found.games), (3, plan.games));
        assert_eq!(found.seed, NO_SEED);
        assert!(read_plan(b"no plan").is_err());
    }
}
