//! Recorded games, from stores and JSON Lines.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path as InPath, Query, State as Shared};
use buxtehude::rules::is_card;
use matches::archive::ArchiveError;
use matches::archive::game_file::{GameFile, GameKey};
use matches::archive::store::{Changes, Extent};
use matches::record::GameRecord;
use matches::record::printable::printable;
use serde::Serialize;

use super::App;
use super::files::{Files, FilesError, Part, without_folder};
use crate::body::JsonAnswer;
use crate::clients::Admitted;
use crate::error::ApiError;
use crate::game::Game;
use crate::state::number;

/// Files of games, each with an index that is renewed whenever the file has changed.
#[derive(Debug)]
pub struct GameCatalog {
    files: Files,
    indexes: Vec<Mutex<Option<Index>>>,
}

/// The games of a file in a certain state.
#[derive(Debug)]
struct Index {
    identity: Identity,
    stamp: Stamp,
    /// Numbers of changes, because several may have the same stamp; only of a store.
    changes: Option<Changes>,
    /// Sorted by number if they are from a store.
    games: Vec<Indexed>,
}

/// A game with its location in the file.
#[derive(Debug)]
struct Indexed {
    key: GameKey,
    summary: Summary,
}

/// Device, inode, and time of creation, because the inode of a removed file is used again.
type Identity = (u64, u64, Option<SystemTime>);

/// Lengths and times that reveal a change of a file and of its write-ahead log, where a store keeps new games.
type Stamp = [Option<(u64, SystemTime)>; 2];

/// Answer of `GET /api/games`.
#[derive(Clone, Debug, Serialize)]
pub struct GameFiles {
    /// Always true.
    pub ok: bool,
    /// The files.
    pub files: Vec<GameFileEntry>,
}

/// A file of games.
#[derive(Clone, Debug, Serialize)]
pub struct GameFileEntry {
    /// Its name.
    pub file: String,
    /// Number of games.
    pub games: usize,
}

/// Answer of `GET /api/games/{file}`.
#[derive(Clone, Debug, Serialize)]
pub struct Games {
    /// Always true.
    pub ok: bool,
    /// The name of the file.
    pub file: String,
    /// Number of games in the file.
    pub total: usize,
    /// The requested games.
    pub games: Vec<Summary>,
}

/// A list entry of a recorded game.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Number in the file.
    pub number: u64,
    /// Name of the variant.
    pub variant: String,
    /// Names of the engines, in seat order.
    pub names: Vec<String>,
    /// Place of each seat, from 1.
    pub places: Vec<u32>,
    /// Reason why each seat's game stopped.
    pub endings: Vec<&'static str>,
    /// Number of moves, including the opening's.
    pub plies: usize,
}

/// Answer of `GET /api/games/{file}/{number}`.
#[derive(Clone, Debug, Serialize)]
pub struct Recorded {
    /// Always true.
    pub ok: bool,
    /// The game's list entry.
    #[serde(flatten)]
    pub summary: Summary,
    /// The game.
    pub game: Game,
    /// Number of moves in the opening, which no engine chose.
    pub opening: usize,
    /// One entry for each move, in order.
    pub turns: Vec<Turn>,
}

/// A move with the engine's report.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Turn {
    /// The seat that moved, from 1.
    pub seat: usize,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The card drawn after it, or `null`.
    pub card: Option<String>,
    /// Each seat's expected share of all points before the move, in permille; `null` if unknown.
    pub estimate: Option<Vec<u16>>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// The mover's score in the protocol's notation.
    pub score: Option<String>,
    /// Thinking time in microseconds.
    pub micros: Option<u64>,
}

impl GameCatalog {
    /// Opens files of games; of each only the beginning is read.
    ///
    /// # Errors
    /// [`FilesError`] if a file cannot be read.
    pub fn new(paths: &[PathBuf]) -> Result<GameCatalog, FilesError> {
        for path in paths {
            GameFile::open(path)?;
        }
        Ok(GameCatalog {
            files: Files::new("file of games", paths),
            indexes: paths.iter().map(|_| Mutex::default()).collect(),
        })
    }

