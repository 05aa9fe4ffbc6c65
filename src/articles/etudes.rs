//! The commands `buxtehude etudes ...`: show and judge the etudes of a file, positions with a verdict each, and use
//! them to check and to tune the article's evaluation.
//!
//! A line that is not an etude is reported with file, line and field, and the rest is still processed. The commands do
//! not read standard input or use the protocol.
//!
//! In a *hit* the judged seat has the largest E. Tuning finds the triples of factors with the most hits. Factors are
//! given on the command line, or in a file of three lines that are also engine commands.
//!
//! Source: the article "AI in Hase und Igel: minimax for three", on correction factors. It tries each factor from 0.5
//! to 2 in steps of 0.1 and picks one of the best triples "by eye". Here it is the one nearest to their mean.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod file;

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::fmt::{Display, Write as _};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use thiserror::Error;

use crate::articles::evaluation::{Factors, Terms, terms};
use crate::protocol::text::without_mark;
use crate::rules::hase::Ruleset;
use crate::rules::{
    AnyPosition, Game, MAX_SEATS, Seat, VARIANTS, Variant, seat_number, whole_number,
};
pub use file::{Etude, EtudeError, EtudeFile, FileError};

/// Exit status if some lines of the file are invalid, and the rest was done.
const FAULTY: u8 = 1;

/// Exit status if the arguments or a whole file are invalid, and nothing was done.
const REFUSED: u8 = 2;

/// Errors that stop a command.
#[derive(Debug, Error)]
enum Failure {
    #[error("buxtehude: {0}")]
    Arguments(String),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("buxtehude: {0}")]
    Output(#[from] io::Error),
}

/// Runs the command given by the arguments after `etudes`, on standard output and standard error.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let status = carry_out(arguments).unwrap_or_else(|failure| {
        print_error(&failure);
        REFUSED
    });
    ExitCode::from(status)
}

/// Carries out the command of the arguments; returns the exit status.
fn carry_out(arguments: &[OsString]) -> Result<u8, Failure> {
    let words = FORMS.map(|(word, ..)| word).join(", ");
    let unknown = |problem: String| {
        let usage = ETUDES_HELP.trim_end();
        Failure::Arguments(format!("etudes: {problem}: expected {words} or help\n{usage}"))
    };
    let Some((word, rest)) = arguments.split_first() else {
        return Err(unknown("missing command".into()));
    };
    if HELP_WORDS.iter().any(|help| word == help) || rest.iter().any(|word| word == "--help") {
        say(ETUDES_HELP)?;
        return Ok(0);
    }
    let form = FORMS
        .iter()
        .find(|form| word == form.0)
        .ok_or_else(|| unknown(format!("unknown command {word:?}")))?;
    Task::new(form, rest)?.carry_out()
}

/// Returns the valid lines of a file, and the exit status; reports the invalid lines.
fn valid_etudes(file: &EtudeFile) -> (Vec<(usize, Etude)>, u8) {
    let (etudes, bad) = file.etudes();
    for error in &bad {
        print_error(error);
    }
    (etudes, if bad.is_empty() { 0 } else { FAULTY })
}

/// Table of the etudes.
fn list(etudes: &[(usize, Etude)]) -> String {
    let row = |line: &str, position: &str, verdict: &str, width| {
        format!("{line:>6}  {position:<width$}  {verdict}\n")
    };
    let texts: Vec<String> = etudes.iter().map(|(_, etude)| etude.position.to_string()).collect();
    let width = texts.iter().map(String::len).max().unwrap_or(0).max(8);
    let mut table = row("line", "position", "verdict", width);
    for ((line, etude), text) in etudes.iter().zip(&texts) {
        table += &row(&line.to_string(), text, &verdict(etude.winner), width);
    }
    table
}

/// Formats a verdict as in an etude line.
fn verdict(winner: Option<Seat>) -> String {
    winner.map_or("-".into(), |seat| seat.to_string())
}

