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
use crate::rules::{AnyPosition, Game, MAX_SEATS, Seat, VARIANTS, Variant, whole_number};
use file::read_bytes;
pub use file::{Etude, EtudeError, EtudeFile, FileError, Problem, Verdict};

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
    let status = match parse(arguments) {
        Ok(None) => say(USAGE).map(|()| 0),
        Ok(Some(task)) => carry_out(&task),
        Err(error) => Err(Failure::Arguments(error)),
    };
    status.map_or_else(
        |failure| {
            print_error(&failure);
            ExitCode::from(REFUSED)
        },
        ExitCode::from,
    )
}

/// Carries out a command; returns the exit status.
fn carry_out(task: &Task) -> Result<u8, Failure> {
    let file = EtudeFile::read(&task.file, task.ruleset)?;
    match &task.command {
        Command::Play { line } => {
            let etude = file.etude(*line)?;
            say(&format!("position fen {}\n", etude.position))?;
            Ok(0)
        }
        Command::Judge { line, winner } => {
            let saved = file.judge(*line, None, *winner)?;
            let place = file.place(*line);
            let (old, new) = (verdict(saved.old), verdict(*winner));
            say(&format!("{place}: verdict {new}, it was {old}\n"))?;
            Ok(0)
        }
        Command::List => {
            let (etudes, status) = valid_etudes(&file);
            say(&list(&etudes))?;
            Ok(status)
        }
        Command::Check { factors } => {
            let factors = factors.choose()?;
            let (etudes, status) = valid_etudes(&file);
            say(&check(&etudes, &factors))?;
            Ok(status)
        }
        Command::Tune { save } => {
            let saved_to = save.then(|| path_beside(&task.file)).transpose()?;
            let (etudes, status) = valid_etudes(&file);
            let judged = JudgedEtude::all(&etudes);
            if judged.is_empty() {
                print_error(&file.error(None, Problem::NothingJudged));
                return Ok(FAULTY);
            }
            let tuning = Tuning::of(&judged);
            say(&tuning.report(judged.len()))?;
            if let Some(path) = saved_to {
                save_factors(&path, &tuning.nearest())?;
                say(&format!("saved to {}\n", path.display()))?;
            }
            Ok(status)
        }
    }
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
const USAGE: &str = "\
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

/// A command with its file.
struct Task {
    /// File of etudes.
    file: PathBuf,
    /// Rules for reading it.
    ruleset: &'static Ruleset,
    command: Command,
}

/// Command on a file of etudes. Lines are counted from 1.
enum Command {
    /// Shows all etudes.
    List,
    /// Saves a verdict.
    Judge {
        line: usize,
        /// Winning seat, or `None` for no verdict.
        winner: Option<Seat>,
    },
    /// Prints the position as a command.
    Play { line: usize },
    /// Compares the evaluation with the verdicts.
    Check { factors: ChosenFactors },
    /// Finds the factors with the most hits.
    Tune {
        /// Whether to save the best factors.
        save: bool,
    },
}

/// Command word, operands and options of each command.
type Form = (&'static str, &'static [&'static str], &'static [&'static str]);

const FORMS: [Form; 5] = [
    ("list", &["FILE"], &[VARIANT]),
    ("judge", &["FILE", "LINE", "SEAT"], &[VARIANT]),
    ("play", &["FILE", "LINE"], &[VARIANT]),
    ("check", &["FILE"], &[FACTORS_FILE, FACTORS[0], FACTORS[1], FACTORS[2], VARIANT]),
    ("tune", &["FILE"], &[SAVE, VARIANT]),
];

const VARIANT: &str = "--variant";
const FACTORS_FILE: &str = "--factors";
const FACTORS: [&str; 3] = ["--ks", "--kc", "--kp"];

/// The only option without a value.
const SAVE: &str = "--save";

/// Words that print the usage, in place of a command.
const HELP: [&str; 3] = ["help", "--help", "-h"];

/// Parses the arguments after `etudes`; returns `None` if they ask for the usage.
///
/// # Errors
/// A message that quotes the offending word and names the accepted values.
fn parse(arguments: &[OsString]) -> Result<Option<Task>, String> {
    let words = FORMS.map(|(word, ..)| word).join(", ");
    let unknown = |problem: String| {
        let usage = USAGE.trim_end();
        format!("etudes: {problem}: expected {words} or help\n{usage}")
    };
    let Some((word, rest)) = arguments.split_first() else {
        return Err(unknown("missing command".into()));
    };
    if HELP.iter().any(|help| word == help) || rest.iter().any(|word| word == "--help") {
        return Ok(None);
    }
    let form = FORMS.iter().find(|form| word == form.0);
    let form = form.ok_or_else(|| unknown(format!("unknown command {word:?}")))?;
    let task = Words::sort(form, rest).and_then(|words| words.task());
    task.map(Some).map_err(|problem| format!("etudes {}: {problem}", form.0))
}

/// Arguments of a command, sorted into its operands, which are complete, and options with their values.
struct Words<'a> {
    command: &'static str,
    operands: Vec<&'a OsStr>,
    options: Vec<(&'static str, &'a OsStr)>,
}

impl<'a> Words<'a> {
    fn sort(form: &Form, words: &'a [OsString]) -> Result<Words<'a>, String> {
        let &(command, operands, options) = form;
        let mut sorted = Words { command, operands: Vec::new(), options: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !word.as_encoded_bytes().starts_with(b"--") {
                sorted.operands.push(word);
                continue;
            }
            let option = options.iter().find(|option| word == **option);
            let option = option.ok_or_else(|| {
                format!("unknown option {word:?}: expected {}", options.join(", "))
            })?;
            if sorted.option(option).is_some() {
                return Err(format!("repeated {option}: expected it once"));
            }
            let value = match *option {
                SAVE => Some(word),
                _ => words.next(),
            };
            let value = value.ok_or_else(|| {
                format!("{option} without a value: expected {}", expected(option))
            })?;
            sorted.options.push((option, value));
        }
        let form = || format!("expected {command} {}", operands.join(" "));
        if let Some(missing) = operands.get(sorted.operands.len()) {
            return Err(format!("missing {missing}: {}", form()));
        }
        match sorted.operands.get(operands.len()) {
            Some(extra) => Err(format!("unexpected {extra:?}: {}", form())),
            None => Ok(sorted),
        }
    }

    fn task(&self) -> Result<Task, String> {
        let line = || {
            let expected = "a whole number from 1";
            parsed("LINE", self.operands[1], expected, |text| {
                Some(number(text, 1..=u32::MAX)? as usize)
            })
        };
        let command = match self.command {
            "list" => Command::List,
            "judge" => Command::Judge { line: line()?, winner: self.winner()? },
            "play" => Command::Play { line: line()? },
            "check" => Command::Check { factors: self.factors()? },
            _ => Command::Tune { save: self.option(SAVE).is_some() },
        };
        Ok(Task { file: self.operands[0].into(), ruleset: self.ruleset()?, command })
    }

    /// Value of an option, if given.
    fn option(&self, option: &str) -> Option<&'a OsStr> {
        let mut options = self.options.iter();
        let found = options.find(|(name, _)| *name == option);
        found.map(|&(_, value)| value)
    }

    fn winner(&self) -> Result<Option<Seat>, String> {
        let expected = format!("a seat from 1 to {MAX_SEATS}, or - for none");
        parsed("SEAT", self.operands[2], &expected, |text| {
            if text == "-" {
                return Some(None);
            }
            let number = number(text, 1..=MAX_SEATS as u32)?;
            Some(Some(Seat(number as u8 - 1)))
        })
    }

    fn factors(&self) -> Result<ChosenFactors, String> {
        let mut given = [None; 3];
        for (option, given) in FACTORS.into_iter().zip(&mut given) {
            if let Some(text) = self.option(option) {
                *given = Some(parsed(option, text, &expected(option), factor)?);
            }
        }
        let file = self.option(FACTORS_FILE).map(PathBuf::from);
        Ok(ChosenFactors { file, given })
    }

    fn ruleset(&self) -> Result<&'static Ruleset, String> {
        let name = self.option(VARIANT).unwrap_or(VARIANTS[0].name.as_ref());
        parsed(VARIANT, name, &expected(VARIANT), |name| ruleset(Variant::by_name(name).ok()?))
    }
}

/// Parses an operand or the value of an option.
fn parsed<T>(
    name: &str,
    text: &OsStr,
    expected: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, String> {
    let value = text.to_str().and_then(parse);
    value.ok_or_else(|| format!("{name} {text:?}: expected {expected}"))
}

/// Accepted values of an option.
fn expected(option: &str) -> String {
    match option {
        VARIANT => {
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

/// Number of values of each factor; the first value and the step are in hundredths.
const VALUES: usize = 16;
const FIRST: i32 = 50;
const STEP: i32 = 10;

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
    from_array(digits.map(|digit| FIRST + STEP * (digit % VALUES) as i32))
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

/// Choice of factors: from a file or else the preset, overridden by individual ones.
struct ChosenFactors {
    file: Option<PathBuf>,
    /// Individual factors, in the order of [`NAMES`].
    given: [Option<i32>; 3],
}

impl ChosenFactors {
    /// Returns the chosen factors.
    ///
    /// # Errors
    /// The file is invalid.
    fn choose(&self) -> Result<Factors, FileError> {
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
    if same { Err(FileError::new(&path, None, Problem::OverEtudes)) } else { Ok(path) }
}

/// Saves factors to a file as three engine commands.
///
/// # Errors
/// [`Problem::Save`].
fn save_factors(path: &Path, factors: &Factors) -> Result<(), FileError> {
    let lines = NAMES.iter().zip(to_array(factors));
    let lines = lines.map(|(name, value)| format!("setoption name {name} value {value}\n"));
    file::save(path, lines.collect::<String>().as_bytes())
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
