//! Records of games that people have played, in the arbiter's format.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::State as Shared;
use axum::http::StatusCode;
use buxtehude::rules::{Seat, Turn};
use matches::archive::ArchiveError;
use matches::archive::record_file::RecordFile;
use matches::archive::replay;
use matches::input_file;
use matches::record::ending::Ending;
use matches::record::printable::{printable, printable_json};
use matches::record::{GameRecord, MAX_NAME_LENGTH, TurnRecord, is_too_long};
use matches::run::exit::ExitError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::App;
use super::files::unreadable;
use crate::error::ApiError;
use crate::game::Game;
use crate::requests::{ClientId, JsonAnswer, JsonRequest, object};

const MIB: u64 = 1 << 20;
/// Maximum number of bytes that a client may append within [`DAY`]; hundreds of games.
const MAX_FILE_BYTES_OF_ONE: u64 = 4 * MIB;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Maximum length of the file in bytes.
const MAX_FILE_BYTES: u64 = 256 * MIB;

/// The file that games are appended to, if the server has one.
#[derive(Debug, Default)]
pub struct Recorder(Option<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    file: RecordFile,
    quota: Quota,
    games: u64,
    /// Numbers of the games in the file. A request that is repeated because its answer was lost finds its game here.
    numbers: HashMap<Identity, u64>,
}

/// Use of the limits on the length of the file and on the bytes that each client appends.
#[derive(Debug)]
struct Quota {
    /// Length of the file in bytes.
    bytes: u64,
    /// Number of bytes that clients have appended since `begun`.
    clients: HashMap<ClientId, u64>,
    begun: Instant,
}

/// Everything that tells a game from others: its `id`, and the digest of its record without numbers.
type Identity = (Option<u64>, String);

/// A line of the file: a record with the game's `id`, which other readers ignore.
#[derive(Debug, Serialize)]
struct KeptGame {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    #[serde(flatten)]
    record: GameRecord,
}

/// Request of `POST /api/record`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordRequest {
    /// A number that tells the game from others with the same moves and names; a browser gives each of its games one.
    pub id: Option<u64>,
    /// The game; it must be over.
    #[serde(deserialize_with = "object")]
    pub game: Game,
    /// Names in seat order, with levels and limits of engines.
    pub seats: Vec<String>,
    /// Whether to append the game to the server's file, if it has one; a game that the file has is not appended again.
    #[serde(default)]
    pub keep: bool,
}

impl Recorder {
    /// Opens the file for appending; creates it if it does not exist.
    ///
    /// # Errors
    /// [`ExitError`] if the file cannot be read or written.
    pub fn new(path: Option<&Path>) -> Result<Recorder, ExitError> {
        let kept = path
            .map(|path| Kept::open(path).map(Mutex::new))
            .transpose()
            .map_err(|error| ExitError::of_flag("record", error))?;
        Ok(Recorder(kept))
    }

    fn record(&self, client: ClientId, request: RecordRequest) -> Result<Value, ApiError> {
        let is_kept = request.keep && self.0.is_some();
        let mut game = KeptGame { id: request.id, record: record_of(request)? };
        if let Some(kept) = self.0.as_ref().filter(|_| is_kept) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.append(client, &mut game)?;
        }
        let line =
            serde_json::to_string(&game).map_err(|error| ApiError::internal(error.to_string()))?;
        Ok(json!({ "ok": true, "record": printable_json(&line), "kept": is_kept }))
    }
}

impl Kept {
    fn open(path: &Path) -> Result<Kept, ArchiveError> {
        let mut kept = Kept {
            file: RecordFile::append_to(path)?,
            quota: Quota { bytes: 0, clients: HashMap::new(), begun: Instant::now() },
            games: 0,
            numbers: HashMap::new(),
        };
        // A pipe has no games to read.
        if path.metadata().is_ok_and(|found| found.is_file()) {
            let failed = |error| ArchiveError::file(path, error);
            for line in input_file::lines(path).map_err(failed)? {
                kept.count(&line.map_err(failed)?.text);
            }
        }
        Ok(kept)
    }

    fn count(&mut self, line: &[u8]) {
        #[derive(Deserialize)]
        struct Named {
            id: Option<u64>,
        }

        self.quota.bytes += line.len() as u64;
        if line.trim_ascii().is_empty() {
            return;
        }
        self.games += 1;
        if let (Ok(Named { id }), Ok(record)) = (serde_json::from_slice(line), replay::read(line)) {
            let number = record.game;
            self.numbers.insert(KeptGame { id, record }.identity(), number);
        }
    }

