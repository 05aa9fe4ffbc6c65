//! Recorded games, from stores and JSON Lines.

mod index;
mod record;

use std::path::PathBuf;

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State as Shared};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::App;
use super::files::{Files, FilesError, aside};
use crate::access::Refusal;
use index::Indexes;
pub use index::Summary;
pub use record::Recorded;

/// Kind of file, for error messages.
const WHAT: &str = "file of games";
/// Default number of games in a list.
const USUAL_COUNT: usize = 100;
const MOST_COUNT: usize = 1000;

#[derive(Debug)]
pub struct GameCatalog {
    files: Files,
    indexes: Indexes,
}

/// Answer of `GET /api/games`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GameFiles {
    /// Always true.
    pub ok: bool,
    /// The files.
    pub files: Vec<GameFileEntry>,
}

/// A file of games.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GameFileEntry {
    /// Its name.
    pub file: String,
    /// Number of games.
    pub games: usize,
}

/// The part of a list to return.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Number of games to skip.
    #[serde(default)]
    pub from: usize,
    /// Number of games to return, at most 1000.
    #[serde(default = "usual_count")]
    pub count: usize,
}

fn usual_count() -> usize {
    USUAL_COUNT
}

/// Answer of `GET /api/games/{file}`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
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

impl GameCatalog {
    /// Opens files of games.
    ///
    /// # Errors
    /// [`FilesError`] if a file cannot be read.
    pub fn new(paths: &[PathBuf]) -> Result<GameCatalog, FilesError> {
        Ok(GameCatalog {
            indexes: Indexes::new(paths)?,
            files: Files::new(paths),
        })
    }

    fn all(&self) -> Result<GameFiles, Refusal> {
        let files = self.files.files().enumerate().map(|(number, (file, _))| {
            let games = self.indexes.with(number, |games| games.len())?;
            Ok(GameFileEntry {
                file: file.to_string(),
                games,
            })
        });
        let files: Result<Vec<GameFileEntry>, Refusal> = files.collect();
        Ok(GameFiles {
            ok: true,
            files: files?,
        })
    }

    fn list(&self, file: String, part: Part) -> Result<Games, Refusal> {
        let (number, _) = self.files.find(WHAT, &file)?;
        self.indexes.with(number, |games| {
            let wanted = games
                .iter()
                .skip(part.from)
                .take(part.count.min(MOST_COUNT));
            Games {
                ok: true,
                file,
                total: games.len(),
                games: wanted.map(|game| game.summary.clone()).collect(),
            }
        })
    }

    fn game(&self, file: &str, game: u64) -> Result<Recorded, Refusal> {
        let (number, _) = self.files.find(WHAT, file)?;
        let found = self.indexes.find(number, game)?;
        let record = found.ok_or_else(|| Refusal::Nothing {
            what: "game",
            name: game.to_string(),
            expected: format!("a number that GET /api/games/{file} lists"),
        })?;
        Recorded::of(&record)
    }
}

/// `GET /api/games`
///
/// # Errors
/// [`Refusal::Ours`] if a file can no longer be read.
pub async fn game_files(Shared(app): Shared<App>) -> Result<Json<GameFiles>, Refusal> {
    let files = app.games.clone();
    aside(move || files.all()).await.map(Json)
}

/// `GET /api/games/{file}`
///
/// # Errors
/// [`Refusal`] if there is no such file, or it can no longer be read.
pub async fn games(
    Shared(app): Shared<App>,
    file: Result<Path<String>, PathRejection>,
    part: Result<Query<Part>, QueryRejection>,
) -> Result<Json<Games>, Refusal> {
    let (files, Path(file), Query(part)) = (app.games, file?, part?);
    aside(move || files.list(file, part)).await.map(Json)
}

/// `GET /api/games/{file}/{number}`
///
/// # Errors
/// [`Refusal`] if there is no such game, or it cannot be read.
pub async fn game(
    Shared(app): Shared<App>,
    path: Result<Path<(String, u64)>, PathRejection>,
) -> Result<Json<Recorded>, Refusal> {
    let (files, Path((file, number))) = (app.games, path?);
    aside(move || files.game(&file, number)).await.map(Json)
}
