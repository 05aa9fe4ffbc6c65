//! The options of an engine, checked against its offers.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use buxtehude::protocol::{Command, OptionKind, OptionOffer, Reply};
use rustix::io::Errno;
use thiserror::Error;

use super::AnswerError;
use crate::input_file;
use crate::plan::binary::file_of;
use crate::plan::{EngineSpec, UnresolvedEngine};
use crate::record::Evidence;
use crate::record::printable::{first_and_last, printable, printable_bytes, shortened};
use crate::spelling::did_you_mean;

/// Option that is set by the game's variant.
pub const VARIANT_OPTION: &str = "UCI_Variant";
/// Maximum number of characters quoted from an `option` line.
const MAX_QUOTED_OPTION_LENGTH: usize = 200;

/// The options that an engine offers.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    pub readable: Vec<OptionOffer>,
    pub unreadable: Vec<UnreadableOffer>,
}

/// An `option` line that cannot be parsed. Its option can be set nevertheless, but the value is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableOffer {
    /// Name of the option, if the line has one.
    name: String,
    /// Word after `type`; empty if it is missing.
    kind: String,
    line: String,
    reason: String,
}

impl Offers {
    /// Adds the offer of an `option` line, and returns `true`; ignores other lines.
    pub fn add(&mut self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        if !words.next().is_some_and(|word| word.eq_ignore_ascii_case("option")) {
            return false;
        }
        let reason = match line.parse() {
            Ok(Reply::Option(offer)) => {
                self.readable.push(offer);
                return true;
            }
            Ok(_) => "expected the word \"option\" in small letters".to_string(),
            Err(error) => error.to_string(),
        };
        let mut words = words.skip_while(|word| word.eq_ignore_ascii_case("name")).peekable();
        let mut name = Vec::new();
        while let Some(word) =
            words.next_if(|word| !["type", "default", "min", "max", "var"].contains(word))
        {
            name.push(word);
        }
        let mut rest = words.skip_while(|word| *word != "type");
        self.unreadable.push(UnreadableOffer {
            name: name.join(" "),
            kind: rest.nth(1).unwrap_or_default().to_string(),
            line: shortened(&printable(line.trim()), MAX_QUOTED_OPTION_LENGTH).into_owned(),
            reason,
        });
        true
    }

    /// Finds an option by its name, which is case-insensitive as in UCI.
    pub fn find(&self, name: &str) -> Option<&OptionOffer> {
        self.readable.iter().find(|offer| offer.name.eq_ignore_ascii_case(name))
    }

    /// Returns the unreadable line of an option, unless there is a readable one.
    pub fn unreadable(&self, name: &str) -> Option<&UnreadableOffer> {
        let mut lines = self.unreadable.iter();
        let line = lines.find(|offer| !name.is_empty() && offer.name.eq_ignore_ascii_case(name));
        line.filter(|_| self.find(name).is_none())
    }
}

impl UnreadableOffer {
    fn setting(&self, value: &str) -> Command {
        let value = match (self.kind.as_str(), value) {
            ("string", "") => Some("<empty>"),
            (_, "") => None,
            (_, value) => Some(value),
        };
        Command::SetOption { name: self.name.clone(), value: value.map(String::from) }
    }
}

impl fmt::Display for UnreadableOffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" cannot be read: {}", self.line, self.reason)
    }
}

/// Returns the commands that set the variant, if the engine offers a choice, and the options of `spec`, except optional
/// ones that the engine does not offer.
///
/// # Errors
/// The first option or value that the engine does not offer.
pub fn settings(
    spec: &EngineSpec,
    variant: &str,
    offers: &Offers,
) -> Result<Vec<Command>, StartError> {
    let mut commands = Vec::new();
    if let Some(offer) = offers.find(VARIANT_OPTION) {
        commands.push(variant_setting(spec, variant, offer)?);
    } else if let Some(offer) = offers.unreadable(VARIANT_OPTION) {
        commands.push(offer.setting(variant));
    }
    let mut options = spec.options.clone();
    options.retain(|(name, _)| !is_left_out(&spec.unresolved, name, offers));
    commands.extend(option_commands(&spec.name, &options, offers)?);
    Ok(commands)
}

/// `true` for an optional option that the engine does not offer.
pub fn is_left_out(unresolved: &UnresolvedEngine, option: &str, offers: &Offers) -> bool {
    let is_offered = offers.find(option).is_some() || offers.unreadable(option).is_some();
    !is_offered && unresolved.optional.iter().any(|name| name == option)
}