    /// Appends a client's game with the next number, unless the file has it; then the game gets its number there.
    fn append(&mut self, client: ClientId, game: &mut KeptGame) -> Result<(), ApiError> {
        let identity = game.identity();
        let known = self.numbers.get(&identity).copied();
        game.record.game = known.unwrap_or(self.games + 1);
        game.record.block = game.record.game;
        if known.is_none() {
            let line = serde_json::to_string(game).unwrap_or_default();
            let length = format!("{}\n", printable_json(&line)).len();
            self.quota.take(client, length as u64, Instant::now())?;
            let written = self.file.write(game, || true);
            written.map_err(|error| unreadable(self.file.path(), &error))?;
            self.games += 1;
            self.numbers.insert(identity, game.record.game);
        }
        Ok(())
    }
}

impl Quota {
    /// Takes room for a game.
    fn take(&mut self, client: ClientId, bytes: u64, now: Instant) -> Result<(), ApiError> {
        if now - self.begun >= DAY {
            (self.begun, self.clients) = (now, HashMap::new());
        }
        let own = self.clients.get(&client).map_or(0, |own| *own) + bytes;
        if own > MAX_FILE_BYTES_OF_ONE {
            return Err(ApiError::new(
                StatusCode::TOO_MANY_REQUESTS,
                format!(
                    "the server keeps at most {} MiB of games of a client a day; try again \
                     tomorrow, or save the game in a file of your own",
                    MAX_FILE_BYTES_OF_ONE / MIB
                ),
            ));
        }
        if self.bytes + bytes > MAX_FILE_BYTES {
            return Err(ApiError::new(
                StatusCode::INSUFFICIENT_STORAGE,
                format!(
                    "the server's file of games is full: expected at most {} MiB; save the game in \
                     a file of your own",
                    MAX_FILE_BYTES / MIB
                ),
            ));
        }
        self.bytes += bytes;
        self.clients.insert(client, own);
        Ok(())
    }
}

impl KeptGame {
    fn identity(&self) -> Identity {
        let record = GameRecord { game: 1, block: 1, ..self.record.clone() };
        (self.id, record.digest())
    }
}

fn record_of(request: RecordRequest) -> Result<GameRecord, ApiError> {
    let mut turns = Vec::new();
    let played = request.game.replay_with(|word, before, _| {
        if let Turn::Seat(seat) = before.turn() {
            turns.push(TurnRecord {
                seat: u32::from(seat.0) + 1,
                mv: word.to_string(),
                ..TurnRecord::default()
            });
        }
    })?;
    let seats = played.position.seats();
    let places = Seat::all(seats).map(|seat| played.position.place(seat));
    let Some(places) = places.collect::<Option<Vec<usize>>>() else {
        let message = "the game is not over; expected a finished game";
        return Err(ApiError::invalid(message));
    };
    if request.seats.len() != seats || request.seats.iter().any(|name| is_too_long(name)) {
        let message =
            format!("seats: expected {seats} names of at most {MAX_NAME_LENGTH} characters");
        return Err(ApiError::invalid(message));
    }
    let names = request.seats.iter().map(|name| printable(name).into_owned());
    let endings = places.iter().map(|&place| Ending::by_rules(place, seats));
    Ok(GameRecord {
        game: 1,
        block: 1,
        variant: played.variant.name.to_string(),
        start: played.first.to_string(),
        seats: names.collect(),
        moves: played.words().join(" "),
        endings: endings.collect(),
        places: places.into_iter().map(|place| place as u32).collect(),
        turns,
        ..GameRecord::default()
    })
}

/// `POST /api/record`
///
/// # Errors
/// [`ApiError`] if the request is invalid, or the file cannot be written.
pub async fn record(
    Shared(app): Shared<App>,
    request: JsonRequest<RecordRequest>,
) -> Result<JsonAnswer, ApiError> {
    let client = request.admitted.client;
    request.answer(move |request| app.recorder.record(client, request)).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;

    #[test]
    fn a_client_has_a_quota_a_day_and_the_file_one_in_all() {
        let begun = Instant::now();
        let mut quota = Quota { bytes: 0, clients: HashMap::new(), begun };
        let mut status = |client: u128, bytes: u64, day: u32| {
            let taken = quota.take(ClientId::Token(client), bytes, begun + DAY * day);
            taken.err().map(|error| error.into_response().status())
        };
        let (too_many, full) =
            (Some(StatusCode::TOO_MANY_REQUESTS), Some(StatusCode::INSUFFICIENT_STORAGE));
        assert_eq!(status(1, MAX_FILE_BYTES_OF_ONE, 0), None);
        assert_eq!(status(1, 1, 0), too_many);
        assert_eq!(status(2, MAX_FILE_BYTES_OF_ONE + 1, 0), too_many);
        assert_eq!(status(1, MAX_FILE_BYTES_OF_ONE, 1), None);
        let fitting = (MAX_FILE_BYTES / MAX_FILE_BYTES_OF_ONE) as u128;
        for client in 2..fitting {
            assert_eq!(status(client, MAX_FILE_BYTES_OF_ONE, 1), None);
        }
        assert_eq!(status(fitting, 1, 1), full);
        assert_eq!(status(fitting, 1, 2), full);
    }
}
