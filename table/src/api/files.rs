//! Files named on the command line, by short names for clients, which never send a path: etudes, and recorded games
//! from stores and JSON Lines.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path as InPath, Query, State as Shared};
use buxtehude::articles::etudes::EtudeFile;
use buxtehude::rules::{AnyPosition, Variant, is_card};
use matches::archive::ArchiveError;
use matches::archive::store::{Changes, Store};
use matches::record::GameRecord;
use matches::record::printable::{is_hidden, printable, shortened};
use matches::run::exit::ExitError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::App;
use crate::error::ApiError;
use crate::game::{Game, number as seat_number};
use crate::requests::{Admitted, JsonAnswer};

/// Maximum length of a name in an error message.
const MAX_QUOTED_LENGTH: usize = 100;
/// Default number of entries in a list.
const USUAL_COUNT: usize = 100;
/// Maximum number of entries in a list.
const MAX_COUNT: usize = 1000;

/// Files of a kind, with their entries.
pub trait Catalog: Send + Sync + 'static {
    /// The files of this kind that the server has.
    fn of(app: App) -> Arc<Self>;

    /// All files, in the order of the command line, each with the number of its entries.
    ///
    /// # Errors
    /// [`ApiError`] if a file can no longer be read.
    fn files(&self) -> Result<Vec<Value>, ApiError>;

    /// A part of the entries of a file.
    ///
    /// # Errors
    /// [`ApiError`] if there is no such file, or it can no longer be read.
    fn entries(&self, file: &str, part: Part) -> Result<Value, ApiError>;
}

/// The part of a list to return.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Number of entries to skip.
    #[serde(default)]
    from: usize,
    /// Number of entries to return, at most [`MAX_COUNT`].
    #[serde(default = "usual_count")]
    count: usize,
}

fn usual_count() -> usize {
    USUAL_COUNT
}

impl Part {
    fn of<T>(self, entries: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        entries.skip(self.from).take(self.count.min(MAX_COUNT))
    }
}

/// `GET /api/etudes` and `GET /api/games`
///
/// # Errors
/// As [`Catalog::files`].
pub async fn files<C: Catalog>(
    admitted: Admitted,
    Shared(app): Shared<App>,
) -> Result<JsonAnswer, ApiError> {
    let list = move || Ok(json!({ "ok": true, "files": C::of(app).files()? }));
    JsonAnswer::by(admitted, list).await
}

/// `GET /api/etudes/{file}` and `GET /api/games/{file}`
///
/// # Errors
/// As [`Catalog::entries`].
pub async fn entries<C: Catalog>(
    admitted: Admitted,
    Shared(app): Shared<App>,
    file: Result<InPath<String>, PathRejection>,
    part: Result<Query<Part>, QueryRejection>,
) -> Result<JsonAnswer, ApiError> {
    let (InPath(file), Query(part)) = (file?, part?);
    JsonAnswer::by(admitted, move || C::of(app).entries(&file, part)).await
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

/// Files by name, each with something that is kept of it.
#[derive(Debug)]
struct Files<T> {
    /// Kind of file, for error messages.
    kind: &'static str,
    all: Vec<File<T>>,
}

#[derive(Debug)]
struct File<T> {
    name: String,
    path: PathBuf,
    kept: T,
}

impl<T: Default> Files<T> {
    /// Names each file by its stem, with a number if several have the same.
    fn new(kind: &'static str, paths: &[PathBuf]) -> Files<T> {
        let mut all: Vec<File<T>> = Vec::new();
        for path in paths {
            let stem = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .replace(|c: char| c == '/' || is_hidden(c), "_");
            let is_free = |name: &String| all.iter().all(|known| known.name != *name);
            let numbered = (2..).map(|number| format!("{stem}-{number}"));
            let name =
                std::iter::once(stem.clone()).chain(numbered).find(is_free).unwrap_or_default();
            all.push(File { name, path: path.clone(), kept: T::default() });
        }
        Files { kind, all }
    }

    /// Returns the file of a name.
    ///
    /// # Errors
    /// [`ApiError`] lists the names.
    fn find(&self, name: &str) -> Result<&File<T>, ApiError> {
        self.all.iter().find(|file| file.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.all.iter().map(|file| file.name.as_str()).collect();
            let expected = match names.as_slice() {
                [] => "none, since the server was started without one".to_string(),
                names => format!("one of {}", names.join(", ")),
            };
            ApiError::not_found(self.kind, &shortened(name, MAX_QUOTED_LENGTH), &expected)
        })
    }
}

