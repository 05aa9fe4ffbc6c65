//! The correction factors as a person gives them: on the command line, or in a file of three lines that the
//! engine takes as commands too.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::saving;
use crate::eval::article::Factors;

/// The largest factor, in hundredths; the smallest is 0.
pub const LARGEST: i32 = 1000;

/// One of the three factors.
pub struct Factor {
    /// Its name as an option of the engine.
    pub name: &'static str,
    /// Its name on the command line.
    pub argument: &'static str,
    /// Where it is kept.
    pub of: fn(&mut Factors) -> &mut i32,
}

/// The factors in the order in which they are printed and saved.
pub const FACTORS: [Factor; 3] = [
    Factor {
        name: "Ks",
        argument: "--ks",
        of: |factors| &mut factors.lettuces,
    },
    Factor {
        name: "Kc",
        argument: "--kc",
        of: |factors| &mut factors.carrots,
    },
    Factor {
        name: "Kp",
        argument: "--kp",
        of: |factors| &mut factors.path,
    },
];

/// Factors as they were chosen: a file, or else the preset's, and those given one by one in their stead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChosenFactors {
    /// The file.
    pub file: Option<PathBuf>,
    /// Those given one by one, in the order of [`FACTORS`].
    pub given: [Option<i32>; 3],
}

/// Why a file has no factors, or cannot have them.
#[derive(Debug, Error)]
pub enum FactorsError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {reason}: expected a file written by `tune --save`", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// A line does not set a factor.
    #[error(
        "{}:{line}: found {text:?}: expected `setoption name {names} value N`, each once, N a whole number from \
         0 to {LARGEST}",
        .path.display(),
        names = FACTORS.map(|factor| factor.name).join("|")
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The line found.
        text: String,
    },
    /// A factor is missing.
    #[error("{}: {name} is missing: expected `setoption name {name} value N`", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The factor.
        name: &'static str,
    },
    /// The factors of a file of etudes would be saved in its own place.
    #[error(
        "{}: the factors would be saved over the etudes: expected an extension other than .factors",
        .path.display()
    )]
    OverEtudes {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be saved; it is as it was.
    #[error("{}: cannot be saved: {reason}: expected a writable file and folder", .path.display())]
    Save {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
}

impl ChosenFactors {
    /// The factors chosen.
    ///
    /// # Errors
    /// Where the file is wrong.
    pub fn choose(&self) -> Result<Factors, FactorsError> {
        let mut factors = match &self.file {
            Some(path) => read(path)?,
            None => Factors::default(),
        };
        for (factor, given) in FACTORS.iter().zip(self.given) {
            if let Some(value) = given {
                *(factor.of)(&mut factors) = value;
            }
        }
        Ok(factors)
    }
}

/// Reads a factor: digits for a whole number from 0 to [`LARGEST`].
pub fn parse(text: &str) -> Option<i32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let value = text.parse().ok().filter(|_| plain);
    value.filter(|value| *value <= LARGEST)
}

/// Factors for a person: `Ks 120, Kc 80, Kp 100`.
pub fn spell(mut factors: Factors) -> String {
    let spelled = FACTORS.map(|factor| format!("{} {}", factor.name, (factor.of)(&mut factors)));
    spelled.join(", ")
}

/// The file for the factors of a file of etudes: beside it, with the extension `.factors`.
///
/// # Errors
/// Where the etudes themselves are there.
pub fn path_beside(etudes: &Path) -> Result<PathBuf, FactorsError> {
    let path = etudes.with_extension("factors");
    let same = match (saving::behind_links(&path), saving::behind_links(etudes)) {
        (Ok(factors), Ok(etudes)) => factors == etudes,
        _ => path == etudes,
    };
    if same {
        return Err(FactorsError::OverEtudes { path });
    }
    Ok(path)
}

/// Saves factors to a file as three commands of the engine.
///
/// # Errors
/// [`FactorsError::Save`].
pub fn save(path: &Path, factors: &Factors) -> Result<(), FactorsError> {
    let mut factors = *factors;
    let lines = FACTORS.map(|factor| {
        let value = (factor.of)(&mut factors);
        format!("setoption name {} value {value}\n", factor.name)
    });
    saving::save(path, lines.concat().as_bytes()).map_err(|reason| FactorsError::Save {
        path: path.into(),
        reason,
    })
}

/// Reads what [`save`] has written; the order of the lines, empty lines and further spaces do not matter.
fn read(path: &Path) -> Result<Factors, FactorsError> {
    let bytes = fs::read(path).map_err(|reason| FactorsError::Read {
        path: path.into(),
        reason,
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let mut found = [None; 3];
    for (index, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        let set = setting(&words).filter(|&(factor, _)| found[factor].is_none());
        let Some((factor, value)) = set else {
            return Err(FactorsError::Line {
                path: path.into(),
                line: index + 1,
                text: line.into(),
            });
        };
        found[factor] = Some(value);
    }
    let mut factors = Factors::default();
    for (factor, found) in FACTORS.iter().zip(found) {
        *(factor.of)(&mut factors) = found.ok_or_else(|| FactorsError::Missing {
            path: path.into(),
            name: factor.name,
        })?;
    }
    Ok(factors)
}

/// Which factor a line sets, as an index into [`FACTORS`], and to what.
fn setting(words: &[&str]) -> Option<(usize, i32)> {
    let &["setoption", "name", name, "value", value] = words else {
        return None;
    };
    let factor = FACTORS
        .iter()
        .position(|factor| factor.name.eq_ignore_ascii_case(name))?;
    Some((factor, parse(value)?))
}
