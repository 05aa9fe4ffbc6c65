//! Weights files supplied by a client.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Evaluators;
use super::net::{Weights, WeightsError};
use crate::rules::Variant;

/// Largest size of a weights file, in bytes.
const LONGEST_FILE: u64 = 1 << 24;

/// The weights file is refused.
#[derive(Debug, Error)]
pub enum EvalFileError {
    /// The file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Reason.
        error: io::Error,
    },
    /// The path is a directory, a device or the like.
    #[error("{} is not a weights file: expected a regular file", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// The file is larger than any weights.
    #[error("{} is not a weights file: expected {LONGEST_FILE} bytes at most", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// The contents are invalid.
    #[error("{} is not a weights file: {error}", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// Reason.
        error: WeightsError,
    },
    /// The weights are for a variant that does not use any.
    #[error("{} has weights for {variant:?}: expected one of {}", path.display(), names().join(", "))]
    Variant {
        /// The file.
        path: PathBuf,
        /// Variant named in the file.
        variant: String,
    },
}

impl Evaluators {
    /// Uses the weights in a file for its variant and number of seats from now on, and the shipped weights for all
    /// others.
    ///
    /// # Errors
    /// [`EvalFileError`]; the weights stay as they were.
    pub fn load(&self, path: &Path) -> Result<(), EvalFileError> {
        self.use_weights(Some(read(path)?));
        Ok(())
    }

    /// Uses the shipped weights from now on.
    pub fn use_shipped(&self) {
        self.use_weights(None);
    }
}

fn read(path: &Path) -> Result<Weights, EvalFileError> {
    let owned = || path.to_path_buf();
    let unreadable = |error| EvalFileError::Unreadable {
        path: owned(),
        error,
    };
    // Checked before opening the file, since opening a pipe would block.
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(EvalFileError::NoFile { path: owned() });
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    let mut start = file.take(LONGEST_FILE + 1);
    start.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(EvalFileError::TooLong { path: owned() });
    }
    let weights = Weights::from_bytes(&bytes).map_err(|error| EvalFileError::Weights {
        path: owned(),
        error,
    })?;
    if !names().contains(&weights.variant.as_str()) {
        return Err(EvalFileError::Variant {
            path: owned(),
            variant: weights.variant,
        });
    }
    Ok(weights)
}

/// Names of the variants with learned weights.
fn names() -> Vec<&'static str> {
    let all = Variant::names().into_iter();
    all.filter(|name| Weights::are_shipped_for(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_refused_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let good = Weights::zero(names()[0], 2).to_bytes();
        let mut strange = Weights::zero("halma", 2);
        strange.bias[0] = 1.0;
        let cases = [
            (folder.path().join("absent"), "cannot be read: "),
            (folder.path().to_path_buf(), "expected a regular file"),
            (written("empty", b""), "expected a first line"),
            (
                written("short", &good[..good.len() - 1]),
                "bytes after the first line",
            ),
            (
                written("strange", &strange.to_bytes()),
                "weights for \"halma\"",
            ),
            (
                written("long", &vec![0; LONGEST_FILE as usize + 1]),
                "bytes at most",
            ),
        ];
        for (path, expected) in cases {
            let error = Evaluators::default().load(&path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        Evaluators::default().load(&written("good", &good)).unwrap();
    }
}
