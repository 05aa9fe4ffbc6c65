//! What is sent: JSON objects that name their version, each no longer than it may be.

use std::collections::{BTreeMap, BTreeSet};

use matches::plan::schedule::Dealt;
use matches::record::digest::KeptGame;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The version of all messages. A message of another one is left to who knows it.
pub const VERSION: u32 = 1;
/// The longest message with a game, in bytes: what a NATS server takes unless told otherwise.
pub const MOST_BYTES_OF_A_GAME: usize = 1 << 20;
/// The longest of all other messages, in bytes.
pub const MOST_BYTES: usize = 1 << 18;
/// The longest plan, in bytes: room for some hundred thousand openings.
pub const MOST_BYTES_OF_A_PLAN: usize = 1 << 26;
/// The most workers in one message of what was counted.
const MOST_OF_A_PART: usize = 1000;
/// Bytes of a message that an error quotes.
const QUOTED: usize = 60;

/// A message, which says its version.
pub trait Message: Serialize + DeserializeOwned {
    /// The most bytes that it may have.
    const MOST_BYTES: usize;

    /// The message in bytes.
    ///
    /// # Errors
    /// [`MessageError::TooLong`], or [`MessageError::Malformed`] where it has no JSON form.
    fn encode(&self) -> Result<Vec<u8>, MessageError> {
        let fields =
            serde_json::to_value(self).map_err(|reason| MessageError::unencodable(&reason))?;
        let message = Outgoing {
            version: VERSION,
            fields: &fields,
        };
        let bytes =
            serde_json::to_vec(&message).map_err(|reason| MessageError::unencodable(&reason))?;
        bounded(&bytes, Self::MOST_BYTES)?;
        Ok(bytes)
    }

    /// Reads a message.
    ///
    /// # Errors
    /// [`MessageError`] says what was expected.
    fn decode(bytes: &[u8]) -> Result<Self, MessageError> {
        bounded(bytes, Self::MOST_BYTES)?;
        let malformed = |reason: serde_json::Error| MessageError::Malformed {
            quoted: quote(bytes),
            reason: reason.to_string(),
        };
        let Versioned { version } = serde_json::from_slice(bytes).map_err(malformed)?;
        if version != VERSION {
            return Err(MessageError::Version { found: version });
        }
        serde_json::from_slice(bytes).map_err(malformed)
    }
}

/// A message with its version before its fields.
#[derive(Serialize)]
struct Outgoing<'a> {
    version: u32,
    #[serde(flatten)]
    fields: &'a serde_json::Value,
}

#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// Why a message is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MessageError {
    /// It is of another version.
    #[error("message of version {found}, expected {VERSION}")]
    Version {
        /// Its version.
        found: u32,
    },
    /// It is too long.
    #[error("message of {found} bytes, expected at most {most}")]
    TooLong {
        /// Its bytes.
        found: usize,
        /// The most that are taken.
        most: usize,
    },
    /// It is no such message.
    #[error("malformed message {quoted:?}: {reason}")]
    Malformed {
        /// How it begins.
        quoted: String,
        /// What was expected.
        reason: String,
    },
}

impl MessageError {
    fn unencodable(reason: &serde_json::Error) -> MessageError {
        MessageError::Malformed {
            quoted: String::new(),
            reason: reason.to_string(),
        }
    }
}

fn bounded(bytes: &[u8], most: usize) -> Result<(), MessageError> {
    let found = bytes.len();
    match found > most {
        true => Err(MessageError::TooLong { found, most }),
        false => Ok(()),
    }
}

fn quote(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(QUOTED)]).into_owned()
}

/// Games that are to be played by one worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The number of the unit.
    pub unit: u64,
    /// Its first game.
    pub first: u64,
    /// Its last game.
    pub last: u64,
    /// How often games have been played again for each engine, in the order of the plan.
    pub replays: Vec<u32>,
    /// Workers that are not to play it: they have, and others are to say whether it is so.
    pub not_by: Vec<String>,
    /// What chance gives to its block: workers do not know the seed of the match.
    pub dealt: Dealt,
}

/// A game that a worker played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The worker's name.
    pub worker: String,
    /// The game, with its digest.
    pub game: KeptGame,
}

/// How far a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// It is played.
    Open,
    /// Its coordinator was told to end: nothing is to be played until it is resumed.
    Paused,
    /// It is over.
    Over,
}

/// An engine as workers have to have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineId {
    /// Its name.
    pub name: String,
    /// The SHA-256 of its program.
    pub sha256: String,
    /// The files among its arguments, with their SHA-256.
    pub files: Vec<(String, String)>,
    /// Whether the server has all of these, for workers that accept engines.
    #[serde(default)]
    pub is_shared: bool,
}

impl EngineId {
    /// The SHA-256 of its program and of the files among its arguments, in this order.
    pub fn hashes(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().map(|(_, sha256)| sha256.as_str());
        std::iter::once(self.sha256.as_str()).chain(files)
    }
}

/// The state of a match, which workers look at again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// How far it is.
    pub phase: Phase,
    /// The version of the arbiter.
    pub arbiter: String,
    /// The coordinator's own number, another one each time that the match is resumed.
    pub session: u64,
    /// The SHA-256 of the plan, which is kept under this name.
    pub plan: String,
    /// The engines, in the order of the plan.
    pub engines: Vec<EngineId>,
    /// How long a worker may be silent before its games are given to another, in milliseconds.
    pub ack_wait_ms: u64,
    /// Workers whose games do not count any more.
    pub set_aside: Vec<String>,
    /// The speed of a machine for which the limits of time are those of the match, in positions a second; `None` where
    /// they are so for all.
    #[serde(default)]
    pub reference_speed: Option<u64>,
}

