//! The correction factors as the user gives them: on the command line, or in a file of three lines that are also engine
//! commands.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::saving;
use crate::eval::article::Factors;

/// Largest factor, in hundredths; the smallest is 0.
pub const LARGEST: i32 = 1000;

/// One of the three factors.
pub struct Factor {
    /// Name as an engine option.
    pub name: &'static str,
    /// Name on the command line.
    pub argument: &'static str,
    /// Access to its value.
    pub of: fn(&mut Factors) -> &mut i32,
}

/// The factors in the order of output and of the file.
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

/// Choice of factors: from a file or else the preset, overridden by individual ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChosenFactors {
    pub file: Option<PathBuf>,
    /// Individual factors, in the order of [`FACTORS`].
    pub given: [Option<i32>; 3],
}

/// The file of factors cannot be read or written.
#[derive(Debug, Error)]
pub enum FactorsError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {reason}: expected a file written by `tune --save`", .path.display())]
    Read { path: PathBuf, reason: io::Error },
    /// A line does not set a factor.
    #[error(
        "{}:{line}: found {text:?}: expected `setoption name {names} value N`, each once, N a whole number from \
         0 to {LARGEST}",
        .path.display(),
        names = FACTORS.map(|factor| factor.name).join("|")
    )]
    Line {
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        text: String,
    },
    /// A factor is missing.
    #[error("{}: {name} is missing: expected `setoption name {name} value N`", .path.display())]
    Missing { path: PathBuf, name: &'static str },
    /// The factors would overwrite the etudes.
    #[error(
        "{}: the factors would be saved over the etudes: expected an extension other than .factors",
        .path.display()
    )]
    OverEtudes { path: PathBuf },
    /// The file cannot be saved; it is unchanged.
    #[error("{}: cannot be saved: {reason}: expected a writable file and folder", .path.display())]
    Save { path: PathBuf, reason: io::Error },
}

impl ChosenFactors {
    /// Returns the chosen factors.
    ///
    /// # Errors
    /// The file is invalid.
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

/// Parses a factor: a whole number from 0 to [`LARGEST`] in digits.
pub fn parse(text: &str) -> Option<i32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let value = text.parse().ok().filter(|_| plain);
    value.filter(|value| *value <= LARGEST)
}

/// Formats factors as `Ks 120, Kc 80, Kp 100`.
pub fn spell(mut factors: Factors) -> String {
    let spelled = FACTORS.map(|factor| format!("{} {}", factor.name, (factor.of)(&mut factors)));
    spelled.join(", ")
}

/// Path of the file for the factors: next to the file of etudes, with the extension `.factors`.
///
/// # Errors
/// The file of etudes has this path itself.
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

/// Saves factors to a file as three engine commands.
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

/// Reads a file written by [`save`]; the order of the lines, empty lines and extra spaces do not matter.
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

/// Parses a line into an index into [`FACTORS`] and a value.
fn setting(words: &[&str]) -> Option<(usize, i32)> {
    let &["setoption", "name", name, "value", value] = words else {
        return None;
    };
    let factor = FACTORS
        .iter()
        .position(|factor| factor.name.eq_ignore_ascii_case(name))?;
    Some((factor, parse(value)?))
}