/// Returns the commands that set the given options, pairs of name and value.
///
/// # Errors
/// The first option or value that the engine does not offer.
pub fn option_commands(
    engine: &str,
    options: &[(String, String)],
    offers: &Offers,
) -> Result<Vec<Command>, StartError> {
    let command = |(name, value): &(String, String)| {
        if let Some(offer) = offers.find(name) {
            return setting(engine, offer, value);
        }
        if let Some(offer) = offers.unreadable(name) {
            check_line(engine, name, value)?;
            return Ok(offer.setting(value));
        }
        let offered: Vec<String> = offers.readable.iter().map(|offer| offer.name.clone()).collect();
        let meant = did_you_mean(name, offered.iter().map(String::as_str));
        let (listed, unreadable) = (listed(&offered), shown_lines(&offers.unreadable));
        Err(StartError::Options(format!(
            "engine {engine} has no option {name:?}{meant}: it offers {listed}{unreadable}"
        )))
    };
    options.iter().map(command).collect()
}

fn variant_setting(
    spec: &EngineSpec,
    variant: &str,
    offer: &OptionOffer,
) -> Result<Command, StartError> {
    if let OptionKind::Combo { vars, .. } = &offer.kind
        && !vars.iter().any(|var| var == variant)
    {
        return Err(StartError::UnknownVariant {
            engine: spec.name.clone(),
            variant: variant.to_string(),
            offered: vars.clone(),
        });
    }
    Ok(Command::SetOption { name: offer.name.clone(), value: Some(variant.to_string()) })
}

fn setting(engine: &str, offer: &OptionOffer, value: &str) -> Result<Command, StartError> {
    let refuse = |accepted: &str| refused(engine, &offer.name, value, accepted);
    check_line(engine, &offer.name, value)?;
    let value = match &offer.kind {
        OptionKind::Check { .. } if matches!(value, "true" | "false") => Some(value.to_string()),
        OptionKind::Check { .. } => return Err(refuse("true or false")),
        OptionKind::Spin { min, max, .. } => match value.parse::<i64>() {
            Ok(number) if (min..=max).contains(&&number) => Some(number.to_string()),
            _ => return Err(refuse(&format!("a whole number from {min} to {max}"))),
        },
        OptionKind::Combo { vars, .. } => {
            let found = vars.iter().find(|var| var.eq_ignore_ascii_case(value));
            Some(found.ok_or_else(|| refuse(&listed(vars)))?.clone())
        }
        OptionKind::Button if value.is_empty() => None,
        OptionKind::Button => return Err(refuse("no value, because it is a button")),
        OptionKind::String { .. } if value.is_empty() => Some("<empty>".to_string()),
        OptionKind::String { .. } => Some(value.to_string()),
    };
    Ok(Command::SetOption { name: offer.name.clone(), value })
}

/// Refuses a value of several lines.
fn check_line(engine: &str, option: &str, value: &str) -> Result<(), StartError> {
    if value.contains(['\n', '\r']) {
        Err(refused(engine, option, value, "a single line"))
    } else {
        Ok(())
    }
}

fn refused(engine: &str, option: &str, value: &str, accepted: &str) -> StartError {
    let option = excerpt(option);
    StartError::Options(format!(
        "engine {engine}: option {option:?} cannot be {value:?}: it accepts {accepted}"
    ))
}

/// Maximum number of offered names or values in a message; the others are only counted.
const MAX_LISTED_OFFERS: usize = 20;
/// Maximum number of unreadable lines in a message.
const MAX_UNREADABLE_LINES: usize = 3;
/// Maximum number of bytes of a script's first line.
const SHEBANG_BYTES: u64 = 256;
/// Maximum number of characters of each.
const MAX_LISTED_LENGTH: usize = 60;