/// The error of a file that cannot be read, without its directory, which clients need not know.
pub fn unreadable(path: &Path, error: &impl ToString) -> ApiError {
    let message = error.to_string();
    let folder = path.parent().map(|folder| format!("{}/", folder.display()));
    ApiError::internal(match folder {
        Some(folder) if folder.len() > 1 => message.replace(&folder, ""),
        _ => message,
    })
}

// --- Etudes ---

#[derive(Debug)]
pub struct EtudeCatalog {
    files: Files<()>,
    variant: &'static Variant,
}

impl EtudeCatalog {
    /// Opens files of etudes of one variant.
    ///
    /// # Errors
    /// [`ExitError`] if a file cannot be read.
    pub fn new(paths: &[PathBuf], variant: &str) -> Result<EtudeCatalog, ExitError> {
        let variant = Variant::by_name(variant);
        let variant = variant.map_err(|error| ExitError::of_flag("etudes-variant", error))?;
        for path in paths {
            let opened = EtudeFile::of_variant(path, variant);
            opened.map_err(|error| ExitError::of_flag("etudes", error))?;
        }
        Ok(EtudeCatalog { files: Files::new("file of etudes", paths), variant })
    }

    fn open(&self, path: &Path) -> Result<EtudeFile, ApiError> {
        EtudeFile::of_variant(path, self.variant).map_err(|error| unreadable(path, &error))
    }
}

impl Catalog for EtudeCatalog {
    fn of(app: App) -> Arc<EtudeCatalog> {
        app.etudes
    }

    fn files(&self) -> Result<Vec<Value>, ApiError> {
        let files = self.files.all.iter().map(|File { name, path, .. }| {
            let (etudes, _) = self.open(path)?.etudes();
            Ok(json!({ "file": name, "variant": self.variant.name, "etudes": etudes.len() }))
        });
        files.collect()
    }

    fn entries(&self, file: &str, part: Part) -> Result<Value, ApiError> {
        let (etudes, _) = self.open(&self.files.find(file)?.path)?.etudes();
        let total = etudes.len();
        let entries = part.of(etudes.into_iter()).map(|(number, etude)| {
            let position = AnyPosition::from(etude.position).to_string();
            let verdict = etude.winner.map(seat_number);
            json!({ "number": number, "position": position, "verdict": verdict })
        });
        Ok(json!({
            "ok": true,
            "file": file,
            "variant": self.variant.name,
            "total": total,
            "etudes": entries.collect::<Vec<Value>>(),
        }))
    }
}

// --- Games ---

/// Files of games, each with an index that is renewed whenever the file has changed.
#[derive(Debug)]
pub struct GameCatalog {
    files: Files<Mutex<Option<Index>>>,
}

/// The games of a file in a certain state.
#[derive(Debug)]
struct Index {
    identity: Identity,
    stamp: Stamp,
    /// Numbers of changes, because several may have the same stamp; only of a store.
    changes: Option<Changes>,
    /// The imported games of a record. A store is closed, because a reader keeps an arbiter from ending its log.
    imported: Option<Store>,
    /// Sorted by number in the store.
    games: Vec<Indexed>,
}

/// A game with its number in the store.
#[derive(Debug)]
struct Indexed {
    stored_as: u64,
    summary: Summary,
}

/// Device, inode, and time of creation, because the inode of a removed file is used again.
type Identity = (u64, u64, Option<SystemTime>);

/// Lengths and times that reveal a change of a file and of its write-ahead log, where a store keeps new games.
type Stamp = [Option<(u64, SystemTime)>; 2];

/// A list entry of a recorded game; docs/table.md describes the fields.
#[derive(Clone, Debug, Serialize)]
struct Summary {
    number: u64,
    variant: String,
    names: Vec<String>,
    places: Vec<u32>,
    endings: Vec<&'static str>,
    plies: usize,
}

/// Answer of `GET /api/games/{file}/{number}`.
#[derive(Debug, Serialize)]
struct Recorded {
    ok: bool,
    #[serde(flatten)]
    summary: Summary,
    game: Game,
    opening: usize,
    turns: Vec<Turn>,
}

/// A move with the engine's report.
#[derive(Debug, Default, Serialize)]
struct Turn {
    seat: usize,
    #[serde(rename = "move")]
    mv: String,
    card: Option<String>,
    estimate: Option<Vec<u16>>,
    depth: Option<u32>,
    nodes: Option<u64>,
    score: Option<String>,
    micros: Option<u64>,
}

impl GameCatalog {
    /// Opens files of games.
    ///
    /// # Errors
    /// [`ExitError`] if a file cannot be read.
    pub fn new(paths: &[PathBuf]) -> Result<GameCatalog, ExitError> {
        for path in paths {
            let opened = Store::open_or_import(path);
            opened.map_err(|error| ExitError::of_flag("games", error))?;
        }
        Ok(GameCatalog { files: Files::new("file of games", paths) })
    }

