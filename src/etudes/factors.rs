//! The correction factors as the user gives them: on the command line, or in a file of three lines that are also engine
//! commands.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::file::{FileError, Problem, read_bytes};
use super::saving;
use crate::eval::article::Factors;
use crate::protocol::text::without_mark;
use crate::rules::number::whole_number;

/// Largest factor, in hundredths; the smallest is 0.
pub const MAX: u32 = 1000;

/// Names of the factors as engine options, in the order of output and of the file.
pub const NAMES: [&str; 3] = ["Ks", "Kc", "Kp"];

/// The factors in the order of [`NAMES`].
pub fn to_array(factors: &Factors) -> [i32; 3] {
    [factors.lettuces, factors.carrots, factors.path]
}

/// Converts from the order of [`NAMES`].
pub fn from_array([lettuces, carrots, path]: [i32; 3]) -> Factors {
    Factors { lettuces, carrots, path }
}

/// Choice of factors: from a file or else the preset, overridden by individual ones.
pub struct ChosenFactors {
    pub file: Option<PathBuf>,
    /// Individual factors, in the order of [`NAMES`].
    pub given: [Option<i32>; 3],
}

impl ChosenFactors {
    /// Returns the chosen factors.
    ///
    /// # Errors
    /// The file is invalid.
    pub fn choose(&self) -> Result<Factors, FileError> {
        let mut factors = match &self.file {
            Some(path) => read(path)?,
            None => to_array(&Factors::default()),
        };
        for (factor, given) in factors.iter_mut().zip(self.given) {
            *factor = given.unwrap_or(*factor);
        }
        Ok(from_array(factors))
    }
}

/// Parses a factor: a whole number from 0 to [`MAX`].
pub fn parse(text: &str) -> Option<i32> {
    number(text, 0..=MAX).map(|value| value as i32)
}

/// Parses a whole number within a range.
pub fn number(text: &str, range: RangeInclusive<u32>) -> Option<u32> {
    let number = whole_number(text, *range.end()).ok();
    number.filter(|number| range.contains(number))
}

/// Formats factors as `Ks 120, Kc 80, Kp 100`.
pub fn spell(factors: &Factors) -> String {
    let [ks, kc, kp] = to_array(factors);
    format!("Ks {ks}, Kc {kc}, Kp {kp}")
}

/// Path of the file for the factors: next to the file of etudes, with the extension `.factors`.
///
/// # Errors
/// The file of etudes has this path itself.
pub fn path_beside(etudes: &Path) -> Result<PathBuf, FileError> {
    let path = etudes.with_extension("factors");
    let same = match (saving::behind_links(&path), saving::behind_links(etudes)) {
        (Ok(factors), Ok(etudes)) => factors == etudes,
        _ => path == etudes,
    };
    if same { Err(FileError::new(&path, None, Problem::OverEtudes)) } else { Ok(path) }
}

/// Saves factors to a file as three engine commands.
///
/// # Errors
/// [`Problem::Save`].
pub fn save(path: &Path, factors: &Factors) -> Result<(), FileError> {
    let lines = NAMES.iter().zip(to_array(factors));
    let lines = lines.map(|(name, value)| format!("setoption name {name} value {value}\n"));
    saving::save(path, lines.collect::<String>().as_bytes())
        .map_err(|reason| FileError::new(path, None, Problem::Save(reason)))
}

/// Reads a file written by [`save`]; the order of the lines, empty lines and extra spaces do not matter.
fn read(path: &Path) -> Result<[i32; 3], FileError> {
    let error = |line, problem| FileError::new(path, line, problem);
    let bytes = read_bytes(path).map_err(|reason| {
        let expected = "a file written by `tune --save`";
        error(None, Problem::Read { reason, expected })
    })?;
    let text = String::from_utf8_lossy(without_mark(&bytes));
    let mut found = [None; 3];
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        let set = setting(&words).filter(|&(factor, _)| found[factor].is_none());
        let (factor, value) =
            set.ok_or_else(|| error(Some(number), Problem::NotAFactor(line.into())))?;
        found[factor] = Some(value);
    }
    let mut factors = [0; 3];
    for (index, name) in NAMES.into_iter().enumerate() {
        factors[index] = found[index].ok_or_else(|| error(None, Problem::MissingFactor(name)))?;
    }
    Ok(factors)
}

/// Parses a line into an index into [`NAMES`] and a value.
fn setting(words: &[&str]) -> Option<(usize, i32)> {
    let &["setoption", "name", name, "value", value] = words else {
        return None;
    };
    let factor = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name))?;
    Some((factor, parse(value)?))
}
