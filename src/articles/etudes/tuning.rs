//! Checking and tuning the correction factors on judged etudes.
//!
//! In a *hit* the judged seat has the largest E. Tuning finds the triples of factors with the most hits. Factors are
//! given on the command line, or in a file of three lines that are also engine commands.
//!
//! Source: the article "AI in Hase und Igel: minimax for three". It tries each factor from 0.5 to 2 in steps of 0.1 and
//! picks one of the best triples "by eye". Here it is the one nearest to their mean.

use std::cmp::Ordering;
use std::fmt::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::file::{Etude, FileError, Problem, read_bytes};
use super::saving;
use crate::articles::evaluation::{Factors, Terms, terms};
use crate::protocol::text::without_mark;
use crate::rules::whole_number;
use crate::rules::{Game, Seat};

/// A judged etude with the terms of each seat's E, which is linear in the factors.
pub struct JudgedEtude {
    /// Line in the file, from 1.
    pub line: usize,
    /// Seat judged to be winning.
    pub winner: Seat,
    /// Terms of each seat.
    pub terms: Vec<Terms>,
}

impl JudgedEtude {
    /// Selects the etudes that have a verdict.
    pub fn all(etudes: &[(usize, Etude)]) -> Vec<JudgedEtude> {
        let judged = etudes.iter().filter_map(|&(line, etude)| {
            let position = etude.position;
            let seats = Seat::all(position.seats());
            Some(JudgedEtude {
                line,
                winner: etude.winner?,
                terms: seats.map(|seat| terms(&position, seat)).collect(),
            })
        });
        judged.collect()
    }

    /// `true` if the judged seat has a larger E than every other.
    #[inline]
    pub fn is_hit(&self, factors: &Factors) -> bool {
        let winner = self.winner.index();
        let largest = self.terms[winner].worth(factors);
        let mut rivals = self.terms.iter().enumerate();
        rivals.all(|(seat, terms)| seat == winner || terms.worth(factors) < largest)
    }
}

/// Report of the hits and misses, for each etude and in total.
pub fn check(etudes: &[(usize, Etude)], factors: &Factors) -> String {
    let judged = JudgedEtude::all(etudes);
    let mut text = format!(
        "factors in hundredths: {}\n  line  verdict  result  E of each seat, in hundredths\n",
        spell(factors)
    );
    let mut hits = 0;
    for etude in &judged {
        let hit = etude.is_hit(factors);
        hits += usize::from(hit);
        let result = if hit { "hit" } else { "miss" };
        // Writing to a string never fails.
        let winner = etude.winner.to_string();
        let _ = write!(text, "{:>6}  {winner:>7}  {result:<4}", etude.line);
        for terms in &etude.terms {
            let _ = write!(text, "{:>9}", terms.worth(factors));
        }
        text.push('\n');
    }
    let share = share(hits, judged.len());
    let unjudged = etudes.len() - judged.len();
    let _ = writeln!(text, "hits {share}, {unjudged} unjudged");
    text
}

/// Formats a number of hits out of a number of etudes.
fn share(hits: usize, of: usize) -> String {
    match of {
        0 => "0 of 0".into(),
        _ => {
            let percent = 100.0 * hits as f64 / of as f64;
            format!("{hits} of {of} ({percent:.1} %)")
        }
    }
}

/// Number of values of each factor; the first value and the step are in hundredths.
const VALUES: usize = 16;
const FIRST: i32 = 50;
const STEP: i32 = 10;

/// Number of triples.
const TRIPLES: usize = VALUES.pow(3);

/// Result of tuning.
pub struct Tuning {
    /// Largest number of hits of a triple.
    hits: usize,
    /// Triples with that number, ascending; at least one.
    best: Vec<Factors>,
}

impl Tuning {
    /// Tries every triple.
    pub fn of(etudes: &[JudgedEtude]) -> Tuning {
        let mut tuning = Tuning { hits: 0, best: Vec::new() };
        for factors in (0..TRIPLES).map(triple) {
            let hits = etudes.iter().filter(|etude| etude.is_hit(&factors));
            let hits = hits.count();
            match hits.cmp(&tuning.hits) {
                Ordering::Less => {}
                Ordering::Equal => tuning.best.push(factors),
                Ordering::Greater => {
                    let best = vec![factors];
                    tuning = Tuning { hits, best };
                }
            }
        }
        tuning
    }

    /// The best triple that is nearest to the mean of all best ones; the smallest if there are several.
    pub fn nearest(&self) -> Factors {
        let triple = |factors: &Factors| to_array(factors).map(i64::from);
        let number = self.best.len() as i64;
        let sum = self
            .best
            .iter()
            .map(triple)
            .fold([0; 3], |sum, triple| [0, 1, 2].map(|i| sum[i] + triple[i]));
        // Multiplies all coordinates by the number of triples, to compute in whole numbers.
        let distance = |factors: &&Factors| -> i64 {
            let triple = triple(factors);
            (0..3).map(|i| (number * triple[i] - sum[i]).pow(2)).sum()
        };
        let nearest = self.best.iter().min_by_key(distance);
        nearest.copied().unwrap_or_default()
    }

    /// Report of the result; `of` is the number of etudes.
    pub fn report(&self, of: usize) -> String {
        let best = self.best.iter().map(|factors| {
            let [ks, kc, kp] = to_array(factors);
            format!("{ks:>5}{kc:>5}{kp:>5}\n")
        });
        format!(
            "best {}, reached by {} of {TRIPLES} triples, in hundredths:\n   Ks   Kc   Kp\n\
             {}nearest to their mean: {}\n",
            share(self.hits, of),
            self.best.len(),
            best.collect::<String>(),
            spell(&self.nearest())
        )
    }
}

/// The triple of an index below [`TRIPLES`], in ascending order.
fn triple(index: usize) -> Factors {
    let digits = [index / VALUES.pow(2), index / VALUES, index];
    from_array(digits.map(|digit| FIRST + STEP * (digit % VALUES) as i32))
}

/// Largest factor, in hundredths; the smallest is 0.
pub const MAX_FACTOR: u32 = 1000;

/// Names of the factors as engine options, in the order of output and of the file.
const NAMES: [&str; 3] = ["Ks", "Kc", "Kp"];

/// The factors in the order of [`NAMES`].
fn to_array(factors: &Factors) -> [i32; 3] {
    [factors.lettuces, factors.carrots, factors.path]
}

/// Converts from the order of [`NAMES`].
fn from_array([lettuces, carrots, path]: [i32; 3]) -> Factors {
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

/// Parses a factor: a whole number from 0 to [`MAX_FACTOR`].
pub fn factor(text: &str) -> Option<i32> {
    number(text, 0..=MAX_FACTOR).map(|value| value as i32)
}

/// Parses a whole number within a range.
pub fn number(text: &str, range: RangeInclusive<u32>) -> Option<u32> {
    let number = whole_number(text, *range.end()).ok();
    number.filter(|number| range.contains(number))
}

/// Formats factors as `Ks 120, Kc 80, Kp 100`.
fn spell(factors: &Factors) -> String {
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
    Some((factor, self::factor(value)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_to_the_mean_is_the_smallest_of_several() {
        for (best, nearest) in [
            (vec![[50, 50, 50], [50, 50, 200]], [50, 50, 50]),
            (vec![[50, 200, 200], [60, 100, 100], [200, 50, 50], [200, 60, 50]], [60, 100, 100]),
        ] {
            let best = best.into_iter().map(from_array).collect();
            let tuning = Tuning { hits: 1, best };
            assert_eq!(to_array(&tuning.nearest()), nearest);
        }
    }
}
