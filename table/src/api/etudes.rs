//! Etudes: positions, each with a verdict, in files that can be judged.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State as Shared};
use buxtehude::etudes::{EtudeFile, FileError, Problem};
use buxtehude::rules::{AnyPosition, Seat, Variant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::App;
use super::files::{Files, FilesError, aside};
use crate::access::{Refusal, Wanted};
use crate::board::number;

/// Kind of file, for error messages.
const WHAT: &str = "file of etudes";

#[derive(Debug)]
pub struct EtudeCatalog {
    files: Files,
    variant: &'static Variant,
    /// Held while a verdict is saved, which reads the file and writes all of it.
    saving: Mutex<()>,
}

/// Answer of `GET /api/etudes`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EtudeFiles {
    /// Always true.
    pub ok: bool,
    /// The files.
    pub files: Vec<EtudeFileEntry>,
}

/// A file of etudes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EtudeFileEntry {
    /// Its name.
    pub file: String,
    /// The variant of its etudes.
    pub variant: &'static str,
    /// Number of etudes.
    pub etudes: usize,
}

/// Answer of `GET /api/etudes/{file}`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Etudes {
    /// Always true.
    pub ok: bool,
    /// The name of the file.
    pub file: String,
    /// The variant.
    pub variant: &'static str,
    /// The etudes.
    pub etudes: Vec<EtudeEntry>,
}

/// An etude.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EtudeEntry {
    /// Line number, from 1.
    pub number: usize,
    /// Text of the line.
    pub line: String,
    /// Text of the position.
    pub position: String,
    /// The seat judged to be winning, from 1, or `null` without a verdict.
    pub verdict: Option<usize>,
}

/// Request of `POST /api/etudes/{file}`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgeRequest {
    /// Line number, from 1.
    pub number: usize,
    /// Text of the line when it was read; if the line has changed since then, nothing is saved.
    pub line: String,
    /// The seat that is winning, from 1, or `null` for no verdict.
    pub verdict: Option<u8>,
}

/// Answer of `POST /api/etudes/{file}`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Judged {
    /// Always true.
    pub ok: bool,
    /// The saved etude.
    pub etude: EtudeEntry,
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
        Ok(EtudeCatalog {
            files: Files::new(paths),
            variant,
            saving: Mutex::new(()),
        })
    }

    fn open(&self, name: &str) -> Result<EtudeFile, Refusal> {
        let (_, path) = self.files.find(WHAT, name)?;
        EtudeFile::of_variant(path, self.variant).map_err(ours)
    }

    fn all(&self) -> Result<EtudeFiles, Refusal> {
        let files = self.files.files().map(|(file, _)| {
            let (etudes, _) = self.open(file)?.etudes();
            Ok(EtudeFileEntry {
                file: file.to_string(),
                variant: self.variant.name,
                etudes: etudes.len(),
            })
        });
        let files: Result<Vec<EtudeFileEntry>, Refusal> = files.collect();
        Ok(EtudeFiles {
            ok: true,
            files: files?,
        })
    }

    fn of(&self, name: String) -> Result<Etudes, Refusal> {
        let file = self.open(&name)?;
        let (mut texts, (etudes, _)) = (file.texts(), file.etudes());
        let entries = etudes.into_iter().map(|(line, etude)| EtudeEntry {
            number: line,
            line: texts
                .get_mut(line - 1)
                .map(std::mem::take)
                .unwrap_or_default(),
            position: AnyPosition::from(etude.position).to_string(),
            verdict: etude.winner.map(number),
        });
        Ok(Etudes {
            ok: true,
            file: name,
            variant: self.variant.name,
            etudes: entries.collect(),
        })
    }

    fn judge(&self, name: &str, request: &JudgeRequest) -> Result<Judged, Refusal> {
        let _one_at_a_time = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let file = self.open(name)?;
        let found = file.text(request.number).map_err(wrong)?;
        if found != request.line {
            return Err(Refusal::Changed(format!(
                "line {} of {name} has changed to {found:?}; expected {:?}: reload the file",
                request.number, request.line
            )));
        }
        let winner = match request.verdict {
            None => None,
            Some(0) => {
                return Err(Refusal::Wrong(
                    "there is no seat 0; expected 1 or more, or null".to_string(),
                ));
            }
            Some(verdict) => Some(Seat(verdict - 1)),
        };
        file.judge(request.number, winner)
            .map_err(|error| match error.problem {
                Problem::Save(_) => ours(error),
                _ => wrong(error),
            })?;
        let etude = entry(&self.open(name)?, request.number).map_err(ours)?;
        Ok(Judged { ok: true, etude })
    }
}

fn entry(file: &EtudeFile, line: usize) -> Result<EtudeEntry, FileError> {
    let etude = file.etude(line)?;
    Ok(EtudeEntry {
        number: line,
        line: file.text(line)?,
        position: AnyPosition::from(etude.position).to_string(),
        verdict: etude.winner.map(number),
    })
}

fn ours(error: FileError) -> Refusal {
    Refusal::Ours(without_folder(error))
}

fn wrong(error: FileError) -> Refusal {
    Refusal::Wrong(without_folder(error))
}

/// Returns the message without the directory of the file, which clients need not know.
fn without_folder(mut error: FileError) -> String {
    error.path = error.path.file_name().unwrap_or_default().into();
    error.to_string()
}

/// `GET /api/etudes`
///
/// # Errors
/// [`Refusal::Ours`] if a file can no longer be read.
pub async fn etude_files(Shared(app): Shared<App>) -> Result<Json<EtudeFiles>, Refusal> {
    let files = app.etudes.clone();
    aside(move || files.all()).await.map(Json)
}

/// `GET /api/etudes/{file}`
///
/// # Errors
/// [`Refusal`] if there is no such file, or it can no longer be read.
pub async fn etudes(
    Shared(app): Shared<App>,
    file: Result<Path<String>, PathRejection>,
) -> Result<Json<Etudes>, Refusal> {
    let (files, Path(file)) = (app.etudes, file?);
    aside(move || files.of(file)).await.map(Json)
}

/// `POST /api/etudes/{file}`
///
/// # Errors
/// [`Refusal`] if there is no such line, it has changed, or it cannot be saved.
pub async fn judge(
    Shared(app): Shared<App>,
    file: Result<Path<String>, PathRejection>,
    Wanted(request): Wanted<JudgeRequest>,
) -> Result<Json<Judged>, Refusal> {
    let (files, Path(file)): (Arc<EtudeCatalog>, _) = (app.etudes, file?);
    aside(move || files.judge(&file, &request)).await.map(Json)
}