    /// Calls `read` with the current games of a file, and with its path.
    fn with<T>(
        &self,
        file: &str,
        read: impl FnOnce(&[Indexed], &Path) -> T,
    ) -> Result<T, ApiError> {
        let (number, path) = self.files.find(file)?;
        let Some(index) = self.indexes.get(number) else {
            return Ok(read(&[], path));
        };
        let mut index = index.lock().unwrap_or_else(PoisonError::into_inner);
        let current = Index::renewed(index.take(), path);
        let current = index.insert(current.map_err(|error| unreadable(path, &error))?);
        Ok(read(&current.games, path))
    }

    fn all(&self) -> Result<GameFiles, ApiError> {
        let files = self.files.iter().map(|(file, _)| {
            Ok(GameFileEntry {
                file: file.to_string(),
                games: self.with(file, |games, _| games.len())?,
            })
        });
        let files: Result<Vec<GameFileEntry>, ApiError> = files.collect();
        Ok(GameFiles { ok: true, files: files? })
    }

    fn list(&self, file: &str, part: Part) -> Result<Games, ApiError> {
        self.with(file, |games, _| {
            let wanted = part.of(games.iter());
            Games {
                ok: true,
                file: file.to_string(),
                total: games.len(),
                games: wanted.map(|game| game.summary.clone()).collect(),
            }
        })
    }

    /// Returns the first game with a number.
    fn game(&self, file: &str, number: u64) -> Result<Recorded, ApiError> {
        let record = self.with(file, |games, path| {
            let mut games = games.iter();
            let Some(game) = games.find(|game| game.summary.number == number) else {
                return Ok(None);
            };
            let found = GameFile::open(path).and_then(|file| file.find(game.key));
            found.map_err(|error| unreadable(path, &error))
        })??;
        let record = record.ok_or_else(|| {
            let expected = format!("a number that GET /api/games/{file} lists");
            ApiError::not_found("game", &number.to_string(), &expected)
        })?;
        Recorded::of(&record)
    }
}

impl Index {
    /// Returns the index of a file as it is now. Of a store only the games that are new are read.
    fn renewed(known: Option<Index>, path: &Path) -> Result<Index, ArchiveError> {
        // Before the games are read, so that a later change makes the next index.
        let identity = identity(path).map_err(|error| ArchiveError::file(path, error))?;
        let stamp = stamp(path);
        let file = GameFile::open(path)?;
        let changes = match &file {
            GameFile::Store(store) => Some(store.changes()?),
            GameFile::Lines { .. } => None,
        };
        let known = known.filter(|known| known.identity == identity);
        let mut games = Vec::new();
        match (known, &file) {
            (Some(known), _) if (known.stamp, known.changes) == (stamp, changes) => {
                return Ok(known);
            }
            (Some(known), GameFile::Store(store)) if has_grown(known.changes, changes) => {
                let mut old = known.games.into_iter().peekable();
                for number in store.numbers()? {
                    while old.next_if(|game| game.summary.number < number).is_some() {}
                    match old.next_if(|game| game.summary.number == number) {
                        Some(game) => games.push(game),
                        None => store.for_each_game(Extent::Whole, Some(number), |game| {
                            games.push(Indexed::of(GameKey::in_store(number), &game.record));
                            Ok::<(), ArchiveError>(())
                        })?,
                    }
                }
            }
            _ => file.for_each(|place, game| {
                games.extend(game.ok().map(|record| Indexed::of(place.key, &record)));
                Ok::<(), ArchiveError>(())
            })?,
        }
        Ok(Index { identity, stamp, changes, games })
    }
}

impl Indexed {
    fn of(key: GameKey, record: &GameRecord) -> Indexed {
        Indexed { key, summary: Summary::of(record) }
    }
}

