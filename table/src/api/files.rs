//! Files named on the command line, by short names for clients, which never send a path; and the etudes in such files.

use std::path::{Path, PathBuf};

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path as InPath, Query, State as Shared};
use buxtehude::articles::etudes::{Etude, EtudeFile, FileError};
use buxtehude::rules::{AnyPosition, UnknownVariant, Variant};
use matches::archive::ArchiveError;
use matches::record::printable::{is_hidden, shortened};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::App;
use crate::body::JsonAnswer;
use crate::clients::Admitted;
use crate::error::ApiError;
use crate::state::number as seat_number;

/// Maximum length of a name in an error message.
const MAX_QUOTED_LENGTH: usize = 100;
/// Default number of entries in a list.
const USUAL_COUNT: usize = 100;
/// Maximum number of entries in a list.
const MAX_COUNT: usize = 1000;

#[derive(Debug, Error)]
pub enum FilesError {
    #[error("--etudes-variant: {0}")]
    Variant(#[from] UnknownVariant),
    #[error("--etudes: {0}")]
    Etudes(#[from] FileError),
    #[error("--games: {0}")]
    Games(#[from] ArchiveError),
}

/// Files by name.
#[derive(Debug)]
pub struct Files {
    /// Kind of file, for error messages.
    kind: &'static str,
    files: Vec<(String, PathBuf)>,
}

impl Files {
    /// Names each file by its stem, with a number if several have the same.
    pub fn new(kind: &'static str, paths: &[PathBuf]) -> Files {
        let mut files: Vec<(String, PathBuf)> = Vec::new();
        for path in paths {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let stem = stem.replace(|c: char| c == '/' || is_hidden(c), "_");
            let is_free = |name: &String| files.iter().all(|(known, _)| known != name);
            let numbered = (2..).map(|number| format!("{stem}-{number}"));
            let name = std::iter::once(stem.clone()).chain(numbered).find(is_free);
            files.push((name.unwrap_or_default(), path.clone()));
        }
        Files { kind, files }
    }

    /// All files, in the order of the command line.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Path)> {
        let files = self.files.iter();
        files.map(|(name, path)| (name.as_str(), path.as_path()))
    }

    /// Returns the number and path of a file.
    ///
    /// # Errors
    /// [`ApiError`] lists the names.
    pub fn find(&self, name: &str) -> Result<(usize, &Path), ApiError> {
        let mut files = self.iter().enumerate();
        let found = files.find(|(_, (known, _))| *known == name);
        let found = found.map(|(number, (_, path))| (number, path));
        found.ok_or_else(|| {
            let names: Vec<&str> = self.iter().map(|(name, _)| name).collect();
            let expected = match names.as_slice() {
                [] => "none, since the server was started without one".to_string(),
                names => format!("one of {}", names.join(", ")),
            };
            ApiError::not_found(self.kind, &shortened(name, MAX_QUOTED_LENGTH), &expected)
        })
    }
}

/// Removes the directory of a file from an error message, since clients need not know it.
pub fn without_folder(path: &Path, message: &str) -> String {
    match path.parent().map(|folder| format!("{}/", folder.display())) {
        Some(folder) if folder.len() > 1 => message.replace(&folder, ""),
        _ => message.to_string(),
    }
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
    pub fn of<T>(self, entries: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        entries.skip(self.from).take(self.count.min(MAX_COUNT))
    }
}

// --- Etudes ---

#[derive(Debug)]
pub struct EtudeCatalog {
    files: Files,
    variant: &'static Variant,
}

/// Answer of `GET /api/etudes`.
#[derive(Clone, Debug, Serialize)]
pub struct EtudeFiles {
    /// Always true.
    pub ok: bool,
    /// The files.
    pub files: Vec<EtudeFileEntry>,
}

/// A file of etudes.
#[derive(Clone, Debug, Serialize)]
pub struct EtudeFileEntry {
    /// Its name.
    pub file: String,
    /// The variant of its etudes.
    pub variant: &'static str,
    /// Number of etudes.
    pub etudes: usize,
}

/// Answer of `GET /api/etudes/{file}`.
#[derive(Clone, Debug, Serialize)]
pub struct Etudes {
    /// Always true.
    pub ok: bool,
    /// The name of the file.
    pub file: String,
    /// The variant.
    pub variant: &'static str,
    /// Number of etudes in the file.
    pub total: usize,
    /// The requested etudes.
    pub etudes: Vec<EtudeEntry>,
}

/// An etude.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EtudeEntry {
    /// Line number, from 1.
    pub number: usize,
    /// Text of the position.
    pub position: String,
    /// The seat judged to be winning, from 1, or `null` without a verdict.
    pub verdict: Option<usize>,
}

impl EtudeCatalog {
    /// Opens files of etudes of one variant.
    ///
    /// # Errors
    /// [`FilesError`] if a file cannot be read.
    pub fn new(paths: &[PathBuf], variant: &str) -> Result<EtudeCatalog, FilesError> {
        let variant = Variant::by_name(variant)?;
        for path in paths {
            EtudeFile::of_variant(path, variant)?;
        }
        Ok(EtudeCatalog { files: Files::new("file of etudes", paths), variant })
    }