    /// Calls `read` with the current games of a file.
    fn with<T>(
        &self,
        file: &str,
        read: impl FnOnce(&Index, &Path) -> Result<T, ArchiveError>,
    ) -> Result<T, ApiError> {
        let File { path, kept, .. } = self.files.find(file)?;
        let mut index = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let current = Index::renewed(index.take(), path);
        let read = current.and_then(|current| read(index.insert(current), path));
        read.map_err(|error| unreadable(path, &error))
    }

    /// Returns the first game with a number.
    fn game(&self, file: &str, number: u64) -> Result<Recorded, ApiError> {
        let found = self
            .with(file, |Index { imported, games, .. }, path| {
                let mut games = games.iter();
                let Some(game) = games.find(|game| game.summary.number == number) else {
                    return Ok(None);
                };
                match imported {
                    Some(store) => store.game(game.stored_as),
                    None => Store::open(path)?.game(game.stored_as),
                }
            })?
            .ok_or_else(|| {
                let expected = format!("a number that GET /api/games/{file} lists");
                ApiError::not_found("game", &number.to_string(), &expected)
            })?;
        Recorded::of(&found.record)
    }
}

impl Catalog for GameCatalog {
    fn of(app: App) -> Arc<GameCatalog> {
        app.games
    }

    fn files(&self) -> Result<Vec<Value>, ApiError> {
        let files = self.files.all.iter().map(|File { name, .. }| {
            let games = self.with(name, |index, _| Ok(index.games.len()))?;
            Ok(json!({ "file": name, "games": games }))
        });
        files.collect()
    }

    fn entries(&self, file: &str, part: Part) -> Result<Value, ApiError> {
        self.with(file, |Index { games, .. }, _| {
            let wanted: Vec<&Summary> = part.of(games.iter()).map(|game| &game.summary).collect();
            Ok(json!({ "ok": true, "file": file, "total": games.len(), "games": wanted }))
        })
    }
}

impl Index {
    /// Returns the index of a file as it is now. Of a store only the games that are new are read.
    fn renewed(known: Option<Index>, path: &Path) -> Result<Index, ArchiveError> {
        // Before the games are read, so that a later change makes the next index.
        let identity = identity(path).map_err(|error| ArchiveError::file(path, error))?;
        let stamp = stamp(path);
        let mut known = known.filter(|known| known.identity == identity);
        if let Some(known) = known.take_if(|known| known.imported.is_some() && known.stamp == stamp)
        {
            return Ok(known);
        }
        let store = Store::open_or_import(path)?;
        let changes = if store.is_record() { None } else { Some(store.changes()?) };
        let old = match known {
            Some(known) if (known.stamp, known.changes) == (stamp, changes) => return Ok(known),
            Some(known) if has_grown(known.changes, changes) => known.games,
            _ => Vec::new(),
        };
        let (mut old, mut games) = (old.into_iter().peekable(), Vec::new());
        for stored_as in store.numbers()? {
            while old.next_if(|game| game.stored_as < stored_as).is_some() {}
            match old.next_if(|game| game.stored_as == stored_as) {
                Some(game) => games.push(game),
                None => games.extend(
                    store
                        .game(stored_as)?
                        .map(|game| Indexed { stored_as, summary: Summary::of(&game.record) }),
                ),
            }
        }
        let imported = store.is_record().then_some(store);
        Ok(Index { identity, stamp, changes, imported, games })
    }
}

impl Summary {
    fn of(record: &GameRecord) -> Summary {
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
    fn of(record: &GameRecord) -> Result<Recorded, ApiError> {
        let mut turns: Vec<Turn> = Vec::new();
        let game = Game {
            variant: record.variant.clone(),
            players: None,
            start: Some(record.start.clone()),
            moves: record.moves.split_whitespace().map(String::from).collect(),
        };
        let played = game.replay_with(|word, before, _| {
            if !is_card(word) {
                let seat = before.turn().seat().map_or(0, seat_number);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_same_name_are_numbered() {
        let paths = ["a/x.db", "b/x.jsonl", "x", "x-2.db"].map(PathBuf::from);
        let files = Files::<()>::new("file", &paths);
        let names: Vec<&str> = files.all.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["x", "x-2", "x-3", "x-2-2"]);
        assert_eq!(files.find("x-3").unwrap().path, Path::new("x"));
        for name in ["", "a/x.db", "../x", "X"] {
            assert!(files.find(name).is_err(), "{name}");
        }
    }
}