impl Summary {
    pub fn of(record: &GameRecord) -> Summary {
        let names = record.seats.iter();
        Summary {
            number: record.game,
            variant: printable(&record.variant).into_owned(),
            names: names.map(|name| printable(name).into_owned()).collect(),
            places: record.places.clone(),
            endings: record.endings.iter().map(|ending| ending.name()).collect(),
            plies: record.plies(),
        }
    }
}

impl Recorded {
    /// Converts a record.
    ///
    /// # Errors
    /// [`ApiError`] if the game is illegal.
    pub fn of(record: &GameRecord) -> Result<Recorded, ApiError> {
        let mut turns: Vec<Turn> = Vec::new();
        let game = Game {
            variant: record.variant.clone(),
            players: None,
            start: Some(record.start.clone()),
            moves: record.moves.split_whitespace().map(String::from).collect(),
        };
        let played = game.play_with(|word, before, _| {
            if !is_card(word) {
                let seat = before.turn().seat().map_or(0, number);
                turns.push(Turn { seat, mv: word.to_string(), ..Turn::default() });
            } else if let Some(turn) = turns.last_mut() {
                turn.card = Some(word.to_string());
            }
        });
        let played =
            played.map_err(|error| ApiError::internal(format!("game {}: {error}", record.game)))?;
        let opening = record.opening_plies();
        for (turn, said) in turns.iter_mut().skip(opening).zip(&record.turns) {
            turn.estimate = Some(said.estimate.clone()).filter(|estimate| !estimate.is_empty());
            turn.depth = said.depth;
            turn.nodes = said.nodes;
            turn.score.clone_from(&said.score);
            turn.micros = said.micros;
        }
        Ok(Recorded {
            ok: true,
            summary: Summary::of(record),
            game: played.in_short().game(),
            opening,
            turns,
        })
    }
}

/// `true` for a store that has lost no games since.
fn has_grown(before: Option<Changes>, now: Option<Changes>) -> bool {
    before
        .zip(now)
        .is_some_and(|(before, now)| before.removed == now.removed && before.added <= now.added)
}

fn identity(path: &Path) -> io::Result<Identity> {
    let metadata = path.metadata()?;
    Ok((metadata.dev(), metadata.ino(), metadata.created().ok()))
}

fn stamp(path: &Path) -> Stamp {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    [path, Path::new(&log)].map(|path| {
        let metadata = path.metadata().ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    })
}

fn unreadable(path: &Path, error: &ArchiveError) -> ApiError {
    ApiError::internal(without_folder(path, &error.to_string()))
}

/// `GET /api/games`
///
/// # Errors
/// [`ApiError`] if a file can no longer be read.
pub async fn game_files(
    admitted: Admitted,
    Shared(app): Shared<App>,
) -> Result<JsonAnswer, ApiError> {
    JsonAnswer::by(admitted, move || app.games.all()).await
}

/// `GET /api/games/{file}`
///
/// # Errors
/// [`ApiError`] if there is no such file, or it can no longer be read.
pub async fn games(
    admitted: Admitted,
    Shared(app): Shared<App>,
    file: Result<InPath<String>, PathRejection>,
    part: Result<Query<Part>, QueryRejection>,
) -> Result<JsonAnswer, ApiError> {
    let (InPath(file), Query(part)) = (file?, part?);
    JsonAnswer::by(admitted, move || app.games.list(&file, part)).await
}

/// `GET /api/games/{file}/{number}`
///
/// # Errors
/// [`ApiError`] if there is no such game, or it cannot be read.
pub async fn game(
    admitted: Admitted,
    Shared(app): Shared<App>,
    path: Result<InPath<(String, u64)>, PathRejection>,
) -> Result<JsonAnswer, ApiError> {
    let InPath((file, number)) = path?;
    JsonAnswer::by(admitted, move || app.games.game(&file, number)).await
}
