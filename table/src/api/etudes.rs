//! Etudes: positions, each with a verdict, in files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path as InPath, Query, State as Shared};
use buxtehude::articles::etudes::{Etude, EtudeFile};
use buxtehude::rules::{AnyPosition, Variant};
use serde::Serialize;

use super::files::{Files, FilesError, Part, without_folder};
use crate::board::number as seat_number;
use crate::body::JsonAnswer;
use crate::clients::Admitted;
use crate::error::ApiError;

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
    Shared(files): Shared<Arc<EtudeCatalog>>,
) -> Result<JsonAnswer, ApiError> {
    JsonAnswer::by(admitted, move || files.all()).await
}

/// `GET /api/etudes/{file}`
///
/// # Errors
/// [`ApiError`] if there is no such file, or it can no longer be read.
pub async fn etudes(
    admitted: Admitted,
    Shared(files): Shared<Arc<EtudeCatalog>>,
    file: Result<InPath<String>, PathRejection>,
    part: Result<Query<Part>, QueryRejection>,
) -> Result<JsonAnswer, ApiError> {
    let (InPath(file), Query(part)) = (file?, part?);
    JsonAnswer::by(admitted, move || files.list(file, part)).await
}
