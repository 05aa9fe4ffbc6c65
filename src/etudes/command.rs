//! The arguments of `buxtehude etudes`: command, file and options.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use thiserror::Error;

use super::factors::{self, ChosenFactors, FACTORS};
use crate::rules::hase::Ruleset;
use crate::rules::{MAX_SEATS, Rules, Seat, VARIANTS, Variant};

/// Output of `help`.
pub const USAGE: &str = "\
usage: buxtehude etudes COMMAND FILE ...

list FILE                 show each etude: its line, the position, the verdict
judge FILE LINE SEAT      save the winning seat as the verdict, - for none
play FILE LINE            print the command that sets the position
check FILE [--factors FILE] [--ks N] [--kc N] [--kp N]
                          compare the article's evaluation with the verdicts: in a
                          hit the judged seat has the largest E of all
tune FILE [--save]        try each factor from 50 to 200 in steps of 10, and show the
                          triples with the most hits; --save writes the one nearest to
                          their mean next to FILE, with the extension .factors
help                      show this

A line of FILE: square;carrots;lettuces;misses a turn (t or f) for each of 2 to 6
players, then the verdict, as in 45;26;2;f;29;19;0;f;2. Lines count from 1. Factors are in
hundredths, 0 to 1000. Every command takes --variant NAME, the rules by which to read FILE.

exit status: 0 success, 1 some lines of FILE are invalid and the rest was done, 2 the
arguments or a file are invalid and nothing was done
";

/// The request made by the arguments.
#[derive(Debug)]
pub enum Request {
    /// Prints the usage.
    Help,
    /// Runs a command.
    Run(Task),
}

/// A command with its file.
#[derive(Debug)]
pub struct Task {
    /// File of etudes.
    pub file: PathBuf,
    /// Rules for reading it.
    pub ruleset: &'static Ruleset,
    pub command: Command,
}

/// Command on a file of etudes. Lines are counted from 1.
#[derive(Debug, PartialEq, Eq)]
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

/// The arguments are invalid.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum ArgumentError {
    /// There are no arguments.
    #[error("etudes: missing command: expected {}", words())]
    NoCommand,
    /// The first word is not a command.
    #[error("etudes: unknown command {found:?}: expected {}", words())]
    UnknownCommand { found: String },
    /// An operand is missing.
    #[error("etudes {}: missing {missing}: expected {}", .form.word, .form.spell())]
    Missing {
        form: &'static Form,
        missing: &'static str,
    },
    /// There is an extra operand.
    #[error("etudes {}: unexpected {found:?}: expected {}", .form.word, .form.spell())]
    Unexpected { form: &'static Form, found: String },
    /// The command does not have the option.
    #[error("etudes {}: unknown option {found:?}: expected {}", .form.word, .form.options.join(", "))]
    UnknownOption { form: &'static Form, found: String },
    /// An option is given twice.
    #[error("etudes {command}: repeated {option}: expected it once")]
    Repeated {
        command: &'static str,
        option: &'static str,
    },
    /// A value is missing or invalid.
    #[error("etudes {command}: {name} {}: expected {expected}", quoted(.found))]
    Value {
        command: &'static str,
        /// Name of the operand or option.
        name: &'static str,
        found: Option<String>,
        /// Accepted values.
        expected: String,
    },
}

/// Syntax of a command.
#[derive(Debug, PartialEq, Eq)]
pub struct Form {
    word: &'static str,
    operands: &'static [&'static str],
    options: &'static [&'static str],
}

impl Form {
    /// The command with its operands.
    fn spell(&self) -> String {
        format!("{} {}", self.word, self.operands.join(" "))
    }
}

const VARIANT: &str = "--variant";
const FACTORS_FILE: &str = "--factors";

/// The only option without a value.
const SAVE: &str = "--save";

const FORMS: [Form; 5] = [
    Form {
        word: "list",
        operands: &["FILE"],
        options: &[VARIANT],
    },
    Form {
        word: "judge",
        operands: &["FILE", "LINE", "SEAT"],
        options: &[VARIANT],
    },
    Form {
        word: "play",
        operands: &["FILE", "LINE"],
        options: &[VARIANT],
    },
    Form {
        word: "check",
        operands: &["FILE"],
        options: &[
            FACTORS_FILE,
            FACTORS[0].argument,
            FACTORS[1].argument,
            FACTORS[2].argument,
            VARIANT,
        ],
    },
    Form {
        word: "tune",
        operands: &["FILE"],
        options: &[SAVE, VARIANT],
    },
];

/// Words that print the usage, in place of a command.
const HELP: [&str; 3] = ["help", "--help", "-h"];

/// Parses the arguments after `etudes`.
///
/// # Errors
/// Quotes the offending word and names the accepted values.
pub fn parse(arguments: &[OsString]) -> Result<Request, ArgumentError> {
    let Some((word, rest)) = arguments.split_first() else {
        return Err(ArgumentError::NoCommand);
    };
    if HELP.iter().any(|help| word == help) || rest.iter().any(|word| word == "--help") {
        return Ok(Request::Help);
    }
    let form = FORMS.iter().find(|form| word == form.word);
    let form = form.ok_or_else(|| ArgumentError::UnknownCommand {
        found: word.to_string_lossy().into(),
    })?;
    let words = Words::sort(form, rest)?;
    let command = match form.word {
        "list" => Command::List,
        "judge" => Command::Judge {
            line: words.line()?,
            winner: words.winner()?,
        },
        "play" => Command::Play {
            line: words.line()?,
        },
        "check" => Command::Check {
            factors: words.factors()?,
        },
        _ => Command::Tune {
            save: words.option(SAVE).is_some(),
        },
    };
    Ok(Request::Run(Task {
        file: words.operands[0].into(),
        ruleset: words.ruleset()?,
        command,
    }))
}

