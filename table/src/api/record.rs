//! Records of games that people have played, in the arbiter's format.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State as Shared;
use buxtehude::rules::{Seat, Turn};
use matches::archive::ArchiveError;
use matches::archive::game_file::GameFile;
use matches::archive::record_file::RecordFile;
use matches::record::ending::Ending;
use matches::record::printable::{printable, printable_json};
use matches::record::{GameRecord, LONGEST_NAME, TurnRecord, is_too_long};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::files::{FilesError, without_folder};
use crate::board::Game;
use crate::body::{JsonAnswer, JsonRequest, object};
use crate::error::ApiError;

/// The file that games are appended to, if the server has one.
#[derive(Debug, Default)]
pub struct Recorder(Option<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    file: RecordFile,
    /// Number of games in the file.
    games: u64,
}

/// Request of `POST /api/record`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordRequest {
    /// The game; it must be over.
    #[serde(deserialize_with = "object")]
    pub game: Game,
    /// Names in seat order, with levels and limits of engines.
    pub seats: Vec<String>,
    /// Whether to append the game to the server's file, if it has one.
    #[serde(default)]
    pub keep: bool,
}

/// Answer of `POST /api/record`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GameLine {
    /// Always true.
    pub ok: bool,
    /// The record, as one line of a file of games.
    pub record: String,
    /// Whether the game was appended to the server's file.
    pub kept: bool,
}

impl Recorder {
    /// Opens the file for appending; creates it if it does not exist.
    ///
    /// # Errors
    /// [`FilesError`] if the file cannot be read or written.
    pub fn new(path: Option<&Path>) -> Result<Recorder, FilesError> {
        let kept = path.map(|path| -> Result<Mutex<Kept>, FilesError> {
            let file = RecordFile::append_to(path)?;
            let mut games = 0;
            if path.metadata().is_ok_and(|found| found.is_file()) {
                GameFile::open(path)?.for_each(|_, _| {
                    games += 1;
                    Ok::<(), ArchiveError>(())
                })?;
            }
            Ok(Mutex::new(Kept { file, games }))
        });
        Ok(Recorder(kept.transpose()?))
    }

    fn record(&self, request: RecordRequest) -> Result<GameLine, ApiError> {
        let is_kept = request.keep && self.0.is_some();
        let mut record = record_of(request)?;
        if let Some(kept) = self.0.as_ref().filter(|_| is_kept) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            record.game = kept.games + 1;
            record.block = record.game;
            let written = kept.file.write(&record, || true);
            written.map_err(|error| {
                ApiError::internal(without_folder(kept.file.path(), &error.to_string()))
            })?;
            kept.games += 1;
        }
        let line = serde_json::to_string(&record);
        let line = line.map_err(|error| ApiError::internal(error.to_string()))?;
        Ok(GameLine {
            ok: true,
            record: printable_json(&line).into_owned(),
            kept: is_kept,
        })
    }
}

fn record_of(request: RecordRequest) -> Result<GameRecord, ApiError> {
    let mut turns = Vec::new();
    let played = request.game.play_with(|word, before, _| {
        if let Turn::Seat(seat) = before.turn() {
            turns.push(TurnRecord {
                seat: u32::from(seat.0) + 1,
                mv: word.to_string(),
                ..TurnRecord::default()
            });
        }
    })?;
    let seats = played.position.seats();
    let places = (0..seats).map(|seat| played.position.place(Seat(seat as u8)));
    let Some(places) = places.collect::<Option<Vec<usize>>>() else {
        let message = "the game is not over; expected a finished game";
        return Err(ApiError::invalid(message));
    };
    if request.seats.len() != seats || request.seats.iter().any(|name| is_too_long(name)) {
        let message = format!("seats: expected {seats} names of at most {LONGEST_NAME} characters");
        return Err(ApiError::invalid(message));
    }
    let names = request
        .seats
        .iter()
        .map(|name| printable(name).into_owned());
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
    Shared(recorder): Shared<Arc<Recorder>>,
    request: JsonRequest<RecordRequest>,
) -> Result<JsonAnswer, ApiError> {
    request
        .answer(move |request| recorder.record(request))
        .await
}