/// The matches that are open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenMatches {
    /// Their ids.
    pub ids: Vec<String>,
}

/// What a worker says of itself every few seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Beat {
    /// Its name.
    pub worker: String,
    /// The version of its arbiter.
    pub arbiter: String,
    /// Blocks that it plays at a time.
    pub concurrency: u16,
    /// Blocks that it plays now.
    pub playing: u64,
    /// Games that it has played.
    pub games: u64,
    /// Seconds since it began.
    pub seconds: u64,
    /// The median lag of its arbiter, in microseconds.
    pub lag_micros: u64,
    /// The lag that 99 in 100 do not exceed, in microseconds.
    #[serde(default)]
    pub lag_p99_micros: u64,
    /// Positions a second that the built-in engine visits in each slot while all are busy.
    #[serde(default)]
    pub speed: Option<u64>,
    /// The matches that it does not play, each with the reason.
    pub refused: BTreeMap<String, String>,
}

/// What a coordinator has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Games that are stored.
    pub stored: u64,
    /// Games of the match.
    pub games: u64,
    /// By worker.
    pub workers: BTreeMap<String, WorkerTally>,
    /// The workers that are set aside.
    #[serde(default)]
    pub set_aside: BTreeMap<String, AsideTally>,
}

/// A worker that is set aside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsideTally {
    /// Why.
    pub reason: String,
    /// Its games that are kept out of the count.
    pub games: u64,
}

/// What has come of one worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerTally {
    /// Games that are stored.
    pub games: u64,
    /// Games among them that ended in a fault of an engine.
    pub faults: u64,
    /// Games that another had played before.
    pub doubles: u64,
    /// Games that were refused.
    pub refused: u64,
}

impl Tally {
    /// The same in messages that are not too long: each has its share of the workers. At least one.
    pub fn parts(&self) -> Vec<Tally> {
        fn of<T: Clone>(all: &BTreeMap<String, T>, names: &[&String]) -> BTreeMap<String, T> {
            let found = names.iter().filter_map(|name| all.get_key_value(*name));
            found.map(|(name, it)| (name.clone(), it.clone())).collect()
        }
        let names: BTreeSet<_> = self.workers.keys().chain(self.set_aside.keys()).collect();
        let names: Vec<_> = names.into_iter().collect();
        let part = |names: &[&String]| Tally {
            stored: self.stored,
            games: self.games,
            workers: of(&self.workers, names),
            set_aside: of(&self.set_aside, names),
        };
        match names.len() {
            0 => vec![part(&[])],
            _ => names.chunks(MOST_OF_A_PART).map(part).collect(),
        }
    }

    /// Puts another part to those that are there.
    pub fn join(&mut self, part: Tally) {
        self.stored = self.stored.max(part.stored);
        self.games = part.games;
        self.workers.extend(part.workers);
        self.set_aside.extend(part.set_aside);
    }
}

macro_rules! messages {
    ($($name:ty: $most:expr),*) => {
        $(impl Message for $name {
            const MOST_BYTES: usize = $most;
        })*
    };
}

messages!(
    Work: MOST_BYTES,
    Outcome: MOST_BYTES_OF_A_GAME,
    State: MOST_BYTES,
    OpenMatches: MOST_BYTES,
    Beat: MOST_BYTES,
    Tally: MOST_BYTES_OF_A_GAME
);

#[cfg(test)]
mod tests {
    use super::*;

    fn work() -> Work {
        Work {
            unit: 3,
            first: 7,
            last: 8,
            replays: vec![0, 1],
            not_by: vec!["one".to_string()],
            dealt: Dealt {
                opening: vec!["5".to_string()],
                deck_seed: 7.into(),
            },
        }
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let bytes = work().encode().unwrap();
        assert!(bytes.starts_with(b"{\"version\":1,"));
        assert_eq!(Work::decode(&bytes), Ok(work()));
    }

    #[test]
    fn another_version_is_told_from_nonsense() {
        let text = r#"{"version":2,"unit":3,"with":"more"}"#;
        let error = Work::decode(text.as_bytes()).unwrap_err();
        assert_eq!(error, MessageError::Version { found: 2 });
        let bytes = work().encode().unwrap();
        for end in [0, 1, bytes.len() - 1] {
            let error = Work::decode(&bytes[..end]).unwrap_err();
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
        };
        let aside = AsideTally {
            reason: "x".repeat(100),
            games: u64::MAX,
        };
        let tally = Tally {
            stored: 5,
            games: 7,
            workers: names.clone().map(|name| (name, all)).collect(),
            set_aside: names.map(|name| (name, aside.clone())).collect(),
        };
        let mut joined = Tally::default();
        for part in tally.parts() {
            joined.join(Tally::decode(&part.encode().unwrap()).unwrap());
        }
        assert_eq!(joined, tally);
        assert_eq!(Tally::default().parts(), [Tally::default()]);
    }

    #[test]
    fn a_long_message_is_not_read() {
        let error = Work::decode(&vec![b' '; MOST_BYTES + 1]).unwrap_err();
        assert!(matches!(error, MessageError::TooLong { .. }), "{error}");
    }
}