#[derive(Debug, Error)]
pub enum StartError {
    #[error("engine {engine}: cannot start {}: {source}", command.display())]
    NotStarted { engine: String, command: PathBuf, source: io::Error },
    /// The engine did not answer `uci` with `uciok`, or the first `isready` with `readyok`.
    #[error("engine {engine}: {reason}{}", quoted(stderr))]
    NoAnswer {
        engine: String,
        error: AnswerError,
        /// The missing answer with the reason and what came instead, as a sentence.
        reason: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
        /// An end or stop of its process that another process may have caused.
        interference: Option<String>,
        /// State of the engine at that moment.
        evidence: Box<Evidence>,
    },
    /// The engine does not offer an option or its value, or rejects its options.
    #[error("{0}")]
    Options(String),
    #[error("engine {engine} does not play {variant}: its UCI_Variant offers {}", listed(offered))]
    UnknownVariant { engine: String, variant: String, offered: Vec<String> },
    /// The program, or a file among its arguments, has changed since the start of the match.
    #[error(
        "engine {engine}: {} has changed since the match began; restore it, or use \
         --changed-engines",
        file.display()
    )]
    Changed { engine: String, file: PathBuf },
    #[error("interrupted")]
    Interrupted,
}

impl StartError {
    /// `true` if the error stops the match: the program has changed since the earlier games, or the system cannot
    /// provide another process or namespace, which is not the engine's fault.
    pub fn stops_the_match(&self) -> bool {
        let source = match self {
            StartError::NotStarted { source, .. } => source,
            StartError::Changed { .. } => return true,
            _ => return false,
        };
        // Reasons from a launcher have no error number.
        if source.kind() == io::ErrorKind::Other {
            return true;
        }
        let shortages = [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM];
        let error = Errno::from_io_error(source);
        error.is_some_and(|error| shortages.contains(&error))
    }

    /// Describes an end or stop of its process that another process may have caused.
    pub fn interference(&self) -> Option<&str> {
        match self {
            StartError::NoAnswer { interference, .. } => interference.as_deref(),
            _ => None,
        }
    }
}

/// Replaces the error of a script whose interpreter is missing, which the system does not tell from a missing script.
pub fn explained(error: io::Error, command: &Path, dir: Option<&Path>) -> io::Error {
    let script = file_of(command).map(|file| dir.map_or(file.clone(), |dir| dir.join(file)));
    match script.and_then(|script| interpreter(&script)) {
        Some(interpreter) if error.kind() == io::ErrorKind::NotFound => {
            let fault = if Path::new(&interpreter).exists() {
                "isolation hides, or which lacks its own interpreter; try --isolate off"
            } else {
                "does not exist"
            };
            let text = format!("its first line names {interpreter}, which {fault}");
            io::Error::new(io::ErrorKind::NotFound, text)
        }
        _ => error,
    }
}

/// Returns the program in the first line of a script, with its invisible characters escaped.
fn interpreter(script: &Path) -> Option<String> {
    let mut start = Vec::new();
    let file = input_file::open(script).ok()?;
    file.take(SHEBANG_BYTES).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let mut words = line.split(|byte| b" \t".contains(byte));
    let program = words.find(|word| !word.is_empty())?;
    Some(printable_bytes(program).into_owned())
}