impl ArgumentError {
    /// `true` if the error is best answered with [`USAGE`].
    pub fn wants_usage(&self) -> bool {
        matches!(
            self,
            ArgumentError::NoCommand | ArgumentError::UnknownCommand { .. }
        )
    }
}

/// Arguments of a command, sorted into its operands, which are complete, and options with their values.
struct Words<'a> {
    form: &'static Form,
    operands: Vec<&'a OsStr>,
    options: Vec<(&'static str, &'a OsStr)>,
}

impl<'a> Words<'a> {
    fn sort(form: &'static Form, words: &'a [OsString]) -> Result<Words<'a>, ArgumentError> {
        let mut sorted = Words {
            form,
            operands: Vec::new(),
            options: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word.as_encoded_bytes().starts_with(b"--") {
                sorted.take_option(word, &mut words)?;
            } else if sorted.operands.len() < form.operands.len() {
                sorted.operands.push(word);
            } else {
                let found = word.to_string_lossy().into();
                return Err(ArgumentError::Unexpected { form, found });
            }
        }
        match form.operands.get(sorted.operands.len()) {
            Some(missing) => Err(ArgumentError::Missing { form, missing }),
            None => Ok(sorted),
        }
    }

    fn take_option(
        &mut self,
        word: &'a OsStr,
        rest: &mut impl Iterator<Item = &'a OsString>,
    ) -> Result<(), ArgumentError> {
        let form = self.form;
        let option = form.options.iter().find(|option| word == **option);
        let &option = option.ok_or_else(|| ArgumentError::UnknownOption {
            form,
            found: word.to_string_lossy().into(),
        })?;
        if self.option(option).is_some() {
            let command = form.word;
            return Err(ArgumentError::Repeated { command, option });
        }
        let value = match option {
            SAVE => word,
            _ => rest.next().ok_or_else(|| {
                let expected = match option {
                    VARIANT => variants_with_etudes(),
                    FACTORS_FILE => "a file written by `tune --save`".into(),
                    _ => factor_expected(),
                };
                self.refuse(option, None, expected)
            })?,
        };
        self.options.push((option, value));
        Ok(())
    }

    /// Value of an option, if given.
    fn option(&self, option: &str) -> Option<&'a OsStr> {
        let mut options = self.options.iter();
        options
            .find(|(name, _)| *name == option)
            .map(|&(_, value)| value)
    }

    fn line(&self) -> Result<usize, ArgumentError> {
        let expected = || "a whole number from 1".into();
        let line = whole_number(self.operands[1]).filter(|&line| line > 0);
        line.ok_or_else(|| self.refuse("LINE", Some(self.operands[1]), expected()))
    }

    fn winner(&self) -> Result<Option<Seat>, ArgumentError> {
        let text = self.operands[2];
        match whole_number(text) {
            _ if text == "-" => Ok(None),
            Some(number @ 1..=MAX_SEATS) => Ok(Some(Seat(number as u8 - 1))),
            _ => {
                let expected = format!("a seat from 1 to {MAX_SEATS}, or - for none");
                Err(self.refuse("SEAT", Some(text), expected))
            }
        }
    }

    fn factors(&self) -> Result<ChosenFactors, ArgumentError> {
        let mut given = [None; 3];
        for (factor, given) in FACTORS.iter().zip(&mut given) {
            let Some(text) = self.option(factor.argument) else {
                continue;
            };
            let value = text.to_str().and_then(factors::parse);
            let refused = || self.refuse(factor.argument, Some(text), factor_expected());
            *given = Some(value.ok_or_else(refused)?);
        }
        let file = self.option(FACTORS_FILE).map(PathBuf::from);
        Ok(ChosenFactors { file, given })
    }

    fn ruleset(&self) -> Result<&'static Ruleset, ArgumentError> {
        let name = self.option(VARIANT);
        let variant = match name.map(OsStr::to_string_lossy) {
            None => Some(&VARIANTS[0]),
            Some(name) => Variant::by_name(&name).ok(),
        };
        match variant.map(|variant| variant.rules) {
            Some(Rules::Hase(ruleset)) => Ok(ruleset),
            _ => Err(self.refuse(VARIANT, name, variants_with_etudes())),
        }
    }

    fn refuse(&self, name: &'static str, found: Option<&OsStr>, expected: String) -> ArgumentError {
        ArgumentError::Value {
            command: self.form.word,
            name,
            found: found.map(|found| found.to_string_lossy().into()),
            expected,
        }
    }
}

/// Parses a number that consists only of digits.
fn whole_number(text: &OsStr) -> Option<usize> {
    let text = text.to_str()?;
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

/// Names of the variants that have etudes.
fn variants_with_etudes() -> String {
    let race = |variant: &&Variant| matches!(variant.rules, Rules::Hase(_));
    let names: Vec<&str> = VARIANTS
        .iter()
        .filter(race)
        .map(|variant| variant.name)
        .collect();
    names.join(" or ")
}

fn factor_expected() -> String {
    format!("a whole number from 0 to {}", factors::LARGEST)
}

fn quoted(value: &Option<String>) -> String {
    match value {
        Some(value) => format!("{value:?}"),
        None => "without a value".into(),
    }
}

fn words() -> String {
    let words = FORMS.map(|form| form.word);
    format!("{} or help", words.join(", "))
}
