//! The arguments of `buxtehude etudes`: command, file and options.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::factors::{self, ChosenFactors};
use crate::rules::hase::Ruleset;
use crate::rules::{MAX_SEATS, Rules, Seat, VARIANTS, Variant};

/// Output of `help`.
pub const USAGE: &str = "\
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
pub struct Task {
    /// File of etudes.
    pub file: PathBuf,
    /// Rules for reading it.
    pub ruleset: &'static Ruleset,
    pub command: Command,
}

/// Command on a file of etudes. Lines are counted from 1.
pub enum Command {
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
pub fn parse(arguments: &[OsString]) -> Result<Option<Task>, String> {
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
                Some(factors::number(text, 1..=u32::MAX)? as usize)
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
            let number = factors::number(text, 1..=MAX_SEATS as u32)?;
            Some(Some(Seat(number as u8 - 1)))
        })
    }

    fn factors(&self) -> Result<ChosenFactors, String> {
        let mut given = [None; 3];
        for (option, given) in FACTORS.into_iter().zip(&mut given) {
            if let Some(text) = self.option(option) {
                *given = Some(parsed(option, text, &expected(option), factors::parse)?);
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
        _ => format!("a whole number from 0 to {}", factors::MAX),
    }
}

fn ruleset(variant: &Variant) -> Option<&'static Ruleset> {
    match variant.rules {
        Rules::Hase(ruleset) => Some(ruleset),
        _ => None,
    }
}