/// Lists offers, shortened to a few lines.
fn listed(offered: &[String]) -> String {
    if offered.is_empty() {
        return "nothing".to_string();
    }
    let shown: Vec<String> =
        offered.iter().take(MAX_LISTED_OFFERS).map(|text| excerpt(text)).collect();
    let more = match offered.len().saturating_sub(MAX_LISTED_OFFERS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(", ") + &more
}

/// Shows the first lines with their reasons, and counts the others.
fn shown_lines(unreadable: &[UnreadableOffer]) -> String {
    let shown: String =
        unreadable.iter().take(MAX_UNREADABLE_LINES).map(|line| format!("; {line}")).collect();
    match unreadable.len().saturating_sub(MAX_UNREADABLE_LINES) {
        0 => shown,
        more => format!("{shown}; and {more} more lines"),
    }
}

/// Quotes and shortens a name or value of an engine.
fn excerpt(text: &str) -> String {
    shortened(&printable(text), MAX_LISTED_LENGTH).into_owned()
}

/// Quotes the last lines of a standard error, if there are any.
pub fn quoted(stderr: &[String]) -> String {
    match &first_and_last(stderr)[..] {
        [] => String::new(),
        lines => format!("; its standard error ends with: {}", lines.join(" | ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Limit;
    use buxtehude::rules::VARIANTS;

    const OFFERS: [&str; 6] = [
        "option name UCI_Variant type combo default chess var chess var hase-und-igel",
        "option name Move Overhead type spin default 10 min 0 max 5000",
        "option name Ponder type check default false",
        "option name Style type combo default Solid var Solid var Risky",
        "option name Clear Hash type button",
        "option name Book type string default <empty>",
    ];

    fn set(variant: usize, options: &[(&str, &str)]) -> Result<Vec<String>, String> {
        set_of(&OFFERS, variant, options)
    }

    fn set_of(
        lines: &[&str],
        variant: usize,
        options: &[(&str, &str)],
    ) -> Result<Vec<String>, String> {
        let mut offers = Offers::default();
        lines.iter().for_each(|line| assert!(offers.add(line)));
        let spec = EngineSpec {
            options: options
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
            ..EngineSpec::new("mine", "", Limit::depth(1))
        };
        settings(&spec, VARIANTS[variant].name, &offers)
            .map(|commands| commands.iter().map(Command::to_string).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn options_are_set_as_offered_after_the_variant() {
        let options = [
            ("move overhead", "20"),
            ("Ponder", "true"),
            ("Style", "risky"),
            ("Clear Hash", ""),
            ("Book", ""),
            ("Book", "a b"),
        ];
        let expected = [
            "setoption name UCI_Variant value hase-und-igel",
            "setoption name Move Overhead value 20",
            "setoption name Ponder value true",
            "setoption name Style value Risky",
            "setoption name Clear Hash",
            "setoption name Book value <empty>",
            "setoption name Book value a b",
        ];
        assert_eq!(set(0, &options).unwrap(), expected);
    }

    #[test]
    fn what_is_not_offered_is_refused_with_what_is() {
        let refused = |option| set(0, &[option]).unwrap_err();
        assert_eq!(
            refused(("Hash", "1")),
            "engine mine has no option \"Hash\": it offers UCI_Variant, Move Overhead, Ponder, Style, Clear Hash, Book"
        );
        for (option, accepted) in [
            (("Move Overhead", "5001"), "a whole number from 0 to 5000"),
            (("Move Overhead", "x"), "a whole number from 0 to 5000"),
            (("Ponder", "yes"), "true or false"),
            (("Style", "Wild"), "Solid, Risky"),
            (("Book", "a\nquit"), "a single line"),
            (("Clear Hash", "1"), "no value, because it is a button"),
        ] {
            let (name, value) = option;
            assert_eq!(
                refused(option),
                format!("engine mine: option {name:?} cannot be {value:?}: it accepts {accepted}")
            );
        }
    }

    #[test]
    fn an_option_whose_line_cannot_be_read_can_be_set() {
        for (line, option, expected) in [
            ("name GaviotaTbPath type string empty", ("gaviotatbpath", "/a b"), " value /a b"),
            ("name GaviotaTbPath type string empty", ("GaviotaTbPath", ""), " value <empty>"),
            ("name Threads default 4 min 4 max 100", ("Threads", "9"), " value 9"),
            ("name Own Book type check default True", ("own book", "true"), " value true"),
            ("name Contempt type spin default 0.5", ("Contempt", "0.7"), " value 0.7"),
            ("name Clear Hash type button now", ("Clear Hash", ""), ""),
            ("name Clear", ("Clear", ""), ""),
            ("Hash type spin default 1 min 1 max 64", ("Hash", "8"), " value 8"),
        ] {
            let line = format!("option {line}");
            let set = set_of(&[&line], 0, &[option]).unwrap();
            let name = line.trim_start_matches("option ").trim_start_matches("name ");
            let name = &name[..option.0.len()];
            assert_eq!(set, [format!("setoption name {name}{expected}")], "{line}");
            let refused = set_of(&[&line], 0, &[("Hush", "1")]).unwrap_err();
            let quoted = format!("it offers nothing; \"{line}\" cannot be read: option");
            assert!(refused.contains(&quoted), "{refused}");
            let lines = set_of(&[&line], 0, &[(option.0, "1\nquit")]).unwrap_err();
            assert!(lines.ends_with("it accepts a single line"), "{lines}");
        }
        let capital = "Option name Hash type spin default 1 min 1 max 64";
        assert_eq!(set_of(&[capital], 0, &[("Hash", "8")]).unwrap().len(), 1);
        let set = set_of(&["option name UCI_Variant type list"], 0, &[]).unwrap();
        assert_eq!(set, ["setoption name UCI_Variant value hase-und-igel"]);
    }

    #[test]
    fn a_variant_that_is_not_listed_is_refused() {
        assert_eq!(
            set(1, &[]).unwrap_err(),
            "engine mine does not play hare-and-tortoise: its UCI_Variant offers chess, hase-und-igel"
        );
    }
}