    fn open(&self, path: &Path) -> Result<EtudeFile, ApiError> {
        let file = EtudeFile::of_variant(path, self.variant);
        file.map_err(|error| ApiError::internal(without_folder(path, &error.to_string())))
    }

    fn all(&self) -> Result<EtudeFiles, ApiError> {
        let files = self.files.iter().map(|(file, path)| {
            let (etudes, _) = self.open(path)?.etudes();
            Ok(EtudeFileEntry {
                file: file.to_string(),
                variant: self.variant.name,
                etudes: etudes.len(),
            })
        });
        let files: Result<Vec<EtudeFileEntry>, ApiError> = files.collect();
        Ok(EtudeFiles { ok: true, files: files? })
    }

    fn list(&self, name: String, part: Part) -> Result<Etudes, ApiError> {
        let (_, path) = self.files.find(&name)?;
        let file = self.open(path)?;
        let (etudes, _) = file.etudes();
        let total = etudes.len();
        let entries =
            part.of(etudes.into_iter()).map(|(number, etude)| EtudeEntry::of(number, &etude));
        Ok(Etudes {
            ok: true,
            file: name,
            variant: self.variant.name,
            total,
            etudes: entries.collect(),
        })
    }
}

impl EtudeEntry {
    fn of(number: usize, etude: &Etude) -> EtudeEntry {
        EtudeEntry {
            number,
            position: AnyPosition::from(etude.position).to_string(),
            verdict: etude.winner.map(seat_number),
        }
    }
}

/// `GET /api/etudes`
///
/// # Errors
/// [`ApiError`] if a file can no longer be read.
pub async fn etude_files(
    admitted: Admitted,
    Shared(app): Shared<App>,
) -> Result<JsonAnswer, ApiError> {
    JsonAnswer::by(admitted, move || app.etudes.all()).await
}

/// `GET /api/etudes/{file}`
///
/// # Errors
/// [`ApiError`] if there is no such file, or it can no longer be read.
pub async fn etudes(
    admitted: Admitted,
    Shared(app): Shared<App>,
    file: Result<InPath<String>, PathRejection>,
    part: Result<Query<Part>, QueryRejection>,
) -> Result<JsonAnswer, ApiError> {
    let (InPath(file), Query(part)) = (file?, part?);
    JsonAnswer::by(admitted, move || app.etudes.list(file, part)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_same_name_are_numbered() {
        let paths = ["a/x.db", "b/x.jsonl", "x", "x-2.db"].map(PathBuf::from);
        let files = Files::new("file", &paths);
        let names: Vec<&str> = files.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["x", "x-2", "x-3", "x-2-2"]);
        assert_eq!(files.find("x-3").unwrap(), (2, Path::new("x")));
        for name in ["", "a/x.db", "../x", "X"] {
            assert!(files.find(name).is_err(), "{name}");
        }
    }
}
