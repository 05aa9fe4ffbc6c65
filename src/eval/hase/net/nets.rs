//! The shipped weights, weights files supplied by a client, and the nets built from either.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use super::Net;
use super::weights::{Weights, WeightsError};
use crate::eval::Evaluators;
use crate::rules::hase::Ruleset;

/// The weights files of a variant, for two to six seats.
macro_rules! files {
    ($variant:literal) => {
        files!($variant, 2 3 4 5 6)
    };
    ($variant:literal, $($seats:literal)*) => {
        [$(include_bytes!(concat!("../../../../data/nets/", $variant, "-", $seats, ".net"))),*]
    };
}

/// Weights files by variant.
const FILES: [(&str, [&[u8]; 5]); 2] = [
    ("hase-und-igel", files!("hase-und-igel")),
    ("hare-and-tortoise", files!("hare-and-tortoise")),
];

impl Weights {
    /// Shipped weights for a ruleset and 2 to 6 seats; `None` if there are none.
    pub fn shipped(ruleset: &Ruleset, seats: usize) -> Option<Weights> {
        let (_, files) = FILES.iter().find(|(name, _)| *name == ruleset.name)?;
        Weights::from_bytes(files.get(seats.checked_sub(2)?)?).ok()
    }
}

/// The net built last, and weights to use instead of the shipped ones.
#[derive(Debug, Default)]
pub struct Nets {
    own: Option<Weights>,
    last: Option<(&'static str, Arc<Net>)>,
}

impl Nets {
    /// Returns the net for a ruleset and a number of seats.
    ///
    /// # Panics
    /// If there are no shipped weights for them, which a test excludes.
    pub fn net(&mut self, ruleset: &'static Ruleset, seats: usize) -> Arc<Net> {
        if let Some((variant, net)) = &self.last
            && *variant == ruleset.name
            && net.seats() == seats
        {
            return Arc::clone(net);
        }
        // The new net reuses the memory of the old one, so that two never exist at the same time.
        let old = self.last.take().and_then(|(_, net)| Arc::into_inner(net));
        let own = self.own.as_ref();
        let own = own.filter(|own| own.variant == ruleset.name && own.seats == seats);
        let shipped = || Weights::shipped(ruleset, seats).expect("weights for every variant");
        let weights = own.map_or_else(|| Cow::Owned(shipped()), Cow::Borrowed);
        let net = Arc::new(Net::in_place_of(old, ruleset, &weights));
        self.last = Some((ruleset.name, Arc::clone(&net)));
        net
    }
}

impl Evaluators {
    /// Uses these weights for their variant and number of seats from now on; with `None`, the shipped weights for all.
    pub fn use_weights(&self, weights: Option<Weights>) {
        self.with(|nets: &mut Nets| {
            nets.last = None;
            nets.own = weights;
        });
    }

    /// Uses the weights in a file for its variant and number of seats from now on, and the shipped weights for all
    /// others; without a file, the shipped weights for all.
    ///
    /// # Errors
    /// [`EvalFileError`]; the weights stay as they were.
    pub fn load(&self, path: Option<&Path>) -> Result<(), EvalFileError> {
        self.use_weights(path.map(read).transpose()?);
        Ok(())
    }
}

/// Largest size of a weights file, in bytes.
const MAX_FILE_LENGTH: u64 = 1 << 24;

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
    #[error("{} is not a weights file: expected {MAX_FILE_LENGTH} bytes at most", path.display())]
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

fn read(path: &Path) -> Result<Weights, EvalFileError> {
    let owned = || path.to_path_buf();
    let unreadable = |error| EvalFileError::Unreadable { path: owned(), error };
    // Checked before opening the file, since opening a pipe would block.
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(EvalFileError::NoFile { path: owned() });
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    let mut start = file.take(MAX_FILE_LENGTH + 1);
    start.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_LENGTH {
        return Err(EvalFileError::TooLong { path: owned() });
    }
    let weights = Weights::from_bytes(&bytes)
        .map_err(|error| EvalFileError::Weights { path: owned(), error })?;
    if !names().contains(&weights.variant.as_str()) {
        return Err(EvalFileError::Variant { path: owned(), variant: weights.variant });
    }
    Ok(weights)
}

/// Names of the variants with learned weights.
fn names() -> [&'static str; 2] {
    FILES.map(|(variant, _)| variant)
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
            (written("short", &good[..good.len() - 1]), "bytes after the first line"),
            (written("strange", &strange.to_bytes()), "weights for \"halma\""),
            (written("long", &vec![0; MAX_FILE_LENGTH as usize + 1]), "bytes at most"),
        ];
        for (path, expected) in cases {
            let error = Evaluators::default().load(Some(&path)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        Evaluators::default().load(Some(&written("good", &good))).unwrap();
    }
}
