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
use super::shelf::{Shelf, ShelfError, aside};
use crate::door::Refusal;
use index::Indexes;
pub use index::Summary;
pub use record::Recorded;

/// What a client's path names.
const WHAT: &str = "file of games";
/// The games of a list, unless a request says otherwise, and at most.
const USUAL_COUNT: usize = 100;
const MOST_COUNT: usize = 1000;

/// The files of games.
#[derive(Debug)]
pub struct GameShelf {
    shelf: Shelf,
    indexes: Indexes,
}

/// What `GET /api/games` answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GameFiles {
    /// Always true.
    pub ok: bool,
    /// The files.
    pub files: Vec<GameFileEntry>,
}

/// A file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GameFileEntry {
    /// Its name.
    pub file: String,
    /// How many games it has.
    pub games: usize,
}

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// How many games come before it.
    #[serde(default)]
    pub from: usize,
    /// How many games it has, at most 1000.
    #[serde(default = "usual_count")]
    pub count: usize,
}

fn usual_count() -> usize {
    USUAL_COUNT
}

/// What `GET /api/games/{file}` answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Games {
    /// Always true.
    pub ok: bool,
    /// The name of the file.
    pub file: String,
    /// How many games it has in all.
    pub total: usize,
    /// Those of the part that is wanted.
    pub games: Vec<Summary>,
}

impl GameShelf {
    /// Files of games.
    ///
    /// # Errors
    /// [`ShelfError`] where one of them cannot be read.
    pub fn new(paths: &[PathBuf]) -> Result<GameShelf, ShelfError> {
        Ok(GameShelf {
            indexes: Indexes::new(paths)?,
            shelf: Shelf::new(paths),
        })
    }

    fn all(&self) -> Result<GameFiles, Refusal> {
        let files = self.shelf.files().enumerate().map(|(number, (file, _))| {
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
        let (number, _) = self.shelf.find(WHAT, &file)?;
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
        let (number, _) = self.shelf.find(WHAT, file)?;
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
/// [`Refusal::Ours`] where a file cannot be read any more.
pub async fn game_files(Shared(app): Shared<App>) -> Result<Json<GameFiles>, Refusal> {
    let shelf = app.games.clone();
    aside(move || shelf.all()).await.map(Json)
}

/// `GET /api/games/{file}`
///
/// # Errors
/// [`Refusal`] where there is no such file, or it cannot be read any more.
pub async fn games(
    Shared(app): Shared<App>,
    file: Result<Path<String>, PathRejection>,
    part: Result<Query<Part>, QueryRejection>,
) -> Result<Json<Games>, Refusal> {
    let (shelf, Path(file), Query(part)) = (app.games, file?, part?);
    aside(move || shelf.list(file, part)).await.map(Json)
}

/// `GET /api/games/{file}/{number}`
///
/// # Errors
/// [`Refusal`] where there is no such game, or it cannot be read.
pub async fn game(
    Shared(app): Shared<App>,
    path: Result<Path<(String, u64)>, PathRejection>,
) -> Result<Json<Recorded>, Refusal> {
    let (shelf, Path((file, number))) = (app.games, path?);
    aside(move || shelf.game(&file, number)).await.map(Json)
}
