//! Files named on the command line, by short names for clients, which never send a path.

use std::path::{Path, PathBuf};

use buxtehude::articles::etudes::FileError;
use buxtehude::rules::UnknownVariant;
use matches::archive::ArchiveError;
use matches::record::printable::{is_hidden, shortened};
use serde::Deserialize;
use thiserror::Error;

use crate::error::ApiError;

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