/// Writes to standard output. If the reader has closed it, the rest of the work is done silently.
fn say(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    let written = output.write_all(text.as_bytes());
    match written.and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn print_error(problem: &dyn Display) {
    // If this fails too, there is no one left to inform.
    let _ = writeln!(io::stderr(), "{problem}");
}

/// Output of `help`.
const ETUDES_HELP: &str = "\
usage: buxtehude etudes COMMAND FILE ...

list FILE                 show each etude: its line, the position, the verdict
judge FILE LINE SEAT      save the winning seat as the verdict, - for none
play FILE LINE            print the command that sets the position
check FILE [--factors FILE] [--ks N] [--kc N] [--kp N]
                          compare the article's evaluation with the verdicts:
                          in a hit the judged seat has the largest E of all
tune FILE [--save]        try each factor from 50 to 200 in steps of 10, and
                          show the triples with the most hits; --save writes
                          the one nearest to their mean next to FILE, with the
                          extension .factors
help                      show this

A line of FILE: square;carrots;lettuces;misses a turn (t or f) for each of 2 to
6 players, then the verdict, as in 45;26;2;f;29;19;0;f;2. Lines count from 1.
Factors are in hundredths, 0 to 1000. Every command takes --variant NAME, the
rules by which to read FILE.

exit status: 0 success, 1 some lines of FILE are invalid and the rest was done,
2 the arguments or a file are invalid and nothing was done
";

/// Command word, operands and options of each command.
type Form = (&'static str, &'static [&'static str], &'static [&'static str]);

const FORMS: [Form; 5] = [
    ("list", &["FILE"], &[VARIANT_FLAG]),
    ("judge", &["FILE", "LINE", "SEAT"], &[VARIANT_FLAG]),
    ("play", &["FILE", "LINE"], &[VARIANT_FLAG]),
    ("check", &["FILE"], &[FACTORS_FILE, FACTORS[0], FACTORS[1], FACTORS[2], VARIANT_FLAG]),
    ("tune", &["FILE"], &[SAVE, VARIANT_FLAG]),
];

const VARIANT_FLAG: &str = "--variant";
const FACTORS_FILE: &str = "--factors";
const FACTORS: [&str; 3] = ["--ks", "--kc", "--kp"];

/// The only option without a value.
const SAVE: &str = "--save";

/// Words that print the usage, in place of a command.
const HELP_WORDS: [&str; 3] = ["help", "--help", "-h"];

/// A command with its operands, which are complete, and its options with their values.
struct Task<'a> {
    command: &'static str,
    operands: Vec<&'a OsStr>,
    options: Vec<(&'static str, &'a OsStr)>,
}

impl<'a> Task<'a> {
    /// Sorts the arguments of a command.
    ///
    /// # Errors
    /// A message that quotes the offending word and names the accepted values.
    fn new(form: &Form, words: &'a [OsString]) -> Result<Task<'a>, Failure> {
        let &(command, operands, options) = form;
        let mut task = Task { command, operands: Vec::new(), options: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !word.as_encoded_bytes().starts_with(b"--") {
                task.operands.push(word);
                continue;
            }
            let option = options.iter().find(|option| word == **option);
            let option = option.ok_or_else(|| {
                task.refusal(format!("unknown option {word:?}: expected {}", options.join(", ")))
            })?;
            if task.option(option).is_some() {
                return Err(task.refusal(format!("repeated {option}: expected it once")));
            }
            let value = if *option == SAVE { Some(word) } else { words.next() };
            let value = value.ok_or_else(|| {
                let expected = expected(option);
                task.refusal(format!("{option} without a value: expected {expected}"))
            })?;
            task.options.push((option, value));
        }
        let form = || format!("expected {command} {}", operands.join(" "));
        if let Some(missing) = operands.get(task.operands.len()) {
            return Err(task.refusal(format!("missing {missing}: {}", form())));
        }
        match task.operands.get(operands.len()) {
            Some(extra) => Err(task.refusal(format!("unexpected {extra:?}: {}", form()))),
            None => Ok(task),
        }
    }

    /// Carries out the command; returns the exit status.
    fn carry_out(&self) -> Result<u8, Failure> {
        match self.command {
            "list" => {
                let (etudes, status) = valid_etudes(&self.file()?);
                say(&list(&etudes))?;
                Ok(status)
            }
            "judge" => {
                let (line, winner) = (self.line()?, self.winner()?);
                let file = self.file()?;
                let old = file.judge(line, winner)?;
                let (place, old, new) = (file.place(line), verdict(old), verdict(winner));
                say(&format!("{place}: verdict {new}, it was {old}\n"))?;
                Ok(0)
            }
            "play" => {
                let line = self.line()?;
                let etude = self.file()?.etude(line)?;
                say(&format!("position fen {}\n", etude.position))?;
                Ok(0)
            }
            "check" => {
                let given = self.given_factors()?;
                let file = self.file()?;
                let mut factors = match self.option(FACTORS_FILE) {
                    Some(path) => read_factors(path.as_ref())?,
                    None => to_array(&Factors::default()),
                };
                for (factor, given) in factors.iter_mut().zip(given) {
                    *factor = given.unwrap_or(*factor);
                }
                let (etudes, status) = valid_etudes(&file);
                say(&check(&etudes, &from_array(factors)))?;
                Ok(status)
            }
            _ => {
                let file = self.file()?;
                let is_saved = self.option(SAVE).is_some();
                let save_to =
                    is_saved.then(|| path_beside(self.operands[0].as_ref())).transpose()?;
                tune(&file, save_to.as_deref())
            }
        }
    }

    fn file(&self) -> Result<EtudeFile, Failure> {
        let name = self.option(VARIANT_FLAG).unwrap_or(VARIANTS[0].name.as_ref());
        let ruleset = self.parsed(VARIANT_FLAG, name, &expected(VARIANT_FLAG), |name| {
            ruleset(Variant::by_name(name).ok()?)
        })?;
        Ok(EtudeFile::read(self.operands[0].as_ref(), ruleset)?)
    }

    /// Value of an option, if given.
    fn option(&self, option: &str) -> Option<&'a OsStr> {
        let found = self.options.iter().find(|(name, _)| *name == option);
        found.map(|&(_, value)| value)
    }

    fn line(&self) -> Result<usize, Failure> {
        self.parsed("LINE", self.operands[1], "a whole number from 1", |text| {
            Some(number(text, 1..=u32::MAX)? as usize)
        })
    }

    fn winner(&self) -> Result<Option<Seat>, Failure> {
        let expected = format!("a seat from 1 to {MAX_SEATS}, or - for none");
        self.parsed("SEAT", self.operands[2], &expected, |text| {
            if text == "-" { Some(None) } else { seat_number(text, MAX_SEATS).map(Some) }
        })
    }

    /// The factors among the options, in the order of [`NAMES`].
    fn given_factors(&self) -> Result<[Option<i32>; 3], Failure> {
        let mut given = [None; 3];
        for (option, given) in FACTORS.into_iter().zip(&mut given) {
            if let Some(text) = self.option(option) {
                *given = Some(self.parsed(option, text, &expected(option), factor)?);
            }
        }
        Ok(given)
    }

    /// Parses an operand or the value of an option.
    fn parsed<T>(
        &self,
        name: &str,
        text: &OsStr,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Failure> {
        let value = text.to_str().and_then(parse);
        value.ok_or_else(|| self.refusal(format!("{name} {text:?}: expected {expected}")))
    }

    fn refusal(&self, problem: impl Display) -> Failure {
        Failure::Arguments(format!("etudes {}: {problem}", self.command))
    }
}

/// Accepted values of an option.
fn expected(option: &str) -> String {
    match option {
        VARIANT_FLAG => {
            let with_etudes = VARIANTS.iter().filter(|variant| ruleset(variant).is_some());
            let names: Vec<&str> = with_etudes.map(|variant| variant.name).collect();
            names.join(" or ")
        }
        FACTORS_FILE => "a file written by `tune --save`".into(),
        _ => format!("a whole number from 0 to {MAX_FACTOR}"),
    }
}

fn ruleset(variant: &Variant) -> Option<&'static Ruleset> {
    match variant.start(2) {
        Ok(AnyPosition::Hase(start)) => Some(start.ruleset()),
        _ => None,
    }
}

/// A judged etude with the terms of each seat's E, which is linear in the factors.
struct JudgedEtude {
    /// Line in the file, from 1.
    line: usize,
    /// Seat judged to be winning.
    winner: Seat,
    /// Terms of each seat.
    terms: Vec<Terms>,
}

impl JudgedEtude {
    /// Selects the etudes that have a verdict.
    fn all(etudes: &[(usize, Etude)]) -> Vec<JudgedEtude> {
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
    fn is_hit(&self, factors: &Factors) -> bool {
        let winner = self.winner.index();
        let largest = self.terms[winner].worth(factors);
        let mut rivals = self.terms.iter().enumerate();
        rivals.all(|(seat, terms)| seat == winner || terms.worth(factors) < largest)
    }
}

/// Report of the hits and misses, for each etude and in total.
fn check(etudes: &[(usize, Etude)], factors: &Factors) -> String {
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

/// Tunes the factors, and saves the best to a file if one is given; returns the exit status.
fn tune(file: &EtudeFile, save_to: Option<&Path>) -> Result<u8, Failure> {
    let (etudes, status) = valid_etudes(file);
    let judged = JudgedEtude::all(&etudes);
    if judged.is_empty() {
        print_error(&file.error(None, "no etude is judged: expected at least one"));
        return Ok(FAULTY);
    }
    let tuning = Tuning::of(&judged);
    say(&tuning.report(judged.len()))?;
    if let Some(path) = save_to {
        save_factors(path, &tuning.nearest())?;
        say(&format!("saved to {}\n", path.display()))?;
    }
    Ok(status)
}

/// Number of values of each factor; the first value and the step are in hundredths.
const VALUES: usize = 16;
const FIRST: i32 = 50;
const FACTOR_STEP: i32 = 10;

/// Number of triples.
const TRIPLES: usize = VALUES.pow(3);

/// Result of tuning.
struct Tuning {
    /// Largest number of hits of a triple.
    hits: usize,
    /// Triples with that number, ascending; at least one.
    best: Vec<Factors>,
}

impl Tuning {
    /// Tries every triple.
    fn of(etudes: &[JudgedEtude]) -> Tuning {
        let mut tuning = Tuning { hits: 0, best: Vec::new() };
        for factors in (0..TRIPLES).map(triple) {
            let hits = etudes.iter().filter(|etude| etude.is_hit(&factors)).count();
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
    fn nearest(&self) -> Factors {
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
    fn report(&self, of: usize) -> String {
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
    from_array(digits.map(|digit| FIRST + FACTOR_STEP * (digit % VALUES) as i32))
}

/// Largest factor, in hundredths; the smallest is 0.
const MAX_FACTOR: u32 = 1000;

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

/// Parses a factor: a whole number from 0 to [`MAX_FACTOR`].
fn factor(text: &str) -> Option<i32> {
    number(text, 0..=MAX_FACTOR).map(|value| value as i32)
}

/// Parses a whole number within a range.
fn number(text: &str, range: RangeInclusive<u32>) -> Option<u32> {
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
fn path_beside(etudes: &Path) -> Result<PathBuf, FileError> {
    let path = etudes.with_extension("factors");
    let same = match (file::behind_links(&path), file::behind_links(etudes)) {
        (Ok(factors), Ok(etudes)) => factors == etudes,
        _ => path == etudes,
    };
    if same {
        let problem =
            "the factors would be saved over the etudes: expected an extension other than .factors";
        return Err(FileError::new(&path, None, problem));
    }
    Ok(path)
}

/// Saves factors to a file as three engine commands.
fn save_factors(path: &Path, factors: &Factors) -> Result<(), FileError> {
    let lines = NAMES
        .iter()
        .zip(to_array(factors))
        .map(|(name, value)| format!("setoption name {name} value {value}\n"));
    file::save(path, lines.collect::<String>().as_bytes())
}

/// Reads a file written by [`save_factors`]; the order of the lines, empty lines and extra spaces do not matter.
fn read_factors(path: &Path) -> Result<[i32; 3], FileError> {
    let bytes = file::read(path, "a file written by `tune --save`")?;
    let text = String::from_utf8_lossy(without_mark(&bytes));
    let mut found = [None; 3];
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        let set = setting(&words).filter(|&(factor, _)| found[factor].is_none());
        let (factor, value) = set.ok_or_else(|| {
            let problem = format!(
                "found {line:?}: expected `setoption name Ks|Kc|Kp value N`, each once, N a whole number from 0 to \
                 {MAX_FACTOR}"
            );
            FileError::new(path, Some(number), problem)
        })?;
        found[factor] = Some(value);
    }
    let mut factors = [0; 3];
    for (index, name) in NAMES.into_iter().enumerate() {
        factors[index] = found[index].ok_or_else(|| {
            let problem = format!("{name} is missing: expected `setoption name {name} value N`");
            FileError::new(path, None, problem)
        })?;
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
